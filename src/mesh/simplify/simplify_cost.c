#include "mesh/simplify/simplify_cost.h"

#include "base/error.h"
#include "math/aabb.h"
#include "math/float_bits.h"

// Weight of the plane that keeps a feature edge (border, seam, edge between materials) in place, in units of the
// squared edge length. A triangle adds a third of its area to each of its vertices. Larger values keep features
// longer than surfaces.
#define FEATURE_WEIGHT 10.0

// Scaled length that an attribute difference of 1 counts as, as a fraction of the longest side of the bounding box.
// The weight of the caller multiplies it.
#define ATTRIBUTE_UNIT 0.1

// Regularisation of the quadric minimum, as a fraction of the trace of the quadric. Where the quadrics leave a
// direction free, it selects the point nearest to the middle of the edge. Small against 1, so that it does not move
// vertices where the quadrics decide.
#define SOFTNESS 1e-6

// Cost of a vertex that moves within the surface, as a fraction of the cost of leaving the surface by the same
// distance. It only orders collapses on plane regions: short edges are collapsed first, and slivers are avoided.
#define TANGENTIAL_COST 1e-7

// Costs below this multiple of area times squared edge length are rounding errors: the surface is flat there, and the
// vertex stays at an end of the edge, exactly in the plane.
#define FLAT 1e-15

static rblVec3d corner_position(const rblSimplifyCost* cost, uint32_t corner)
{
    return cost->positions[cost->mesh->corner_vertices[corner]];
}

// ---- construction ----

static void* new_zero_array(const rblAllocator* allocator, size_t size, size_t count)
{
    size_t bytes;
    return rbl_checked_multiply(size, count, &bytes) ? rbl_alloc_zero(allocator, bytes) : NULL;
}

static bool allocate(rblSimplifyCost* cost)
{
    const size_t vertices = cost->mesh->vertex_count;
    const size_t wedges = cost->mesh->wedge_count;
    const size_t n = cost->component_count;
    cost->positions = RBL_NEW_ARRAY(cost->allocator, rblVec3d, vertices);
    cost->moved = rbl_alloc_zero(cost->allocator, vertices);
    cost->quadrics = new_zero_array(cost->allocator, sizeof *cost->quadrics, vertices);
    if (cost->positions == NULL || cost->moved == NULL || cost->quadrics == NULL)
    {
        return false;
    }
    size_t values;
    if (n == 0 || !rbl_checked_multiply(wedges, n, &values))
    {
        return n == 0;
    }
    cost->wedge_quadrics = new_zero_array(cost->allocator, sizeof *cost->wedge_quadrics, wedges);
    cost->wedge_terms = new_zero_array(cost->allocator, sizeof *cost->wedge_terms, values);
    cost->wedge_values = RBL_NEW_ARRAY(cost->allocator, float, values);
    cost->normal_starts = rbl_alloc_zero(cost->allocator, n);
    return cost->wedge_quadrics != NULL && cost->wedge_terms != NULL && cost->wedge_values != NULL &&
           cost->normal_starts != NULL;
}

void rbl_simplify_cost_free(rblSimplifyCost* cost)
{
    const size_t vertices = cost->mesh->vertex_count;
    const size_t wedges = cost->mesh->wedge_count;
    const size_t n = cost->component_count;
    RBL_FREE_ARRAY(cost->allocator, cost->positions, vertices);
    RBL_FREE_ARRAY(cost->allocator, cost->moved, vertices);
    RBL_FREE_ARRAY(cost->allocator, cost->quadrics, vertices);
    RBL_FREE_ARRAY(cost->allocator, cost->wedge_quadrics, wedges);
    RBL_FREE_ARRAY(cost->allocator, cost->wedge_terms, wedges * n);
    RBL_FREE_ARRAY(cost->allocator, cost->wedge_values, wedges * n);
    RBL_FREE_ARRAY(cost->allocator, cost->normal_starts, n);
    *cost = (rblSimplifyCost){.allocator = cost->allocator, .mesh = cost->mesh};
}

// Returns the longest side of the scaled box.
static double scale_positions(rblSimplifyCost* cost, const rblMeshView* view)
{
    const rblAabbd box = rbl_mesh_bounds(view);
    const rblVec3d half = rbl_sub3d(rbl_scale3d(box.upper, 0.5), rbl_scale3d(box.lower, 0.5));
    const double largest = rbl_maxd(half.x, rbl_maxd(half.y, half.z));
    if (largest > 0.0)
    {
        rbl_split_exponent(largest, &cost->exponent);
        cost->exponent += 1;
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        cost->positions[v] = rbl_vec3d(rbl_scaled(p.x, -cost->exponent), rbl_scaled(p.y, -cost->exponent),
                                       rbl_scaled(p.z, -cost->exponent));
    }
    return 2.0 * rbl_scaled(largest, -cost->exponent);
}

static void copy_values(rblSimplifyCost* cost, const rblMeshView* view)
{
    const uint32_t n = cost->component_count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        const rblLayer* layer = &view->layers[i];
        cost->normal_starts[at] = layer->kind == RBL_LAYER_NORMAL;
        for (uint32_t c = 0; c < view->corner_count; ++c)
        {
            float* values = cost->wedge_values + (size_t)cost->mesh->corner_wedges[c] * n + at;
            for (uint32_t k = 0; k < layer->components; ++k)
            {
                values[k] = layer->data[(size_t)c * layer->components + k];
            }
        }
        at += layer->components;
    }
}

// Distribute the attribute error of a triangle to its three wedges.
//   gradients: of the barycentric coordinates, so that g = sum s_i grad_i
static void add_attributes(rblSimplifyCost* cost, uint32_t triangle, rblVec3d unit_normal, double area2)
{
    const uint32_t n = cost->component_count;
    const double weight = area2 / 6.0;
    rblVec3d gradients[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblVec3d a = corner_position(cost, 3 * triangle + (i + 1) % 3);
        const rblVec3d b = corner_position(cost, 3 * triangle + (i + 2) % 3);
        gradients[i] = rbl_scale3d(rbl_cross3d(unit_normal, rbl_sub3d(b, a)), 1.0 / area2);
    }
    const uint32_t* wedges = cost->mesh->corner_wedges + 3 * (size_t)triangle;
    for (uint32_t k = 0; k < n; ++k)
    {
        double s[3];
        rblVec3d g = {0, 0, 0};
        for (uint32_t i = 0; i < 3; ++i)
        {
            s[i] = cost->attribute_scale * (double)cost->wedge_values[(size_t)wedges[i] * n + k];
            g = rbl_mul_add3d(g, s[i], gradients[i]);
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            rblAttributeTerm* term = &cost->wedge_terms[(size_t)wedges[i] * n + k];
            term->g = rbl_mul_add3d(term->g, weight, g);
            term->d += weight * s[i];
            rbl_quadric_add_square(&cost->wedge_quadrics[wedges[i]], g, s[i], weight);
        }
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        cost->wedge_quadrics[wedges[i]].weight += weight;
    }
}

// The plane through a feature edge, perpendicular to its triangle; its quadric keeps the feature in place.
static void add_feature(rblSimplifyCost* cost, uint32_t corner, rblVec3d unit_normal)
{
    const uint32_t ends[2] = {cost->mesh->corner_vertices[corner],
                              cost->mesh->corner_vertices[rbl_triangle_next(corner)]};
    const rblVec3d edge = rbl_sub3d(cost->positions[ends[1]], cost->positions[ends[0]]);
    const rblVec3d across = rbl_normalize3d(rbl_cross3d(unit_normal, edge), rbl_vec3d(0, 0, 0));
    const double weight = FEATURE_WEIGHT * rbl_dot3d(edge, edge);
    for (int i = 0; i < 2; ++i)
    {
        rbl_quadric_add_square(&cost->quadrics[ends[i]], across, 0.0, weight);
        cost->quadrics[ends[i]].weight += weight;
    }
}

static void add_triangle(rblSimplifyCost* cost, uint32_t triangle)
{
    const uint32_t c = 3 * triangle;
    const rblVec3d a = corner_position(cost, c);
    const rblVec3d ab = rbl_sub3d(corner_position(cost, c + 1), a);
    const rblVec3d ac = rbl_sub3d(corner_position(cost, c + 2), a);
    const rblVec3d normal = rbl_cross3d(ab, ac);
    const double area2 = rbl_length3d(normal);
    if (!(area2 > 0.0))
    {
        return; // a triangle without area has no plane
    }
    const rblVec3d unit = rbl_scale3d(normal, 1.0 / area2);
    for (uint32_t i = 0; i < 3; ++i)
    {
        rblQuadric* quadric = &cost->quadrics[cost->mesh->corner_vertices[c + i]];
        rbl_quadric_add_square(quadric, unit, 0.0, area2 / 6.0);
        quadric->weight += area2 / 6.0;
        if (cost->mesh->features[c + i] != 0)
        {
            add_feature(cost, c + i, unit);
        }
    }
    if (cost->component_count > 0)
    {
        add_attributes(cost, triangle, unit, area2);
    }
}

rblResult rbl_simplify_cost_init(rblSimplifyCost* cost, rblCollapseMesh* mesh, const rblMeshView* view,
                                 double attribute_weight, const rblAllocator* allocator)
{
    *cost = (rblSimplifyCost){.allocator = allocator, .mesh = mesh};
    for (uint32_t i = 0; attribute_weight > 0.0 && i < view->layer_count; ++i)
    {
        cost->component_count += view->layers[i].components;
    }
    if (!allocate(cost))
    {
        rbl_simplify_cost_free(cost);
        return rbl_fail_memory();
    }
    cost->attribute_scale = attribute_weight * ATTRIBUTE_UNIT * scale_positions(cost, view);
    if (cost->component_count > 0)
    {
        copy_values(cost, view);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
    {
        add_triangle(cost, t);
    }
    return RBL_OK;
}

// ---- candidates ----

// The attribute error of one wedge at x with the values (1 - blend) a + blend b.
static double wedge_cost(const rblSimplifyCost* cost, uint32_t wedge, rblVec3d x, const float* a,
                         const float* b, double blend)
{
    const uint32_t n = cost->component_count;
    const rblQuadric* quadric = &cost->wedge_quadrics[wedge];
    const rblAttributeTerm* terms = cost->wedge_terms + (size_t)wedge * n;
    double sum = rbl_quadric_value(quadric, x);
    for (uint32_t k = 0; k < n; ++k)
    {
        const double s = cost->attribute_scale * ((double)a[k] + blend * ((double)b[k] - (double)a[k]));
        sum += s * (quadric->weight * s - 2.0 * (rbl_dot3d(terms[k].g, x) + terms[k].d));
    }
    return rbl_maxd(sum, 0.0);
}

// Two wedges that become one on a side of the edge.
typedef struct WedgePair
{
    uint32_t removed, kept;
} WedgePair;

// Returns the number of sides of the edge with wedges of their own: at most two, none without attributes.
static int wedge_pairs(const rblSimplifyCost* cost, const rblCollapse* collapse, WedgePair pairs[2])
{
    const uint32_t* wedges = cost->mesh->corner_wedges;
    int count = 0;
    if (cost->component_count > 0 && collapse->forward != RBL_NONE)
    {
        pairs[count++] = (WedgePair){wedges[collapse->forward], wedges[rbl_triangle_next(collapse->forward)]};
    }
    if (cost->component_count > 0 && collapse->backward != RBL_NONE)
    {
        const WedgePair pair = {wedges[rbl_triangle_next(collapse->backward)], wedges[collapse->backward]};
        if (count == 0 || pair.removed != pairs[0].removed || pair.kept != pairs[0].kept)
        {
            pairs[count++] = pair;
        }
    }
    return count;
}

// Compute the cost of a collapse to the position of the candidate.
static void price(const rblSimplifyCost* cost, rblCandidate* candidate)
{
    const uint32_t removed = candidate->collapse.removed;
    const uint32_t kept = candidate->collapse.kept;
    const rblVec3d from_removed = rbl_sub3d(candidate->position, cost->positions[removed]);
    const rblVec3d from_kept = rbl_sub3d(candidate->position, cost->positions[kept]);
    const rblQuadric* q_removed = &cost->quadrics[removed];
    const rblQuadric* q_kept = &cost->quadrics[kept];
    double attributes = 0.0;
    double attribute_weight = 0.0;
    WedgePair pairs[2];
    const int pair_count = wedge_pairs(cost, &candidate->collapse, pairs);
    for (int i = 0; i < pair_count; ++i)
    {
        const float* a = cost->wedge_values + (size_t)pairs[i].kept * cost->component_count;
        const float* b = cost->wedge_values + (size_t)pairs[i].removed * cost->component_count;
        attributes += wedge_cost(cost, pairs[i].removed, from_removed, a, b, candidate->blend);
        attributes += wedge_cost(cost, pairs[i].kept, from_kept, a, b, candidate->blend);
        attribute_weight += cost->wedge_quadrics[pairs[i].removed].weight;
        attribute_weight += cost->wedge_quadrics[pairs[i].kept].weight;
    }
    const double shape = rbl_quadric_value(q_removed, from_removed) + rbl_quadric_value(q_kept, from_kept);
    candidate->attribute_error = attribute_weight > 0.0 ? sqrt(attributes / attribute_weight) : 0.0;
    candidate->square = rbl_maxd(shape, 0.0) + attributes;
    candidate->cost =
        candidate->square + TANGENTIAL_COST * (q_removed->weight * rbl_dot3d(from_removed, from_removed) +
                                               q_kept->weight * rbl_dot3d(from_kept, from_kept));
}

// The position where the sum of both quadrics is smallest. Each attribute takes its best value there: eliminating
// these values leaves a quadric in x alone.
static bool best_place(const rblSimplifyCost* cost, const rblCollapse* collapse, rblVec3d origin,
                       rblVec3d* place)
{
    const rblVec3d to_removed = rbl_sub3d(origin, cost->positions[collapse->removed]);
    const rblVec3d to_kept = rbl_sub3d(origin, cost->positions[collapse->kept]);
    rblQuadric sum = rbl_quadric_moved(&cost->quadrics[collapse->removed], to_removed);
    const rblQuadric moved = rbl_quadric_moved(&cost->quadrics[collapse->kept], to_kept);
    rbl_quadric_add(&sum, &moved);
    WedgePair pair[2];
    if (wedge_pairs(cost, collapse, pair) > 0)
    {
        rblQuadric attributes = rbl_quadric_moved(&cost->wedge_quadrics[pair[0].removed], to_removed);
        const rblQuadric other = rbl_quadric_moved(&cost->wedge_quadrics[pair[0].kept], to_kept);
        rbl_quadric_add(&attributes, &other);
        const uint32_t n = cost->component_count;
        for (uint32_t k = 0; attributes.weight > 0.0 && k < n; ++k)
        {
            const rblAttributeTerm* a = &cost->wedge_terms[(size_t)pair[0].removed * n + k];
            const rblAttributeTerm* b = &cost->wedge_terms[(size_t)pair[0].kept * n + k];
            const rblVec3d g = rbl_add3d(a->g, b->g);
            const double d = a->d + rbl_dot3d(a->g, to_removed) + b->d + rbl_dot3d(b->g, to_kept);
            rbl_quadric_add_square(&attributes, rbl_scale3d(g, 1.0 / attributes.weight),
                                   d / attributes.weight, -attributes.weight);
        }
        rbl_quadric_add(&sum, &attributes);
    }
    return rbl_quadric_minimum(&sum, SOFTNESS, place);
}

// Both vertices are free: either may be removed, and the other may move. The new position is the best one, or an end
// of the edge if that is as good.
static void place_freely(const rblSimplifyCost* cost, rblCandidate* candidate)
{
    const rblVec3d removed = cost->positions[candidate->collapse.removed];
    const rblVec3d kept = cost->positions[candidate->collapse.kept];
    const rblVec3d edge = rbl_sub3d(removed, kept);
    const double length2 = rbl_dot3d(edge, edge);
    rblCandidate at_kept = *candidate;
    at_kept.position = kept;
    at_kept.blend = 0.0;
    price(cost, &at_kept);
    rblCandidate at_removed = *candidate;
    at_removed.position = removed;
    at_removed.blend = 1.0;
    price(cost, &at_removed);
    *candidate = at_removed.cost < at_kept.cost ? at_removed : at_kept;
    const double weight =
        cost->quadrics[candidate->collapse.removed].weight + cost->quadrics[candidate->collapse.kept].weight;
    if (candidate->square <= FLAT * weight * length2)
    {
        return;
    }
    const rblVec3d middle = rbl_lerp3d(kept, removed, 0.5);
    rblVec3d place;
    if (!best_place(cost, &candidate->collapse, middle, &place) || rbl_dot3d(place, place) > 4.0 * length2)
    {
        place = rbl_vec3d(0, 0, 0);
    }
    rblCandidate best = *candidate;
    best.position = rbl_add3d(middle, place);
    best.blend = length2 > 0.0 ? rbl_clampd(0.5 + rbl_dot3d(place, edge) / length2, 0.0, 1.0) : 0.5;
    price(cost, &best);
    *candidate = best.cost < candidate->cost ? best : *candidate;
}

bool rbl_simplify_candidate(const rblSimplifyCost* cost, uint32_t corner, rblCandidate* out)
{
    const rblCollapseMesh* mesh = cost->mesh;
    const uint32_t a = mesh->corner_vertices[corner];
    const uint32_t b = mesh->corner_vertices[rbl_triangle_next(corner)];
    const uint32_t low = a < b ? a : b;
    const uint32_t high = a < b ? b : a;
    if (mesh->vertex_kinds[a] == RBL_VERTEX_FREE && mesh->vertex_kinds[b] == RBL_VERTEX_FREE)
    {
        out->collapse = rbl_collapse_of(mesh, corner, high);
        place_freely(cost, out);
        return true;
    }
    // Vertices on features keep their positions, so one of the two vertices stays where it is. Free vertices are
    // removed before others.
    bool found = false;
    const uint32_t ends[2] = {high, low};
    for (int i = 0; i < 2; ++i)
    {
        const uint32_t other = ends[1 - i];
        if (!rbl_may_remove(mesh, corner, ends[i]) ||
            (mesh->vertex_kinds[other] == RBL_VERTEX_FREE && mesh->vertex_kinds[ends[i]] != RBL_VERTEX_FREE))
        {
            continue;
        }
        rblCandidate candidate = {.collapse = rbl_collapse_of(mesh, corner, ends[i]),
                                  .position = cost->positions[other],
                                  .blend = 0.0};
        price(cost, &candidate);
        if (!found || candidate.cost < out->cost)
        {
            *out = candidate;
            found = true;
        }
    }
    return found;
}

// ---- the collapse ----

static void blend_values(rblSimplifyCost* cost, WedgePair pair, double blend)
{
    const uint32_t n = cost->component_count;
    float* kept = cost->wedge_values + (size_t)pair.kept * n;
    const float* removed = cost->wedge_values + (size_t)pair.removed * n;
    for (uint32_t k = 0; k < n; ++k)
    {
        kept[k] = blend >= 1.0 ? removed[k]
                               : (float)((double)kept[k] + blend * ((double)removed[k] - (double)kept[k]));
    }
    for (uint32_t k = 0; blend > 0.0 && blend < 1.0 && k < n; ++k)
    {
        if (cost->normal_starts[k])
        {
            const rblVec3 unit = rbl_normalize3(rbl_vec3(kept[k], kept[k + 1], kept[k + 2]),
                                                rbl_vec3(removed[k], removed[k + 1], removed[k + 2]));
            kept[k] = unit.x;
            kept[k + 1] = unit.y;
            kept[k + 2] = unit.z;
        }
    }
}

static void move_wedge(rblSimplifyCost* cost, uint32_t wedge, rblVec3d offset)
{
    const uint32_t n = cost->component_count;
    cost->wedge_quadrics[wedge] = rbl_quadric_moved(&cost->wedge_quadrics[wedge], offset);
    for (uint32_t k = 0; k < n; ++k)
    {
        rblAttributeTerm* term = &cost->wedge_terms[(size_t)wedge * n + k];
        term->d += rbl_dot3d(term->g, offset);
    }
}

static void merge_wedges(rblSimplifyCost* cost, WedgePair pair)
{
    const uint32_t n = cost->component_count;
    rbl_quadric_add(&cost->wedge_quadrics[pair.kept], &cost->wedge_quadrics[pair.removed]);
    for (uint32_t k = 0; k < n; ++k)
    {
        rblAttributeTerm* term = &cost->wedge_terms[(size_t)pair.kept * n + k];
        const rblAttributeTerm* other = &cost->wedge_terms[(size_t)pair.removed * n + k];
        term->g = rbl_add3d(term->g, other->g);
        term->d += other->d;
    }
}

void rbl_simplify_apply(rblSimplifyCost* cost, const rblCandidate* candidate)
{
    const rblCollapse* collapse = &candidate->collapse;
    const rblVec3d to_removed = rbl_sub3d(candidate->position, cost->positions[collapse->removed]);
    const rblVec3d to_kept = rbl_sub3d(candidate->position, cost->positions[collapse->kept]);
    const rblQuadric removed = rbl_quadric_moved(&cost->quadrics[collapse->removed], to_removed);
    cost->quadrics[collapse->kept] = rbl_quadric_moved(&cost->quadrics[collapse->kept], to_kept);
    rbl_quadric_add(&cost->quadrics[collapse->kept], &removed);

    // A kept vertex that moves is free and has one wedge; in all other cases these moves are by zero.
    WedgePair pairs[2];
    const int pair_count = wedge_pairs(cost, collapse, pairs);
    for (int i = 0; i < pair_count; ++i)
    {
        blend_values(cost, pairs[i], candidate->blend);
        move_wedge(cost, pairs[i].kept, to_kept);
        if (i == 0 || pairs[i].removed != pairs[0].removed)
        {
            move_wedge(cost, pairs[i].removed, to_removed);
        }
        merge_wedges(cost, pairs[i]);
    }
    if (!rbl_equal3d(candidate->position, cost->positions[collapse->kept]))
    {
        cost->positions[collapse->kept] = candidate->position;
        cost->moved[collapse->kept] = 1;
    }
    rbl_collapse_apply(cost->mesh, collapse);
}
