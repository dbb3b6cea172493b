// Breaking by stress: cracks grow, nodes get labels, and fragments with surfaces and fields are created from the labels.
#include "base/array.h"
#include "base/error.h"
#include "base/timer.h"
#include "field/fragment/fragment_shape.h"
#include "fracture/stress/stress_private.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

#define MAX_TRIES 4u // attempts to keep the cost of the drawn cracks within the budget
#define MAX_RISES                                                                                            \
    40u // increases of the stress of a body that is broken on demand, until a crack separates it
#define RISE        1.25 // factor of the stress per increase
#define RUNGS       16.0 // speeds per octave at which cracks are grown
#define RIM_SPACING 0.5  // distance of samples where cracks meet the original surface, in edge lengths

typedef struct Shattering
{
    const rblStressDef* def;
    rblStressBody* prepared;
    const rblBreakBody* body;
    const rblVerdict* verdict;
    rblJobs* jobs;
    const rblAllocator* allocator;
    const rblStressRoot* root;
    rblStressEvidence* evidence; // that of the verdict; an own one without a decision before
    rblCrackLoad loads[RBL_STRESS_MAX_LOADS];
    rblStress* stress;
    uint32_t* labels;
    double* weights;
    rblCrackReport report;
    rblFragmentEvent* event;
    rblBreakage* breakage;
    double payable;  // J that cracks may cost as drawn
    double budget;   // J that cracks may cost as they grow, in the next attempt
    double updating; // s, of fields and samples
} Shattering;

static void shattering_free(Shattering* s)
{
    const size_t nodes = s->root->view.node_count;
    rbl_fragment_event_release(s->event);
    rbl_breakage_release(s->breakage);
    if (s->evidence != s->verdict->evidence)
    {
        rbl_stress_evidence_free(s->evidence);
    }
    RBL_FREE_ARRAY(s->allocator, s->stress, nodes);
    RBL_FREE_ARRAY(s->allocator, s->labels, nodes);
    RBL_FREE_ARRAY(s->allocator, s->weights, nodes);
}

// ---- stress ----

// No decision before: a load at the point of the verdict, scaled by its severity.
static rblResult push_there(Shattering* s)
{
    const rblTransform pose = s->body->pose;
    const rblVec3d normal = rbl_to_double3(rbl_rotate3(rbl_quat_conjugate(pose.q), s->verdict->normal));
    const rblElasticLoad load = {.point =
                                     rbl_to_double3(rbl_transform_inverse_point(pose, s->verdict->point)),
                                 .force = normal,
                                 .radius = 0.1 * (double)s->body->view.thinnest};
    const rblStressBlow blow = {.loads = {load}, .speeds = {1.0}, .count = 1, .energy = (double)INFINITY};
    double ratio = 0.0;
    s->evidence = rbl_stress_evidence_new(s->prepared);
    RBL_TRY(s->evidence != NULL ? RBL_OK : rbl_fail_memory());
    RBL_TRY(rbl_stress_solve(s->prepared, &blow, s->evidence, &ratio));
    const double wanted = sqrt(rbl_maxd((double)s->verdict->severity, 1.0));
    const double factor = ratio > 0.0 ? 1.0001 * wanted / ratio : 0.0;
    rbl_stress_scale(s->evidence->stress, s->root->view.solid_node_count, factor);
    s->evidence->strain *= factor;
    s->evidence->blow.loads[0].force = rbl_scale3d(normal, factor);
    s->evidence->blow.speed = rbl_pow(wanted, 1.0 / 1.2); // as if it had been 1 m/s at the threshold
    return RBL_OK;
}

static rblResult find_stress(Shattering* s)
{
    s->evidence = s->verdict->evidence;
    return s->evidence == NULL ? push_there(s) : RBL_OK;
}

// ---- cracks ----

static uint32_t max_fragments(const Shattering* s)
{
    return rbl_max_fragments_of(s->def->max_fragments, s->verdict);
}

static rblResult grow(Shattering* s, double budget)
{
    const rblStressRoot* root = s->root;
    const rblCrackBody body = {.tets = &root->view,
                               .solid_graph = &root->solid_graph,
                               .graph = &root->graph,
                               .stress = s->stress,
                               .strength = root->strength,
                               .stronger = s->evidence->stronger,
                               .loads = s->loads,
                               .load_count = s->evidence->blow.count,
                               .toughness = root->toughness,
                               .young = (double)root->material.young,
                               .poisson = (double)root->material.poisson,
                               .budget = budget,
                               .smallest = (double)s->def->smallest * s->body->view.mass.volume,
                               .max_fragments = max_fragments(s)};
    for (uint32_t i = 0; i < root->view.node_count; ++i)
    {
        s->labels[i] = rbl_stress_has_node(s->prepared, i) ? 0 : RBL_NONE;
    }
    RBL_TRY(rbl_grow_cracks(&body, s->allocator, s->labels, s->weights, &s->report));
    for (uint32_t i = 0; i < root->view.node_count; ++i)
    {
        s->weights[i] = (double)(float)s->weights[i]; // rounded as in events, so that later cuts match
    }
    return RBL_OK;
}

static bool must_break(const Shattering* s)
{
    return !rbl_finite(s->verdict->budget) || s->body->material.break_impulse > 0.0f;
}

// A body that is broken on demand or by its breaking impulse must break: the stress is increased until a crack separates it.
static rblResult grow_on_demand(Shattering* s)
{
    for (uint32_t i = 0; i < MAX_RISES && s->report.fragments < 2; ++i)
    {
        rbl_stress_scale(s->stress, s->root->view.solid_node_count, RISE);
        RBL_TRY(grow(s, s->verdict->budget));
    }
    return RBL_OK;
}

// ---- fragments ----

// The events before this one, the first one first, as the cutter wants them. Returns how many.
static uint32_t list_chain(const rblFragmentEvent* last, const rblFragmentEvent* chain[RBL_STRESS_MAX_EVENTS])
{
    const uint32_t count = last != NULL ? last->depth + 1 : 0;
    for (uint32_t i = count; i-- > 0; last = last->parent)
    {
        chain[i] = last;
    }
    return count;
}

static void fill_event(const rblFragmentEvent* event, uint32_t node_count, uint32_t* labels, double* weights)
{
    for (uint32_t i = 0; i < node_count; ++i)
    {
        labels[i] = RBL_NONE;
        weights[i] = 1.0;
    }
    for (uint32_t k = 0; k < event->node_count; ++k)
    {
        labels[event->nodes[k]] = event->labels[k];
        weights[event->nodes[k]] = (double)event->weights[k];
    }
}

static void release_kept(void* kept)
{
    rbl_stress_root_release(kept);
}

// Disconnected parts of a fragment that are smaller than `stray` stay with it.
static rblResult cut(Shattering* s, double stray)
{
    const rblFragmentEvent* chain[RBL_STRESS_MAX_EVENTS];
    rblTetsEvent events[RBL_STRESS_MAX_EVENTS];
    const uint32_t count = list_chain(s->prepared->event, chain);
    const size_t nodes = s->root->view.node_count;
    uint32_t* labels = RBL_NEW_ARRAY(s->allocator, uint32_t, nodes * count + 1);
    double* weights = RBL_NEW_ARRAY(s->allocator, double, nodes* count + 1);
    uint32_t first = 0;
    rblResult result = labels != NULL && weights != NULL ? RBL_OK : rbl_fail_memory();
    for (uint32_t e = 0; result == RBL_OK && e < count; ++e)
    {
        fill_event(chain[e], (uint32_t)nodes, labels + e * nodes, weights + e * nodes);
        events[e] = (rblTetsEvent){labels + e * nodes, weights + e * nodes, first};
        first += chain[e]->label_count;
    }
    events[count] = (rblTetsEvent){s->labels, s->weights, first};
    const rblTetsPartition partition = {&s->root->view, events, count + 1};
    const rblCutOptions options = {.stray = stray};
    rblPieces* pieces = NULL;
    result = result == RBL_OK ? rbl_cut_by_tets(s->root->crossing, &partition, count, &options, s->jobs,
                                                s->allocator, &pieces)
                              : result;
    result = result == RBL_OK ? rbl_breakage_adopt(s->root->surface, pieces, &s->breakage) : result;
    if (result == RBL_OK)
    {
        rbl_stress_root_retain(s->prepared->root);
        s->breakage->kept = s->prepared->root;
        s->breakage->release_kept = release_kept;
    }
    RBL_FREE_ARRAY(s->allocator, labels, nodes * count + 1);
    RBL_FREE_ARRAY(s->allocator, weights, nodes * count + 1);
    return result;
}

// Data that all fragments share, created when the break is certain.
static rblResult make_event(Shattering* s)
{
    const double begin = rbl_timer_seconds();
    const rblFragmentEventDef def = {.parent = s->prepared->event,
                                     .parent_label = s->prepared->label,
                                     .labels = s->labels,
                                     .weights = s->weights,
                                     .label_count = s->report.fragments};
    const rblResult result = rbl_stress_event_create(s->prepared->root, &def, &s->event);
    s->updating += rbl_timer_seconds() - begin;
    return result;
}

static void drop_cut(Shattering* s)
{
    rbl_breakage_release(s->breakage);
    s->breakage = NULL;
}

static bool is_one_piece_each(const rblPieces* pieces)
{
    bool each = true;
    for (uint32_t i = 1; i < pieces->piece_count; ++i)
    {
        each = each && pieces->pieces[i].region != pieces->pieces[i - 1].region;
    }
    return each;
}

// Each fragment has its own label: where a label has several pieces, they get more labels; what remains belongs to the piece with its
// label.
static rblResult make_pieces(Shattering* s)
{
    RBL_TRY(cut(s, (double)s->def->smallest * s->body->view.mass.volume));
    if (is_one_piece_each(s->breakage->pieces))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_stress_split_labels(s->root, s->breakage, max_fragments(s), s->labels, &s->report.fragments));
    drop_cut(s);
    return cut(s, (double)INFINITY);
}

// ---- shapes ----

// A node of the fragment near a point, below which its sample goes.
static uint32_t node_near(const Shattering* s, rblVec3 point, uint32_t label)
{
    float barycentric[4];
    const uint32_t tet = rbl_background_locate(s->root->background, point, barycentric);
    uint32_t best = RBL_NONE;
    float most = -1.0f;
    for (uint32_t i = 0; tet != RBL_NONE && i < 4; ++i)
    {
        const uint32_t node = s->root->view.nodes[4 * (size_t)tet + i];
        if (s->labels[node] == label && barycentric[i] > most)
        {
            best = node;
            most = barycentric[i];
        }
    }
    return best;
}

typedef RBL_ARRAY(rblNewSample) NewSamples;

// Points where cracks meet the original surface, each once. Samples inside come from the cut edges of the mesh.
static bool list_rim(const Shattering* s, uint32_t piece, uint32_t* seen, rblSampleList* out)
{
    const rblPieces* pieces = s->breakage->pieces;
    const rblPiece* of = &pieces->pieces[piece];
    rbl_array_clear(out);
    for (uint32_t f = of->first_face; f < of->end_face; ++f)
    {
        const uint32_t end = pieces->loop_starts[pieces->faces[f].end_loop];
        for (uint32_t c = pieces->loop_starts[pieces->faces[f].first_loop]; c < end; ++c)
        {
            const uint32_t vertex = pieces->corners[c];
            const uint32_t made = vertex - pieces->surface_vertex_count;
            if (vertex < pieces->surface_vertex_count || seen[made] == piece + 1)
            {
                continue;
            }
            seen[made] = piece + 1;
            const rblPieceVertex* origin = &pieces->origins[made];
            const bool outside = origin->triangle != RBL_NONE || origin->ends[0] != RBL_NONE;
            if (outside && !rbl_array_push(out, rbl_to_float3(rbl_breakage_position(s->breakage, vertex))))
            {
                return false;
            }
        }
    }
    return true;
}

// `seen`, per vertex that cuts made: the last piece + 1 that had it.
static bool add_samples(const Shattering* s, uint32_t piece, uint32_t* seen, rblSampleList* rim,
                        NewSamples* out)
{
    const uint32_t label = s->breakage->pieces->pieces[piece].region;
    bool ok = list_rim(s, piece, seen, rim) &&
              rbl_thin_samples(rim, 0, RIM_SPACING * (double)s->root->background->edge);
    for (size_t i = 0; i < rim->count && ok; ++i)
    {
        const rblNewSample sample = {rim->data[i], label, node_near(s, rim->data[i], label)};
        ok = rbl_array_push(out, sample);
    }
    return ok;
}

static rblResult make_trees(const Shattering* s, rblSampleTree** trees)
{
    const rblPieces* pieces = s->breakage->pieces;
    const size_t seen_bytes = sizeof(uint32_t) * ((size_t)pieces->vertex_count + 1);
    uint32_t* seen = rbl_alloc_zero(s->allocator, seen_bytes);
    rblSampleList rim;
    NewSamples added;
    rbl_array_init(&rim, s->allocator);
    rbl_array_init(&added, s->allocator);
    bool ok = seen != NULL;
    for (uint32_t i = 0; i < pieces->piece_count && ok; ++i)
    {
        ok = add_samples(s, i, seen, &rim, &added);
    }
    const rblResult result =
        ok ? rbl_fragment_sample_trees(s->event, added.data, (uint32_t)added.count, trees)
           : rbl_fail_memory();
    rbl_free(s->allocator, seen, seen_bytes);
    rbl_array_free(&rim);
    rbl_array_free(&added);
    return result;
}

static rblAabb float_box(rblAabbd box)
{
    return (rblAabb){rbl_to_float3(box.lower), rbl_to_float3(box.upper)};
}

static rblResult make_shape(const Shattering* s, uint32_t piece, const rblMassProperties* mass,
                            rblSampleTree** trees, rblShapeId* out)
{
    const rblPiece* of = &s->breakage->pieces->pieces[piece];
    const rblAabb box = float_box(of->bounds);
    rblSampleTree* tree = trees[of->region]; // no other piece has that label
    trees[of->region] = NULL;
    const rblFragmentShapeDef def = {.event = s->event,
                                     .label = of->region,
                                     .mass = mass,
                                     .bounds = &box,
                                     .samples = tree,
                                     .surface = rbl_breakage_surface(s->breakage, piece)};
    return rbl_shape_create_fragment(&def, out);
}

static rblResult make_shapes(const Shattering* s, const rblMassProperties* masses, rblFracture* out)
{
    rblSampleTree** trees = rbl_alloc_zero(s->allocator, s->report.fragments * sizeof *trees);
    if (trees == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = make_trees(s, trees);
    for (uint32_t i = 0; result == RBL_OK && i < out->fragment_count; ++i)
    {
        result = make_shape(s, i, &masses[i], trees, &out->fragments[i].shape);
    }
    for (uint32_t i = 0; i < s->report.fragments; ++i)
    {
        rbl_sample_tree_free(trees[i], s->allocator);
    }
    RBL_FREE_ARRAY(s->allocator, trees, s->report.fragments);
    return result;
}

static rblResult make_fracture(const Shattering* s, rblFracture* out)
{
    const rblPieces* pieces = s->breakage->pieces;
    rblMassProperties* masses = RBL_NEW_ARRAY(s->allocator, rblMassProperties, pieces->piece_count);
    rblResult result = masses != NULL
                           ? rbl_fracture_allocate(out, pieces->piece_count, rbl_count_mates(pieces))
                           : rbl_fail_memory();
    if (result == RBL_OK)
    {
        const double density = (double)s->body->mass / rbl_pieces_volume(pieces);
        rbl_fit_masses(pieces, &s->body->view.mass, masses);
        rbl_fill_fragments(pieces, s->body->pose, density, 0, out);
        for (uint32_t i = 0; i < pieces->piece_count; ++i)
        {
            out->fragments[i].rebuild = s->def->rebuild;
        }
        (void)rbl_fill_mates(pieces, 0, 0, out);
        out->merged += s->report.merged;
        out->elastic_energy = rbl_mind(s->report.elastic, s->evidence->blow.energy);
        const double begin = rbl_timer_seconds();
        result = make_shapes(s, masses, out);
        out->updating = 1e3 * (s->updating + rbl_timer_seconds() - begin);
    }
    RBL_FREE_ARRAY(s->allocator, masses, pieces->piece_count);
    return result;
}

// ---- tries ----

// Grow and cut: drawn cracks may cost slightly more than grown ones.
static rblResult attempt(void* context, double* cost, bool* cracked)
{
    Shattering* s = context;
    RBL_TRY(grow(s, s->budget));
    if (s->report.fragments < 2 && must_break(s))
    {
        RBL_TRY(grow_on_demand(s));
    }
    *cracked = s->report.fragments >= 2;
    if (!*cracked)
    {
        return RBL_OK;
    }
    RBL_TRY(make_pieces(s));
    *cost = rbl_crack_price(&s->root->material) * s->breakage->pieces->crack_area;
    return RBL_OK;
}

static void spend_less(void* context, double cost)
{
    Shattering* s = context;
    s->budget = 0.9 * rbl_mind(s->report.cost, s->budget) * s->payable / cost;
    drop_cut(s);
}

// Whether the body is in pieces that can be paid afterwards.
static rblResult try_to_break(Shattering* s, bool* broken)
{
    const rblBudgetTries tries = {s->payable, MAX_TRIES, attempt, spend_less};
    s->budget = s->payable;
    RBL_TRY(rbl_break_within_budget(&tries, s, broken));
    *broken = *broken && s->breakage->pieces->piece_count > 1;
    if (!*broken)
    {
        drop_cut(s);
    }
    return RBL_OK;
}

static rblResult break_by_force(Shattering* s, bool* broken)
{
    memcpy(s->stress, s->evidence->stress, s->root->view.node_count * sizeof *s->stress);
    memcpy(s->loads, s->evidence->loads, sizeof s->loads);
    s->payable = s->verdict->budget;
    return try_to_break(s, broken);
}

// The load of the impact at a lower speed. False: that does not break the body.
static bool load_at(Shattering* s, double factor)
{
    const rblStressEvidence* evidence = s->evidence;
    double scale;
    const double ratio = rbl_stress_at_speed(evidence, &s->root->material, factor, &scale, s->loads);
    memcpy(s->stress, evidence->stress, s->root->view.node_count * sizeof *s->stress);
    rbl_stress_scale(s->stress, s->root->view.solid_node_count, scale / evidence->scale);
    s->payable = factor * factor * s->verdict->budget;
    return ratio >= 1.0;
}

// A harder impact never breaks less. How cracks grow is not monotone: one that opens earlier can stop those that would have separated
// something. So cracks grow at the speeds of a ladder that is the same for all impacts (2^(k / RUNGS) m/s), with the stress, the reach of
// contacts and the energy of that speed: the first one at or below the own speed that separates something counts. Whatever a softer impact
// tries, a harder one tries too.
static rblResult break_on_ladder(Shattering* s, bool* broken)
{
    const double own = s->evidence->blow.speed, speed = own > 0.0 ? own : 1.0;
    const double octave = rbl_log(2.0);
    *broken = false;
    for (double rung = floor(RUNGS * rbl_log(speed) / octave); !*broken; rung -= 1.0)
    {
        const double factor = rbl_mind(rbl_exp(rung * octave / RUNGS) / speed, 1.0);
        if (!load_at(s, factor))
        {
            break;
        }
        RBL_TRY(try_to_break(s, broken));
    }
    return RBL_OK;
}

rblResult rbl_stress_shatter(const rblStressDef* def, rblStressBody* prepared, const rblBreakBody* body,
                             const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    const size_t nodes = prepared->root->view.node_count;
    Shattering s = {.def = def,
                    .prepared = prepared,
                    .body = body,
                    .verdict = verdict,
                    .jobs = jobs != NULL ? jobs : rbl_serial_jobs(),
                    .allocator = rbl_default_allocator(),
                    .root = prepared->root};
    if (prepared->event != NULL && prepared->event->depth + 1 >= RBL_STRESS_MAX_EVENTS)
    {
        return RBL_OK;
    }
    s.stress = RBL_NEW_ARRAY(s.allocator, rblStress, nodes);
    s.labels = RBL_NEW_ARRAY(s.allocator, uint32_t, nodes);
    s.weights = RBL_NEW_ARRAY(s.allocator, double, nodes);
    bool broken = false;
    rblResult result =
        s.stress != NULL && s.labels != NULL && s.weights != NULL ? find_stress(&s) : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = must_break(&s) ? break_by_force(&s, &broken) : break_on_ladder(&s, &broken);
    }
    result = result == RBL_OK && broken ? make_event(&s) : result;
    result = result == RBL_OK && broken ? make_fracture(&s, out) : result;
    shattering_free(&s);
    return result;
}
