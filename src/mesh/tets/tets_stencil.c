#include "mesh/tets/tets_stencil.h"

#include "math/vec.h"

const uint8_t rbl_stencil_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// The vertex number of the cut on the lattice edge between nodes i and j.
static uint8_t cut_between(uint32_t i, uint32_t j)
{
    static const uint8_t cuts[4][4] = {{0, 4, 5, 6}, {4, 0, 7, 8}, {5, 7, 0, 9}, {6, 8, 9, 0}};
    return cuts[i][j];
}

static bool is_long(uint32_t i, uint32_t j)
{
    return i / 2 == j / 2;
}

// The lattice tetrahedron (0, 0, 0), (1, 0, 0), (1/2, 1/2, -1/2), (1/2, 1/2, 1/2) and the middles of its edges, times
// 2.
static rblVec3d model_place(uint32_t place)
{
    static const rblVec3d nodes[4] = {{0, 0, 0}, {2, 0, 0}, {1, 1, -1}, {1, 1, 1}};
    if (place < RBL_STENCIL_CUTS)
    {
        return nodes[place];
    }
    const uint8_t* edge = rbl_stencil_edges[place - RBL_STENCIL_CUTS];
    return rbl_scale3d(rbl_add3d(nodes[edge[0]], nodes[edge[1]]), 0.5);
}

// Nodes and cuts that move within their ranges never invert a tetrahedron, so the orientation in the model is valid
// for all.
static void add(rblStencil* stencil, bool inside, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    const rblVec3d origin = model_place(a);
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(model_place(b), origin), rbl_sub3d(model_place(c), origin));
    const bool turned = rbl_dot3d(normal, rbl_sub3d(model_place(d), origin)) < 0.0;
    uint8_t* places = stencil->places[stencil->count];
    stencil->inside[stencil->count++] = inside;
    places[0] = a;
    places[1] = b;
    places[2] = turned ? d : c;
    places[3] = turned ? c : d;
}

// A lattice face has nodes a and b on one side of the surface and `lone` on the other. Returns the node at which the
// diagonal of the quadrilateral (a, b, cut of b, cut of a) starts. The diagonal ends at the cut on the edge of the
// other node.
//  - One cut edge is long: the diagonal ends at its cut. Both such faces of a tetrahedron then share a vertex, which
//    excludes the one kind of prism that cannot be divided into three tetrahedra.
//  - Both are short: `preferred` decides.
static uint8_t diagonal_start(uint8_t lone, uint8_t a, uint8_t b, const uint8_t preferred[2])
{
    if (is_long(a, b))
    {
        return preferred[a / 2];
    }
    return is_long(lone, a) ? b : a;
}

// A triangular prism: lower[k] is opposite upper[k]. rises[k] tells, for the side between edges k and k + 1, that its
// diagonal runs from lower[k] to upper[k + 1], not from lower[k + 1] to upper[k]. The three values must not all be
// equal.
typedef struct Prism
{
    uint8_t lower[3], upper[3];
    bool rises[3];
} Prism;

// The diagonals of two successive sides meet at a vertex when one rises and the other falls. That vertex and the
// triangle at the other end form a tetrahedron; the rest is a pyramid over the third side.
static void add_prism(rblStencil* stencil, bool inside, const Prism* prism)
{
    uint32_t k = 0;
    while (prism->rises[k] == prism->rises[(k + 1) % 3])
    {
        ++k;
    }
    const uint32_t shared = (k + 1) % 3; // the edge between sides k and k + 1
    const uint32_t i = (k + 2) % 3;      // the third side lies between edges i and k
    const bool at_upper = prism->rises[k];
    const uint8_t* near = at_upper ? prism->upper : prism->lower;
    const uint8_t* far = at_upper ? prism->lower : prism->upper;
    const uint8_t apex = near[shared];
    add(stencil, inside, apex, far[0], far[1], far[2]);
    // The diagonal is far[i] - near[k], otherwise near[i] - far[k].
    const bool from_far = prism->rises[i] == at_upper;
    const uint8_t start = from_far ? far[i] : near[i];
    const uint8_t end = from_far ? near[k] : far[k];
    add(stencil, inside, apex, start, end, from_far ? near[i] : far[i]);
    add(stencil, inside, apex, start, end, from_far ? far[k] : near[k]);
}

typedef struct Sides
{
    uint8_t plus[4], minus[4], zero[4];
    uint32_t plus_count, minus_count, zero_count;
    const uint8_t* preferred;
} Sides;

static void add_three_to_one(rblStencil* stencil, const uint8_t* three, uint8_t lone, bool three_inside,
                             const uint8_t preferred[2])
{
    Prism prism;
    for (uint32_t k = 0; k < 3; ++k)
    {
        prism.lower[k] = three[k];
        prism.upper[k] = cut_between(three[k], lone);
        prism.rises[k] = diagonal_start(lone, three[k], three[(k + 1) % 3], preferred) == three[k];
    }
    add_prism(stencil, three_inside, &prism);
    add(stencil, !three_inside, lone, prism.upper[0], prism.upper[1], prism.upper[2]);
}

// Two nodes on each side: the part of the nodes a and b, whose edges to c and d are cut. `crossed`: the diagonal of
// the quadrilateral of the surface runs from the cut of ac to the cut of bd.
static void add_wedge(rblStencil* stencil, bool inside, const uint8_t own[2], const uint8_t other[2],
                      bool crossed, const uint8_t preferred[2])
{
    Prism prism;
    for (uint32_t end = 0; end < 2; ++end)
    {
        uint8_t* triangle = end == 0 ? prism.lower : prism.upper;
        triangle[0] = own[end];
        triangle[1] = cut_between(own[end], other[0]);
        triangle[2] = cut_between(own[end], other[1]);
    }
    prism.rises[0] = diagonal_start(other[0], own[0], own[1], preferred) == own[0];
    prism.rises[1] = crossed;
    prism.rises[2] = diagonal_start(other[1], own[0], own[1], preferred) != own[0];
    add_prism(stencil, inside, &prism);
}

static void add_two_to_two(rblStencil* stencil, const Sides* sides)
{
    const uint8_t* plus = sides->plus;
    const uint8_t* minus = sides->minus;
    // If the uncut edges are short, the diagonal of the surface connects the cuts of the two long edges, like the
    // diagonals of the faces. If they are long, it is free: it starts at the preferred node of the inside and ends at
    // that of the outside.
    const bool crossed = is_long(plus[0], plus[1]) ? (sides->preferred[plus[0] / 2] == plus[0]) ==
                                                         (sides->preferred[minus[0] / 2] == minus[1])
                                                   : is_long(plus[0], minus[0]);
    add_wedge(stencil, true, plus, minus, crossed, sides->preferred);
    add_wedge(stencil, false, minus, plus, crossed, sides->preferred);
}

// A pyramid over the quadrilateral of the two nodes, and a tetrahedron with the lone node.
static void add_two_to_one(rblStencil* stencil, const Sides* sides, const uint8_t two[2], uint8_t lone,
                           bool two_inside)
{
    const uint8_t zero = sides->zero[0];
    const uint8_t start = diagonal_start(lone, two[0], two[1], sides->preferred);
    const uint8_t other = start == two[0] ? two[1] : two[0];
    const uint8_t end = cut_between(other, lone);
    const uint8_t beside = cut_between(start, lone);
    add(stencil, two_inside, zero, start, other, end);
    add(stencil, two_inside, zero, start, end, beside);
    add(stencil, !two_inside, zero, lone, end, beside);
}

static Sides sort_sides(const int8_t signs[4], const uint8_t preferred[2])
{
    Sides sides = {.preferred = preferred};
    for (uint8_t i = 0; i < 4; ++i)
    {
        if (signs[i] == 0)
        {
            sides.zero[sides.zero_count++] = i;
        }
        else if (signs[i] > 0)
        {
            sides.plus[sides.plus_count++] = i;
        }
        else
        {
            sides.minus[sides.minus_count++] = i;
        }
    }
    return sides;
}

rblStencil rbl_stencil_cut(const int8_t signs[4], const uint8_t preferred[2])
{
    const Sides sides = sort_sides(signs, preferred);
    rblStencil stencil = {.count = 0};
    if (sides.plus_count == 0 || sides.minus_count == 0)
    {
        add(&stencil, sides.plus_count > 0, 0, 1, 2, 3);
    }
    else if (sides.plus_count == 2 && sides.minus_count == 2)
    {
        add_two_to_two(&stencil, &sides);
    }
    else if (sides.plus_count == 3)
    {
        add_three_to_one(&stencil, sides.plus, sides.minus[0], true, preferred);
    }
    else if (sides.minus_count == 3)
    {
        add_three_to_one(&stencil, sides.minus, sides.plus[0], false, preferred);
    }
    else if (sides.plus_count == 2)
    {
        add_two_to_one(&stencil, &sides, sides.plus, sides.minus[0], true);
    }
    else if (sides.minus_count == 2)
    {
        add_two_to_one(&stencil, &sides, sides.minus, sides.plus[0], false);
    }
    else
    {
        const uint8_t cut = cut_between(sides.plus[0], sides.minus[0]);
        add(&stencil, true, sides.zero[0], sides.zero[1], sides.plus[0], cut);
        add(&stencil, false, sides.zero[0], sides.zero[1], sides.minus[0], cut);
    }
    return stencil;
}
