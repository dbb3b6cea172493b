// Areas of worlds: fields, contacts, bodies, breaks.
#include "hash.h"

#include "../box_breaker.h"
#include "base/jobs.h"
#include "dynamics/broad_phase/broad_phase.h"
#include "math/quat.h"
#include "rubble/joint.h"
#include "rubble/shape.h"
#include <math.h>

static void add_contacts(const rblShapeView* a, const rblShapeView* b, rblTransform pose)
{
    rblContactSet set = {0};
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 0.01f;
    require(rbl_shape_collide(a, b, pose, &options, NULL, &set), "collide");
    for (uint32_t i = 0; i < set.count; ++i)
    {
        area_hash = rbl_hash_bytes(area_hash, &set.points[i], sizeof set.points[i]);
    }
    rbl_contact_set_free(&set);
}

// A level set of a mesh: its samples, its field, and what it touches.
void hash_fields(rblMeshId mesh)
{
    rblRandom random = rbl_random_seed(9, 1);
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    rblShapeView view;
    def.mesh = mesh;
    def.max_cells = 32;
    require(rbl_shape_create_level_set(&def, &shape), "level set");
    require(rbl_shape_view(shape, &view), "view");
    area_hash = rbl_hash_bytes(area_hash, view.samples, sizeof *view.samples * view.sample_count);
    for (int i = 0; i < 2000; ++i)
    {
        const rblVec3 p = {(float)rbl_random_range(&random, -0.5, 0.5),
                           (float)rbl_random_range(&random, -0.5, 0.5),
                           (float)rbl_random_range(&random, -0.5, 0.5)};
        rblVec3 gradient;
        add_double((double)rbl_shape_distance(view.shape, p, &gradient));
        area_hash = rbl_hash_bytes(area_hash, &gradient, sizeof gradient);
        add_contacts(&view, &view, (rblTransform){p, {0.36f, 0.48f, 0.0f, 0.8f}});
    }
    require(rbl_shape_destroy(shape), "destroy");
    print_area("fields");
}

static bool any_pair(uint32_t a, uint32_t b, const void* context)
{
    (void)context;
    return (a + b) % 7 != 0;
}

static bool add_visit(uint32_t proxy, void* context)
{
    (void)context;
    add_u32(proxy);
    return true;
}

static float add_ray_visit(uint32_t proxy, const rblRay* ray, void* context)
{
    (void)context;
    add_u32(proxy);
    return 0.9f * ray->t_max;
}

static rblAabb random_box(rblRandom* random)
{
    const rblVec3d p = random_point(random);
    const float size = 0.2f * rbl_random_float(random);
    const rblVec3 lower = {(float)p.x, (float)p.y, (float)p.z};
    return (rblAabb){lower, {lower.x + size, lower.y + 0.5f * size, lower.z + size}};
}

static void add_pairs(const rblProxyPairArray* pairs)
{
    for (size_t i = 0; i < pairs->count; ++i)
    {
        add_u32(pairs->data[i].a);
        add_u32(pairs->data[i].b);
    }
}

// Boxes that drift: what begins and ends, and in which order queries meet the trees.
void hash_broad_phase(void)
{
    enum
    {
        PROXIES = 4000
    };
    static rblAabb boxes[PROXIES];
    static uint32_t proxies[PROXIES];
    rblRandom random = rbl_random_seed(5, 1);
    rblBroadPhase* broad;
    rblProxyPairArray begun, ended;
    rbl_array_init(&begun, rbl_default_allocator());
    rbl_array_init(&ended, rbl_default_allocator());
    require(rbl_broad_phase_create(rbl_default_allocator(), &broad), "broad phase");
    for (uint32_t i = 0; i < PROXIES; ++i)
    {
        proxies[i] = i;
        boxes[i] = random_box(&random);
        require(rbl_broad_phase_add(broad, i, boxes[i], i % 8 != 0), "proxy");
    }
    for (uint32_t step = 0; step < 12; ++step)
    {
        const float way = step % 4 == 0 ? 0.05f : 0.001f;
        for (uint32_t i = 0; i < PROXIES; ++i)
        {
            const float by = i % 8 != 0 ? way * (rbl_random_float(&random) - 0.5f) : 0.0f;
            boxes[i].lower.x += by;
            boxes[i].upper.x += by;
        }
        require(rbl_broad_phase_move(broad, proxies, boxes, PROXIES, 0.0f, rbl_default_jobs()), "move");
        require(rbl_broad_phase_update(broad, any_pair, NULL, rbl_default_jobs(), &begun, &ended), "update");
        add_pairs(&begun);
        add_pairs(&ended);
        rbl_broad_phase_query(broad, rbl_broad_phase_fat_box(broad, step), add_visit, NULL);
        const rblRay ray = {boxes[step].lower, {1.0f, -0.5f, 0.25f}, 0.0f, 10.0f};
        rbl_broad_phase_ray(broad, &ray, (rblVec3){0.1f, 0.1f, 0.1f}, add_ray_visit, NULL);
    }
    rbl_array_free(&begun);
    rbl_array_free(&ended);
    rbl_broad_phase_destroy(broad);
    print_area("broad phase");
}

static rblVec3 to_float(rblVec3d p)
{
    return (rblVec3){(float)p.x, (float)p.y, (float)p.z};
}

static rblShapeId convex_shape(rblRandom* random, uint32_t kind)
{
    rblShapeId id = {0};
    rblVec3 points[16];
    switch (kind)
    {
    case 0:
        require(rbl_shape_create_sphere(0.6f, &id), "sphere");
        break;
    case 1:
        require(rbl_shape_create_capsule(0.3f, 1.5f, &id), "capsule");
        break;
    case 2:
        require(rbl_shape_create_box((rblVec3){1.0f, 0.7f, 1.3f}, &id), "box");
        break;
    case 3:
        require(rbl_shape_create_cylinder(0.5f, 0.8f, &id), "cylinder");
        break;
    default:
        for (int i = 0; i < 16; ++i)
        {
            points[i] = to_float(random_point(random));
        }
        require(rbl_shape_create_hull(points, 16, &id), "hull");
    }
    return id;
}

// Convex shapes: mass, samples, boxes, contacts, times of impact.
void hash_convex(void)
{
    rblRandom random = rbl_random_seed(10, 1);
    for (uint32_t round = 0; round < 100; ++round)
    {
        const rblShapeId ids[2] = {convex_shape(&random, round % 5), convex_shape(&random, round / 5 % 5)};
        rblShapeView a;
        rblShapeView b;
        require(rbl_shape_view(ids[0], &a), "view");
        require(rbl_shape_view(ids[1], &b), "view");
        add_double(a.mass.moments.x);
        require(rbl_shape_samples(&a, &a.samples, &a.sample_count), "samples");
        area_hash = rbl_hash_bytes(area_hash, a.samples, sizeof *a.samples * a.sample_count);
        for (int i = 0; i < 20; ++i)
        {
            const rblVec3d axis = random_point(&random);
            const rblTransform pose = {to_float(random_point(&random)),
                                       rbl_quat_from_axis_angle(to_float(axis), (float)i)};
            const rblSweep still = {.from = {{0, 0, 0}, {0, 0, 0, 1}}};
            const rblSweep moving = {{{3, 3, 3}, pose.q}, {-4, -4, -4}, to_float(axis)};
            const rblAabb box = rbl_shape_bounds_at(&b, pose);
            add_box(&box);
            add_contacts(&a, &b, pose);
            add_double((double)rbl_shape_time_of_impact(&a, &still, &b, &moving, 0.0f, 1e-3f));
        }
        require(rbl_shape_destroy(ids[0]), "destroy");
        require(rbl_shape_destroy(ids[1]), "destroy");
    }
    print_area("convex");
}

static rblBodyId add_body(rblWorldId world, rblShapeId shape, rblBodyType type, rblTransform pose)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.pose = pose;
    def.material.restitution = 0.3f;
    rblBodyId body;
    require(rbl_body_create(world, &def, &body), "body");
    return body;
}

static void add_joint(rblWorldId world, rblJointKind kind, rblBodyId a, rblBodyId b)
{
    rblJointDef def = rbl_default_joint_def();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.anchor_b = (rblVec3){0.0f, 0.6f, 0.0f};
    rblJointId joint;
    require(rbl_joint_create(world, &def, &joint), "joint");
}

// A world: convex shapes and level sets fall onto a moving floor, some on joints; with sleep, impacts and a snapshot.
void hash_world(rblMeshId mesh)
{
    rblRandom random = rbl_random_seed(11, 1);
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    require(rbl_world_create(&world_def, &world), "world");
    rblShapeId shapes[7];
    for (uint32_t i = 0; i < 5; ++i)
    {
        shapes[i] = convex_shape(&random, i);
    }
    rblLevelSetDef level_def = rbl_default_level_set_def();
    level_def.mesh = mesh;
    level_def.max_cells = 24;
    require(rbl_shape_create_level_set(&level_def, &shapes[5]), "level set");
    require(rbl_shape_create_box((rblVec3){20.0f, 1.0f, 20.0f}, &shapes[6]), "floor");
    const rblTransform below = {{0.0f, -0.5f, 0.0f}, {0, 0, 0, 1}};
    const rblBodyId floor = add_body(world, shapes[6], RBL_BODY_KINEMATIC, below);
    require(rbl_body_set_velocity(world, floor, (rblVec3){0.1f, 0.2f, 0.0f}, (rblVec3){0, 0.1f, 0}), "floor");
    rblBodyId last = {0};
    for (uint32_t i = 0; i < 120; ++i)
    {
        const rblVec3 axis = to_float(random_point(&random));
        const rblTransform pose = {
            {1.3f * (float)(i % 4), 1.0f + 1.3f * (float)(i / 16), 1.3f * (float)(i / 4 % 4)},
            rbl_quat_from_axis_angle(axis, (float)i)};
        const rblBodyId body = add_body(world, shapes[i % 6], RBL_BODY_DYNAMIC, pose);
        if (i % 10 == 9)
        {
            add_joint(world, (rblJointKind)(i / 10 % RBL_JOINT_KIND_COUNT), body, last);
        }
        last = body;
    }
    for (int step = 0; step < 30; ++step)
    {
        uint64_t hash;
        rblEnergy energy;
        require(rbl_world_step(world, 1.0f / 30.0f), "step");
        require(rbl_world_hash(world, &hash), "hash");
        require(rbl_world_energy(world, &energy), "energy");
        area_hash = rbl_hash_bytes(area_hash, &hash, sizeof hash);
        add_double(energy.kinetic + energy.potential);
        add_double(energy.work);
    }
    for (int i = 0; i < 7; ++i)
    {
        require(rbl_shape_destroy(shapes[i]), "destroy");
    }
    require(rbl_world_destroy(world), "destroy");
    print_area("world");
}

// Slabs fall in a heap and break: hundreds of births, several in a step, some by other fragments.
void hash_breaks(void)
{
    BoxBreaker boxes = {.counts = {4, 1, 3}, .energy = 3.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    rblShapeId ground;
    rblBodyDef def = rbl_default_body_def();
    require(rbl_world_create(&world_def, &world), "world");
    require(rbl_shape_create_plane((rblVec3){0, 1, 0}, &ground), "plane");
    require(rbl_shape_create_box((rblVec3){0.4f, 0.08f, 0.3f}, &def.shape), "box");
    add_body(world, ground, RBL_BODY_STATIC, (rblTransform){{0, 0, 0}, {0, 0, 0, 1}});
    def.breaker = breaker;
    for (int i = 0; i < 32; ++i)
    {
        rblBodyId body;
        def.pose.p = (rblVec3){0.3f * (float)(i % 4), 0.8f + 0.15f * (float)i, 0.2f * (float)(i % 3)};
        def.pose.q = rbl_quat_from_axis_angle((rblVec3){1, 0.5f, 0.2f}, 0.4f * (float)i);
        require(rbl_body_create(world, &def, &body), "body");
    }
    for (int i = 0; i < 60; ++i)
    {
        uint64_t hash;
        require(rbl_world_step(world, 1.0f / 30.0f), "step");
        require(rbl_world_hash(world, &hash), "hash");
        add_u32((uint32_t)hash);
        add_u32((uint32_t)(hash >> 32));
    }
    rblCounters counters;
    require(rbl_world_counters(world, &counters), "counters");
    add_u32(counters.fragments);
    require(rbl_world_destroy(world), "destroy");
    rbl_shape_destroy(def.shape);
    rbl_shape_destroy(ground);
    rbl_breaker_destroy(breaker);
    print_area("breaks");
}

// One fragment's breaks again: what comes out of a field's break, too.
static void add_fragments(const rblBreaker* breaker, rblBreakBody* body, uint32_t depth)
{
    const rblVec3 top = {0.0f, body->view.bounds.upper.y, 0.0f};
    const rblVerdict verdict = {.breaks = true, .point = top, .normal = {0.0f, -1.0f, 0.0f}, .budget = 1e30};
    void* prepared = NULL;
    rblFracture fracture;
    require(rbl_breaker_prepare(breaker, &body->view, &body->material, rbl_default_jobs(), &prepared),
            "prepare");
    require(rbl_breaker_shatter(breaker, prepared, body, &verdict, rbl_default_jobs(), &fracture), "shatter");
    rbl_breaker_forget(breaker, prepared);
    add_double(fracture.crack_area);
    add_u32(fracture.mate_count);
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        rblShapeView view;
        require(rbl_shape_view(fracture.fragments[i].shape, &view), "fragment");
        add_double((double)fracture.fragments[i].mass);
        add_double(view.mass.volume);
        require(rbl_shape_samples(&view, &view.samples, &view.sample_count), "samples");
        for (uint32_t k = 0; k < view.sample_count; ++k)
        {
            rblVec3 gradient;
            add_double((double)view.samples[k].x);
            add_double((double)rbl_shape_distance(view.shape, view.samples[k], &gradient));
            add_double((double)gradient.y);
        }
    }
    if (depth > 0 && fracture.fragment_count > 0)
    {
        rblBreakBody next = *body;
        require(rbl_shape_view(fracture.fragments[0].shape, &next.view), "fragment");
        next.mass = fracture.fragments[0].mass;
        next.generation += 1;
        add_fragments(breaker, &next, depth - 1);
    }
    rbl_fracture_free(&fracture);
}

void hash_prescored(rblMeshId mesh)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblPrescoredDef prescored = rbl_default_prescored_def();
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    rblShapeId shapes[2];
    def.mesh = mesh;
    def.max_cells = 32;
    prescored.share = 0.5f;
    require(rbl_shape_create_level_set(&def, &shapes[0]), "level set");
    require(rbl_shape_create_box((rblVec3){0.5f, 0.3f, 0.1f}, &shapes[1]), "box");
    require(rbl_breaker_create_prescored(&prescored, &id), "prescored");
    require(rbl_breaker_acquire(id, &breaker), "hold");
    for (int i = 0; i < 2; ++i)
    {
        rblBreakBody body = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}, .mass = 1.0f, .seed = 5};
        require(rbl_shape_view(shapes[i], &body.view), "view");
        require(rbl_material_preset("glass", &body.material), "glass");
        add_fragments(breaker, &body, 2);
        require(rbl_shape_destroy(shapes[i]), "destroy");
    }
    rbl_breaker_release(breaker);
    require(rbl_breaker_destroy(id), "destroy");
    print_area("prescored");
}
