#include "rubble/rubble.h"

#include <stdio.h>

int main(void)
{
    printf("rubble %s\n", rbl_version());
    return 0;
}
