// The list of a dataset and the records of its items, as JSON.
#include "base/bytes.h"
#include "base/error.h"
#include "fracture/dataset/dataset_private.h"
#include "io/file.h"
#include "io/json/json.h"
#include "rubble/version.h"
#include <stdio.h>
#include <string.h>

#define MAX_RECORD_SIZE ((size_t)64 << 20) // bytes
static void put_count(rblJsonWriter* json, const char* key, uint64_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

static void put_text(rblJsonWriter* json, const char* key, const char* value)
{
    rbl_json_key(json, key);
    rbl_json_string(json, value);
}

static void put_vector(rblJsonWriter* json, const char* key, rblVec3d value)
{
    rbl_json_key(json, key);
    rbl_json_begin_row(json);
    rbl_json_number(json, value.x);
    rbl_json_number(json, value.y);
    rbl_json_number(json, value.z);
    rbl_json_end_array(json);
}

// ---- header ----

// A check sum of the mesh. A dataset is not continued with another mesh.
static void print_check(const rblMeshView* view, char out[17])
{
    uint64_t check = rbl_check64(1, view->positions, sizeof *view->positions * view->vertex_count);
    check = rbl_check64(check, view->corner_vertices, sizeof *view->corner_vertices * view->corner_count);
    check = rbl_check64(check, view->face_materials, sizeof *view->face_materials * view->face_count);
    for (uint32_t l = 0; l < view->layer_count; ++l)
    {
        const rblLayer* layer = &view->layers[l];
        check = rbl_check64(check, layer->data, sizeof *layer->data * layer->components * view->corner_count);
    }
    snprintf(out, 17, "%016llx", (unsigned long long)check);
}

static void put_mesh(rblJsonWriter* json, const rblDatasetMesh* mesh, const rblDatasetBody* body)
{
    const char* slash = strrchr(mesh->file, '/');
    char check[17];
    print_check(&body->view, check);
    rbl_json_begin_object(json);
    put_text(json, "file", slash != NULL ? slash + 1 : mesh->file);
    put_text(json, "folder", body->name);
    put_count(json, "triangles", body->view.face_count);
    put_number(json, "volume", body->body.volume);
    rbl_json_key(json, "repaired");
    rbl_json_bool(json, mesh->repaired);
    put_text(json, "check", check);
    rbl_json_end_object(json);
}

rblResult rbl_dataset_write_header(rblDatasetWork* work)
{
    const rblDatasetDef* def = work->def;
    rblJsonWriter* json = &work->header;
    rbl_json_begin_object(json);
    put_text(json, "format", "rubble dataset");
    put_count(json, "version", 1);
    put_text(json, "rubble", rbl_version());
    put_count(json, "seed", def->seed);
    put_count(json, "count", def->count);
    put_count(json, "leastPieces", def->min_pieces);
    put_count(json, "mostPieces", def->max_pieces);
    rbl_json_key(json, "patterns");
    rbl_json_begin_row(json);
    for (uint32_t k = 0; k < def->kind_count; ++k)
    {
        rbl_json_string(json, rbl_pattern_kind_name(def->kinds[k]));
    }
    rbl_json_end_array(json);
    put_number(json, "density", def->density);
    rbl_json_key(json, "meshes");
    rbl_json_begin_array(json);
    for (uint32_t m = 0; m < def->mesh_count; ++m)
    {
        put_mesh(json, &def->meshes[m], &work->bodies[m]);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    RBL_TRY(rbl_json_writer_finish(json));
    json->size -= strlen("\n}\n"); // remove the end of the object: the items follow
    return RBL_OK;
}

// ---- comparison with the list on disk ----

// A line without indentation and final comma, at most 80 characters.
static int trim_line(const char* text, size_t size, const char** out)
{
    size_t begin = 0;
    while (begin < size && text[begin] == ' ')
    {
        ++begin;
    }
    size_t end = begin;
    while (end < size && text[end] != '\n')
    {
        ++end;
    }
    end -= end > begin && text[end - 1] == ',' ? 1 : 0;
    *out = text + begin;
    return end - begin < 80 ? (int)(end - begin) : 80;
}

static rblResult fail_difference(const char* path, const char* old_text, size_t old_size,
                                 const char* new_text, size_t new_size)
{
    size_t at = 0;
    size_t line = 0;
    while (at < old_size && at < new_size && old_text[at] == new_text[at])
    {
        line = new_text[at] == '\n' ? at + 1 : line;
        ++at;
    }
    const char* old_line;
    const char* new_line;
    const int old_length = trim_line(old_text + line, old_size - line, &old_line);
    const int new_length = trim_line(new_text + line, new_size - line, &new_line);
    return rbl_fail(RBL_ERROR_FILE, "%s: was made with other options: %.*s, now %.*s; only force replaces it",
                    rbl_short_name(path), old_length, old_line, new_length, new_line);
}

rblResult rbl_dataset_compare_list(const rblDatasetWork* work, bool force, bool* found, bool* same)
{
    char path[RBL_PATH_SIZE];
    rblFileBytes file;
    RBL_TRY(rbl_compose_path(path, "%s/" RBL_DATASET_LIST, work->folder));
    *found = rbl_dataset_exists(path);
    *same = false;
    if (!*found)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_file_read(path, SIZE_MAX, work->allocator, &file));
    const rblJsonWriter* header = &work->header;
    const char* old_text = (const char*)file.bytes;
    *same = file.size > header->size && memcmp(old_text, header->text, header->size) == 0 &&
            old_text[header->size] == ',';
    const rblResult result =
        *same || force ? RBL_OK : fail_difference(path, old_text, file.size, header->text, header->size);
    rbl_file_bytes_free(&file);
    return result;
}

// ---- records ----

static void put_volumes(rblJsonWriter* json, const rblPieces* pieces)
{
    put_count(json, "pieces", pieces->piece_count);
    put_count(json, "merged", pieces->merged);
    put_number(json, "crackArea", pieces->crack_area);
    rbl_json_key(json, "volumes");
    rbl_json_begin_row(json);
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        rbl_json_number(json, pieces->pieces[p].mass.volume);
    }
    rbl_json_end_array(json);
}

static void put_record(rblJsonWriter* json, const rblDatasetWork* work, uint32_t item,
                       const rblShatterDef* def, const rblPieces* pieces, const char* reason)
{
    const uint32_t mesh = item / work->def->count;
    const bool has_axis = rbl_dot3d(def->pattern.axis, def->pattern.axis) > 0.0;
    char path[RBL_DATASET_NAME + 16];
    snprintf(path, sizeof path, "%s/%06u", work->bodies[mesh].name, item % work->def->count);
    rbl_json_begin_object(json);
    put_count(json, "item", item);
    put_count(json, "mesh", mesh);
    put_text(json, "path", path);
    put_text(json, "pattern", rbl_pattern_kind_name(def->pattern.kind));
    put_count(json, "seed", def->pattern.seed);
    put_count(json, "asked", def->pattern.pieces);
    put_vector(json, "at", def->point);
    put_vector(json, "normal", def->normal);
    if (has_axis)
    {
        put_vector(json, "axis", def->pattern.axis);
    }
    if (pieces != NULL)
    {
        put_volumes(json, pieces);
    }
    else
    {
        put_count(json, "pieces", 0);
        put_text(json, "error", reason);
    }
    rbl_json_end_object(json);
}

rblResult rbl_dataset_save_record(const rblDatasetWork* work, uint32_t item, const char* folder,
                                  const rblShatterDef* def, const rblPieces* pieces, const char* reason)
{
    char path[RBL_PATH_SIZE];
    rblWriter writer;
    rblJsonWriter json;
    RBL_TRY(rbl_compose_path(path, "%s/" RBL_DATASET_ITEM, folder));
    rbl_json_writer_init(&json, 0, work->allocator);
    put_record(&json, work, item, def, pieces, reason);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? rbl_writer_open(&writer, path, work->allocator) : result;
    if (result == RBL_OK)
    {
        rbl_write_bytes(&writer, json.text, json.size);
        rbl_write_text(&writer, "\n");
        result = rbl_writer_close(&writer);
    }
    rbl_json_writer_free(&json);
    return result;
}

// ---- the complete list ----

// Check the number of the item in its record, add the record to the report, return the number of pieces.
static rblResult read_record(const rblFileBytes* file, const char* path, uint32_t item,
                             const rblAllocator* allocator, rblDatasetReport* report, uint32_t* out)
{
    rblJsonDocument document;
    uint32_t number = 0;
    uint32_t pieces = 0;
    RBL_TRY(rbl_json_parse(&document, (const char*)file->bytes, file->size, path, allocator));
    const rblJson root = rbl_json_root(&document);
    rblResult result = rbl_json_optional_u32(root, "item", &number);
    result = result == RBL_OK ? rbl_json_optional_u32(root, "pieces", &pieces) : result;
    report->failed += rbl_json_exists(rbl_json_find(root, "error")) ? 1 : 0;
    rbl_json_free(&document);
    RBL_TRY(result);
    report->items += 1;
    report->pieces += pieces;
    *out = pieces;
    return number == item ? RBL_OK
                          : rbl_fail(RBL_ERROR_FORMAT, "%s: is the record of item %u, must be of item %u",
                                     path, number, item);
}

static rblResult copy_record(const rblDatasetWork* work, uint32_t item, rblWriter* writer,
                             rblDatasetReport* report)
{
    char folder[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    rblFileBytes file;
    RBL_TRY(rbl_dataset_item_path(work, item, folder));
    RBL_TRY(rbl_compose_path(path, "%s/" RBL_DATASET_ITEM, folder));
    rblResult result = rbl_file_read(path, MAX_RECORD_SIZE, work->allocator, &file);
    if (result == RBL_OK)
    {
        uint32_t pieces = 0;
        result = read_record(&file, path, item, work->allocator, report, &pieces);
        result = result == RBL_OK && pieces > 0 ? rbl_dataset_check_item(folder, pieces) : result;
        const size_t end = file.size > 0 && file.bytes[file.size - 1] == '\n' ? file.size - 1 : file.size;
        rbl_write_text(writer, item == 0 ? "\n  " : ",\n  ");
        rbl_write_bytes(writer, file.bytes, end);
        rbl_file_bytes_free(&file);
    }
    return result == RBL_OK
               ? RBL_OK
               : rbl_fail_within(result, "a damaged item; remove its folder and write the dataset again");
}

static rblResult write_list(const rblDatasetWork* work, bool complete, rblWriter* writer,
                            rblDatasetReport* report)
{
    const uint32_t count = complete ? work->def->mesh_count * work->def->count : 0;
    rbl_write_bytes(writer, work->header.text, work->header.size);
    rbl_write_text(writer, complete ? ",\n \"complete\": true,\n \"items\": ["
                                    : ",\n \"complete\": false,\n \"items\": [");
    for (uint32_t item = 0; item < count; ++item)
    {
        RBL_TRY(copy_record(work, item, writer, report));
    }
    rbl_write_text(writer, "\n ]\n}\n");
    return RBL_OK;
}

rblResult rbl_dataset_save_list(const rblDatasetWork* work, bool complete, rblDatasetReport* report)
{
    char path[RBL_PATH_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_compose_path(path, "%s/" RBL_DATASET_LIST, work->folder));
    RBL_TRY(rbl_writer_open(&writer, path, work->allocator));
    const rblResult result = write_list(work, complete, &writer, report);
    if (result != RBL_OK)
    {
        rbl_writer_discard(&writer);
        return result;
    }
    return rbl_writer_close(&writer);
}
