// Pieces tile the solid: nothing is lost, nothing doubled, every crack has two sides.
#include "bench/bench_prescored.h"

#include "base/error.h"
#include "base/sort.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CASES       200
#define QUICK_CASES 14

// Of all cases; `name` is that of the case with the worst figure.
typedef struct Worst
{
    double value;
    char name[96];
} Worst;

typedef struct Tally
{
    double share_sum;
    Worst share, volume, moment; // least share; largest errors
    uint32_t cases, few;         // with less than 0.6 of the pieces
    uint64_t points, in_one, in_one_field;
    uint64_t pieces, sound; // drawn pieces, and those that are watertight and manifold
    uint64_t cracks, mated; // triangles of crack faces, and those that another piece has turned over
    Worst point, piece, crack;
} Tally;

// What comes out of one case.
typedef struct Broken
{
    const rblSmashCase* c;
    rblFracture fracture;
    rblShapeView* views;
    rblMeshView* meshes;
    rblAabbd* boxes; // of the meshes: a hull may be smaller than what is drawn
    rblMassProperties* masses;
} Broken;

static void note_worst(Worst* worst, double value, const char* name)
{
    if (value > worst->value)
    {
        worst->value = value;
        memcpy(worst->name, name, sizeof worst->name);
    }
}

static rblResult break_case(const rblSmashCase* c, Broken* out)
{
    rblBreakerId id;
    const rblBreaker* breaker;
    rblBreakBody body = {.view = c->solid->view, .pose = c->pose, .mass = 1.0f, .seed = c->seed};
    const rblVerdict verdict = {
        .breaks = true, .point = c->point, .normal = c->normal, .budget = (double)INFINITY};
    void* prepared = NULL;
    RBL_TRY(rbl_material_preset("stone", &body.material));
    RBL_TRY(rbl_breaker_create_prescored(&c->def, &id));
    rblResult result = rbl_breaker_acquire(id, &breaker);
    rbl_breaker_destroy(id);
    RBL_TRY(result);
    result = rbl_breaker_prepare(breaker, &body.view, &body.material, NULL, &prepared);
    if (result == RBL_OK)
    {
        result = rbl_breaker_shatter(breaker, prepared, &body, &verdict, NULL, &out->fracture);
        rbl_breaker_forget(breaker, prepared);
    }
    rbl_breaker_release(breaker);
    return result;
}

static rblResult draw_pieces(Broken* broken)
{
    const uint32_t count = broken->fracture.fragment_count;
    broken->views = calloc(count, sizeof *broken->views);
    broken->meshes = calloc(count, sizeof *broken->meshes);
    broken->boxes = calloc(count, sizeof *broken->boxes);
    broken->masses = calloc(count, sizeof *broken->masses);
    if (count > 0 &&
        (broken->views == NULL || broken->meshes == NULL || broken->boxes == NULL || broken->masses == NULL))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rblMeshId surface;
        RBL_TRY(rbl_shape_view(broken->fracture.fragments[i].shape, &broken->views[i]));
        RBL_TRY(rbl_shape_surface(&broken->views[i], &surface));
        RBL_TRY(rbl_mesh_view(surface, &broken->meshes[i]));
        RBL_TRY(rbl_mesh_mass_properties(surface, 1.0, &broken->masses[i]));
        broken->boxes[i] = rbl_mesh_bounds(&broken->meshes[i]);
    }
    return RBL_OK;
}

static void broken_free(Broken* broken)
{
    free(broken->views);
    free(broken->meshes);
    free(broken->boxes);
    free(broken->masses);
    rbl_fracture_free(&broken->fracture);
}

// ---- sums ----

static rblResult check_sums(const Broken* broken, Tally* tally)
{
    const rblShapeView* solid = &broken->c->solid->view;
    rblMeshId surface;
    rblMassProperties whole;
    rblVec3d first = {0, 0, 0};
    double volume = 0.0;
    RBL_TRY(rbl_shape_surface(solid, &surface));
    RBL_TRY(rbl_mesh_mass_properties(surface, 1.0, &whole));
    for (uint32_t i = 0; i < broken->fracture.fragment_count; ++i)
    {
        const rblMassProperties* mass = &broken->masses[i];
        volume += mass->volume;
        first = rbl_add3d(first, rbl_scale3d(rbl_sub3d(mass->center, whole.center), mass->volume));
    }
    const double share = (double)broken->fracture.fragment_count / (double)broken->c->def.pattern.pieces;
    tally->share_sum += share;
    tally->few += share < 0.6;
    note_worst(&tally->share, 1.0 - share, broken->c->name);
    note_worst(&tally->volume, fabs(volume / whole.volume - 1.0), broken->c->name);
    note_worst(&tally->moment, rbl_length3d(first) / (whole.volume * (double)solid->radius), broken->c->name);
    return RBL_OK;
}

// ---- points ----

static void check_points(const Broken* broken, Tally* tally)
{
    const rblSmashSolid* solid = broken->c->solid;
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < solid->point_count; ++k)
    {
        uint32_t drawn = 0;
        uint32_t fields = 0;
        for (uint32_t i = 0; i < broken->fracture.fragment_count; ++i)
        {
            const rblVec3 point = rbl_to_float3(solid->points[k]);
            if (rbl_aabbd_contains_point(broken->boxes[i], solid->points[k]))
            {
                drawn += rbl_smash_inside(&broken->meshes[i], solid->points[k]);
            }
            if (rbl_aabb_contains_point(broken->views[i].bounds, point))
            {
                fields += rbl_shape_distance(broken->views[i].shape, point, NULL) < 0.0f;
            }
        }
        tally->in_one += drawn == 1;
        tally->in_one_field += fields == 1;
        wrong += drawn != 1;
    }
    tally->points += solid->point_count;
    note_worst(&tally->point, wrong, broken->c->name);
}

// ---- surfaces ----

static rblResult check_surfaces(const Broken* broken, Tally* tally)
{
    uint32_t bad = 0;
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    for (uint32_t i = 0; i < broken->fracture.fragment_count; ++i)
    {
        rblMeshId surface;
        rblMeshReport report;
        RBL_TRY(rbl_shape_surface(&broken->views[i], &surface));
        RBL_TRY(rbl_mesh_inspect(surface, &options, &report));
        bad += !(report.closed && report.manifold && report.oriented && report.outward);
    }
    tally->pieces += broken->fracture.fragment_count;
    tally->sound += broken->fracture.fragment_count - bad;
    note_worst(&tally->piece, bad, broken->c->name);
    return RBL_OK;
}

// A crack triangle by its corners, whichever comes first, and whose it is.
typedef struct CrackTriangle
{
    uint64_t corners, piece;
} CrackTriangle;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
    return (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
}

static uint64_t corner_key(rblVec3d p)
{
    uint64_t bits[3];
    memcpy(bits, &p, sizeof bits);
    return mix(bits[0] + mix(bits[1] + mix(bits[2])));
}

static bool comes_before(uint32_t a, uint32_t b, const void* context)
{
    const CrackTriangle* list = context;
    return list[a].corners < list[b].corners;
}

static uint32_t list_cracks(const Broken* broken, CrackTriangle* out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < broken->fracture.fragment_count; ++i)
    {
        const rblMeshView* mesh = &broken->meshes[i];
        for (uint32_t f = 0; f < mesh->face_count; ++f)
        {
            const uint32_t* corners = &mesh->corner_vertices[mesh->face_starts[f]];
            if (mesh->face_origins[f] != RBL_NONE)
            {
                continue;
            }
            if (out != NULL)
            {
                out[count] = (CrackTriangle){corner_key(mesh->positions[corners[0]]) +
                                                 corner_key(mesh->positions[corners[1]]) +
                                                 corner_key(mesh->positions[corners[2]]),
                                             i};
            }
            ++count;
        }
    }
    return count;
}

// Sorted by corners, mates are neighbours: two of a kind, of different pieces.
static uint32_t count_mated(const CrackTriangle* list, const uint32_t* order, uint32_t count)
{
    uint32_t mated = 0;
    for (uint32_t i = 0; i < count;)
    {
        uint32_t end = i + 1;
        while (end < count && list[order[end]].corners == list[order[i]].corners)
        {
            ++end;
        }
        mated += end == i + 2 && list[order[i]].piece != list[order[i + 1]].piece ? 2 : 0;
        i = end;
    }
    return mated;
}

static rblResult check_cracks(const Broken* broken, Tally* tally)
{
    const uint32_t count = list_cracks(broken, NULL);
    CrackTriangle* list = malloc(sizeof *list * (count + 1));
    uint32_t* order = malloc(2 * sizeof *order * (count + 1));
    rblResult result = list != NULL && order != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        list_cracks(broken, list);
        for (uint32_t i = 0; i < count; ++i)
        {
            order[i] = i;
        }
        rbl_sort_indices(order, order + count, count, comes_before, list);
        const uint32_t mated = count_mated(list, order, count);
        tally->cracks += count;
        tally->mated += mated;
        note_worst(&tally->crack, count - mated, broken->c->name);
    }
    free(list);
    free(order);
    return result;
}

// ---- all ----

static rblResult run_case(const rblSmashCase* c, Tally* tally)
{
    Broken broken = {.c = c};
    rblResult result = break_case(c, &broken);
    if (result == RBL_OK)
    {
        result = draw_pieces(&broken);
    }
    if (result == RBL_OK)
    {
        check_points(&broken, tally);
        result = check_sums(&broken, tally);
    }
    if (result == RBL_OK)
    {
        result = check_surfaces(&broken, tally);
    }
    if (result == RBL_OK)
    {
        result = check_cracks(&broken, tally);
    }
    tally->cases += 1;
    broken_free(&broken);
    return result;
}

static void report_worst(rblBench* bench, const char* figure, const Worst* worst, const char* unit)
{
    if (worst->value > 0.0)
    {
        rbl_smash_worst(bench, figure, worst->value, unit, worst->name);
    }
}

static void report(rblBench* bench, const Tally* tally)
{
    const char* subject = "random breaks, 14 solids, 7 patterns";
    const double cases = tally->cases;
    rbl_smash_row(bench, subject, "cases", cases, "");
    rbl_smash_row(bench, subject, "pieces by those asked for, mean", tally->share_sum / cases, "");
    rbl_smash_row(bench, subject, "pieces by those asked for, least", 1.0 - tally->share.value, "");
    rbl_smash_row(bench, subject, "cases below 0.6 of the pieces", tally->few, "");
    rbl_smash_row(bench, subject, "error of the volume, most", tally->volume.value, "");
    rbl_smash_row(bench, subject, "error of first moments, most", tally->moment.value, "");
    rbl_smash_row(bench, subject, "points not in exactly one drawn piece",
                  (double)(tally->points - tally->in_one), "");
    rbl_smash_row(bench, subject, "points inside, tried", (double)tally->points, "");
    rbl_smash_row(bench, subject, "points in exactly one field",
                  100.0 * (double)tally->in_one_field / (double)tally->points, "%");
    rbl_smash_row(bench, subject, "pieces drawn", (double)tally->pieces, "");
    rbl_smash_row(bench, subject, "pieces not watertight and manifold",
                  (double)(tally->pieces - tally->sound), "");
    rbl_smash_row(bench, subject, "crack triangles", (double)tally->cracks, "");
    rbl_smash_row(bench, subject, "crack triangles without a mate", (double)(tally->cracks - tally->mated),
                  "");
    report_worst(bench, "share of pieces that did not come out", &tally->share, "");
    report_worst(bench, "error of the volume", &tally->volume, "");
    report_worst(bench, "error of first moments", &tally->moment, "");
    report_worst(bench, "points", &tally->point, "of 2000");
    report_worst(bench, "drawn pieces", &tally->piece, "unsound");
    report_worst(bench, "cracks", &tally->crack, "triangles without a mate");
}

rblResult rbl_bench_prescored_tiling(rblBench* bench, const rblSmashSolid* solids)
{
    const uint32_t cases = rbl_bench_size(bench, CASES, QUICK_CASES);
    Tally tally = {.cases = 0};
    rbl_bench_stage(bench, "random breaks");
    for (uint32_t i = 0; i < cases; ++i)
    {
        const rblSmashCase c = rbl_smash_case(solids, i);
        const rblResult result = run_case(&c, &tally);
        if (result != RBL_OK)
        {
            rbl_bench_note(bench, c.name);
            return result;
        }
    }
    report(bench, &tally);
    return RBL_OK;
}
