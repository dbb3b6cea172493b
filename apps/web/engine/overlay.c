// What explains the engine: lines and points over the bodies.
#include "exports.h"
#include <math.h>

#define MAX_FLOATS  (7u * 60000u) // of points, and about as many of lines
#define SLICE_CELLS 28u           // along the longest side of a slice through a field

// What is asked for, as bits.
#define SHOW_CONTACTS 1u
#define SHOW_SAMPLES  2u
#define SHOW_FIELDS   4u
#define SHOW_ISLANDS  8u
#define SHOW_STRESS   16u
#define SHOW_BOXES    32u

// Read by JavaScript as 32-bit words.
struct WebOverlay
{
    const float* lines; // x, y, z, red, green, blue for each end
    uint32_t line_floats;
    const float* points; // x, y, z, size, red, green, blue
    uint32_t point_floats;
};

static struct
{
    WebOverlay overlay;
    FloatList lines;
    FloatList points;
} drawn;

static bool push(FloatList* array, const float* values, uint32_t count)
{
    if (array->count + count > MAX_FLOATS || !LIST_RESERVE(array, array->count + count))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        array->data[array->count++] = values[i];
    }
    return true;
}

static float channel(uint32_t color, uint32_t shift)
{
    return (float)((color >> shift) & 0xFFu) / 255.0f;
}

static void put_line(rblVec3 from, rblVec3 to, uint32_t color, void* context)
{
    (void)context;
    const float r = channel(color, 24);
    const float g = channel(color, 16);
    const float b = channel(color, 8);
    const float ends[12] = {from.x, from.y, from.z, r, g, b, to.x, to.y, to.z, r, g, b};
    push(&drawn.lines, ends, 12);
}

static void put_point(rblVec3 at, float size, uint32_t color, void* context)
{
    (void)context;
    const float point[7] = {
        at.x, at.y, at.z, size, channel(color, 24), channel(color, 16), channel(color, 8)};
    push(&drawn.points, point, 7);
}

void web_put_point(rblVec3 at, float size, const float color[3])
{
    const float point[7] = {at.x, at.y, at.z, size, color[0], color[1], color[2]};
    push(&drawn.points, point, 7);
}

// ---- fields ----

// Blue inside, orange outside, paler towards the surface, dark where the distance is an integer multiple of the band width.
static void put_distance(rblVec3 at, float distance, float band)
{
    const float depth = rbl_clampf(fabsf(distance) / (3.0f * band), 0.0f, 1.0f);
    const float bands = fabsf(distance) / band;
    const float line = bands - floorf(bands) < 0.2f ? 0.55f : 1.0f;
    const float pale = 1.0f - depth;
    const float inside[3] = {0.15f + 0.8f * pale, 0.45f + 0.5f * pale, 0.95f};
    const float outside[3] = {0.98f, 0.6f + 0.38f * pale, 0.2f + 0.75f * pale};
    const float* color = distance < 0.0f ? inside : outside;
    web_put_point(at, 3.0f, (const float[3]){line * color[0], line * color[1], line * color[2]});
}

// The signed distance on a slice through the centre, along the two longest sides of the box.
static void slice_field(const rblShapeView* view, rblTransform pose)
{
    const rblVec3 size = rbl_sub3(view->bounds.upper, view->bounds.lower);
    const rblVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const float sides[3] = {size.x, size.y, size.z};
    const int thin = sides[0] <= sides[1] && sides[0] <= sides[2] ? 0 : sides[1] <= sides[2] ? 1 : 2;
    const int a = (thin + 1) % 3;
    const int b = (thin + 2) % 3;
    const float longest = rbl_maxf(sides[a], sides[b]);
    const float cell = 1.3f * longest / (float)SLICE_CELLS;
    const rblVec3 center = rbl_to_float3(view->mass.center);
    const int half_a = (int)ceilf(0.65f * sides[a] / cell);
    const int half_b = (int)ceilf(0.65f * sides[b] / cell);
    for (int i = -half_a; i <= half_a; ++i)
    {
        for (int k = -half_b; k <= half_b; ++k)
        {
            const rblVec3 along = rbl_mul_add3(center, (float)i * cell, axes[a]);
            const rblVec3 at = rbl_mul_add3(along, (float)k * cell, axes[b]);
            put_distance(rbl_transform_point(pose, at), rbl_shape_distance(view->shape, at, NULL),
                         0.08f * longest);
        }
    }
}

static rblResult draw_fields(const WebSession* session)
{
    const rblWorldId world = session->world;
    for (size_t i = 0; i < session->motions.count; ++i)
    {
        rblBodyState state;
        rblShapeView view;
        RBL_TRY(rbl_body_state(world, session->motions.data[i].body, &state));
        RBL_TRY(rbl_shape_view(state.shape, &view));
        if (view.bounded && state.type == RBL_BODY_DYNAMIC && drawn.points.count < MAX_FLOATS / 2)
        {
            slice_field(&view, state.pose);
        }
    }
    return RBL_OK;
}

// ---- all of it ----

static void clear(void)
{
    drawn.lines.count = 0;
    drawn.points.count = 0;
}

void web_forget_overlay(void)
{
    LIST_FREE(&drawn.lines);
    LIST_FREE(&drawn.points);
}

// Draw what the bits ask for into web_overlay(), after web_look().
rblResult web_draw_overlay(uint32_t what)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    clear();
    rblDebugDraw draw = rbl_default_debug_draw();
    draw.line = put_line;
    draw.point = put_point;
    draw.boxes = (what & (SHOW_BOXES | SHOW_ISLANDS)) != 0;
    draw.contacts = draw.normals = (what & SHOW_CONTACTS) != 0;
    draw.islands = (what & SHOW_ISLANDS) != 0;
    draw.samples = (what & SHOW_SAMPLES) != 0;
    draw.joints = (what & (SHOW_CONTACTS | SHOW_ISLANDS)) != 0;
    RBL_TRY((what & SHOW_FIELDS) != 0 ? draw_fields(session) : RBL_OK);
    RBL_TRY((what & SHOW_STRESS) != 0 ? web_draw_stress(session) : RBL_OK);
    RBL_TRY(rbl_world_draw(session->world, &draw));
    drawn.overlay = (WebOverlay){drawn.lines.data, (uint32_t)drawn.lines.count, drawn.points.data,
                                 (uint32_t)drawn.points.count};
    return RBL_OK;
}

const WebOverlay* web_overlay(void)
{
    return &drawn.overlay;
}
