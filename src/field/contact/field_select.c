#include "field/contact/field_select.h"

#include "field/contact/collide.h"
#include "math/simd.h"
#include "math/vec.h"
#include <math.h>

// ---- tuning ----
#define MAX_SWEEPS      64    // of the selection over all candidates
#define ROUGHNESS_SCALE 3.0f  // relative to the roughness at a contact; roughness of the surfaces elsewhere
#define SAME_ROW        0.05f // distance of two rows w below which smooth contacts are the same

// Columns of the candidates, padded to blocks of four: w in six columns, then the depth that the chosen contacts do not
// imply yet, then the distance, then the distances on the paths.
#define UNCOVERED 6
#define DISTANCE  7
#define COLUMNS   (8 + RBL_MAX_PATHS)
#define IMPLIED   1e30f // distance of a sample that a smooth contact replaces

typedef struct Choice
{
    const rblSelecting* selecting;
    rblCandidate* candidates;
    float* columns[COLUMNS];
    uint32_t padded;
    rblSelectedRow* chosen;
    uint32_t count;
    float* products;    // w.w of chosen contacts, one row per contact
    uint32_t stride;    // of these rows; a multiple of four
    float* multipliers; // multipliers of the motion that resolves the chosen contacts
    float* resolved;    // distances of the chosen contacts after that motion
    float x[6];         // that motion: the smallest one
    bool smooth;        // all chosen contacts are smooth contacts
    float rough;        // m, bound of the roughness of these surfaces
    float touching;     // m, largest gap of candidates that count as touching
    rblContactSet* out;
} Choice;

void rbl_select_scratch_init(rblSelectScratch* scratch, const rblAllocator* allocator)
{
    rbl_array_init(&scratch->columns, allocator);
    rbl_array_init(&scratch->chosen, allocator);
    rbl_array_init(&scratch->products, allocator);
}

void rbl_select_scratch_free(rblSelectScratch* scratch)
{
    rbl_array_free(&scratch->columns);
    rbl_array_free(&scratch->chosen);
    rbl_array_free(&scratch->products);
}

// ---- rows ----

static bool reserve_columns(Choice* c, uint32_t count, rblSelectScratch* scratch)
{
    const uint32_t first = c->selecting->first_count < count ? c->selecting->first_count : count;
    const uint32_t most = first + 1 + RBL_MAX_EXTRA;
    c->padded = (count + 3) & ~3u;
    c->stride = (most + 3) & ~3u;
    if (!rbl_array_resize_amply(&scratch->columns, COLUMNS * (size_t)c->padded) ||
        !rbl_array_resize_amply(&scratch->chosen, most) ||
        !rbl_array_resize_amply(&scratch->products, ((size_t)most + 2) * c->stride))
    {
        return false;
    }
    for (uint32_t k = 0; k < COLUMNS; ++k)
    {
        c->columns[k] = scratch->columns.data + (size_t)k * c->padded;
    }
    c->chosen = scratch->chosen.data;
    c->products = scratch->products.data;
    c->multipliers = c->products + (size_t)most * c->stride;
    c->resolved = c->multipliers + c->stride;
    return true;
}

static void write_row(Choice* c, uint32_t i, const rblCandidate* candidate)
{
    const rblContactPoint* p = &candidate->contact;
    const rblVec3 arm = rbl_scale3(rbl_sub3(p->point, c->selecting->center), 1.0f / c->selecting->length);
    const rblVec3 moment = rbl_cross3(arm, p->normal);
    c->columns[0][i] = p->normal.x;
    c->columns[1][i] = p->normal.y;
    c->columns[2][i] = p->normal.z;
    c->columns[3][i] = moment.x;
    c->columns[4][i] = moment.y;
    c->columns[5][i] = moment.z;
    // With paths, future distances are known.
    const bool spread = p->distance <= c->touching || c->selecting->path_count == 0;
    c->columns[UNCOVERED][i] = spread ? c->selecting->motion - p->distance : -INFINITY;
    c->columns[DISTANCE][i] = p->distance;
    for (uint32_t k = 0; k < c->selecting->path_count; ++k)
    {
        c->columns[DISTANCE + 1 + k][i] = candidate->lows[k];
    }
}

// Exclude a candidate: it is chosen, or it is padding.
static void exclude(Choice* c, uint32_t i)
{
    c->columns[UNCOVERED][i] = -INFINITY;
    for (uint32_t k = 0; k <= c->selecting->path_count; ++k)
    {
        c->columns[DISTANCE + k][i] = INFINITY;
    }
}

static void write_rows(Choice* c, uint32_t count)
{
    for (uint32_t i = 0; i < c->padded; ++i)
    {
        write_row(c, i, &c->candidates[i < count ? i : 0]);
        if (i >= count)
        {
            exclude(c, i);
        }
    }
}

// ---- largest value of a column ----

typedef struct Largest
{
    rblFloat4 value;
    rblFloat4 index;
} Largest;

static void offer4(Largest* largest, rblFloat4 value, rblFloat4 index)
{
    const rblFloat4 better = rbl_less4(largest->value, value);
    largest->value = rbl_select4(better, value, largest->value);
    largest->index = rbl_select4(better, index, largest->index);
}

// The first of equal values.
static uint32_t largest_of(const Largest* largest, float* value)
{
    float values[4];
    float indices[4];
    rbl_store4(values, largest->value);
    rbl_store4(indices, largest->index);
    uint32_t best = 0;
    for (uint32_t k = 1; k < 4; ++k)
    {
        if (values[k] > values[best] || (values[k] == values[best] && indices[k] < indices[best]))
        {
            best = k;
        }
    }
    *value = values[best];
    return (uint32_t)indices[best];
}

static Largest no_largest(void)
{
    return (Largest){rbl_splat4(-INFINITY), rbl_splat4(0.0f)};
}

static rblFloat4 lane_numbers(uint32_t first)
{
    return rbl_add4(rbl_splat4((float)first), rbl_set4(0.0f, 1.0f, 2.0f, 3.0f));
}

// ---- choosing ----

static float product(const float a[6], const float b[6])
{
    float sum = 0.0f;
    for (int k = 0; k < 6; ++k)
    {
        sum += a[k] * b[k];
    }
    return sum;
}

static void multiply_rows(Choice* c, uint32_t row)
{
    float* products = c->products + (size_t)row * c->stride;
    for (uint32_t i = 0; i < c->stride; ++i)
    {
        products[i] = i <= row ? product(c->chosen[row].w, c->chosen[i].w) : 0.0f;
    }
    for (uint32_t i = 0; i < row; ++i)
    {
        c->products[(size_t)i * c->stride + row] = products[i];
    }
}

// Whether a moved contact is the same as a chosen one.
static bool is_chosen_already(const Choice* c, uint32_t index)
{
    const float eps = c->selecting->eps;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        float square = 0.0f;
        for (int k = 0; k < 6; ++k)
        {
            const float apart = c->columns[k][index] - c->chosen[i].w[k];
            square += apart * apart;
        }
        if (square < SAME_ROW * SAME_ROW &&
            fabsf(c->columns[DISTANCE][index] - c->chosen[i].distances[0]) <= eps)
        {
            return true;
        }
    }
    return false;
}

// Returns false when a chosen smooth contact replaces the candidate.
static bool choose(Choice* c, uint32_t index)
{
    const rblSurfaces* surfaces = c->selecting->surfaces;
    const rblCandidate sample = c->candidates[index];
    rblSmoothness smooth;
    if (surfaces != NULL && surfaces->refine(surfaces->context, &c->candidates[index], &smooth))
    {
        c->rough = c->smooth ? rbl_maxf(c->rough, ROUGHNESS_SCALE * smooth.rough) : 0.0f;
        c->touching = rbl_maxf(c->touching, c->selecting->eps + smooth.sag);
        write_row(c, index, &c->candidates[index]);
        if (is_chosen_already(c, index))
        {
            c->candidates[index] = sample;
            exclude(c, index);
            c->columns[DISTANCE][index] = IMPLIED;
            return false;
        }
    }
    else
    {
        c->smooth = false;
        c->rough = 0.0f;
    }
    const uint32_t number = c->count++;
    rblSelectedRow* row = &c->chosen[number];
    for (int k = 0; k < 6; ++k)
    {
        row->w[k] = c->columns[k][index];
    }
    multiply_rows(c, number);
    for (uint32_t k = 0; k <= c->selecting->path_count; ++k)
    {
        row->distances[k] = c->columns[DISTANCE + k][index];
    }
    row->inverse_square = 1.0f / product(row->w, row->w);
    exclude(c, index);
    c->out->points[c->out->count++] = c->candidates[index].contact;
    return true;
}

// A motion of length l that resolves contact c leaves contact j with a depth of at most |w_j - w_c| l - (d_j - d_c).
// Update this bound for all candidates, and find the deepest.
static uint32_t update_bounds(Choice* c, float* deepest)
{
    const rblSelectedRow* row = &c->chosen[c->count - 1];
    const rblFloat4 motion = rbl_splat4(c->selecting->motion);
    const rblFloat4 distance = rbl_splat4(row->distances[0]);
    Largest largest = no_largest();
    for (uint32_t i = 0; i < c->padded; i += 4)
    {
        rblFloat4 square = rbl_splat4(0.0f);
        for (int k = 0; k < 6; ++k)
        {
            const rblFloat4 difference = rbl_sub4(rbl_load4(c->columns[k] + i), rbl_splat4(row->w[k]));
            square = rbl_add4(square, rbl_mul4(difference, difference));
        }
        const rblFloat4 deeper = rbl_sub4(rbl_load4(c->columns[DISTANCE] + i), distance);
        const rblFloat4 left = rbl_sub4(rbl_mul4(rbl_sqrt4(square), motion), deeper);
        const rblFloat4 uncovered = rbl_min4(left, rbl_load4(c->columns[UNCOVERED] + i));
        rbl_store4(c->columns[UNCOVERED] + i, uncovered);
        offer4(&largest, uncovered, lane_numbers(i));
    }
    return largest_of(&largest, deepest);
}

static uint32_t deepest_candidate(const Choice* c)
{
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < c->padded; ++i)
    {
        deepest = c->columns[DISTANCE][i] < c->columns[DISTANCE][deepest] ? i : deepest;
    }
    return deepest;
}

// Without a limit: all candidates that touch.
static void choose_touching(Choice* c, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (c->columns[DISTANCE][i] <= c->selecting->eps)
        {
            (void)choose(c, i);
        }
    }
}

// Samples of smooth surfaces may lie beside the contacts, so samples with small gaps count as touching, too.
static void add_touching(Choice* c, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const float distance = c->columns[DISTANCE][i];
        if (distance > c->selecting->eps && distance <= c->touching)
        {
            c->columns[UNCOVERED][i] = c->selecting->motion - distance;
        }
    }
}

// The deepest candidate, then repeatedly the one that the chosen contacts imply least.
static void choose_first(Choice* c, uint32_t count)
{
    (void)choose(c, deepest_candidate(c));
    add_touching(c, count);
    while (c->count < c->selecting->first_count)
    {
        float left;
        const uint32_t next = update_bounds(c, &left);
        if (!(left > c->selecting->eps))
        {
            return;
        }
        (void)choose(c, next);
    }
}

// ---- overlap that the chosen contacts leave ----

// Resolve one contact; the products of rows give the effect on the others. Returns the absolute value of its distance
// before.
static float push_row(Choice* c, uint32_t row)
{
    const float distance_before = c->resolved[row];
    const float push = rbl_maxf(c->multipliers[row] - distance_before * c->chosen[row].inverse_square, 0.0f);
    const float change = push - c->multipliers[row];
    if (change == 0.0f)
    {
        return 0.0f;
    }
    const float* products = c->products + (size_t)row * c->stride;
    const rblFloat4 changes = rbl_splat4(change);
    c->multipliers[row] = push;
    for (uint32_t i = 0; i < c->count; i += 4)
    {
        const rblFloat4 moved = rbl_mul4(changes, rbl_load4(products + i));
        rbl_store4(c->resolved + i, rbl_add4(rbl_load4(c->resolved + i), moved));
    }
    return fabsf(distance_before);
}

// The smallest motion that resolves the chosen contacts: minimal |x|^2 with w.x >= -distance, by its dual, with a
// tolerance of eps / 10. x is the sum of the multipliers times w.
static void solve_motion(Choice* c)
{
    float worst = INFINITY;
    for (int sweep = 0; sweep < MAX_SWEEPS && worst > 0.1f * c->selecting->eps; ++sweep)
    {
        worst = 0.0f;
        for (uint32_t i = 0; i < c->count; ++i)
        {
            worst = rbl_maxf(worst, push_row(c, i));
        }
    }
    for (int k = 0; k < 6; ++k)
    {
        c->x[k] = 0.0f;
        for (uint32_t i = 0; i < c->count; ++i)
        {
            c->x[k] += c->multipliers[i] * c->chosen[i].w[k];
        }
    }
}

// The candidate that is deepest after that motion.
static uint32_t deepest_after(const Choice* c, uint32_t path, float* depth)
{
    Largest largest = no_largest();
    for (uint32_t i = 0; i < c->padded; i += 4)
    {
        rblFloat4 resolved = rbl_load4(c->columns[DISTANCE + path] + i);
        for (int k = 0; k < 6; ++k)
        {
            resolved = rbl_add4(resolved, rbl_mul4(rbl_load4(c->columns[k] + i), rbl_splat4(c->x[k])));
        }
        offer4(&largest, rbl_sub4(rbl_splat4(0.0f), resolved), lane_numbers(i));
    }
    return largest_of(&largest, depth);
}

// The paths of candidates are approximated along the normal at the start. When a body rolls by more than its radius, this
// approximation reports false obstacles. So check a possible obstacle in the field itself.
static bool passes(Choice* c, uint32_t path, uint32_t index)
{
    const rblSurfaces* surfaces = c->selecting->surfaces;
    const float lowest = surfaces->lowest(surfaces->context, &c->candidates[index], path - 1, c->x);
    float along = 0.0f;
    for (int k = 0; k < 6; ++k)
    {
        along += c->columns[k][index] * c->x[k];
    }
    c->columns[DISTANCE + path][index] = lowest - along;
    return lowest >= -c->selecting->eps - c->rough;
}

// A candidate that is still deeper than eps after that motion becomes a contact, too: drift correction would not remove
// its overlap, or the step would not detect it. `path` 0: no path.
static void choose_rest(Choice* c, uint32_t path, uint32_t most)
{
    for (uint32_t i = 0; i < c->stride; ++i)
    {
        c->multipliers[i] = 0.0f;
        c->resolved[i] = i < c->count ? c->chosen[i].distances[path] : 0.0f;
    }
    while (c->count < most)
    {
        float depth;
        solve_motion(c);
        const uint32_t next = deepest_after(c, path, &depth);
        if (!(depth > c->selecting->eps + c->rough))
        {
            return;
        }
        if (path > 0 && c->smooth && passes(c, path, next))
        {
            continue;
        }
        if (choose(c, next))
        {
            c->resolved[c->count - 1] =
                c->chosen[c->count - 1].distances[path] + product(c->chosen[c->count - 1].w, c->x);
        }
    }
}

// Candidates deeper than eps are never dropped (Glondu 2012, 5.3). Those that are not chosen yet are added in the order
// of the levels.
static void keep_deep(const Choice* c, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const float distance = c->columns[DISTANCE][i];
        const float own = distance == IMPLIED ? c->candidates[i].contact.distance : distance;
        if (own < -c->selecting->eps)
        {
            c->out->points[c->out->count++] = c->candidates[i].contact;
        }
    }
}

static void keep_all(const rblCandidateArray* candidates, rblContactSet* out)
{
    for (size_t i = 0; i < candidates->count; ++i)
    {
        out->points[out->count++] = candidates->data[i].contact;
    }
}

bool rbl_contacts_select(const rblSelecting* selecting, rblCandidateArray* candidates,
                         rblSelectScratch* scratch, rblContactSet* out, uint32_t* leading)
{
    if (!rbl_contact_set_reserve(out, (uint32_t)candidates->count))
    {
        return false;
    }
    if (selecting->first_count == UINT32_MAX && selecting->path_count == 0)
    {
        keep_all(candidates, out);
        *leading = out->count;
        return true;
    }
    Choice choice = {.selecting = selecting,
                     .candidates = candidates->data,
                     .touching = selecting->eps,
                     .smooth = true,
                     .out = out};
    if (!reserve_columns(&choice, (uint32_t)candidates->count, scratch))
    {
        return false;
    }
    write_rows(&choice, (uint32_t)candidates->count);
    if (selecting->first_count == UINT32_MAX)
    {
        choose_touching(&choice, (uint32_t)candidates->count);
    }
    else
    {
        choose_first(&choice, (uint32_t)candidates->count);
    }
    const uint32_t most = choice.count + RBL_MAX_EXTRA;
    for (uint32_t path = 0; selecting->path_count > 0 && path <= selecting->path_count; ++path)
    {
        choose_rest(&choice, path, most);
    }
    *leading = out->count;
    keep_deep(&choice, (uint32_t)candidates->count);
    *leading = selecting->path_count > 0 && choice.count < most ? *leading : out->count;
    return true;
}
