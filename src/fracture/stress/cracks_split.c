// The parts that a crack separates. Parts grow from both sides of the crack at once, ring by ring, and are joined where they meet. When
// all parts but one are complete, the rest of the fragment belongs to that one. So the time to split off a chip depends on the chip only.
#include "fracture/stress/cracks_private.h"
#include <math.h>

// Union-find of parts. Arrays are per part, with one part per node of the band.
typedef struct Separation
{
    rblCrackGrowth* growth;
    rblCrack* crack;
    uint32_t* voices;  // parent in the union-find; itself: a representative
    uint32_t* pending; // nodes in the queue; of representatives
    uint32_t* sizes;   // nodes
    uint32_t* labels;  // that it gets; RBL_NONE: not yet known
    double* volumes;   // m^3, of parts with new labels
    uint32_t open;     // representatives with nodes in the queue
} Separation;

static bool is_cut(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t a, uint32_t b)
{
    return growth->marks[a].known == crack->stamp && growth->marks[b].known == crack->stamp &&
           (growth->nodes[a].value > 0.0) != (growth->nodes[b].value > 0.0);
}

// By this crack or by an open one.
static bool is_parted(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t a, uint32_t b)
{
    return is_cut(growth, crack, a, b) ||
           (growth->open.count > 0 && rbl_hash_map_find(&growth->open, rbl_pair_key(a, b)) != RBL_MAP_EMPTY);
}

// ---- parts of the solid ----

static uint32_t voice_of(const Separation* s, uint32_t part)
{
    while (s->voices[part] != part)
    {
        s->voices[part] = s->voices[s->voices[part]];
        part = s->voices[part];
    }
    return part;
}

static bool enter(Separation* s, uint32_t node, uint32_t voice)
{
    s->growth->marks[node].visited = s->crack->stamp;
    s->growth->marks[node].place = voice;
    s->open += s->pending[voice] == 0;
    s->pending[voice] += 1;
    s->sizes[voice] += 1;
    return rbl_array_push(&s->growth->queue, node);
}

// The lower index becomes the representative.
static uint32_t join(Separation* s, uint32_t a, uint32_t b)
{
    const uint32_t voice = a < b ? a : b, other = a < b ? b : a;
    s->open -= s->pending[voice] > 0 && s->pending[other] > 0;
    s->voices[other] = voice;
    s->pending[voice] += s->pending[other];
    s->sizes[voice] += s->sizes[other];
    return voice;
}

static bool spread_from(Separation* s, uint32_t node)
{
    rblCrackGrowth* growth = s->growth;
    const rblTetGraph* graph = growth->body->solid_graph;
    uint32_t voice = voice_of(s, growth->marks[node].place);
    bool ok = true;
    for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1] && ok; ++k)
    {
        const uint32_t next = graph->nodes[k];
        if (growth->marks[next].label != s->crack->label || is_parted(growth, s->crack, node, next))
        {
            continue;
        }
        if (growth->marks[next].visited != s->crack->stamp)
        {
            ok = enter(s, next, voice);
            continue;
        }
        const uint32_t other = voice_of(s, growth->marks[next].place);
        voice = other != voice ? join(s, voice, other) : voice;
    }
    s->pending[voice] -= 1;
    s->open -= s->pending[voice] == 0;
    return ok;
}

// The nodes that were reached are in the queue afterwards.
static bool find_parts(Separation* s)
{
    rblCrackGrowth* growth = s->growth;
    bool ok = true;
    rbl_array_clear(&growth->queue);
    for (uint32_t n = 0; n < growth->band.count && ok; ++n)
    {
        const uint32_t node = growth->band.data[n];
        s->voices[n] = n;
        s->pending[n] = s->sizes[n] = 0;
        s->labels[n] = RBL_NONE;
        ok = node >= growth->body->tets->solid_node_count || enter(s, node, n);
    }
    for (size_t head = 0; head < growth->queue.count && s->open > 1 && ok; ++head)
    {
        ok = spread_from(s, growth->queue.data[head]);
    }
    return ok;
}

// The part that is not complete keeps the label of the fragment; if all are complete, the largest does.
static uint32_t part_that_keeps(const Separation* s)
{
    uint32_t best = RBL_NONE;
    for (uint32_t n = 0; n < s->growth->band.count; ++n)
    {
        if (s->voices[n] != n || s->sizes[n] == 0)
        {
            continue;
        }
        if (s->pending[n] > 0)
        {
            return n;
        }
        best = best == RBL_NONE || s->sizes[n] > s->sizes[best] ? n : best;
    }
    return best;
}

// Returns how many parts there are.
static uint32_t label_parts(Separation* s)
{
    rblCrackGrowth* growth = s->growth;
    const uint32_t keeps = part_that_keeps(s);
    uint32_t count = keeps != RBL_NONE ? 1 : 0;
    for (uint32_t n = 0; n < growth->band.count; ++n)
    {
        if (n != keeps && s->voices[n] == n && s->sizes[n] > 0)
        {
            s->labels[n] = growth->label_count++;
            s->volumes[n] = 0.0;
            count += 1;
        }
    }
    if (keeps != RBL_NONE)
    {
        s->labels[keeps] = s->crack->label;
    }
    size_t moved = 0;
    for (size_t i = 0; i < growth->queue.count; ++i)
    {
        const uint32_t node = growth->queue.data[i], voice = voice_of(s, growth->marks[node].place);
        growth->marks[node].label = s->labels[voice];
        const bool moves = growth->marks[node].label != s->crack->label;
        growth->queue.data[moved] = node;
        moved += moves;
        s->volumes[voice] += moves ? growth->body->solid_graph->volumes[node] : 0.0;
        s->crack->cut_off += moves ? growth->body->solid_graph->volumes[node] : 0.0;
    }
    growth->queue.count = moved;
    return count;
}

// Which of the new labels are those of crumbs. False when out of memory.
static bool note_crumbs(const Separation* s)
{
    rblCrackGrowth* growth = s->growth;
    bool ok = rbl_array_resize(&growth->crumbs, growth->label_count);
    for (uint32_t n = 0; n < growth->band.count && ok; ++n)
    {
        if (s->labels[n] != RBL_NONE && s->labels[n] != s->crack->label)
        {
            growth->crumbs.data[s->labels[n]] = s->volumes[n] < growth->body->smallest;
        }
    }
    return ok;
}

// ---- the rim ----

#define MAX_VOTES 32u // neighbours of a rim node that are counted

// The label that most nodes of the solid around a node of the rim have, of those on its side of the crack if there are any; where
// the solid has none of the crack's fragment around it, nodes of the rim count.
static uint32_t vote(const Separation* s, uint32_t node, uint32_t first_label)
{
    const rblCrackGrowth* growth = s->growth;
    const rblTetGraph* graph = growth->body->graph;
    const uint32_t solid_nodes = growth->body->tets->solid_node_count;
    uint32_t labels[MAX_VOTES], votes[MAX_VOTES], kinds = 0, best = 0;
    for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
    {
        const uint32_t other = graph->nodes[k];
        const uint32_t label = growth->marks[other].label;
        if (label != s->crack->label && (label < first_label || label == RBL_NONE))
        {
            continue;
        }
        const uint32_t weight =
            other >= solid_nodes ? 1u : (is_parted(growth, s->crack, node, other) ? 1u << 8 : 1u << 16);
        uint32_t at = 0;
        while (at < kinds && labels[at] != label)
        {
            ++at;
        }
        if (at == MAX_VOTES)
        {
            continue;
        }
        labels[at] = label;
        votes[at] = (at < kinds ? votes[at] : 0) + weight;
        kinds += at == kinds;
    }
    for (uint32_t i = 1; i < kinds; ++i)
    {
        best = votes[i] > votes[best] || (votes[i] == votes[best] && labels[i] < labels[best]) ? i : best;
    }
    return kinds > 0 ? labels[best] : s->crack->label;
}

// The queue has the nodes that have new labels; nodes of the rim that follow join it.
static bool label_rim(Separation* s, uint32_t first_label)
{
    rblCrackGrowth* growth = s->growth;
    const rblTetGraph* graph = growth->body->graph;
    const uint32_t solid_nodes = growth->body->tets->solid_node_count;
    for (size_t head = 0; head < growth->queue.count; ++head)
    {
        const uint32_t node = growth->queue.data[head];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (next < solid_nodes || growth->marks[next].label != s->crack->label)
            {
                continue;
            }
            const uint32_t label = vote(s, next, first_label);
            growth->marks[next].label = label;
            if (label != s->crack->label && !rbl_array_push(&growth->queue, next))
            {
                return false;
            }
        }
    }
    return true;
}

// ---- cut edges ----

// A node of the band at an edge that is cut: it has a weight of its own unless an earlier crack gave one. Returns the logarithm of the
// crack's value there; `logs` has those that are known, 0 the others.
static double note_end(rblCrackGrowth* growth, double* log, uint32_t node)
{
    const double value = fabs(growth->nodes[node].value);
    growth->own[node] = growth->own[node] > 0.0 ? growth->own[node] : value;
    *log = *log == 0.0 ? rbl_log(value) : *log;
    return *log;
}

// An edge that the crack cuts. Where its ends have one label still, it is open: a later crack may separate them.
static bool note_edge(rblCrackGrowth* growth, rblCutEdge edge)
{
    bool added;
    const bool separated = growth->marks[edge.a].label != growth->marks[edge.b].label;
    return rbl_array_push(&growth->edges, edge) &&
           (separated ||
            rbl_hash_map_get_or_add(&growth->open, rbl_pair_key(edge.a, edge.b), 0, &added) != NULL);
}

// Edges that the crack cuts, and where.
static bool note_edges(rblCrackGrowth* growth, const rblCrack* crack)
{
    const size_t count = growth->band.count;
    double* logs = RBL_ARENA_ARRAY(&growth->arena, double, count + 1);
    for (size_t n = 0; n < count && logs != NULL; ++n)
    {
        logs[n] = 0.0;
    }
    for (size_t n = 0; n < count && logs != NULL; ++n)
    {
        const uint32_t a = growth->band.data[n];
        for (uint32_t k = growth->band_starts.data[n]; k < growth->band_starts.data[n + 1]; ++k)
        {
            const uint32_t other = growth->band_links.data[k], b = growth->band.data[other];
            if (a < b && is_cut(growth, crack, a, b))
            {
                const double ratio = note_end(growth, &logs[n], a) - note_end(growth, &logs[other], b);
                if (!note_edge(growth, (rblCutEdge){a, b, ratio}))
                {
                    return false;
                }
            }
        }
    }
    return logs != NULL;
}

bool rbl_crack_split(rblCrackGrowth* growth, rblCrack* crack, uint32_t* part_count)
{
    const size_t count = growth->band.count;
    const uint32_t first_label = growth->label_count;
    const rblArenaMark mark = rbl_arena_mark(&growth->arena);
    Separation s = {.growth = growth, .crack = crack};
    s.voices = RBL_ARENA_ARRAY(&growth->arena, uint32_t, count + 1);
    s.pending = RBL_ARENA_ARRAY(&growth->arena, uint32_t, count + 1);
    s.sizes = RBL_ARENA_ARRAY(&growth->arena, uint32_t, count + 1);
    s.labels = RBL_ARENA_ARRAY(&growth->arena, uint32_t, count + 1);
    s.volumes = RBL_ARENA_ARRAY(&growth->arena, double, count + 1);
    bool ok = s.voices != NULL && s.pending != NULL && s.sizes != NULL && s.labels != NULL &&
              s.volumes != NULL && find_parts(&s);
    *part_count = ok ? label_parts(&s) : 0;
    ok = ok && note_crumbs(&s) && (*part_count == 1 || label_rim(&s, first_label)) &&
         note_edges(growth, crack);
    rbl_arena_rewind(&growth->arena, mark);
    return ok;
}
