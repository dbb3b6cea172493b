// A vase falls on a stone floor and breaks, one step a frame. Built by the tests against the installed library.
#include <rubble/rubble.h>
#include <stdio.h>

static rblResult add_floor(rblWorldId world)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId floor;
    rblResult result = rbl_shape_create_plane((rblVec3){0, 1, 0}, &def.shape);
    if (result == RBL_OK)
    {
        def.type = RBL_BODY_STATIC;
        rbl_material_preset("stone", &def.material);
        result = rbl_body_create(world, &def, &floor);
        rbl_shape_destroy(def.shape); // its body keeps it
    }
    return result;
}

static rblResult make_shape(const char* solid, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblResult result = rbl_mesh_make(solid, NULL, 0, &def.mesh);
    if (result == RBL_OK)
    {
        result = rbl_shape_create_level_set(&def, out);
        rbl_mesh_destroy(def.mesh);
    }
    return result;
}

static rblResult add_vase(rblWorldId world)
{
    const rblPrescoredDef pattern = rbl_default_prescored_def(); // or by stress: rbl_breaker_create_stress()
    rblBodyDef def = rbl_default_body_def();
    rblBodyId vase;
    def.pose.p = (rblVec3){0, 1.5f, 0};
    rbl_material_preset("ceramic", &def.material);
    rblResult result = make_shape("vase", &def.shape);
    if (result == RBL_OK)
    {
        result = rbl_breaker_create_prescored(&pattern, &def.breaker);
        if (result == RBL_OK)
        {
            result = rbl_body_create(world, &def, &vase);
            rbl_breaker_destroy(def.breaker);
        }
        rbl_shape_destroy(def.shape);
    }
    return result;
}

int main(void)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    if (rbl_world_create(&def, &world) != RBL_OK || add_floor(world) != RBL_OK || add_vase(world) != RBL_OK)
    {
        fprintf(stderr, "smash: %s\n", rbl_last_error());
        return 1;
    }
    for (int frame = 0; frame < 60; ++frame)
    {
        const rblBreakEvent* breaks;
        uint32_t count;
        rbl_world_step(world, 1.0f / 30.0f);
        rbl_world_break_events(world, &breaks, &count);
        for (uint32_t i = 0; i < count; ++i)
        {
            printf("frame %d: impact at %.1f m/s, breaks into %u pieces; cracks took %.3f J\n", frame,
                   (double)breaks[i].speed, breaks[i].fragment_count, breaks[i].surface_energy);
        }
    }
    return rbl_world_destroy(world) == RBL_OK ? 0 : 1;
}
