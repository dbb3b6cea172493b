// Bodies of a scene: poses, grids, names.
#include "base/number.h"
#include "io/json/json_values.h"
#include "math/quat.h"
#include "math/vec.h"
#include "scene/read/scene.h"
#include <stdio.h>
#include <string.h>

static const char* const body_keys[] = {"name",     "shape",    "type",   "material", "position",
                                        "rotation", "velocity", "spin",   "mass",     "fracture",
                                        "anchor",   "grid",     "sensor", NULL};
static const char* const body_types[] = {"dynamic", "static", "kinematic", NULL}; // as rblBodyType
static const char* const grid_keys[] = {"count", "spacing", "origin", NULL};
#define SUFFIX_SIZE (3 * 12)

// ---- one body ----

static rblResult read_type(const rblScene* scene, rblJson json, rblSceneBody* body)
{
    uint32_t type = RBL_BODY_DYNAMIC;
    const rblJson chosen = rbl_json_find(json, "type");
    if (rbl_json_exists(chosen))
    {
        RBL_TRY(rbl_get_choice(chosen, "type of body", body_types, &type));
    }
    body->type = (rblBodyType)type;
    if (rbl_is_unbounded(&scene->shape_defs.data[body->shape]) && type != RBL_BODY_STATIC)
    {
        return rbl_json_fail(rbl_json_exists(chosen) ? chosen : json, RBL_ERROR_FORMAT,
                             "a %s is unbounded and has no mass: the type must be 'static'",
                             scene->shapes.data[body->shape].kind);
    }
    return RBL_OK;
}

static rblResult read_motion(rblJson json, rblSceneBody* body)
{
    body->pose.q = rbl_quat_identity();
    RBL_TRY(rbl_optional_vector(json, "position", &body->pose.p));
    RBL_TRY(rbl_optional_quaternion(json, "rotation", &body->pose.q));
    RBL_TRY(rbl_optional_vector(json, "velocity", &body->velocity));
    RBL_TRY(rbl_optional_vector(json, "spin", &body->spin));
    RBL_TRY(rbl_optional_float(json, "mass", RBL_POSITIVE, &body->mass));
    const bool moves =
        rbl_dot3(body->velocity, body->velocity) > 0.0f || rbl_dot3(body->spin, body->spin) > 0.0f;
    if (body->type == RBL_BODY_STATIC && moves)
    {
        const rblJson velocity = rbl_json_find(json, "velocity");
        return rbl_json_fail(rbl_json_exists(velocity) ? velocity : rbl_json_find(json, "spin"),
                             RBL_ERROR_FORMAT,
                             "a static body does not move; a kinematic one moves by its velocity");
    }
    return RBL_OK;
}

static rblResult find_shape(const rblScene* scene, rblJson json, uint32_t* out)
{
    rblJson value;
    const char* name = NULL;
    RBL_TRY(rbl_json_require(json, "shape", &value));
    RBL_TRY(rbl_json_get_string(value, &name));
    *out = rbl_scene_names_find(&scene->shape_names, name);
    const rblSceneNames* names = &scene->shape_names;
    return *out != RBL_NONE
               ? RBL_OK
               : rbl_fail_unknown(value, "shape", names->names.data, (uint32_t)names->names.count);
}

// ---- grids and names ----

typedef struct Grid
{
    uint32_t count[3];
    rblVec3 spacing;
    rblVec3 origin;
} Grid;

static rblResult read_grid(rblJson body, Grid* grid)
{
    const rblJson json = rbl_json_find(body, "grid");
    rblJson count;
    *grid = (Grid){.count = {1, 1, 1}};
    if (!rbl_json_exists(json))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_check_keys(json, grid_keys));
    RBL_TRY(rbl_json_require(json, "count", &count));
    RBL_TRY(rbl_json_expect(count, RBL_JSON_ARRAY));
    if (rbl_json_count(count) != 3)
    {
        return rbl_json_fail(count, RBL_ERROR_FORMAT, "expected three integers");
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        RBL_TRY(rbl_json_get_u32(rbl_json_item(count, i), &grid->count[i]));
        if (grid->count[i] < 1)
        {
            return rbl_json_fail(rbl_json_item(count, i), RBL_ERROR_FORMAT, "is 0, must be at least 1");
        }
    }
    RBL_TRY(rbl_require_vector(json, "spacing", &grid->spacing));
    return rbl_optional_vector(json, "origin", &grid->origin);
}

// "[2][3]": the indices in a grid, of the axes with more than one cell.
static void write_suffix(const Grid* grid, const uint32_t cell[3], char out[SUFFIX_SIZE])
{
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < 3; ++i)
    {
        if (grid->count[i] > 1)
        {
            length += (size_t)snprintf(out + length, SUFFIX_SIZE - length, "[%u]", cell[i]);
        }
    }
}

static char* join_texts(rblScene* scene, const char* first, const char* second)
{
    const size_t size = strlen(first) + strlen(second) + 1;
    char* text = rbl_arena_alloc(&scene->arena, size);
    if (text != NULL)
    {
        snprintf(text, size, "%s%s", first, second);
    }
    return text;
}

// Add a body; `name` is null when the body has no explicit name.
static rblResult add_body(rblScene* scene, rblJson json, rblSceneBody body, const char* name,
                          const char* suffix)
{
    body.name = join_texts(scene, name != NULL ? name : "", suffix);
    if (body.name == NULL)
    {
        return rbl_fail_memory();
    }
    if (name != NULL && rbl_scene_names_find(&scene->body_names, body.name) != RBL_NONE)
    {
        return rbl_json_fail(rbl_json_find(json, "name"), RBL_ERROR_FORMAT, "the name '%.60s' must be unique",
                             body.name);
    }
    const uint32_t index = (uint32_t)scene->bodies.count;
    const bool added = rbl_array_push(&scene->bodies, body) && rbl_array_push(&scene->body_jsons, json) &&
                       rbl_array_push(&scene->unnamed, name == NULL) &&
                       (name == NULL || (rbl_scene_names_add(&scene->body_names, body.name) &&
                                         rbl_array_push(&scene->named, index)));
    return added ? RBL_OK : rbl_fail_memory();
}

static rblResult add_grid(rblScene* scene, rblJson json, const rblSceneBody* body, const Grid* grid,
                          const char* name)
{
    const double total =
        (double)grid->count[0] * grid->count[1] * grid->count[2] + (double)scene->bodies.count;
    if (total > (double)RBL_SCENE_MAX_BODIES)
    {
        return rbl_json_fail(json, RBL_ERROR_LIMIT, "a scene has at most %u bodies", RBL_SCENE_MAX_BODIES);
    }
    uint32_t cell[3];
    for (cell[2] = 0; cell[2] < grid->count[2]; ++cell[2])
    {
        for (cell[1] = 0; cell[1] < grid->count[1]; ++cell[1])
        {
            for (cell[0] = 0; cell[0] < grid->count[0]; ++cell[0])
            {
                char suffix[SUFFIX_SIZE];
                rblSceneBody copy = *body;
                const rblVec3 step = {(float)cell[0] * grid->spacing.x, (float)cell[1] * grid->spacing.y,
                                      (float)cell[2] * grid->spacing.z};
                copy.pose.p = rbl_add3(body->pose.p, rbl_add3(grid->origin, step));
                write_suffix(grid, cell, suffix);
                RBL_TRY(add_body(scene, json, copy, name, suffix));
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_scene_read_body(rblScene* scene, rblJson json, uint32_t event)
{
    rblSceneBody body = {.event = event};
    const char* name = NULL;
    Grid grid;
    RBL_TRY(rbl_check_keys(json, body_keys));
    RBL_TRY(rbl_json_optional_string(json, "name", &name));
    if (name != NULL && name[0] == '\0')
    {
        return rbl_json_fail(rbl_json_find(json, "name"), RBL_ERROR_FORMAT, "a name must not be empty");
    }
    RBL_TRY(find_shape(scene, json, &body.shape));
    RBL_TRY(read_type(scene, json, &body));
    RBL_TRY(rbl_scene_lookup_material(scene, rbl_json_find(json, "material"), &body.material));
    RBL_TRY(read_motion(json, &body));
    RBL_TRY(rbl_scene_read_fracture(scene, json, &body));
    RBL_TRY(rbl_json_optional_bool(json, "sensor", &body.sensor));
    if (body.sensor && body.breaker != RBL_NONE)
    {
        return rbl_json_fail(rbl_json_find(json, "sensor"), RBL_ERROR_FORMAT, "a sensor does not break");
    }
    RBL_TRY(rbl_anchor_read(json, &body));
    RBL_TRY(read_grid(json, &grid));
    return add_grid(scene, json, &body, &grid, name);
}

rblResult rbl_scene_read_bodies(rblScene* scene, rblJson root)
{
    rblJson bodies;
    RBL_TRY(rbl_json_require(root, "bodies", &bodies));
    RBL_TRY(rbl_json_expect(bodies, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(bodies); ++i)
    {
        RBL_TRY(rbl_scene_read_body(scene, rbl_json_item(bodies, i), RBL_NONE));
    }
    return RBL_OK;
}

// Bodies without a name get the name of their shape: ball, ball.2, ball.3, the next free one.
rblResult rbl_name_bodies(rblScene* scene)
{
    uint32_t* last = RBL_ARENA_ARRAY(&scene->arena, uint32_t, scene->shapes.count + 1);
    if (last == NULL)
    {
        return rbl_fail_memory();
    }
    memset(last, 0, (scene->shapes.count + 1) * sizeof *last);
    for (uint32_t i = 0; i < scene->bodies.count; ++i)
    {
        rblSceneBody* body = &scene->bodies.data[i];
        const char* suffix = body->name;
        while (scene->unnamed.data[i])
        {
            char number[RBL_NUMBER_SIZE + SUFFIX_SIZE] = "";
            const uint32_t turn = ++last[body->shape];
            if (turn > 1)
            {
                snprintf(number, sizeof number, ".%u", turn);
            }
            snprintf(number + strlen(number), sizeof number - strlen(number), "%s", suffix);
            const char* name = join_texts(scene, scene->shapes.data[body->shape].name, number);
            if (name == NULL)
            {
                return rbl_fail_memory();
            }
            if (rbl_scene_names_find(&scene->body_names, name) != RBL_NONE)
            {
                continue;
            }
            body->name = name;
            scene->unnamed.data[i] = false;
            // In a grid, the indices already distinguish bodies.
            last[body->shape] -= suffix[0] != '\0';
            if (!rbl_scene_names_add(&scene->body_names, name) || !rbl_array_push(&scene->named, i))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

// Whether a text is "_piece_" and a number, once or several times.
static bool names_pieces(const char* text)
{
    static const char word[] = "_piece_";
    do
    {
        if (strncmp(text, word, sizeof word - 1) != 0)
        {
            return false;
        }
        text += sizeof word - 1;
        const char* digits = text;
        while (*text >= '0' && *text <= '9')
        {
            ++text;
        }
        if (text == digits)
        {
            return false;
        }
    } while (*text != '\0');
    return true;
}

// The body whose piece has this name: the name before the piece numbers. RBL_NONE: no such breakable body.
static uint32_t find_whole(const rblScene* scene, const char* name)
{
    char whole[RBL_SCENE_PIECE_NAME];
    for (const char* rest = strstr(name, "_piece_"); rest != NULL; rest = strstr(rest + 1, "_piece_"))
    {
        const size_t length = (size_t)(rest - name);
        if (length >= sizeof whole || !names_pieces(rest))
        {
            continue;
        }
        memcpy(whole, name, length);
        whole[length] = '\0';
        const uint32_t found = rbl_scene_names_find(&scene->body_names, whole);
        const uint32_t body = found != RBL_NONE ? scene->named.data[found] : RBL_NONE;
        if (body != RBL_NONE && scene->bodies.data[body].fracture != NULL)
        {
            return body;
        }
    }
    return RBL_NONE;
}

rblResult rbl_scene_lookup_body_or_piece(const rblScene* scene, rblJson value, uint32_t* out,
                                         const char** piece)
{
    const char* name = NULL;
    RBL_TRY(rbl_json_get_string(value, &name));
    if (rbl_scene_names_find(&scene->body_names, name) == RBL_NONE)
    {
        const uint32_t whole = find_whole(scene, name);
        if (whole != RBL_NONE)
        {
            *out = whole;
            *piece = name;
            return RBL_OK;
        }
    }
    return rbl_scene_lookup_body(scene, value, out);
}

rblResult rbl_scene_lookup_body(const rblScene* scene, rblJson value, uint32_t* out)
{
    const char* name = NULL;
    RBL_TRY(rbl_json_get_string(value, &name));
    const rblSceneNames* names = &scene->body_names;
    const uint32_t found = rbl_scene_names_find(names, name);
    if (found == RBL_NONE)
    {
        return rbl_fail_unknown(value, "body", names->names.data, (uint32_t)names->names.count);
    }
    *out = scene->named.data[found];
    return RBL_OK;
}
