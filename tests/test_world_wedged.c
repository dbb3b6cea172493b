// Bodies that are not convex and wedge each other: heaps come to rest, whatever the energy clamp takes away meanwhile.
#include "world_testing.h"

#include "base/random.h"
#include "rubble/solids.h"

#define BODIES 16
#define COPIES 24

typedef struct Heap
{
    rblShapeId bowl, statue, ring;
} Heap;

static rblShapeId make_solid(const char* kind, const char* const* names, const double* sizes, uint32_t count)
{
    rblSolidValue values[3];
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    for (uint32_t i = 0; i < count; ++i)
    {
        values[i] = (rblSolidValue){names[i], &sizes[i], 1};
    }
    check_ok(rbl_mesh_make(kind, values, count, &def.mesh));
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh));
    return id;
}

static void put_solid(rblWorldId world, rblShapeId shape, rblBodyType type, const char* material, rblVec3 at,
                      rblQuat q)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset(material, &def.material));
    def.shape = shape;
    def.type = type;
    def.pose = (rblTransform){at, q};
    check_ok(rbl_body_create(world, &def, &body));
}

// Statues and rings in four layers above a bowl, in random orientations.
static rblWorldId make_heap(const Heap* heap, rblRandom* random)
{
    const rblWorldId world = make_world(true);
    const rblQuat none = {0, 0, 0, 1};
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    put_solid(world, heap->bowl, RBL_BODY_STATIC, "ceramic", vec(0, 0, 0), none);
    for (int i = 0; i < BODIES; ++i)
    {
        const float angle = 1.5707963f * (float)i + 0.4f * (float)(i / 4);
        const rblVec3 at = {0.2f * cosf(angle), 0.5f + 0.36f * (float)(i / 4), 0.2f * sinf(angle)};
        const float turn = 6.2831853f * rbl_random_float(random);
        const rblQuat q = rbl_quat_from_axis_angle(vec(1, 0, 0), turn);
        put_solid(world, i % 2 == 0 ? heap->statue : heap->ring, RBL_BODY_DYNAMIC,
                  i % 2 == 0 ? "stone" : "wood", at, q);
    }
    return world;
}

static void heaps_of_wedged_bodies_come_to_rest_in_a_bowl(void** state)
{
    (void)state;
    static const char* const of_bowl[] = {"radius", "height", "thickness"};
    static const char* const of_statue[] = {"height", "triangles"};
    static const char* const of_ring[] = {"radius", "tube"};
    const Heap heap = {make_solid("bowl", of_bowl, (const double[]){0.45, 0.35, 0.03}, 3),
                       make_solid("statue", of_statue, (const double[]){0.24, 4000.0}, 2),
                       make_solid("torus", of_ring, (const double[]){0.075, 0.018}, 2)};
    rblRandom random = rbl_random_seed(12, 20);
    double most = 0.0;
    for (int copy = 0; copy < COPIES; ++copy)
    {
        const rblWorldId world = make_heap(&heap, &random);
        rblEnergy before, after;
        double clamped = 0.0;
        check_ok(rbl_world_energy(world, &before));
        for (int i = 0; i < 180; ++i)
        {
            step_times(world, 1);
            check_ok(rbl_world_energy(world, &after));
            clamped += after.clamped;
        }
        most = rbl_maxd(most, clamped / before.potential);
        if (!(after.kinetic < 1e-3 * before.potential && clamped < before.potential))
        {
            fail_msg("heap %d: %g J of %g J move after 6 s, %g J clamped", copy, after.kinetic,
                     before.potential, clamped);
        }
        check_ok(rbl_world_destroy(world));
    }
    print_message("clamped: at most %g of the energy\n", most);
    check_ok(rbl_shape_destroy(heap.bowl));
    check_ok(rbl_shape_destroy(heap.statue));
    check_ok(rbl_shape_destroy(heap.ring));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_of_wedged_bodies_come_to_rest_in_a_bowl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
