// rubble completion: one script per shell, all from the tables.
#include "describe.h"

#include "tool.h"
#include <string.h>

int completion_run(const Parsed* parsed)
{
    const char* shell = parsed->variant->name;
    if (strcmp(shell, "bash") == 0)
    {
        completion_print_bash(stdout, parsed->program);
    }
    else if (strcmp(shell, "zsh") == 0)
    {
        completion_print_zsh(stdout, parsed->program);
    }
    else
    {
        completion_print_fish(stdout, parsed->program);
    }
    return TOOL_DONE;
}
