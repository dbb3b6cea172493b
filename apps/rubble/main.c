#include "tool.h"

int main(int argument_count, char** arguments)
{
    return tool_main(argument_count, (const char* const*)arguments);
}
