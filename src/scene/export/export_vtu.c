// A run for ParaView and VTK: NAME.pvd lists the frames, which are VTU files in the folder NAME. Every cell has the id and the
// scalars of its body. Numbers are appended after the XML, raw and little-endian.
#include "base/error.h"
#include "io/folder.h"
#include "io/series.h"
#include "io/text_write.h"
#include "io/xml.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec.h"
#include "scene/export/export.h"
#include <stdio.h>
#include <string.h>

#define VTK_POLYGON 7

typedef struct VtuFrame
{
    const rblRun* run;
    const rblExportSurfaces* surfaces;
    uint32_t step;
    uint64_t points, cells, corners;
    rblRunKey* keys;    // by body
    bool* exists;       // by body: it exists in this frame
    uint32_t* touching; // by body: number of bodies that it touches
    size_t next_contact;
    uint64_t offset; // bytes of appended data so far
} VtuFrame;

// ---- bodies of a frame ----

static void gather(VtuFrame* frame)
{
    const rblRun* run = frame->run;
    frame->points = frame->cells = frame->corners = 0;
    frame->offset = 0;
    for (uint32_t i = 0; i < run->bodies.count; ++i)
    {
        frame->exists[i] = rbl_run_state(run, i, frame->step, &frame->keys[i]);
        if (frame->exists[i])
        {
            const rblMeshView* view = &frame->surfaces->views[run->bodies.data[i].shape];
            frame->points += view->vertex_count;
            frame->cells += view->face_count;
            frame->corners += view->corner_count;
        }
    }
    rbl_run_touching(run, frame->step, &frame->next_contact, frame->touching);
}

// Kinetic energy, J, from the inertia of the shape, scaled to the mass of the body.
static float kinetic_energy(const rblRun* run, uint32_t body, const rblRunKey* key)
{
    const rblRunBody* b = &run->bodies.data[body];
    const rblMassProperties* mass = &run->shapes.data[b->shape].mass;
    if (!(b->mass > 0.0f) || !(mass->mass > 0.0))
    {
        return 0.0f;
    }
    const double scale = (double)b->mass / mass->mass;
    const rblVec3d v = rbl_to_double3(key->velocity);
    const rblVec3d w = rbl_to_double3(rbl_rotate3(rbl_quat_conjugate(key->pose.q), key->spin));
    const rblVec3d turned = rbl_mat3d_apply(&mass->inertia, w);
    return (float)(0.5 * ((double)b->mass * rbl_dot3d(v, v) + scale * rbl_dot3d(w, turned)));
}

// ---- XML ----

static void write_array(rblWriter* writer, VtuFrame* frame, const char* type, const char* name,
                        uint32_t components, uint64_t bytes)
{
    char line[256];
    snprintf(line, sizeof line,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\" "
             "offset=\"%llu\"/>\n",
             type, name, components, (unsigned long long)frame->offset);
    rbl_write_text(writer, line);
    frame->offset += 8 + bytes;
}

static void write_header(rblWriter* writer, VtuFrame* frame)
{
    char line[512];
    char time[RBL_NUMBER_SIZE];
    rbl_format_double((double)frame->step * frame->run->settings.step, time);
    rbl_write_text(
        writer, "<?xml version=\"1.0\"?>\n<!-- Rubble: metres, kilograms, seconds; right-handed, Y up -->\n"
                "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n"
                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
    rbl_write_text(writer, time);
    snprintf(line, sizeof line,
             "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%llu\" NumberOfCells=\"%llu\">\n<Points>\n",
             (unsigned long long)frame->points, (unsigned long long)frame->cells);
    rbl_write_text(writer, line);
    write_array(writer, frame, "Float64", "Points", 3, 24 * frame->points);
    rbl_write_text(writer, "</Points>\n<Cells>\n");
    write_array(writer, frame, "Int64", "connectivity", 1, 8 * frame->corners);
    write_array(writer, frame, "Int64", "offsets", 1, 8 * frame->cells);
    write_array(writer, frame, "UInt8", "types", 1, frame->cells);
    rbl_write_text(writer, "</Cells>\n<CellData Scalars=\"speed\">\n");
    write_array(writer, frame, "UInt32", "id", 1, 4 * frame->cells);
    write_array(writer, frame, "Float32", "speed", 1, 4 * frame->cells);
    write_array(writer, frame, "Float32", "energy", 1, 4 * frame->cells);
    write_array(writer, frame, "Float32", "mass", 1, 4 * frame->cells);
    write_array(writer, frame, "UInt32", "contacts", 1, 4 * frame->cells);
    write_array(writer, frame, "UInt8", "crack", 1, frame->cells);
    rbl_write_text(writer, "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

// ---- data ----

static void write_u64(rblWriter* writer, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; ++i)
    {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    rbl_write_bytes(writer, bytes, sizeof bytes);
}

static void write_u32(rblWriter* writer, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    rbl_write_bytes(writer, bytes, sizeof bytes);
}

static void write_double(rblWriter* writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_u64(writer, bits);
}

static void write_float(rblWriter* writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_u32(writer, bits);
}

typedef void BodyFcn(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view);

static void write_points(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    const rblExportPose pose = rbl_export_pose(frame->keys[body].pose);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = rbl_export_vertex(&pose, view, v);
        write_double(writer, p.x);
        write_double(writer, p.y);
        write_double(writer, p.z);
    }
}

static void write_types(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    (void)frame;
    (void)body;
    static const uint8_t type = VTK_POLYGON;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        rbl_write_bytes(writer, &type, 1);
    }
}

static void write_cracks(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    (void)frame;
    (void)body;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint8_t crack = rbl_export_is_crack(view, f);
        rbl_write_bytes(writer, &crack, 1);
    }
}

static void write_ids(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    (void)frame;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        write_u32(writer, body);
    }
}

static void write_contacts(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        write_u32(writer, frame->touching[body]);
    }
}

static void repeat_float(rblWriter* writer, float value, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        write_float(writer, value);
    }
}

static void write_speeds(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    repeat_float(writer, rbl_length3(frame->keys[body].velocity), view->face_count);
}

static void write_energies(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    repeat_float(writer, kinetic_energy(frame->run, body, &frame->keys[body]), view->face_count);
}

static void write_masses(rblWriter* writer, const VtuFrame* frame, uint32_t body, const rblMeshView* view)
{
    repeat_float(writer, frame->run->bodies.data[body].mass, view->face_count);
}

static void write_connectivity(rblWriter* writer, const VtuFrame* frame)
{
    uint64_t first = 0;
    write_u64(writer, 8 * frame->corners);
    for (uint32_t i = 0; i < frame->run->bodies.count; ++i)
    {
        const rblMeshView* view = &frame->surfaces->views[frame->run->bodies.data[i].shape];
        for (uint32_t c = 0; frame->exists[i] && c < view->corner_count; ++c)
        {
            write_u64(writer, first + view->corner_vertices[c]);
        }
        first += frame->exists[i] ? view->vertex_count : 0;
    }
}

static void write_offsets(rblWriter* writer, const VtuFrame* frame)
{
    uint64_t first = 0;
    write_u64(writer, 8 * frame->cells);
    for (uint32_t i = 0; i < frame->run->bodies.count; ++i)
    {
        const rblMeshView* view = &frame->surfaces->views[frame->run->bodies.data[i].shape];
        for (uint32_t f = 0; frame->exists[i] && f < view->face_count; ++f)
        {
            write_u64(writer, first + view->face_starts[f + 1]);
        }
        first += frame->exists[i] ? view->corner_count : 0;
    }
}

static void write_bodies(rblWriter* writer, const VtuFrame* frame, uint64_t bytes, BodyFcn* write)
{
    write_u64(writer, bytes);
    for (uint32_t i = 0; i < frame->run->bodies.count; ++i)
    {
        if (frame->exists[i])
        {
            write(writer, frame, i, &frame->surfaces->views[frame->run->bodies.data[i].shape]);
        }
    }
}

// Arrays in the order of the header.
static void write_data(rblWriter* writer, const VtuFrame* frame)
{
    write_bodies(writer, frame, 24 * frame->points, write_points);
    write_connectivity(writer, frame);
    write_offsets(writer, frame);
    write_bodies(writer, frame, frame->cells, write_types);
    write_bodies(writer, frame, 4 * frame->cells, write_ids);
    write_bodies(writer, frame, 4 * frame->cells, write_speeds);
    write_bodies(writer, frame, 4 * frame->cells, write_energies);
    write_bodies(writer, frame, 4 * frame->cells, write_masses);
    write_bodies(writer, frame, 4 * frame->cells, write_contacts);
    write_bodies(writer, frame, frame->cells, write_cracks);
}

static rblResult write_frame(VtuFrame* frame, const char* path)
{
    rblWriter writer;
    gather(frame);
    RBL_TRY(rbl_writer_open(&writer, path, frame->run->allocator));
    write_header(&writer, frame);
    write_data(&writer, frame);
    rbl_write_text(&writer, "\n</AppendedData>\n</VTKFile>\n");
    return rbl_writer_close(&writer);
}

// ---- the collection ----

static void write_collection(rblWriter* writer, const rblRun* run, const char* folder, uint32_t frames,
                             const rblExportOptions* options)
{
    rbl_write_text(
        writer, "<?xml version=\"1.0\"?>\n<!-- Rubble: metres, kilograms, seconds; right-handed, Y up -->\n"
                "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n");
    for (uint32_t f = 0; f < frames; ++f)
    {
        char time[RBL_NUMBER_SIZE];
        char name[64];
        rbl_format_double((double)(f * options->every) * run->settings.step, time);
        snprintf(name, sizeof name, "/%0*u.vtu\"/>\n", rbl_export_digits(frames), f);
        rbl_write_text(writer, "<DataSet timestep=\"");
        rbl_write_text(writer, time);
        rbl_write_text(writer, "\" part=\"0\" file=\"");
        rbl_write_xml(writer, rbl_path_last(folder));
        rbl_write_text(writer, name);
    }
    rbl_write_text(writer, "</Collection>\n</VTKFile>\n");
}

static rblResult write_frames(VtuFrame* frame, const rblSeries* series, uint32_t frames,
                              const rblExportOptions* options)
{
    const size_t bodies = frame->run->bodies.count;
    if ((frame->keys == NULL || frame->exists == NULL || frame->touching == NULL) && bodies > 0)
    {
        return rbl_fail_memory();
    }
    for (uint32_t f = 0; f < frames; ++f)
    {
        char name[64];
        char path[RBL_PATH_SIZE];
        frame->step = f * options->every;
        snprintf(name, sizeof name, "%0*u.vtu", rbl_export_digits(frames), f);
        RBL_TRY(rbl_series_path(series, name, path));
        RBL_TRY(write_frame(frame, path));
        RBL_TRY(rbl_export_progress(options, f + 1, frames));
    }
    return RBL_OK;
}

// The folder name is written in XML.
rblResult rbl_export_pvd_folder(const char* path, char out[RBL_PATH_SIZE])
{
    RBL_TRY(rbl_compose_path(out, "%.*s", (int)rbl_path_stem_length(path), path));
    const char* name = rbl_path_last(out);
    return *name != '\0' && rbl_xml_can_hold(name)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%s: the name has characters that XML does not allow",
                          rbl_short_name(path));
}

static rblResult write_series(const rblRun* run, const rblExportSurfaces* surfaces, const rblSeries* series,
                              const rblExportOptions* options)
{
    const size_t bodies = run->bodies.count;
    VtuFrame frame = {.run = run,
                      .surfaces = surfaces,
                      .keys = RBL_NEW_ARRAY(run->allocator, rblRunKey, bodies),
                      .exists = RBL_NEW_ARRAY(run->allocator, bool, bodies),
                      .touching = rbl_alloc_zero(run->allocator, bodies * sizeof(uint32_t))};
    const rblResult result = write_frames(&frame, series, rbl_export_frame_count(run, options), options);
    RBL_FREE_ARRAY(run->allocator, frame.keys, bodies);
    RBL_FREE_ARRAY(run->allocator, frame.exists, bodies);
    RBL_FREE_ARRAY(run->allocator, frame.touching, bodies);
    return result;
}

static rblResult write_list(const rblRun* run, const rblSeries* series, const rblExportOptions* options)
{
    char path[RBL_PATH_SIZE];
    rblWriter list;
    RBL_TRY(rbl_series_path(series, RBL_SERIES_LIST, path));
    RBL_TRY(rbl_writer_open(&list, path, run->allocator));
    write_collection(&list, run, series->folder, rbl_export_frame_count(run, options), options);
    return rbl_writer_close(&list);
}

// Frames and list are written next to existing ones, and replace these when all are complete.
static rblResult write_all(const rblRun* run, const rblExportSurfaces* surfaces, const char* path,
                           const rblExportOptions* options)
{
    const uint32_t frames = rbl_export_frame_count(run, options);
    const rblSeriesNames names = {"", ".vtu", rbl_export_digits(frames), frames};
    char folder[RBL_PATH_SIZE];
    char stage[RBL_PATH_SIZE];
    rblSeries series;
    RBL_TRY(rbl_export_pvd_folder(path, folder));
    RBL_TRY(rbl_compose_path(stage, "%s.part", folder));
    RBL_TRY(rbl_output_check_folder(folder, options->force));
    RBL_TRY(rbl_series_open(&series, folder, stage, path));
    rblResult result = write_series(run, surfaces, &series, options);
    result = result == RBL_OK ? write_list(run, &series, options) : result;
    result = result == RBL_OK ? rbl_folder_open(folder, options->force) : result;
    result = result == RBL_OK ? rbl_series_close(&series, &names) : result;
    rbl_series_discard(&series);
    return result;
}

rblResult rbl_export_pvd(const rblRun* run, const char* path, const rblExportOptions* options)
{
    rblExportSurfaces surfaces;
    rblResult result = rbl_export_surfaces_open(&surfaces, run);
    result = result == RBL_OK ? write_all(run, &surfaces, path, options) : result;
    rbl_export_surfaces_close(&surfaces);
    return result;
}
