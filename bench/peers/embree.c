// Embree: builds with memory kept between them, refit, rays one at a time, closest points, colliding scenes.
#include "peers.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "Embree " RTC_VERSION_STRING;

typedef struct Embree
{
    const PeerWork* work;
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    int threads;
    _Atomic int64_t bytes; // that Embree holds
    _Atomic uint64_t found;
    int any; // rays: any hit instead of the closest
} Embree;

static bool count_bytes(void* user, ssize_t bytes, bool post)
{
    (void)post;
    Embree* embree = user;
    atomic_fetch_add(&embree->bytes, bytes);
    return true;
}

static void open_device(Embree* embree, const PeerWork* work, int threads)
{
    char options[64];
    *embree = (Embree){.work = work, .threads = threads};
    snprintf(options, sizeof options, "threads=%d,start_threads=1", threads);
    embree->device = rtcNewDevice(options);
    rtcSetDeviceMemoryMonitorFunction(embree->device, count_bytes, embree);
}

static void close_device(Embree* embree)
{
    rtcReleaseDevice(embree->device);
}

// ---- Triangles ----

static RTCGeometry make_triangles(RTCDevice device, const PeerMesh* mesh)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->positions, 0, 12,
                               mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->indices, 0, 12,
                               mesh->triangle_count);
    return geometry;
}

static void open_triangles(Embree* embree, enum RTCBuildQuality quality, enum RTCSceneFlags flags)
{
    embree->scene = rtcNewScene(embree->device);
    rtcSetSceneFlags(embree->scene, flags);
    // Refitting is asked of geometry alone.
    rtcSetSceneBuildQuality(embree->scene,
                            quality == RTC_BUILD_QUALITY_REFIT ? RTC_BUILD_QUALITY_LOW : quality);
    embree->geometry = make_triangles(embree->device, &embree->work->mesh);
    rtcSetGeometryBuildQuality(embree->geometry, quality);
    rtcCommitGeometry(embree->geometry);
    rtcAttachGeometry(embree->scene, embree->geometry);
    rtcCommitScene(embree->scene);
}

static void close_triangles(Embree* embree)
{
    rtcReleaseGeometry(embree->geometry);
    rtcReleaseScene(embree->scene);
}

static void commit_again(void* context)
{
    Embree* embree = context;
    rtcUpdateGeometryBuffer(embree->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(embree->geometry);
    rtcCommitScene(embree->scene);
}

// Embree builds a scene of one mesh in two ways, kept for updates or not; the faster one counts.
static void measure_build(const PeerWork* work, int threads, enum RTCBuildQuality quality, const char* kind)
{
    double best = INFINITY;
    double bytes = 0.0;
    static const enum RTCSceneFlags flags[2] = {RTC_SCENE_FLAG_DYNAMIC, RTC_SCENE_FLAG_NONE};
    for (int i = 0; i < 2; ++i)
    {
        Embree embree;
        open_device(&embree, work, threads);
        open_triangles(&embree, quality, flags[i]);
        const double taken = peer_best(work, commit_again, &embree);
        if (taken < best)
        {
            best = taken;
            bytes = (double)atomic_load(&embree.bytes);
        }
        close_triangles(&embree);
        close_device(&embree);
    }
    char metric[64];
    snprintf(metric, sizeof metric, "build %s %dT", kind, threads);
    peer_figure(name, metric, best, work->mesh.triangle_count);
    snprintf(metric, sizeof metric, "memory %s %dT", kind, threads);
    peer_figure(name, metric, bytes / work->mesh.triangle_count, work->mesh.triangle_count);
}

static void measure_refit(const PeerWork* work, int threads)
{
    Embree embree;
    char metric[64];
    open_device(&embree, work, threads);
    open_triangles(&embree, RTC_BUILD_QUALITY_REFIT, RTC_SCENE_FLAG_DYNAMIC);
    const double taken = peer_best(work, commit_again, &embree);
    close_triangles(&embree);
    close_device(&embree);
    snprintf(metric, sizeof metric, "refit %dT", threads);
    peer_figure(name, metric, taken, work->mesh.triangle_count);
}

// ---- Rays and points: the table in equal parts, one thread each ----

typedef struct Part
{
    Embree* embree;
    uint32_t begin, end;
} Part;

typedef void* PartFcn(void* part);

static void run_parts(Embree* embree, PartFcn* fcn)
{
    pthread_t threads[2];
    Part parts[2];
    const uint32_t rows = embree->work->table.row_count;
    const uint32_t count = (uint32_t)embree->threads;
    atomic_store(&embree->found, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        parts[i] = (Part){embree, (uint32_t)((uint64_t)rows * i / count),
                          (uint32_t)((uint64_t)rows * (i + 1) / count)};
    }
    const int apart = count == 2 && pthread_create(&threads[1], NULL, fcn, &parts[1]) == 0;
    fcn(&parts[0]);
    if (apart)
    {
        pthread_join(threads[1], NULL);
    }
    else if (count == 2)
    {
        fcn(&parts[1]);
    }
}

static struct RTCRay make_ray(const float* row)
{
    return (struct RTCRay){.org_x = row[0],
                           .org_y = row[1],
                           .org_z = row[2],
                           .dir_x = row[3],
                           .dir_y = row[4],
                           .dir_z = row[5],
                           .tnear = row[6],
                           .tfar = row[7],
                           .mask = UINT32_MAX};
}

static void* trace_part(void* context)
{
    const Part* part = context;
    Embree* embree = part->embree;
    struct RTCIntersectContext traversal;
    rtcInitIntersectContext(&traversal);
    uint64_t hits = 0;
    for (uint32_t i = part->begin; i < part->end; ++i)
    {
        const float* row = embree->work->table.values + 8 * (size_t)i;
        if (embree->any)
        {
            struct RTCRay ray = make_ray(row);
            rtcOccluded1(embree->scene, &traversal, &ray);
            hits += ray.tfar < 0.0f;
        }
        else
        {
            struct RTCRayHit ray = {.ray = make_ray(row)};
            ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(embree->scene, &traversal, &ray);
            hits += ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        }
    }
    atomic_fetch_add(&embree->found, hits);
    return NULL;
}

static void trace(void* context)
{
    run_parts(context, trace_part);
}

// With one thread, as bench_bvh_rays.c does: the shortest time of each part of the rays, summed over the parts.
static double best_of_parts(Embree* embree)
{
    enum
    {
        PART = 1024,
        PARTS = 256
    };
    double best[PARTS];
    const uint32_t count = embree->work->table.row_count;
    const double begin = peer_seconds();
    for (int run = 0; run < 16 || peer_seconds() - begin < 0.25; ++run)
    {
        atomic_store(&embree->found, 0);
        for (uint32_t part = 0; part * PART < count && part < PARTS; ++part)
        {
            const uint32_t end = (part + 1) * PART;
            Part rays = {embree, part * PART, end < count ? end : count};
            const double start = peer_seconds();
            trace_part(&rays);
            const double taken = peer_seconds() - start;
            best[part] = run == 0 || taken < best[part] ? taken : best[part];
        }
    }
    double sum = 0.0;
    for (uint32_t part = 0; part * PART < count && part < PARTS; ++part)
    {
        sum += best[part];
    }
    return 1e3 * sum;
}

static void measure_rays(const PeerWork* work, int threads)
{
    Embree embree;
    open_device(&embree, work, threads);
    open_triangles(&embree, RTC_BUILD_QUALITY_MEDIUM, RTC_SCENE_FLAG_NONE);
    for (embree.any = 0; embree.any < 2; ++embree.any)
    {
        char metric[64];
        const double taken = threads == 1 ? best_of_parts(&embree) : peer_best(work, trace, &embree);
        snprintf(metric, sizeof metric, "%s %dT", embree.any ? "any" : "closest", threads);
        peer_figure(name, metric, taken, (double)atomic_load(&embree.found));
    }
    close_triangles(&embree);
    close_device(&embree);
}

// The closest point of a triangle (Ericson 2005, "Real-Time Collision Detection", 5.1.5), squared distance only.
static float squared_distance(const float p[3], const float a[3], const float b[3], const float c[3])
{
    float ab[3];
    float ac[3];
    float ap[3];
    for (int i = 0; i < 3; ++i)
    {
        ab[i] = b[i] - a[i];
        ac[i] = c[i] - a[i];
        ap[i] = p[i] - a[i];
    }
    const float bb = ab[0] * ab[0] + ab[1] * ab[1] + ab[2] * ab[2];
    const float bc = ab[0] * ac[0] + ab[1] * ac[1] + ab[2] * ac[2];
    const float cc = ac[0] * ac[0] + ac[1] * ac[1] + ac[2] * ac[2];
    const float d1 = ab[0] * ap[0] + ab[1] * ap[1] + ab[2] * ap[2];
    const float d2 = ac[0] * ap[0] + ac[1] * ap[1] + ac[2] * ap[2];
    const float d3 = d1 - bb;
    const float d4 = d2 - bc;
    const float d5 = d1 - bc;
    const float d6 = d2 - cc;
    const float vc = d1 * d4 - d3 * d2;
    const float vb = d5 * d2 - d1 * d6;
    const float va = d3 * d6 - d5 * d4;
    float v = 0.0f;
    float w = 0.0f;
    if (d1 <= 0.0f && d2 <= 0.0f)
    {
        v = 0.0f;
    }
    else if (d3 >= 0.0f && d4 <= d3)
    {
        v = 1.0f;
    }
    else if (d6 >= 0.0f && d5 <= d6)
    {
        w = 1.0f;
    }
    else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
    {
        v = d1 / (d1 - d3);
    }
    else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
    {
        w = d2 / (d2 - d6);
    }
    else if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f)
    {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1.0f - w;
    }
    else
    {
        const float scale = 1.0f / (va + vb + vc);
        v = vb * scale;
        w = vc * scale;
    }
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
    {
        const float d = ap[i] - v * ab[i] - w * ac[i];
        sum += d * d;
    }
    return sum;
}

static bool visit_triangle(struct RTCPointQueryFunctionArguments* visit)
{
    const PeerMesh* mesh = visit->userPtr;
    const uint32_t* corners = mesh->indices + 3 * (size_t)visit->primID;
    const float point[3] = {visit->query->x, visit->query->y, visit->query->z};
    const float squared =
        squared_distance(point, mesh->positions + 3 * (size_t)corners[0],
                         mesh->positions + 3 * (size_t)corners[1], mesh->positions + 3 * (size_t)corners[2]);
    if (squared < visit->query->radius * visit->query->radius)
    {
        visit->query->radius = sqrtf(squared);
        return true;
    }
    return false;
}

static void* query_part(void* context)
{
    const Part* part = context;
    Embree* embree = part->embree;
    const PeerWork* work = embree->work;
    PeerMesh mesh = work->mesh;
    double sum = 0.0;
    for (uint32_t i = part->begin; i < part->end; ++i)
    {
        const float* p = work->table.values + 3 * (size_t)i;
        struct RTCPointQuery query = {.x = p[0], .y = p[1], .z = p[2], .radius = INFINITY};
        struct RTCPointQueryContext traversal;
        rtcInitPointQueryContext(&traversal);
        rtcPointQuery(embree->scene, &query, &traversal, visit_triangle, &mesh);
        sum += (double)query.radius;
    }
    // Millionths of the sum of distances: a figure that tells whether the answers agree.
    atomic_fetch_add(&embree->found, (uint64_t)(1e6 * sum));
    return NULL;
}

static void query(void* context)
{
    run_parts(context, query_part);
}

static void measure_points(const PeerWork* work, int threads)
{
    Embree embree;
    char metric[64];
    open_device(&embree, work, threads);
    open_triangles(&embree, RTC_BUILD_QUALITY_MEDIUM, RTC_SCENE_FLAG_NONE);
    const double taken = peer_best(work, query, &embree);
    snprintf(metric, sizeof metric, "closest point %dT", threads);
    peer_figure(name, metric, taken, (double)atomic_load(&embree.found));
    close_triangles(&embree);
    close_device(&embree);
}

// ---- Colliding scenes: rtcCollide takes user geometry only ----

typedef struct Collision
{
    Embree embree;
    RTCScene scenes[2];
    const PeerMesh* meshes[2];
    int self;
} Collision;

static void bound_triangle(const struct RTCBoundsFunctionArguments* arguments)
{
    const PeerMesh* mesh = arguments->geometryUserPtr;
    const uint32_t* corners = mesh->indices + 3 * (size_t)arguments->primID;
    float low[3];
    float high[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        const float a = mesh->positions[3 * (size_t)corners[0] + (size_t)axis];
        const float b = mesh->positions[3 * (size_t)corners[1] + (size_t)axis];
        const float c = mesh->positions[3 * (size_t)corners[2] + (size_t)axis];
        low[axis] = fminf(a, fminf(b, c));
        high[axis] = fmaxf(a, fmaxf(b, c));
    }
    *arguments->bounds_o = (struct RTCBounds){.lower_x = low[0],
                                              .lower_y = low[1],
                                              .lower_z = low[2],
                                              .upper_x = high[0],
                                              .upper_y = high[1],
                                              .upper_z = high[2]};
}

static RTCScene make_user_scene(RTCDevice device, const PeerMesh* mesh)
{
    union
    {
        const PeerMesh* from;
        void* to;
    } user = {.from = mesh};
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, mesh->triangle_count);
    rtcSetGeometryUserData(geometry, user.to);
    rtcSetGeometryBoundsFunction(geometry, bound_triangle, NULL);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

static void test_pairs(void* user, struct RTCCollision* pairs, unsigned int count)
{
    Collision* collision = user;
    uint64_t found = 0;
    for (unsigned int i = 0; i < count; ++i)
    {
        const uint32_t a = pairs[i].primID0;
        const uint32_t b = pairs[i].primID1;
        // A scene with itself comes with every pair twice, and every triangle with itself.
        if (!collision->self || (a < b && !peer_share_vertex(collision->meshes[0], a, b)))
        {
            found += (uint64_t)peer_triangles_meet(collision->meshes[0], a, collision->meshes[1], b);
        }
    }
    atomic_fetch_add(&collision->embree.found, found);
}

static void collide(void* context)
{
    Collision* collision = context;
    atomic_store(&collision->embree.found, 0);
    rtcCollide(collision->scenes[0], collision->scenes[1], test_pairs, collision);
}

static void measure_collision(const PeerWork* work, int threads, int self)
{
    Collision collision = {.meshes = {&work->mesh, self ? &work->mesh : &work->other}, .self = self};
    char metric[64];
    open_device(&collision.embree, work, threads);
    for (int i = 0; i < 2; ++i)
    {
        collision.scenes[i] = i == 1 && self ? collision.scenes[0]
                                             : make_user_scene(collision.embree.device, collision.meshes[i]);
    }
    const double taken = peer_best(work, collide, &collision);
    snprintf(metric, sizeof metric, "pairs %dT", threads);
    peer_figure(name, metric, taken, (double)atomic_load(&collision.embree.found));
    rtcReleaseScene(collision.scenes[0]);
    if (!self)
    {
        rtcReleaseScene(collision.scenes[1]);
    }
    close_device(&collision.embree);
}

int peer_embree(const PeerWork* work)
{
    for (int threads = 1; threads <= 2; ++threads)
    {
        if (strcmp(work->task, "build") == 0)
        {
            measure_build(work, threads, RTC_BUILD_QUALITY_LOW, "low");
            measure_build(work, threads, RTC_BUILD_QUALITY_MEDIUM, "medium");
        }
        else if (strcmp(work->task, "refit") == 0)
        {
            measure_refit(work, threads);
        }
        else if (strcmp(work->task, "rays") == 0)
        {
            measure_rays(work, threads);
        }
        else if (strcmp(work->task, "points") == 0)
        {
            measure_points(work, threads);
        }
        else if (strcmp(work->task, "overlap") == 0 || strcmp(work->task, "self") == 0)
        {
            measure_collision(work, threads, strcmp(work->task, "self") == 0);
        }
    }
    return 0;
}
