// Readers of the files of a run, only for what is compared: which bodies are visible at a step, and where their vertices are. They use nothing of
// the code that writes these files.
#ifndef RBL_TESTS_EXPORT_READERS_H
#define RBL_TESTS_EXPORT_READERS_H

#include "export_oracle.h"

#include "io/json/json.h"

typedef struct PointList
{
    rblVec3d* data;
    uint32_t count, capacity;
} PointList;

static inline void add_point(PointList* list, rblVec3d p)
{
    if (list->count == list->capacity)
    {
        list->capacity = list->capacity * 2 + 64;
        list->data = realloc(list->data, list->capacity * sizeof *list->data);
    }
    list->data[list->count++] = p;
}

static inline char* read_whole(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        fail_msg("%s cannot be opened", path);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline rblVec3d placed(const double q[4], const double p[3], rblVec3d v)
{
    const rblVec3d r = turned(q, v);
    return (rblVec3d){p[0] + r.x, p[1] + r.y, p[2] + r.z};
}

// ---- OBJ: "o NAME" and "v X Y Z" ----

static inline void read_obj_vertex(char* line, PointList* out)
{
    if (strncmp(line, "v ", 2) == 0)
    {
        char* c = line + 2;
        const double x = strtod(c, &c), y = strtod(c, &c), z = strtod(c, &c);
        add_point(out, (rblVec3d){x, y, z});
    }
}

static inline void read_obj_vertices(char* text, PointList* out)
{
    for (char* line = text; line != NULL && *line != '\0';)
    {
        char* end = strchr(line, '\n');
        read_obj_vertex(line, out);
        line = end != NULL ? end + 1 : NULL;
    }
}

static inline void compare_obj(Oracle* oracle, uint32_t step, const char* path)
{
    size_t size;
    char* text = read_whole(path, &size);
    char name[128] = "";
    PointList points = {0};
    oracle_begin(oracle, step);
    for (char* line = text; line != NULL && *line != '\0';)
    {
        char* end = strchr(line, '\n');
        const bool object = strncmp(line, "o ", 2) == 0;
        if (object && name[0] != '\0')
        {
            oracle_compare(oracle, &(FileBody){name, points.data, points.count});
            points.count = 0;
        }
        if (object)
        {
            snprintf(name, sizeof name, "%.*s", (int)(end - line - 2), line + 2);
        }
        read_obj_vertex(line, &points);
        line = end != NULL ? end + 1 : NULL;
    }
    if (name[0] != '\0')
    {
        oracle_compare(oracle, &(FileBody){name, points.data, points.count});
    }
    oracle_end(oracle);
    free(points.data);
    free(text);
}

// ---- VTU: arrays appended raw ----

// Where the data of an array begins, past its size in bytes, which must be that of `count` elements.
static inline const char* vtu_array(const char* text, const char* type, const char* name, uint64_t count,
                                    uint64_t element)
{
    char head[128];
    snprintf(head, sizeof head, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    const char* array = strstr(text, head);
    const char* data = strstr(text, "<AppendedData encoding=\"raw\">");
    assert_true(array != NULL && data != NULL);
    data = strchr(data, '_') + 1 + strtoull(strstr(array, "offset=\"") + 8, NULL, 10);
    uint64_t bytes;
    memcpy(&bytes, data, sizeof bytes);
    assert_int_equal(bytes, count * element);
    return data + sizeof bytes;
}

static inline uint64_t vtu_count(const char* text, const char* key)
{
    const char* found = strstr(text, key);
    assert_non_null(found);
    return strtoull(found + strlen(key), NULL, 10);
}

// Cells of one body follow each other, and so do their points.
static inline void compare_vtu(Oracle* oracle, uint32_t step, rblRunId run, const char* path)
{
    size_t size;
    char* text = read_whole(path, &size);
    const uint64_t point_count = vtu_count(text, "NumberOfPoints=\"");
    const uint64_t cells = vtu_count(text, "NumberOfCells=\"");
    const char* coordinates = vtu_array(text, "Float64", "Points", 3 * point_count, 8);
    const char* ends = vtu_array(text, "Int64", "offsets", cells, 8);
    const char* ids = vtu_array(text, "UInt32", "id", cells, 4);
    int64_t corners = 0;
    assert_true(cells > 0);
    memcpy(&corners, ends + 8 * (cells - 1), 8);
    const char* corner_points = vtu_array(text, "Int64", "connectivity", (uint64_t)corners, 8);
    rblVec3d* points = calloc(point_count + 1, sizeof *points);
    memcpy(points, coordinates, point_count * sizeof *points);
    oracle_begin(oracle, step);
    uint64_t first = 0;
    int64_t corner = 0;
    for (uint64_t cell = 0; cell < cells;)
    {
        uint32_t id, next;
        int64_t top = 0;
        memcpy(&id, ids + 4 * cell, 4);
        for (next = id; cell < cells && next == id; ++cell)
        {
            int64_t end;
            memcpy(&end, ends + 8 * cell, 8);
            for (; corner < end; ++corner)
            {
                int64_t point;
                memcpy(&point, corner_points + 8 * corner, 8);
                top = point > top ? point : top;
            }
            if (cell + 1 < cells)
            {
                memcpy(&next, ids + 4 * (cell + 1), 4);
            }
        }
        rblRunBodyView body;
        check_ok(rbl_run_body(run, id, &body));
        assert_true((uint64_t)top >= first && (uint64_t)top < point_count);
        oracle_compare(oracle, &(FileBody){body.name, points + first, (uint32_t)((uint64_t)top + 1 - first)});
        first = (uint64_t)top + 1;
    }
    assert_int_equal(first, point_count);
    oracle_end(oracle);
    free(points);
    free(text);
}

// ---- tracks of animations ----

typedef struct Track
{
    double* times; // rising
    double* values;
    uint32_t count, components;
} Track;

// The value at a time: between keys on the straight line, or the key before it. Before the first key and after the last it is that key.
static inline void track_at(const Track* track, double time, bool stepped, double* out)
{
    uint32_t after = 0;
    while (after < track->count && track->times[after] <= time)
    {
        ++after;
    }
    const uint32_t a = after > 0 ? after - 1 : 0;
    const uint32_t b = after < track->count ? after : track->count - 1;
    const double span = track->times[b] - track->times[a];
    const double part = stepped || !(span > 0.0) ? 0.0 : fmax(0.0, time - track->times[a]) / span;
    for (uint32_t k = 0; k < track->components; ++k)
    {
        const double from = track->values[a * track->components + k];
        const double to = track->values[b * track->components + k];
        out[k] = from + part * (to - from);
    }
}

static inline void track_free(Track* track)
{
    free(track->times);
    free(track->values);
    *track = (Track){0};
}

// A body of an animation. Values hold where there is no track.
typedef struct AnimatedBody
{
    char name[128];
    double p[3], q[4];
    bool visible;
    Track places, turns, presence; // presence has 1 or 0
    uint32_t surface;
    double origin[3]; // of the points of its surface
} AnimatedBody;

typedef struct Animation
{
    AnimatedBody* bodies;
    uint32_t body_count;
    PointList* surfaces;
    uint32_t surface_count;
} Animation;

static inline bool is_visible(const AnimatedBody* body, double time)
{
    double there = body->visible;
    if (body->presence.count > 0)
    {
        track_at(&body->presence, time, true, &there);
    }
    assert_true(there == 0.0 || there == 1.0);
    return there == 1.0;
}

// At a time and, for what is visible, half a step after it, when nothing has appeared or gone yet.
static inline void compare_animation(Oracle* oracle, uint32_t step, const Animation* animation, double time,
                                     double half_step)
{
    PointList points = {0};
    oracle_begin(oracle, step);
    for (uint32_t i = 0; i < animation->body_count; ++i)
    {
        const AnimatedBody* body = &animation->bodies[i];
        assert_int_equal(is_visible(body, time + half_step), is_visible(body, time));
        if (!is_visible(body, time))
        {
            continue;
        }
        double p[3] = {body->p[0], body->p[1], body->p[2]};
        double q[4] = {body->q[0], body->q[1], body->q[2], body->q[3]};
        if (body->places.count > 0)
        {
            track_at(&body->places, time, false, p);
            track_at(&body->turns, time, false, q);
        }
        const PointList* surface = &animation->surfaces[body->surface];
        points.count = 0;
        for (uint32_t k = 0; k < surface->count; ++k)
        {
            const rblVec3d v = surface->data[k];
            add_point(&points, placed(q, p,
                                      (rblVec3d){v.x + body->origin[0], v.y + body->origin[1],
                                                 v.z + body->origin[2]}));
        }
        oracle_compare(oracle, &(FileBody){body->name, points.data, points.count});
    }
    oracle_end(oracle);
    free(points.data);
}

static inline void animation_free(Animation* animation)
{
    for (uint32_t i = 0; i < animation->body_count; ++i)
    {
        track_free(&animation->bodies[i].places);
        track_free(&animation->bodies[i].turns);
        track_free(&animation->bodies[i].presence);
    }
    for (uint32_t i = 0; i < animation->surface_count; ++i)
    {
        free(animation->surfaces[i].data);
    }
    free(animation->bodies);
    free(animation->surfaces);
    *animation = (Animation){0};
}

// ---- GLB ----

typedef struct GlbReader
{
    rblJsonDocument document;
    rblJson root;
    const char* binary;
} GlbReader;

static inline rblJson glb_item(const GlbReader* glb, const char* list, uint32_t index)
{
    const rblJson item = rbl_json_item(rbl_json_find(glb->root, list), index);
    assert_true(rbl_json_exists(item));
    return item;
}

static inline uint32_t glb_number(rblJson object, const char* key, uint32_t otherwise)
{
    uint32_t value = otherwise;
    check_ok(rbl_json_optional_u32(object, key, &value));
    return value;
}

// The 32-bit numbers of an accessor.
static inline double* glb_floats(const GlbReader* glb, uint32_t index, uint32_t components, uint32_t* count)
{
    const rblJson accessor = glb_item(glb, "accessors", index);
    const rblJson view = glb_item(glb, "bufferViews", glb_number(accessor, "bufferView", RBL_NONE));
    assert_int_equal(glb_number(accessor, "componentType", 0), 5126);
    assert_false(rbl_json_exists(rbl_json_find(view, "byteStride")));
    *count = glb_number(accessor, "count", 0);
    const char* data =
        glb->binary + glb_number(view, "byteOffset", 0) + glb_number(accessor, "byteOffset", 0);
    double* out = calloc((size_t)*count * components, sizeof *out);
    for (size_t i = 0; i < (size_t)*count * components; ++i)
    {
        float value;
        memcpy(&value, data + 4 * i, sizeof value);
        out[i] = (double)value;
    }
    return out;
}

static inline void glb_read_surfaces(const GlbReader* glb, Animation* out)
{
    const rblJson meshes = rbl_json_find(glb->root, "meshes");
    out->surface_count = rbl_json_count(meshes);
    out->surfaces = calloc(out->surface_count + 1, sizeof *out->surfaces);
    for (uint32_t m = 0; m < out->surface_count; ++m)
    {
        const rblJson primitives = rbl_json_find(rbl_json_item(meshes, m), "primitives");
        uint32_t before = RBL_NONE;
        for (uint32_t i = 0; i < rbl_json_count(primitives); ++i)
        {
            uint32_t count;
            const rblJson attributes = rbl_json_find(rbl_json_item(primitives, i), "attributes");
            const uint32_t accessor = glb_number(attributes, "POSITION", RBL_NONE);
            double* numbers = glb_floats(glb, accessor, 3, &count);
            for (uint32_t k = 0; k < count && accessor != before; ++k)
            {
                add_point(&out->surfaces[m],
                          (rblVec3d){numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]});
            }
            before = accessor;
            free(numbers);
        }
    }
}

static inline void glb_read_numbers(rblJson node, const char* key, double* out, uint32_t count)
{
    const rblJson value = rbl_json_find(node, key);
    if (rbl_json_exists(value))
    {
        check_ok(rbl_json_get_numbers(value, out, count));
    }
}

// A root with a mesh, or with one child that has it and is only moved.
static inline void glb_read_node(const GlbReader* glb, uint32_t index, Animation* out)
{
    const rblJson node = glb_item(glb, "nodes", index);
    AnimatedBody* body = &out->bodies[index];
    const char* name = "";
    double scale[3] = {1, 1, 1};
    *body = (AnimatedBody){.q = {0, 0, 0, 1}};
    check_ok(rbl_json_optional_string(node, "name", &name));
    snprintf(body->name, sizeof body->name, "%s", name);
    glb_read_numbers(node, "translation", body->p, 3);
    glb_read_numbers(node, "rotation", body->q, 4);
    glb_read_numbers(node, "scale", scale, 3);
    assert_true(scale[0] == scale[1] && scale[1] == scale[2]);
    body->visible = scale[0] == 1.0;
    rblJson drawn = node;
    const rblJson children = rbl_json_find(node, "children");
    if (rbl_json_exists(children))
    {
        uint32_t child;
        assert_int_equal(rbl_json_count(children), 1);
        check_ok(rbl_json_get_u32(rbl_json_item(children, 0), &child));
        drawn = glb_item(glb, "nodes", child);
        assert_false(rbl_json_exists(rbl_json_find(drawn, "rotation")));
        assert_false(rbl_json_exists(rbl_json_find(drawn, "scale")));
        glb_read_numbers(drawn, "translation", body->origin, 3);
    }
    body->surface = glb_number(drawn, "mesh", RBL_NONE);
    assert_true(body->surface < out->surface_count);
}

static inline void glb_read_channel(const GlbReader* glb, rblJson animation, uint32_t index, Animation* out)
{
    const rblJson channel = rbl_json_item(rbl_json_find(animation, "channels"), index);
    const rblJson target = rbl_json_find(channel, "target");
    const rblJson sampler =
        rbl_json_item(rbl_json_find(animation, "samplers"), glb_number(channel, "sampler", RBL_NONE));
    const uint32_t node = glb_number(target, "node", RBL_NONE);
    const char* path = "";
    const char* way = "LINEAR";
    check_ok(rbl_json_optional_string(target, "path", &path));
    check_ok(rbl_json_optional_string(sampler, "interpolation", &way));
    assert_true(node < out->body_count);
    const bool scale = strcmp(path, "scale") == 0;
    const bool turn = strcmp(path, "rotation") == 0;
    assert_string_equal(way, scale ? "STEP" : "LINEAR");
    AnimatedBody* body = &out->bodies[node];
    Track* track = scale ? &body->presence : turn ? &body->turns : &body->places;
    uint32_t count;
    track->components = turn ? 4 : 3;
    track->times = glb_floats(glb, glb_number(sampler, "input", RBL_NONE), 1, &track->count);
    track->values = glb_floats(glb, glb_number(sampler, "output", RBL_NONE), track->components, &count);
    assert_int_equal(count, track->count);
    for (uint32_t i = 0; scale && i < count; ++i)
    {
        assert_true(track->values[3 * i] == track->values[3 * i + 1]);
        assert_true(track->values[3 * i] == track->values[3 * i + 2]);
        track->values[i] = track->values[3 * i];
    }
    track->components = scale ? 1 : track->components;
}

static inline Animation read_glb(const char* path)
{
    size_t size;
    uint32_t json_size;
    GlbReader glb;
    Animation out = {0};
    char* bytes = read_whole(path, &size);
    assert_memory_equal(bytes, "glTF", 4);
    memcpy(&json_size, bytes + 12, 4);
    glb.binary = bytes + 20 + json_size + 8;
    check_ok(rbl_json_parse(&glb.document, bytes + 20, json_size, path, rbl_default_allocator()));
    glb.root = rbl_json_root(&glb.document);
    glb_read_surfaces(&glb, &out);
    const rblJson roots = rbl_json_find(glb_item(&glb, "scenes", 0), "nodes");
    out.bodies = calloc(rbl_json_count(roots) + 1, sizeof *out.bodies);
    for (uint32_t i = 0; i < rbl_json_count(roots); ++i)
    {
        uint32_t node;
        check_ok(rbl_json_get_u32(rbl_json_item(roots, i), &node));
        assert_int_equal(node, i);
        if (!rbl_json_exists(rbl_json_find(glb_item(&glb, "nodes", i), "camera")))
        {
            glb_read_node(&glb, i, &out);
            out.body_count = i + 1; // the camera is the last root
        }
    }
    const rblJson animations = rbl_json_find(glb.root, "animations");
    const rblJson animation = rbl_json_item(animations, 0);
    for (uint32_t i = 0; i < rbl_json_count(rbl_json_find(animation, "channels")); ++i)
    {
        glb_read_channel(&glb, animation, i, &out);
    }
    rbl_json_free(&glb.document);
    free(bytes);
    return out;
}

// ---- USDA: attributes one to a line, as our files have them; types count: 32-bit attributes are read as 32-bit numbers ----

static inline uint32_t usda_tuple(const char* text, bool single, double* out, uint32_t count, char** end)
{
    char* c = strchr(text, '(') + 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double value = single ? (double)strtof(c, &c) : strtod(c, &c);
        out[i] = value;
        c += *c == ',';
    }
    assert_int_equal(*c, ')');
    *end = c + 1;
    return count;
}

// A quaternion of USD has its real part first.
static inline void usda_value(const char* text, bool turn, double* out)
{
    char* end;
    double numbers[4];
    usda_tuple(text, turn, numbers, turn ? 4 : 3, &end);
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = numbers[turn ? k + 1 : k];
    }
    if (turn)
    {
        out[3] = numbers[0];
    }
}

// "    STEP: VALUE," until "}"; tells where it ends.
static inline char* usda_samples(char* line, uint32_t components, Track* track)
{
    uint32_t capacity = 0;
    track->components = components;
    for (line = strchr(line, '\n') + 1; strchr("}", line[strspn(line, " ")]) == NULL;
         line = strchr(line, '\n') + 1)
    {
        char* c = line;
        if (track->count == capacity)
        {
            capacity = 2 * capacity + 16;
            track->times = realloc(track->times, capacity * sizeof *track->times);
            track->values = realloc(track->values, capacity * components * sizeof *track->values);
        }
        track->times[track->count] = strtod(c, &c);
        assert_int_equal(*c, ':');
        double* value = &track->values[track->count * components];
        if (components == 1)
        {
            *value = strncmp(c, ": \"inherited\"", 13) == 0;
            assert_true(*value == 1.0 || strncmp(c, ": \"invisible\"", 13) == 0);
        }
        else
        {
            usda_value(c, components == 4, value);
        }
        track->count += 1;
    }
    return line;
}

static inline void usda_points(const char* line, PointList* out)
{
    char* c = strchr(line, '[');
    c = strchr(c + 1, '[') + 1; // after that of the type
    while (*c != ']')
    {
        double p[3];
        usda_tuple(c, true, p, 3, &c);
        add_point(out, (rblVec3d){p[0], p[1], p[2]});
        c += strspn(c, ", ");
    }
}

static inline bool begins(const char* line, const char* with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

typedef struct UsdaReader
{
    Animation* out;
    double (*origins)[3]; // of the shapes
    uint32_t shape_of_mesh;
    bool in_body;
} UsdaReader;

// A line in a prim of a shape.
static inline void usda_shape_line(UsdaReader* usda, const char* c)
{
    char* end;
    if (begins(c, "double3 xformOp:translate = "))
    {
        usda_tuple(c, false, usda->origins[usda->shape_of_mesh], 3, &end);
    }
    else if (begins(c, "point3f[] points = "))
    {
        usda_points(c, &usda->out->surfaces[usda->shape_of_mesh]);
    }
}

// A line in a prim of a body; tells where to go on.
static inline char* usda_body_line(UsdaReader* usda, char* c)
{
    AnimatedBody* body = &usda->out->bodies[usda->out->body_count - 1];
    if (begins(c, "displayName = ") && body->name[0] == '\0')
    {
        const char* quote = strchr(c, '"') + 1;
        snprintf(body->name, sizeof body->name, "%.*s", (int)(strchr(quote, '"') - quote), quote);
    }
    else if (begins(c, "double3 xformOp:translate = "))
    {
        usda_value(c, false, body->p);
    }
    else if (begins(c, "quatf xformOp:orient = "))
    {
        usda_value(c, true, body->q);
    }
    else if (begins(c, "double3 xformOp:translate.timeSamples"))
    {
        return usda_samples(c, 3, &body->places);
    }
    else if (begins(c, "quatf xformOp:orient.timeSamples"))
    {
        return usda_samples(c, 4, &body->turns);
    }
    else if (begins(c, "token visibility.timeSamples"))
    {
        return usda_samples(c, 1, &body->presence);
    }
    else if (begins(c, "prepend references = </World/Shapes/shape_"))
    {
        body->surface = (uint32_t)strtoul(strstr(c, "shape_") + 6, NULL, 10);
    }
    return c;
}

static inline uint32_t usda_count(const char* text, const char* needle)
{
    uint32_t count = 0;
    for (const char* c = strstr(text, needle); c != NULL; c = strstr(c + 1, needle))
    {
        ++count;
    }
    return count;
}

static inline void usda_line(UsdaReader* usda, char** c)
{
    if (begins(*c, "def Mesh \"shape_"))
    {
        usda->shape_of_mesh = (uint32_t)strtoul(strchr(*c, '_') + 1, NULL, 10);
        usda->in_body = false;
        assert_true(usda->shape_of_mesh < usda->out->surface_count);
    }
    else if (begins(*c, "def Xform \"body_"))
    {
        usda->out->bodies[usda->out->body_count++] = (AnimatedBody){.visible = true, .q = {0, 0, 0, 1}};
        usda->in_body = true;
    }
    else if (usda->in_body)
    {
        *c = usda_body_line(usda, *c);
    }
    else if (usda->shape_of_mesh != RBL_NONE)
    {
        usda_shape_line(usda, *c);
    }
}

static inline Animation read_usda(const char* path, uint32_t shape_count)
{
    size_t size;
    char* text = read_whole(path, &size);
    Animation out = {.surface_count = shape_count};
    out.surfaces = calloc(shape_count + 1, sizeof *out.surfaces);
    out.bodies = calloc(usda_count(text, "def Xform \"body_") + 1, sizeof *out.bodies);
    UsdaReader usda = {.out = &out, .shape_of_mesh = RBL_NONE};
    usda.origins = calloc(shape_count + 1, sizeof *usda.origins);
    for (char* line = text; line != NULL && *line != '\0';)
    {
        char* c = line + strspn(line, " ");
        usda_line(&usda, &c);
        char* end = strchr(c, '\n');
        line = end != NULL ? end + 1 : NULL;
    }
    for (uint32_t i = 0; i < out.body_count; ++i)
    {
        memcpy(out.bodies[i].origin, usda.origins[out.bodies[i].surface], sizeof out.bodies[i].origin);
    }
    free(usda.origins);
    free(text);
    return out;
}

#endif
