// A run as numbered OBJ files, one per frame with all bodies at their poses, and one common MTL file.
#include "base/error.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/series.h"
#include "io/text_write.h"
#include "math/quat.h"
#include "math/vec.h"
#include "rubble/picture.h"
#include "scene/export/export.h"
#include <stdio.h>
#include <string.h>

// UVs and normals of a shape as indexed lists.
typedef struct ObjShape
{
    rblIndexedLayer uvs;
    rblIndexedLayer normals;
    bool prepared;
} ObjShape;

typedef struct ObjSequence
{
    const rblRun* run;
    rblExportSurfaces surfaces;
    ObjShape* shapes;
    const char* path;         // path of the export, NAME.obj
    char name[RBL_PATH_SIZE]; // NAME without folders
    rblSeries series;
} ObjSequence;

// First indices of the next body. OBJ counts from 1.
typedef struct ObjCounts
{
    uint64_t positions, uvs, normals;
} ObjCounts;

// ---- preparation ----

static rblResult index_shape(ObjSequence* sequence, uint32_t shape)
{
    const rblMeshView* view = &sequence->surfaces.views[shape];
    const rblLayer* uvs = rbl_find_layer(view, RBL_LAYER_UV);
    const rblLayer* normals = rbl_find_layer(view, RBL_LAYER_NORMAL);
    ObjShape* out = &sequence->shapes[shape];
    out->prepared = true;
    if (uvs != NULL)
    {
        RBL_TRY(rbl_index_layer(view, uvs, false, sequence->run->allocator, &out->uvs));
    }
    return normals != NULL ? rbl_index_layer(view, normals, false, sequence->run->allocator, &out->normals)
                           : RBL_OK;
}

static rblResult open_sequence(ObjSequence* sequence)
{
    const rblRun* run = sequence->run;
    RBL_TRY(rbl_export_surfaces_open(&sequence->surfaces, run));
    sequence->shapes = rbl_alloc_zero(run->allocator, run->shapes.count * sizeof *sequence->shapes);
    if (sequence->shapes == NULL && run->shapes.count > 0)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < run->shapes.count; ++i)
    {
        if (sequence->surfaces.ids[i].index1 != 0)
        {
            RBL_TRY(index_shape(sequence, i));
        }
    }
    return RBL_OK;
}

static void close_sequence(ObjSequence* sequence)
{
    const rblRun* run = sequence->run;
    for (uint32_t i = 0; sequence->shapes != NULL && i < run->shapes.count; ++i)
    {
        if (sequence->shapes[i].prepared)
        {
            rbl_indexed_layer_free(&sequence->shapes[i].uvs);
            rbl_indexed_layer_free(&sequence->shapes[i].normals);
        }
    }
    rbl_free(run->allocator, sequence->shapes, run->shapes.count * sizeof *sequence->shapes);
    rbl_export_surfaces_close(&sequence->surfaces);
}

// ---- one body ----

static void write_floats(rblWriter* writer, const char* keyword, const float* values, uint32_t count)
{
    char* c = rbl_writer_reserve(writer);
    while (*keyword != '\0')
    {
        *c++ = *keyword++;
    }
    c = rbl_print_floats(c, values, count);
    *c++ = '\n';
    rbl_writer_advance(writer, c);
}

static void write_vectors(rblWriter* writer, const rblMeshView* view, const ObjShape* shape,
                          rblTransform pose)
{
    const rblExportPose exact = rbl_export_pose(pose);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        char* c = rbl_writer_reserve(writer);
        *c++ = 'v';
        c = rbl_print_position(c, rbl_export_vertex(&exact, view, v));
        *c++ = '\n';
        rbl_writer_advance(writer, c);
    }
    for (size_t i = 0; i < shape->uvs.values.count; i += 2)
    {
        write_floats(writer, "vt", &shape->uvs.values.data[i], 2);
    }
    for (size_t i = 0; i < shape->normals.values.count; i += 3)
    {
        const float* n = &shape->normals.values.data[i];
        const rblVec3 turned = rbl_rotate3(pose.q, rbl_vec3(n[0], n[1], n[2]));
        write_floats(writer, "vn", (const float[3]){turned.x, turned.y, turned.z}, 3);
    }
}

static uint32_t layer_index(const rblIndexedLayer* layer, uint32_t corner, uint32_t vertex)
{
    return layer->per_vertex ? vertex : layer->indices.data[corner];
}

static void write_corner(rblWriter* writer, const rblMeshView* view, const ObjShape* shape, uint32_t corner,
                         const ObjCounts* counts)
{
    const uint32_t vertex = view->corner_vertices[corner];
    char* c = rbl_writer_reserve(writer);
    *c++ = ' ';
    c += rbl_format_u64(counts->positions + vertex, c);
    if (shape->uvs.values.count > 0 || shape->normals.values.count > 0)
    {
        *c++ = '/';
    }
    if (shape->uvs.values.count > 0)
    {
        c += rbl_format_u64(counts->uvs + layer_index(&shape->uvs, corner, vertex), c);
    }
    if (shape->normals.values.count > 0)
    {
        *c++ = '/';
        c += rbl_format_u64(counts->normals + layer_index(&shape->normals, corner, vertex), c);
    }
    rbl_writer_advance(writer, c);
}

static void write_material_name(rblWriter* writer, const rblRun* run, uint32_t material, bool crack)
{
    rbl_write_name(writer, run->materials.data[material].name);
    rbl_write_text(writer, crack ? " " RBL_CRACK_MATERIAL "\n" : "\n");
}

static void write_faces(rblWriter* writer, const rblRun* run, const rblRunBody* body, const rblMeshView* view,
                        const ObjShape* shape, const ObjCounts* counts)
{
    bool cracked = false;
    rbl_write_text(writer, "usemtl ");
    write_material_name(writer, run, body->material, false);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const bool crack = rbl_export_is_crack(view, f);
        if (crack != cracked)
        {
            rbl_write_text(writer, "usemtl ");
            write_material_name(writer, run, body->material, crack);
            cracked = crack;
        }
        rbl_write_text(writer, "f");
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            write_corner(writer, view, shape, c, counts);
        }
        rbl_write_text(writer, "\n");
    }
}

static void write_body(rblWriter* writer, const ObjSequence* sequence, uint32_t index, rblTransform pose,
                       ObjCounts* counts)
{
    const rblRunBody* body = &sequence->run->bodies.data[index];
    const rblMeshView* view = &sequence->surfaces.views[body->shape];
    const ObjShape* shape = &sequence->shapes[body->shape];
    rbl_write_text(writer, "o ");
    rbl_write_name(writer, body->name);
    rbl_write_text(writer, "\n");
    write_vectors(writer, view, shape, pose);
    write_faces(writer, sequence->run, body, view, shape, counts);
    counts->positions += view->vertex_count;
    counts->uvs += shape->uvs.values.count / 2;
    counts->normals += shape->normals.values.count / 3;
}

// ---- files ----

static rblResult write_frame(const ObjSequence* sequence, uint32_t step, uint32_t frame, int digits)
{
    const rblRun* run = sequence->run;
    char name[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    char head[RBL_PATH_SIZE];
    char time[RBL_NUMBER_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_compose_path(name, "%s_%0*u.obj", sequence->name, digits, frame));
    RBL_TRY(rbl_series_path(&sequence->series, name, path));
    rbl_format_double((double)step * run->settings.step, time);
    RBL_TRY(rbl_compose_path(head,
                             "# Rubble: step %u, time %s s; metres, right-handed, Y up\nmtllib %s.mtl\n",
                             step, time, sequence->name));
    RBL_TRY(rbl_writer_open(&writer, path, run->allocator));
    rbl_write_text(&writer, head);
    ObjCounts counts = {1, 1, 1};
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        rblRunKey key;
        if (rbl_run_state(run, i, step, &key))
        {
            write_body(&writer, sequence, i, key.pose, &counts);
        }
    }
    return rbl_writer_close(&writer);
}

// Materials of the outer surface and of crack faces. MTL has sRGB colours.
static void write_material(rblWriter* writer, const rblRun* run, uint32_t material, bool crack)
{
    float color[4];
    rbl_export_color(&run->materials.data[material], crack, color);
    color[3] = 1.0f;
    rbl_color_to_srgb(color);
    rbl_write_text(writer, "newmtl ");
    write_material_name(writer, run, material, crack);
    write_floats(writer, "Kd", color, 3);
}

static rblResult write_materials(const ObjSequence* sequence)
{
    const rblRun* run = sequence->run;
    char name[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_compose_path(name, "%s.mtl", sequence->name));
    RBL_TRY(rbl_series_path(&sequence->series, name, path));
    RBL_TRY(rbl_writer_open(&writer, path, run->allocator));
    for (uint32_t i = 0; i < run->materials.count; ++i)
    {
        write_material(&writer, run, i, false);
        write_material(&writer, run, i, true);
    }
    return rbl_writer_close(&writer);
}

static rblResult open_series(ObjSequence* sequence)
{
    const char* last = rbl_path_last(sequence->path);
    const int folder_length = (int)(last - sequence->path);
    const int name_length = (int)rbl_path_stem_length(sequence->path) - folder_length;
    char folder[RBL_PATH_SIZE];
    char stage[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(sequence->name, "%.*s", name_length, last));
    RBL_TRY(folder_length == 0 ? rbl_compose_path(folder, ".")
                               : rbl_compose_path(folder, "%.*s", folder_length > 1 ? folder_length - 1 : 1,
                                                  sequence->path));
    RBL_TRY(rbl_compose_path(stage, "%s.part", sequence->path));
    return rbl_series_open(&sequence->series, folder, stage, NULL);
}

static rblResult write_frames(const ObjSequence* sequence, uint32_t frames, const rblExportOptions* options)
{
    RBL_TRY(write_materials(sequence));
    for (uint32_t f = 0; f < frames; ++f)
    {
        RBL_TRY(write_frame(sequence, f * options->every, f, rbl_export_digits(frames)));
        RBL_TRY(rbl_export_progress(options, f + 1, frames));
    }
    return RBL_OK;
}

static rblResult write_sequence(ObjSequence* sequence, const rblExportOptions* options)
{
    const uint32_t frames = rbl_export_frame_count(sequence->run, options);
    char prefix[RBL_PATH_SIZE];
    RBL_TRY(open_sequence(sequence));
    RBL_TRY(open_series(sequence));
    RBL_TRY(rbl_compose_path(prefix, "%s_", sequence->name));
    RBL_TRY(write_frames(sequence, frames, options));
    const rblSeriesNames names = {prefix, ".obj", rbl_export_digits(frames), frames};
    return rbl_series_close(&sequence->series, &names);
}

rblResult rbl_export_obj(const rblRun* run, const char* path, const rblExportOptions* options)
{
    ObjSequence sequence = {.run = run, .path = path};
    const rblResult result = write_sequence(&sequence, options);
    rbl_series_discard(&sequence.series);
    close_sequence(&sequence);
    return result;
}
