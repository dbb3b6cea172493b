// Where the bodies of a run are, taken from the engine while it runs: the surface of every body's shape, and its pose at every step. Files
// are compared with that.
#ifndef RBL_TESTS_EXPORT_ORACLE_H
#define RBL_TESTS_EXPORT_ORACLE_H

#include "testing.h"

#include "mesh/mesh.h"
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5 // of the size of a body

typedef struct KeyedVertex
{
    double key; // its place along one direction
    uint32_t vertex;
} KeyedVertex;

typedef struct OracleBody
{
    rblBodyId id;
    char name[64];
    bool piece; // of a body of the scene
    bool plane;
    rblVec3d normal; // of planes
    rblMeshId surface;
    rblMeshView view;
    double size;         // m, the diagonal of its box
    KeyedVertex* sorted; // the vertices of faces, by key
    uint32_t sorted_count;
    const rblTransform* pose; // at the step that is compared; null: not there
    bool met;                 // in what is compared
} OracleBody;

typedef struct OraclePose
{
    uint32_t body;
    rblTransform pose;
} OraclePose;

typedef struct OracleStep
{
    OraclePose* poses;
    uint32_t count;
} OracleStep;

typedef struct Oracle
{
    OracleBody* bodies;
    uint32_t body_count;
    OracleStep* steps;
    uint32_t* bodies_at; // by step: bodies that were met so far
    uint32_t step_count; // of steps that were noted, the start included
    uint32_t step;       // the one that is compared
    uint32_t* table;     // by hash of the name: body + 1
    uint64_t table_size; //
    double worst;        // the largest distance so far, in sizes of bodies
} Oracle;

// ---- 64-bit arithmetic of its own ----

static inline rblVec3d minus(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double dot(rblVec3d a, rblVec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rblVec3d turned(const double q[4], rblVec3d v)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    return (rblVec3d){(1 - 2 * (y * y + z * z)) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z,
                      2 * (x * y + w * z) * v.x + (1 - 2 * (x * x + z * z)) * v.y + 2 * (y * z - w * x) * v.z,
                      2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y +
                          (1 - 2 * (x * x + y * y)) * v.z};
}

// A point of the world in the frame of the shape.
static inline rblVec3d into_shape(rblTransform pose, rblVec3d world)
{
    const double back[4] = {-(double)pose.q.x, -(double)pose.q.y, -(double)pose.q.z, (double)pose.q.w};
    const rblVec3d p = {(double)pose.p.x, (double)pose.p.y, (double)pose.p.z};
    return turned(back, minus(world, p));
}

// ---- taking notes ----

static inline double key_of(rblVec3d p)
{
    return dot(p, (rblVec3d){0.53125, 0.7571875, 0.3790625}); // of no more than unit length
}

static inline int compare_keys(const void* a, const void* b)
{
    const double x = ((const KeyedVertex*)a)->key;
    const double y = ((const KeyedVertex*)b)->key;
    return (x > y) - (x < y);
}

static inline void sort_vertices(OracleBody* body)
{
    const rblMeshView* view = &body->view;
    bool* used = calloc(view->vertex_count, sizeof *used);
    rblVec3d low = view->positions[view->corner_vertices[0]];
    rblVec3d high = low;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        used[view->corner_vertices[c]] = true;
        low = (rblVec3d){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (rblVec3d){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    body->size = sqrt(dot(minus(high, low), minus(high, low)));
    body->sorted = calloc(view->vertex_count, sizeof *body->sorted);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        if (used[v])
        {
            body->sorted[body->sorted_count++] = (KeyedVertex){key_of(view->positions[v]), v};
        }
    }
    qsort(body->sorted, body->sorted_count, sizeof *body->sorted, compare_keys);
    free(used);
}

static inline uint32_t note_body(Oracle* oracle, rblRunId run, rblWorldId world, rblBodyId id)
{
    rblBodyState state;
    rblShapeView shape;
    rblRunMember member;
    oracle->bodies = realloc(oracle->bodies, (oracle->body_count + 1) * sizeof *oracle->bodies);
    OracleBody* body = &oracle->bodies[oracle->body_count];
    *body = (OracleBody){.id = id};
    check_ok(rbl_body_state(world, id, &state));
    check_ok(rbl_run_member(run, id, &member));
    assert_true(member.name[0] != '\0' && strlen(member.name) < sizeof body->name);
    strcpy(body->name, member.name);
    body->piece = member.piece && member.scene_body != RBL_NONE;
    check_ok(rbl_shape_view(state.shape, &shape));
    body->plane = !shape.bounded;
    if (body->plane)
    {
        rblVec3 normal = {0, 1, 0};
        rbl_shape_distance(shape.shape, (rblVec3){0, 0, 0}, &normal);
        body->normal = (rblVec3d){(double)normal.x, (double)normal.y, (double)normal.z};
    }
    else
    {
        rblMeshId surface;
        check_ok(rbl_shape_surface(&shape, &surface));
        check_ok(rbl_mesh_share(surface, &body->surface));
        check_ok(rbl_mesh_view(body->surface, &body->view));
        sort_vertices(body);
    }
    return oracle->body_count++;
}

// `known` has the body of each slot of the step before: most bodies are in it.
static inline uint32_t find_or_note(Oracle* oracle, rblRunId run, rblWorldId world, rblBodyId id,
                                    uint32_t known)
{
    if (known < oracle->body_count && oracle->bodies[known].id.index1 == id.index1 &&
        oracle->bodies[known].id.generation == id.generation)
    {
        return known;
    }
    return note_body(oracle, run, world, id);
}

// Note where everything is. Once at the start and once after every step.
static inline void oracle_note(Oracle* oracle, rblRunId run, rblWorldId world)
{
    static uint32_t* slots = NULL;
    static uint32_t slot_count = 0;
    uint32_t count = 0;
    check_ok(rbl_world_motions(world, NULL, 0, &count));
    rblBodyMotion* motions = calloc(count + 1, sizeof *motions);
    check_ok(rbl_world_motions(world, motions, count, &count));
    const uint32_t top = count > 0 ? motions[count - 1].body.index1 + 1 : 0;
    if (top > slot_count)
    {
        slots = realloc(slots, top * sizeof *slots);
        memset(slots + slot_count, 0xFF, (top - slot_count) * sizeof *slots);
        slot_count = top;
    }
    oracle->steps = realloc(oracle->steps, (oracle->step_count + 1) * sizeof *oracle->steps);
    OracleStep* step = &oracle->steps[oracle->step_count++];
    *step = (OracleStep){.poses = calloc(count + 1, sizeof *step->poses), .count = count};
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t* slot = &slots[motions[i].body.index1];
        *slot = find_or_note(oracle, run, world, motions[i].body, *slot);
        step->poses[i] = (OraclePose){*slot, motions[i].pose};
    }
    oracle->bodies_at = realloc(oracle->bodies_at, oracle->step_count * sizeof *oracle->bodies_at);
    oracle->bodies_at[oracle->step_count - 1] = oracle->body_count;
    free(motions);
}

static inline void oracle_free(Oracle* oracle)
{
    for (uint32_t i = 0; i < oracle->body_count; ++i)
    {
        if (oracle->bodies[i].surface.index1 != 0)
        {
            check_ok(rbl_mesh_destroy(oracle->bodies[i].surface));
        }
        free(oracle->bodies[i].sorted);
    }
    for (uint32_t i = 0; i < oracle->step_count; ++i)
    {
        free(oracle->steps[i].poses);
    }
    free(oracle->bodies);
    free(oracle->steps);
    free(oracle->bodies_at);
    free(oracle->table);
    *oracle = (Oracle){0};
}

// ---- comparing ----

// A body as a file has it at a step.
typedef struct FileBody
{
    const char* name;
    const rblVec3d* points; // world; in any order, some of them repeatedly
    uint32_t count;
} FileBody;

// The vertex of the surface, of those that are marked, that is closest to a point of it; RBL_NONE: none within the tolerance.
static inline uint32_t closest_vertex(const OracleBody* body, rblVec3d p, const bool* marked,
                                      double* distance)
{
    const double reach = TOLERANCE * body->size;
    const double key = key_of(p);
    uint32_t low = 0;
    uint32_t best = RBL_NONE;
    for (uint32_t high = body->sorted_count; low < high;)
    {
        const uint32_t middle = (low + high) / 2;
        if (body->sorted[middle].key < key - reach)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    *distance = reach;
    for (; low < body->sorted_count && body->sorted[low].key <= key + reach; ++low)
    {
        const rblVec3d off = minus(p, body->view.positions[body->sorted[low].vertex]);
        if (sqrt(dot(off, off)) <= *distance && (marked == NULL || marked[low]))
        {
            *distance = sqrt(dot(off, off));
            best = low;
        }
    }
    return best;
}

static inline void compare_plane(const OracleBody* body, rblTransform pose, const FileBody* file)
{
    assert_int_equal(file->count, 4);
    rblVec3d sum = {0, 0, 0};
    double size = 0.0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const rblVec3d p = into_shape(pose, file->points[i]);
        sum = (rblVec3d){sum.x + p.x, sum.y + p.y, sum.z + p.z};
        size = fmax(size, sqrt(dot(p, p)));
        check_close(dot(p, body->normal), 0.0, TOLERANCE * sqrt(dot(p, p)));
    }
    assert_true(size > 1.0);
    check_close(sqrt(dot(sum, sum)), 0.0, TOLERANCE * size);
}

// Every point of the file is a vertex, and every vertex is in the file.
static inline void compare_vertices(Oracle* oracle, const OracleBody* body, rblTransform pose,
                                    const FileBody* file)
{
    bool* met = calloc(body->sorted_count, sizeof *met);
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->count; ++i)
    {
        double distance;
        const uint32_t at = closest_vertex(body, into_shape(pose, file->points[i]), NULL, &distance);
        if (at == RBL_NONE)
        {
            fail_msg("%s: point %u of the file is no vertex", body->name, i);
        }
        count += !met[at];
        met[at] = true;
        oracle->worst = fmax(oracle->worst, distance / body->size);
    }
    // Of vertices at one place the file may have one.
    for (uint32_t i = 0; i < body->sorted_count && count < body->sorted_count; ++i)
    {
        double distance;
        const rblVec3d p = body->view.positions[body->sorted[i].vertex];
        if (!met[i] && closest_vertex(body, p, met, &distance) == RBL_NONE)
        {
            fail_msg("%s: vertex %u is not in the file", body->name, body->sorted[i].vertex);
        }
    }
    free(met);
}

static inline uint64_t hash_name(const char* name)
{
    uint64_t hash = 14695981039346656037u;
    for (; *name != '\0'; ++name)
    {
        hash = (hash ^ (uint8_t)*name) * 1099511628211u;
    }
    return hash;
}

// After the last step: a table of the names.
static inline void oracle_index(Oracle* oracle)
{
    free(oracle->table);
    oracle->table_size = 2 * oracle->body_count + 1;
    oracle->table = calloc(oracle->table_size, sizeof *oracle->table);
    for (uint32_t i = 0; i < oracle->body_count; ++i)
    {
        uint64_t at = hash_name(oracle->bodies[i].name) % oracle->table_size;
        while (oracle->table[at] != 0)
        {
            assert_string_not_equal(oracle->bodies[oracle->table[at] - 1].name, oracle->bodies[i].name);
            at = (at + 1) % oracle->table_size;
        }
        oracle->table[at] = i + 1;
    }
}

static inline OracleBody* find_body(const Oracle* oracle, const char* name)
{
    for (uint64_t at = hash_name(name) % oracle->table_size; oracle->table[at] != 0;
         at = (at + 1) % oracle->table_size)
    {
        OracleBody* body = &oracle->bodies[oracle->table[at] - 1];
        if (strcmp(body->name, name) == 0)
        {
            return body;
        }
    }
    return NULL;
}

// What follows is compared with this step.
static inline void oracle_begin(Oracle* oracle, uint32_t step)
{
    oracle->step = step;
    for (uint32_t i = 0; i < oracle->body_count; ++i)
    {
        oracle->bodies[i].pose = NULL;
        oracle->bodies[i].met = false;
    }
    for (uint32_t i = 0; i < oracle->steps[step].count; ++i)
    {
        const OraclePose* pose = &oracle->steps[step].poses[i];
        oracle->bodies[pose->body].pose = &pose->pose;
    }
}

static inline OracleBody* oracle_meet(Oracle* oracle, const char* name)
{
    OracleBody* body = find_body(oracle, name);
    if (body == NULL || body->pose == NULL)
    {
        fail_msg("step %u: %s is in the file, and not in the world", oracle->step, name);
        return NULL;
    }
    assert_false(body->met); // once
    body->met = true;
    return body;
}

static inline void oracle_compare(Oracle* oracle, const FileBody* file)
{
    const OracleBody* body = oracle_meet(oracle, file->name);
    if (body->plane)
    {
        compare_plane(body, *body->pose, file);
    }
    else
    {
        compare_vertices(oracle, body, *body->pose, file);
    }
}

// All bodies of the world were in the file.
static inline void oracle_end(const Oracle* oracle)
{
    for (uint32_t i = 0; i < oracle->body_count; ++i)
    {
        const OracleBody* body = &oracle->bodies[i];
        if (body->pose != NULL && !body->met)
        {
            fail_msg("step %u: %s is in the world, and not in the file", oracle->step, body->name);
        }
    }
}

#endif
