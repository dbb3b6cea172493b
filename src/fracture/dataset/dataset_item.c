// Items of a dataset: the random fracture of one item, and its files.
#include "base/error.h"
#include "base/random.h"
#include "cut/pieces/pieces_save.h"
#include "fracture/dataset/dataset_private.h"
#include "math/vec.h"
#include <stdio.h>
#include <string.h>

// ---- meshes ----

static rblVec3d triangle_cross(const rblMeshView* view, uint32_t triangle)
{
    const uint32_t* v = &view->corner_vertices[3 * (size_t)triangle];
    const rblVec3d a = view->positions[v[0]];
    return rbl_cross3d(rbl_sub3d(view->positions[v[1]], a), rbl_sub3d(view->positions[v[2]], a));
}

static rblResult sum_areas(rblDatasetBody* body)
{
    if (!rbl_array_resize(&body->areas, (size_t)body->view.face_count))
    {
        return rbl_fail_memory();
    }
    double sum = 0.0;
    for (uint32_t t = 0; t < body->view.face_count; ++t)
    {
        sum += 0.5 * rbl_length3d(triangle_cross(&body->view, t));
        body->areas.data[t] = sum;
    }
    return RBL_OK;
}

// Name of a mesh's folder: the number, then the name of the file without path and extension. All characters except
// ASCII letters, digits and '-' become '_'.
static void name_folder(const char* file, uint32_t number, char out[RBL_DATASET_NAME])
{
    const char* slash = strrchr(file, '/');
    const char* stem = slash != NULL ? slash + 1 : file;
    const char* dot = strrchr(stem, '.');
    const size_t stem_length = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    const size_t length = stem_length < RBL_DATASET_NAME / 2 ? stem_length : RBL_DATASET_NAME / 2;
    size_t end = (size_t)snprintf(out, RBL_DATASET_NAME, "%02u_", number);
    for (size_t i = 0; i < length; ++i)
    {
        const char c = stem[i];
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        out[end++] = plain ? c : '_';
    }
    out[end] = '\0';
}

rblResult rbl_dataset_body_open(const rblDatasetDef* def, uint32_t number, const rblAllocator* allocator,
                                rblDatasetBody* out)
{
    const rblDatasetMesh* mesh = &def->meshes[number];
    rbl_array_init(&out->areas, allocator);
    RBL_TRY(rbl_mesh_view(mesh->mesh, &out->view));
    if (out->view.corner_count != 3 * (uint64_t)out->view.face_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "dataset: %s: has faces that are not triangles; all faces must be triangles",
                        mesh->file);
    }
    name_folder(mesh->file, number, out->name);
    RBL_TRY(sum_areas(out));
    const rblResult result = rbl_shatter_body_open(mesh->mesh, def->max_pieces, allocator, &out->body);
    if (result != RBL_OK)
    {
        rbl_array_free(&out->areas);
    }
    return result;
}

void rbl_dataset_body_close(rblDatasetBody* body)
{
    rbl_shatter_body_close(&body->body);
    rbl_array_free(&body->areas);
}

// ---- random numbers ----

// Uniform distribution on the unit sphere.
static rblVec3d random_direction(rblRandom* random)
{
    for (;;)
    {
        const double x = rbl_random_range(random, -1.0, 1.0);
        const double y = rbl_random_range(random, -1.0, 1.0);
        const double z = rbl_random_range(random, -1.0, 1.0);
        const double square = x * x + y * y + z * z;
        if (square <= 1.0 && square > 1e-4)
        {
            const double scale = 1.0 / sqrt(square);
            return rbl_vec3d(scale * x, scale * y, scale * z);
        }
    }
}

// A triangle with probability proportional to its area: the first triangle whose cumulative area is above a random
// number. A triangle without area is never chosen.
static uint32_t random_triangle(const rblDatasetBody* body, rblRandom* random)
{
    const double* cumulative = body->areas.data;
    uint32_t low = 0, high = (uint32_t)body->areas.count - 1;
    const double drawn = rbl_random_double(random) * cumulative[high];
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (cumulative[middle] > drawn)
        {
            high = middle;
        }
        else
        {
            low = middle + 1;
        }
    }
    return low;
}

// Uniform distribution in the triangle (Osada et al. 2002, "Shape Distributions", eq. 1).
static rblVec3d random_point(const rblMeshView* view, uint32_t triangle, rblRandom* random)
{
    const uint32_t* v = &view->corner_vertices[3 * (size_t)triangle];
    const double root = sqrt(rbl_random_double(random));
    const double along_side = rbl_random_double(random);
    const rblVec3d side = rbl_lerp3d(view->positions[v[1]], view->positions[v[2]], along_side);
    return rbl_lerp3d(view->positions[v[0]], side, root);
}

// A unit vector with a cosine distribution about `inwards`: the normalized sum of `inwards` and a random unit vector.
static rblVec3d random_normal(rblVec3d inwards, rblRandom* random)
{
    const rblVec3d sum = rbl_add3d(inwards, random_direction(random));
    return rbl_length3d(sum) > 1e-3 ? rbl_normalize3d(sum, inwards) : inwards;
}

// The fracture of one item of a mesh. It depends only on the seed of the dataset and on the indices of the mesh and the
// item.
static rblShatterDef item_def(const rblDatasetDef* def, const rblDatasetBody* body, uint32_t mesh,
                              uint32_t number)
{
    rblRandom random = rbl_random_seed(def->seed, (uint64_t)mesh << 32 | number);
    rblShatterDef item = rbl_default_shatter_def();
    const uint32_t span = def->max_pieces - def->min_pieces + 1;
    item.pattern.kind = def->kinds[rbl_random_below(&random, def->kind_count)];
    item.pattern.pieces = def->min_pieces + rbl_random_below(&random, span);
    item.pattern.seed = rbl_random_u64(&random) >> 11; // 53 bits: exact in readers of JSON that use doubles
    const uint32_t triangle = random_triangle(body, &random);
    const rblVec3d cross = triangle_cross(&body->view, triangle);
    item.point = random_point(&body->view, triangle, &random);
    item.normal = random_normal(rbl_neg3d(rbl_normalize3d(cross, rbl_vec3d(0, 1, 0))), &random);
    const rblVec3d axis = random_direction(&random);
    const bool along = item.pattern.kind == RBL_PATTERN_SLABS || item.pattern.kind == RBL_PATTERN_SPLINTERS;
    item.pattern.axis = along ? axis : rbl_vec3d(0, 0, 0);
    return item;
}

// ---- files ----

rblResult rbl_dataset_item_path(const rblDatasetWork* work, uint32_t item, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/%s/%06u", work->folder, work->bodies[item / work->def->count].name,
                            item % work->def->count);
}

static rblResult fill_folder(const rblDatasetWork* work, uint32_t item, const char* folder, uint32_t* pieces)
{
    const rblDatasetBody* body = &work->bodies[item / work->def->count];
    const rblShatterDef def = item_def(work->def, body, item / work->def->count, item % work->def->count);
    rblPieces* parts = NULL;
    rblResult result = rbl_shatter_prepared(&body->body, &def, work->inner_jobs, work->allocator, &parts);
    if (result == RBL_ERROR_MEMORY)
    {
        return result;
    }
    if (result != RBL_OK)
    {
        return rbl_dataset_save_record(work, item, folder, &def, NULL, rbl_last_error());
    }
    *pieces = parts->piece_count;
    result = rbl_pieces_write_files(parts, &body->view, work->def->density, folder);
    result = result == RBL_OK ? rbl_dataset_save_record(work, item, folder, &def, parts, NULL) : result;
    rbl_pieces_free(parts);
    return result;
}

rblResult rbl_dataset_make_item(const rblDatasetWork* work, uint32_t item, uint32_t* pieces)
{
    char path[RBL_PATH_SIZE];
    char part[RBL_PATH_SIZE];
    RBL_TRY(rbl_dataset_item_path(work, item, path));
    RBL_TRY(rbl_compose_path(part, "%s" RBL_DATASET_PART, path));
    RBL_TRY(rbl_dataset_make_folder(part));
    rblResult result = fill_folder(work, item, part, pieces);
    result = result == RBL_OK ? rbl_dataset_rename(part, path) : result;
    if (result != RBL_OK)
    {
        char message[RBL_ERROR_TEXT_SIZE];
        snprintf(message, sizeof message, "%s", rbl_last_error());
        (void)rbl_dataset_remove_item(part);
        return rbl_fail(result, "%s", message);
    }
    return RBL_OK;
}
