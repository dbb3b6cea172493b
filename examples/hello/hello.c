// Ten lines with Rubble: make a solid and weigh it. Built by the tests against the installed library.
#include <rubble/rubble.h>
#include <stdio.h>

int main(void)
{
    rblMeshId ball;
    rblMassProperties mass;
    if (rbl_mesh_make("icosphere", NULL, 0, &ball) != RBL_OK ||
        rbl_mesh_mass_properties(ball, 2600.0, &mass) != RBL_OK)
    {
        fprintf(stderr, "hello: %s\n", rbl_last_error());
        return 1;
    }
    printf("A stone ball of %.3f m^3 weighs %.1f kg.\n", mass.volume, mass.mass);
    return rbl_mesh_destroy(ball) == RBL_OK ? 0 : 1;
}
