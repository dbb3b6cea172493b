#include "bvh/query/winding.h"

#include "bvh/group.h"
#include "math/trig.h"
#include "math/vec.h"

// ---- exact solid angles ----

// Half solid angles are summed as the argument of a product of complex numbers, so that most of them need no arctangent.
typedef struct AngleSum
{
    double done;       // sum of the angles that are no longer in the product
    double real, imag; // the product
    double bound;      // upper bound of its argument
} AngleSum;

// Below pi, so that the argument of the product is the sum of the arguments of its factors.
#define LARGEST_ARGUMENT 3.0

static void take_out(AngleSum* sum)
{
    sum->done += rbl_atan2(sum->imag, sum->real);
    *sum = (AngleSum){sum->done, 1.0, 0.0, 0.0};
}

// Half the solid angle of a triangle (Van Oosterom and Strackee 1983), a, b, c being the corners seen from the point:
//   tan(angle / 2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|)
static void add_half_angle(const rblLeafTriangle* t, rblVec3d p, AngleSum* sum)
{
    const rblVec3d a = rbl_sub3d(rbl_to_double3(t->a), p);
    const rblVec3d b = rbl_sub3d(rbl_to_double3(t->b), p);
    const rblVec3d c = rbl_sub3d(rbl_to_double3(t->c), p);
    const double la = rbl_length3d(a);
    const double lb = rbl_length3d(b);
    const double lc = rbl_length3d(c);
    const double above = rbl_dot3d(a, rbl_cross3d(b, c));
    const double below = la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb;
    const double tangent = above / below;
    if (!(below > 0.0 && fabs(tangent) < LARGEST_ARGUMENT))
    {
        sum->done += rbl_atan2(above, below);
        return;
    }
    sum->bound += fabs(tangent); // an angle is smaller than its tangent
    if (sum->bound > LARGEST_ARGUMENT)
    {
        take_out(sum);
        sum->bound = fabs(tangent);
    }
    const double real = sum->real - sum->imag * tangent;
    sum->imag += sum->real * tangent;
    sum->real = real;
}

// ---- traversal ----

typedef struct Walk
{
    const rblBvh* bvh;
    const rblWinding* winding;
    rblVec3d point;
    rblFloat4 x, y, z; // the point in scaled units
    rblFloat4 beta2;
    rblFloat4 far; // sum of the winding numbers of far nodes, per lane
    AngleSum near;
} Walk;

// Three coordinates of four points.
typedef struct Points4
{
    rblFloat4 x, y, z;
} Points4;

static inline rblFloat4 dot4(const Points4* a, const Points4* b)
{
    return rbl_add4(rbl_add4(rbl_mul4(a->x, b->x), rbl_mul4(a->y, b->y)), rbl_mul4(a->z, b->z));
}

static inline Points4 sub_points4(const Points4* a, const Points4* b)
{
    return (Points4){rbl_sub4(a->x, b->x), rbl_sub4(a->y, b->y), rbl_sub4(a->z, b->z)};
}

// Scaled distances below 1e-12 count as near for every radius: 1 / R^3 must stay within the range of floats.
#define SMALLEST_DISTANCE2 1e-24f

// Add D . q / R^3 (1 + q^T K q / R^4) where the lane is far; returns the lanes that are not.
static inline uint32_t add_far(Walk* walk, rblFloat4 along, rblFloat4 spread, rblFloat4 distance2,
                               rblFloat4 radius2)
{
    const rblFloat4 one = rbl_splat4(1.0f);
    const rblFloat4 reach2 = rbl_max4(rbl_mul4(walk->beta2, radius2), rbl_splat4(SMALLEST_DISTANCE2));
    const rblFloat4 is_far = rbl_less4(reach2, distance2);
    const rblFloat4 inverse2 = rbl_div4(one, distance2);
    const rblFloat4 inverse3 = rbl_mul4(inverse2, rbl_sqrt4(inverse2));
    const rblFloat4 factor = rbl_add4(one, rbl_mul4(rbl_mul4(spread, inverse2), inverse2));
    const rblFloat4 value = rbl_mul4(rbl_mul4(along, inverse3), factor);
    walk->far = rbl_add4(walk->far, rbl_select4(is_far, value, rbl_splat4(0.0f)));
    return 15u & ~rbl_mask4(is_far);
}

// Four nodes; returns those that are near.
static inline uint32_t visit_group(Walk* walk, const rblWindingGroup* g)
{
    const Points4 q = {rbl_sub4(rbl_load4(g->center[0]), walk->x), rbl_sub4(rbl_load4(g->center[1]), walk->y),
                       rbl_sub4(rbl_load4(g->center[2]), walk->z)};
    const Points4 dipole = {rbl_load4(g->dipole[0]), rbl_load4(g->dipole[1]), rbl_load4(g->dipole[2])};
    const rblFloat4 xx = rbl_mul4(q.x, q.x), yy = rbl_mul4(q.y, q.y), zz = rbl_mul4(q.z, q.z);
    const rblFloat4 distance2 = rbl_add4(rbl_add4(xx, yy), zz);
    rblFloat4 spread = rbl_mul4(rbl_load4(g->spread[0]), xx);
    spread = rbl_add4(spread, rbl_mul4(rbl_load4(g->spread[1]), yy));
    spread = rbl_add4(spread, rbl_mul4(rbl_load4(g->spread[2]), zz));
    spread = rbl_add4(spread, rbl_mul4(rbl_load4(g->spread[3]), rbl_mul4(q.x, q.y)));
    spread = rbl_add4(spread, rbl_mul4(rbl_load4(g->spread[4]), rbl_mul4(q.x, q.z)));
    spread = rbl_add4(spread, rbl_mul4(rbl_load4(g->spread[5]), rbl_mul4(q.y, q.z)));
    return add_far(walk, dot4(&dipole, &q), spread, distance2, rbl_load4(g->radius2));
}

// Corners of four leaves relative to the point, in scaled units. Lanes without a leaf repeat the last one.
static inline void load_leaves(const Walk* walk, uint32_t first, uint32_t count, Points4 corners[3])
{
    const rblLeafTriangle* t[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        t[i] = &walk->bvh->triangles[first + (i < count ? i : count - 1)];
    }
    rblFloat4 rows[8];
    for (int i = 0; i < 4; ++i)
    {
        rows[i] = rbl_load4(&t[i]->a.x);
        rows[4 + i] = rbl_load4(&t[i]->b.y);
    }
    rbl_transpose4(&rows[0], &rows[1], &rows[2], &rows[3]);
    rbl_transpose4(&rows[4], &rows[5], &rows[6], &rows[7]);
    const Points4 p = {walk->x, walk->y, walk->z};
    const Points4 a = {rows[0], rows[1], rows[2]};
    const Points4 b = {rows[3], rows[4], rows[5]};
    const Points4 c = {rows[6], rows[7], rbl_set4(t[0]->c.z, t[1]->c.z, t[2]->c.z, t[3]->c.z)};
    const rblFloat4 scale = rbl_splat4(walk->winding->scale);
    const Points4 all[3] = {a, b, c};
    for (int k = 0; k < 3; ++k)
    {
        // Scale first: differences of the largest coordinates would overflow.
        const Points4 corner = {rbl_mul4(all[k].x, scale), rbl_mul4(all[k].y, scale),
                                rbl_mul4(all[k].z, scale)};
        corners[k] = sub_points4(&corner, &p);
    }
}

// For a triangle C = 1 / 12 sum d d^T over the offsets d of its corners from the centroid, so that
//   q^T K q = 5 / 8 sum (d . q)^2 - 1 / 8 R^2 sum d^2
static inline rblFloat4 leaf_spread(const Points4 t[3], const Points4* q, rblFloat4 distance2,
                                    rblFloat4* radius2)
{
    rblFloat4 along = rbl_splat4(0.0f);
    rblFloat4 squares = rbl_splat4(0.0f);
    *radius2 = rbl_splat4(0.0f);
    for (int k = 0; k < 3; ++k)
    {
        const Points4 d = sub_points4(&t[k], q);
        const rblFloat4 part = dot4(&d, q);
        const rblFloat4 square = dot4(&d, &d);
        along = rbl_add4(along, rbl_mul4(part, part));
        squares = rbl_add4(squares, square);
        *radius2 = rbl_max4(*radius2, square);
    }
    return rbl_sub4(rbl_mul4(along, rbl_splat4(0.625f)),
                    rbl_mul4(rbl_mul4(squares, distance2), rbl_splat4(0.125f)));
}

static void visit_leaves(Walk* walk, uint32_t first, uint32_t count)
{
    Points4 t[3];
    load_leaves(walk, first, count, t);
    const rblFloat4 third = rbl_splat4(1.0f / 3.0f);
    const Points4 q = {rbl_mul4(rbl_add4(rbl_add4(t[0].x, t[1].x), t[2].x), third),
                       rbl_mul4(rbl_add4(rbl_add4(t[0].y, t[1].y), t[2].y), third),
                       rbl_mul4(rbl_add4(rbl_add4(t[0].z, t[1].z), t[2].z), third)};
    const Points4 e = sub_points4(&t[1], &t[0]);
    const Points4 f = sub_points4(&t[2], &t[0]);
    const Points4 normal = {rbl_sub4(rbl_mul4(e.y, f.z), rbl_mul4(e.z, f.y)),
                            rbl_sub4(rbl_mul4(e.z, f.x), rbl_mul4(e.x, f.z)),
                            rbl_sub4(rbl_mul4(e.x, f.y), rbl_mul4(e.y, f.x))};
    const rblFloat4 distance2 = dot4(&q, &q);
    rblFloat4 radius2;
    const rblFloat4 spread = leaf_spread(t, &q, distance2, &radius2);
    // Lanes that repeat the last leaf contribute nothing.
    const rblFloat4 real =
        rbl_set4(1.0f, count > 1 ? 1.0f : 0.0f, count > 2 ? 1.0f : 0.0f, count > 3 ? 1.0f : 0.0f);
    const rblFloat4 eighth = rbl_mul4(real, rbl_splat4((float)(1.0 / (8.0 * RBL_PI))));
    const rblFloat4 along = rbl_mul4(dot4(&normal, &q), eighth);
    const uint32_t near = add_far(walk, along, spread, distance2, radius2) & ((1u << count) - 1);
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        if ((near >> lane & 1) != 0)
        {
            add_half_angle(&walk->bvh->triangles[first + lane], walk->point, &walk->near);
        }
    }
}

// Every group is pushed once; a step leaves at most three on the stack.
#define STACK_SIZE 64

static void walk_tree(Walk* walk)
{
    const rblBvh* bvh = walk->bvh;
    const uint32_t leaf_level = bvh->layout.leaf_level;
    rblNodePosition stack[STACK_SIZE];
    uint32_t size = 1;
    stack[0] = (rblNodePosition){0, 0};
    while (size > 0)
    {
        const rblNodePosition node = stack[--size];
        const uint32_t step = node.level == leaf_level ? 0 : rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const uint32_t real = rbl_tree_real_on_level(&bvh->layout, level) - position;
        const uint32_t count = real < (1u << step) ? real : 1u << step;
        if (level == leaf_level)
        {
            visit_leaves(walk, position, count);
            continue;
        }
        const rblWindingGroup* group =
            &walk->winding->groups[walk->winding->group_starts[level] + position / 4];
        const uint32_t near = visit_group(walk, group) & ((1u << count) - 1);
        for (uint32_t lane = 4; lane-- > 0;)
        {
            if ((near >> lane & 1) != 0)
            {
                stack[size++] = (rblNodePosition){level, position + lane};
            }
        }
    }
}

// Very far away the whole tree is one dipole; this also keeps scaled units within range.
static bool far_from_all(const rblWinding* winding, rblVec3d p, float* out)
{
    const rblVec3d q = rbl_sub3d(winding->center, p);
    const double distance = rbl_length3d(q);
    if (!(distance > 1e6 * winding->radius))
    {
        return false;
    }
    *out = (float)(rbl_dot3d(winding->dipole, rbl_scale3d(q, 1.0 / distance)) / distance / distance);
    return true;
}

float rbl_tree_winding_number(const rblBvh* bvh, const rblWinding* winding, rblVec3 point, float beta)
{
    float far;
    if (bvh->layout.leaves == 0 || !rbl_finite3(point))
    {
        return 0.0f;
    }
    const rblVec3d p = rbl_to_double3(point);
    if (far_from_all(winding, p, &far))
    {
        return far;
    }
    const float scale = winding->scale;
    const float ratio = beta >= 1.0f ? beta : 1.0f;
    Walk walk = {.bvh = bvh,
                 .winding = winding,
                 .point = p,
                 .x = rbl_splat4(point.x * scale),
                 .y = rbl_splat4(point.y * scale),
                 .z = rbl_splat4(point.z * scale),
                 .beta2 = rbl_splat4(ratio * ratio),
                 .far = rbl_splat4(0.0f),
                 .near = {0.0, 1.0, 0.0, 0.0}};
    walk_tree(&walk);
    take_out(&walk.near);
    float lanes[4];
    rbl_store4(lanes, walk.far);
    const double sum = (double)lanes[0] + (double)lanes[1] + (double)lanes[2] + (double)lanes[3];
    return (float)(sum + walk.near.done / (2.0 * RBL_PI));
}

bool rbl_tree_inside(const rblBvh* bvh, const rblWinding* winding, rblVec3 point)
{
    float number = rbl_tree_winding_number(bvh, winding, point, RBL_WINDING_BETA);
    float doubt = 0.15f;
    for (float beta = 2.0f * RBL_WINDING_BETA; beta <= 16.0f && fabsf(number - 0.5f) < doubt; beta *= 2.0f)
    {
        number = rbl_tree_winding_number(bvh, winding, point, beta);
        doubt *= 0.125f;
    }
    return number > 0.5f;
}
