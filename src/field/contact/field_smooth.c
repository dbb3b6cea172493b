#include "field/contact/field_smooth.h"

#include <math.h>

// ---- tuning ----
#define SURE  0.75f // relative to the band of a grid; smaller values are distances
#define STEEP 0.7f  // smallest cosine between the normal of a surface and the normal of the contact
#define ROUGH                                                                                                \
    0.04f // relative to the scale; surfaces with larger deviations from their paraboloids are not smooth
#define FLAT     0.02f // smallest curvature times scale of a direction with a closest point
#define BESIDE   1.1f  // relative to the scale; distance of the fit from an edge
#define NEAR     0.05f // relative to the scale; after a larger displacement the fit is repeated
#define DEEPEST  0.5f  // relative to the scale; largest gap or depth of a smooth contact
#define FARTHEST 2.0f  // relative to the scale; largest displacement of a contact

#define RING   8    // points of a ring
#define CENTER 8.0f // weight of the centre, as one ring

// Height of a surface over the plane of the contact, along its normal: c + s.x + (xx x^2 + 2 xy x y + yy y^2) / 2.
typedef struct Paraboloid
{
    float c, x, y, xx, xy, yy;
} Paraboloid;

typedef struct Heights
{
    float center, rings[2][RING]; // at the scale, and at half of it
} Heights;

static const float cosines[RING] = {1.0f,  0.70710678f,  0.0f, -0.70710678f,
                                    -1.0f, -0.70710678f, 0.0f, 0.70710678f};

static float cosine_of(int k)
{
    return cosines[k % RING];
}

static float sine_of(int k)
{
    return cosines[(k + RING - 2) % RING];
}

// Number of look-ups for one height. Outside its band a grid has bounds only, so the height is found by iteration.
#define LOOKS 4

// Height of a surface over a point, along the normal, from an initial value. False: the surface is too steep there.
static bool height_at(const rblSmoothPair* pair, int which, rblVec3 point, rblVec3 normal, float* height)
{
    const rblField* field = pair->fields[which];
    const float near = field->grid != NULL ? SURE * field->grid->band : INFINITY;
    for (int look = 0; look < LOOKS; ++look)
    {
        rblVec3 at = rbl_mul_add3(point, *height, normal);
        rblVec3 out = normal;
        if (which == 1)
        {
            at = rbl_add3(rbl_mat3_apply(&pair->rotation, at), pair->offset);
            out = rbl_neg3(rbl_mat3_apply(&pair->rotation, normal));
        }
        rblVec3 gradient;
        const float distance = rbl_field_look_up(field, at, &gradient);
        const float cosine = rbl_dot3(gradient, out);
        if (!(cosine > STEEP))
        {
            return false;
        }
        *height -= (which == 0 ? distance : -distance) / cosine;
        if (fabsf(distance) < near)
        {
            return true;
        }
    }
    return false;
}

typedef struct Frame
{
    rblVec3 normal, x, y;
} Frame;

// The heights of the outer ring begin with an extrapolation of the inner ring.
static bool measure(const rblSmoothPair* pair, int which, rblVec3 at, const Frame* frame, Heights* out)
{
    out->center = 0.0f;
    if (!height_at(pair, which, at, frame->normal, &out->center))
    {
        return false;
    }
    for (int ring = 1; ring >= 0; --ring)
    {
        const float radius = ring == 0 ? pair->scale : 0.5f * pair->scale;
        for (int k = 0; k < RING; ++k)
        {
            const rblVec3 aside =
                rbl_mul_add3(rbl_scale3(frame->x, radius * cosine_of(k)), radius * sine_of(k), frame->y);
            const float* inner = out->rings[1];
            float* height = &out->rings[ring][k];
            *height =
                ring == 1 ? out->center : 3.0f * (inner[k] - out->center) + inner[(k + RING / 2) % RING];
            if (!height_at(pair, which, rbl_add3(at, aside), frame->normal, height))
            {
                return false;
            }
        }
    }
    return true;
}

static float height_of(const Paraboloid* p, float x, float y)
{
    return p->c + p->x * x + p->y * y + 0.5f * (p->xx * x * x + p->yy * y * y) + p->xy * x * y;
}

// Least squares. The rings are even, so that all but the constant and the mean curvature are by themselves.
static Paraboloid fit(const Heights* h, float scale)
{
    float mean[2] = {0.0f, 0.0f};
    float x = 0.0f;
    float y = 0.0f;
    float across = 0.0f;
    float diagonal = 0.0f;
    for (int ring = 0; ring < 2; ++ring)
    {
        const float r = ring == 0 ? 1.0f : 0.5f;
        for (int k = 0; k < RING; ++k)
        {
            const float height = h->rings[ring][k];
            mean[ring] += height / RING;
            x += r * height * cosine_of(k);
            y += r * height * sine_of(k);
            across += r * r * height * cosine_of(2 * k);
            diagonal += r * r * height * sine_of(2 * k);
        }
    }
    // c + t r^2 for r = 0, 1/2 and 1 with weights CENTER, 8 and 8.
    const float weight = 2.0f * RING + CENTER;
    const float squares = 1.25f * RING;
    const float fourths = 1.0625f * RING;
    const float sum = CENTER * h->center + RING * (mean[0] + mean[1]);
    const float bent = RING * (mean[0] + 0.25f * mean[1]);
    const float determinant = weight * fourths - squares * squares;
    const float t = (weight * bent - squares * sum) / determinant;
    // Sums of squares: of r cos over both rings RING / 2 * 1.25, of r^2 cos 2 RING / 2 * 1.0625.
    const float slope = 1.0f / (0.625f * RING * scale);
    const float curve = 1.0f / (0.53125f * RING * scale * scale);
    return (Paraboloid){
        .c = (fourths * sum - squares * bent) / determinant,
        .x = slope * x,
        .y = slope * y,
        .xx = 2.0f * t / (scale * scale) + 2.0f * curve * across,
        .yy = 2.0f * t / (scale * scale) - 2.0f * curve * across,
        .xy = 2.0f * curve * diagonal,
    };
}

static float roughness(const Heights* h, const Paraboloid* p, float scale)
{
    float worst = fabsf(h->center - p->c);
    for (int ring = 0; ring < 2; ++ring)
    {
        const float radius = ring == 0 ? scale : 0.5f * scale;
        for (int k = 0; k < RING; ++k)
        {
            const float model = height_of(p, radius * cosine_of(k), radius * sine_of(k));
            worst = rbl_maxf(worst, fabsf(h->rings[ring][k] - model));
        }
    }
    return worst;
}

// Minimum of a parabola along one axis. Along a flat axis the contact is not moved.
static bool least_at(float slope, float curvature, float scale, float* at)
{
    if (curvature * scale > FLAT)
    {
        *at = -slope / curvature;
        return fabsf(*at) <= FARTHEST * scale;
    }
    return true;
}

static float largest_curvature(const Paraboloid* gap)
{
    const float half = 0.5f * (gap->xx - gap->yy);
    return 0.5f * (gap->xx + gap->yy) + sqrtf(half * half + gap->xy * gap->xy);
}

// Minimum of the gap along its curved axes, from (*x, *y).
static bool find_closest(const Paraboloid* gap, float scale, float* x, float* y)
{
    const float half = 0.5f * (gap->xx - gap->yy);
    const float mean = 0.5f * (gap->xx + gap->yy);
    const float root = sqrtf(half * half + gap->xy * gap->xy);
    // The axis of the larger curvature, half of its angle from (half, xy).
    float cosine = 1.0f;
    float sine = 0.0f;
    if (root > 0.0f)
    {
        cosine = sqrtf(rbl_maxf(0.5f * (1.0f + half / root), 0.0f));
        sine = sqrtf(rbl_maxf(0.5f * (1.0f - half / root), 0.0f));
        sine = gap->xy < 0.0f ? -sine : sine;
    }
    float along = *x * cosine + *y * sine;
    float across = *y * cosine - *x * sine;
    if (!((mean + root) * scale > FLAT) ||
        !least_at(gap->x * cosine + gap->y * sine, mean + root, scale, &along) ||
        !least_at(gap->y * cosine - gap->x * sine, mean - root, scale, &across))
    {
        return false;
    }
    *x = along * cosine - across * sine;
    *y = along * sine + across * cosine;
    return true;
}

static Frame frame_of(rblVec3 normal)
{
    const rblVec3 other = fabsf(normal.x) < 0.6f ? rbl_vec3(1, 0, 0) : rbl_vec3(0, 1, 0);
    const rblVec3 x = rbl_normalize3(rbl_cross3(normal, other), rbl_vec3(0, 0, 1));
    return (Frame){normal, x, rbl_cross3(normal, x)};
}

// Fit both surfaces. *middle: their gap at the contact. Returns the largest deviation; negative: a surface is not smooth.
static float fit_both(const rblSmoothPair* pair, const rblContactPoint* contact, const Frame* frame,
                      Paraboloid out[2], float* middle)
{
    float rough = 0.0f;
    *middle = contact->distance;
    for (int which = 0; which < 2; ++which)
    {
        const float half = which == 0 ? -0.5f * contact->distance : 0.5f * contact->distance;
        Heights heights;
        if (!measure(pair, which, rbl_mul_add3(contact->point, half, frame->normal), frame, &heights))
        {
            return -1.0f;
        }
        out[which] = fit(&heights, pair->scale);
        *middle += which == 0 ? -heights.center : heights.center;
        rough += roughness(&heights, &out[which], pair->scale);
    }
    return rough <= ROUGH * pair->scale ? rough : -1.0f;
}

// At an edge: the displacement to the centre of a fit beside the edge. False: the contact is not at an edge.
static bool find_beside(const rblSmoothPair* pair, const rblContactPoint* contact, const Frame* frame,
                        float* x, float* y)
{
    int there = 0;
    *x = *y = 0.0f;
    for (int k = 0; k < RING; ++k)
    {
        const rblVec3 aside = rbl_mul_add3(rbl_scale3(frame->x, pair->scale * cosine_of(k)),
                                           pair->scale * sine_of(k), frame->y);
        const rblVec3 at = rbl_add3(contact->point, aside);
        float heights[2] = {-0.5f * contact->distance, 0.5f * contact->distance};
        if (height_at(pair, 0, at, frame->normal, &heights[0]) &&
            height_at(pair, 1, at, frame->normal, &heights[1]))
        {
            there += 1;
            *x += cosine_of(k);
            *y += sine_of(k);
        }
    }
    const float length = sqrtf(*x * *x + *y * *y);
    if (there == RING || !(length > 0.5f))
    {
        return false;
    }
    *x *= BESIDE * pair->scale / length;
    *y *= BESIDE * pair->scale / length;
    return true;
}

// Move a contact to (x, y) in the plane of its normal.
static void move_contact(const Paraboloid surfaces[2], const Frame* frame, float x, float y,
                         rblContactPoint* contact)
{
    const Paraboloid* a = &surfaces[0];
    const Paraboloid* b = &surfaces[1];
    // The mean of both surfaces. At the closest point their slopes are equal.
    const float slope_x = 0.5f * (a->x + b->x + (a->xx + b->xx) * x + (a->xy + b->xy) * y);
    const float slope_y = 0.5f * (a->y + b->y + (a->xy + b->xy) * x + (a->yy + b->yy) * y);
    const float low = height_of(a, x, y);
    const float high = height_of(b, x, y);
    const rblVec3 aside = rbl_mul_add3(rbl_scale3(frame->x, x), y, frame->y);
    const rblVec3 upright = rbl_mul_add3(frame->normal, -slope_x, frame->x);
    const float shrink = 1.0f / sqrtf(1.0f + slope_x * slope_x + slope_y * slope_y);
    contact->point = rbl_add3(contact->point, rbl_mul_add3(aside, 0.5f * (low + high), frame->normal));
    contact->normal = rbl_scale3(rbl_mul_add3(upright, -slope_y, frame->y), shrink);
    contact->distance = shrink * (contact->distance + high - low);
}

// One displacement to the closest point. *way: its length, m.
static bool approach(const rblSmoothPair* pair, rblContactPoint* contact, rblSmoothness* out, float* way)
{
    const Frame frame = frame_of(contact->normal);
    rblContactPoint moved = *contact;
    Paraboloid surfaces[2];
    float x = 0.0f;
    float y = 0.0f;
    float middle;
    float rough = fit_both(pair, contact, &frame, surfaces, &middle);
    if (rough < 0.0f && find_beside(pair, contact, &frame, &x, &y))
    {
        moved.point = rbl_add3(contact->point, rbl_mul_add3(rbl_scale3(frame.x, x), y, frame.y));
        rough = fit_both(pair, &moved, &frame, surfaces, &middle);
        x = -x;
        y = -y;
        middle = INFINITY; // of another place
    }
    if (rough < 0.0f)
    {
        return false;
    }
    const Paraboloid* a = &surfaces[0];
    const Paraboloid* b = &surfaces[1];
    const Paraboloid gap = {b->c - a->c,   b->x - a->x,   b->y - a->y,
                            b->xx - a->xx, b->xy - a->xy, b->yy - a->yy};
    const rblVec3 start = contact->point;
    if (!find_closest(&gap, pair->scale, &x, &y))
    {
        return false;
    }
    move_contact(surfaces, &frame, x, y, &moved);
    *contact = moved;
    contact->distance = rbl_minf(contact->distance, middle);
    *out = (rblSmoothness){rough, 0.125f * largest_curvature(&gap) * pair->scale * pair->scale};
    *way = rbl_length3(rbl_sub3(contact->point, start));
    return true;
}

bool rbl_contact_smooth(const rblSmoothPair* pair, rblContactPoint* contact, rblSmoothness* out)
{
    rblContactPoint moved = *contact;
    float way;
    if (fabsf(contact->distance) > DEEPEST * pair->scale || !approach(pair, &moved, out, &way))
    {
        return false;
    }
    // Repeat the fit at the new point: it is more accurate there.
    rblContactPoint again = moved;
    if (way > NEAR * pair->scale && approach(pair, &again, out, &way))
    {
        moved = again;
    }
    moved.distance = rbl_minf(moved.distance, contact->distance); // not less deep than the sample
    *contact = moved;
    return true;
}
