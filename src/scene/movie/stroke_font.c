#include "scene/movie/stroke_font.h"

#include "math/vec.h"
#include <stddef.h>

// ---- the glyphs ----

// Strokes on a grid: x is a digit, y a letter from a (-4, the lowest descender) over e (0, the baseline) and m (8, the height
// of lower-case letters) to q (12, capitals). A stroke begins with '-' (straight lines between its points), '~' (a quadratic
// B-spline that starts and ends at its end points) or '@' (a closed B-spline).
typedef struct Glyph
{
    uint8_t width;
    const char* strokes;
} Glyph;

#define CAPITAL_HEIGHT 12.0f
#define GLYPH_SPACING  3.4f
#define FIRST_GLYPH    32
#define GLYPH_COUNT    95

static const Glyph glyphs[GLYPH_COUNT] = {
    {3, ""},                                    // space
    {0, "-0q0i-0e0e"},                          // !
    {2, "-0q0n-2q2n"},                          // "
    {7, "-1e2q-5e6q-0i7i-0m7m"},                // #
    {6, "~6o6p0p0k6k6f0f0g-3r3d"},              // $
    {8, "-0e8q@0m3m3q0q@5e8e8i5i"},             // %
    {8, "~8e0m0q5q5n0j0e5e8j"},                 // &
    {0, "-0q0n"},                               // '
    {2, "~2q0n0f2c"},                           // (
    {2, "~0q2n2f0c"},                           // )
    {4, "-0m4q-4m0q-0o4o"},                     // *
    {6, "-0i6i-3l3f"},                          // +
    {1, "-1e0c"},                               // ,
    {4, "-0i4i"},                               // -
    {0, "-0e0e"},                               // .
    {5, "-0d5q"},                               // /
    {6, "@0e6e6q0q"},                           // 0
    {3, "-0o3q3e"},                             // 1
    {6, "~0n0q6q6l0e-0e6e"},                    // 2
    {6, "~0o0q6q6k2k~2k6k6e0e0g"},              // 3
    {7, "-5e5q0h7h"},                           // 4
    {6, "-6q1q0k~0k1m6m6e0e0g"},                // 5
    {6, "@0e6e6l0l~5q0o0h"},                    // 6
    {6, "-0q6q2e"},                             // 7
    {6, "@1k5k5q1q@0e6e6k0k"},                  // 8
    {6, "@0j6j6q0q~1e6g6n"},                    // 9
    {0, "-0e0e-0l0l"},                          // :
    {1, "-1e0c-1l1l"},                          // ;
    {5, "-5m0i5e"},                             // <
    {5, "-0k5k-0g5g"},                          // =
    {5, "-0m5i0e"},                             // >
    {6, "~0o0q6q6k3k3i-3i3h-3e3e"},             // ?
    {8, "@3g6g6m3m~6m6g8g8q0q0c7c"},            // @
    {8, "-0e4q8e-1h7h"},                        // A
    {7, "-0e0q3q~3q7q7k3k-0k3k~3k8k8e3e-0e3e"}, // B
    {8, "~8n8q0q0e8e8h"},                       // C
    {8, "-0e0q3q~3q8q8e3e-0e3e"},               // D
    {6, "-6q0q0e6e-0k5k"},                      // E
    {6, "-6q0q0e-0k5k"},                        // F
    {8, "~8n8q0q0e8e8j-8j5j"},                  // G
    {8, "-0q0e-8q8e-0k8k"},                     // H
    {0, "-0q0e"},                               // I
    {5, "-5q5i~5i5e0e0g"},                      // J
    {7, "-0q0e-7q0j-2l7e"},                     // K
    {6, "-0q0e6e"},                             // L
    {8, "-0e0q4g8q8e"},                         // M
    {8, "-0e0q8e8q"},                           // N
    {8, "@0e8e8q0q"},                           // O
    {7, "-0e0q4q~4q8q8j4j-0j4j"},               // P
    {8, "@0e8e8q0q-5h8e"},                      // Q
    {7, "-0e0q4q~4q8q8j4j-0j4j-4j7e"},          // R
    {7, "~7o7q0q0k7k7e0e0g"},                   // S
    {8, "-0q8q-4q4e"},                          // T
    {8, "~0j0e8e8j-0q0j-8q8j"},                 // U
    {8, "-0q4e8q"},                             // V
    {8, "-0q2e4o6e8q"},                         // W
    {8, "-0q8e-8q0e"},                          // X
    {8, "-0q4k8q-4k4e"},                        // Y
    {7, "-0q7q0e7e"},                           // Z
    {2, "-2q0q0c2c"},                           // [
    {5, "-5d0q"},                               // backslash
    {2, "-0q2q2c0c"},                           // ]
    {6, "-0m3q6m"},                             // ^
    {6, "-0c6c"},                               // _
    {2, "-0q2o"},                               // `
    {6, "-6m6e@0e6e6m0m"},                      // a
    {6, "-0q0e@0e6e6m0m"},                      // b
    {6, "~6k6m0m0e6e6g"},                       // c
    {6, "-6q6e@0e6e6m0m"},                      // d
    {6, "-0i6i~6i6m0m0e6e6g"},                  // e
    {4, "~4q1q1l-1l1e-0m3m"},                   // f
    {6, "@0e6e6m0m-6m6e~6e6a0a0c"},             // g
    {6, "-0q0e~0i0m6m6i-6i6e"},                 // h
    {0, "-0m0e-0p0p"},                          // i
    {2, "-2m2e~2e2a0a-2p2p"},                   // j
    {5, "-0q0e-5m0h-2j5e"},                     // k
    {0, "-0q0e"},                               // l
    {8, "-0m0e~0i0m4m4i-4i4e~4i4m8m8i-8i8e"},   // m
    {6, "-0m0e~0i0m6m6i-6i6e"},                 // n
    {6, "@0e6e6m0m"},                           // o
    {6, "-0m0a@0e6e6m0m"},                      // p
    {6, "-6m6a@0e6e6m0m"},                      // q
    {4, "-0m0e~0i0m4m"},                        // r
    {5, "~5l5m0m0i5i5e0e0f"},                   // s
    {4, "-1p1h~1h1e4e-0m4m"},                   // t
    {6, "-0m0i~0i0e6e6i-6m6e"},                 // u
    {6, "-0m3e6m"},                             // v
    {8, "-0m2e4m6e8m"},                         // w
    {6, "-0m6e-6m0e"},                          // x
    {6, "-0m3f-6m1a"},                          // y
    {5, "-0m5m0e5e"},                           // z
    {3, "~3q1q1k0i~0i1i1c3c"},                  // {
    {0, "-0q0b"},                               // |
    {3, "~0q2q2k3i~3i2i2c0c"},                  // }
    {6, "~0h0k3k3h6h6k"},                       // ~
};

static const Glyph unknown = {6, "-0e6e6q0q0e"};

static const Glyph* find_glyph(char c)
{
    const int index = (unsigned char)c - FIRST_GLYPH;
    return index >= 0 && index < GLYPH_COUNT ? &glyphs[index] : &unknown;
}

float rbl_stroke_width(const char* text, float size)
{
    float width = 0.0f;
    for (const char* c = text; *c != '\0'; ++c)
    {
        width += (float)find_glyph(*c)->width + (c[1] != '\0' ? GLYPH_SPACING : 0.0f);
    }
    return width * size / CAPITAL_HEIGHT;
}

// ---- from strokes to segments ----

#define MAX_SEGMENTS 128
#define CURVE_STEPS  6
#define MAX_POINTS   12

typedef struct Segments
{
    rblVec2 from[MAX_SEGMENTS], to[MAX_SEGMENTS]; // in grid units, y up
    uint32_t count;
} Segments;

static void add_segment(Segments* segments, rblVec2 from, rblVec2 to)
{
    if (segments->count < MAX_SEGMENTS)
    {
        segments->from[segments->count] = from;
        segments->to[segments->count] = to;
        segments->count += 1;
    }
}

static rblVec2 middle(rblVec2 a, rblVec2 b)
{
    return (rblVec2){0.5f * (a.x + b.x), 0.5f * (a.y + b.y)};
}

static void add_curve(Segments* segments, rblVec2 start, rblVec2 control, rblVec2 end)
{
    rblVec2 last = start;
    for (int i = 1; i <= CURVE_STEPS; ++i)
    {
        const float t = (float)i / CURVE_STEPS;
        const float a = (1.0f - t) * (1.0f - t), b = 2.0f * t * (1.0f - t), c = t * t;
        const rblVec2 next = {a * start.x + b * control.x + c * end.x,
                              a * start.y + b * control.y + c * end.y};
        add_segment(segments, last, next);
        last = next;
    }
}

static void add_straight(Segments* segments, const rblVec2* points, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        add_segment(segments, points[i], points[i + 1]);
    }
}

static void add_smooth(Segments* segments, const rblVec2* points, uint32_t count)
{
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        const rblVec2 start = i == 1 ? points[0] : middle(points[i - 1], points[i]);
        const rblVec2 end = i + 2 == count ? points[i + 1] : middle(points[i], points[i + 1]);
        add_curve(segments, start, points[i], end);
    }
}

static void add_closed(Segments* segments, const rblVec2* points, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec2 before = points[(i + count - 1) % count];
        const rblVec2 after = points[(i + 1) % count];
        add_curve(segments, middle(before, points[i]), points[i], middle(points[i], after));
    }
}

static void add_strokes(Segments* segments, const char* strokes)
{
    while (*strokes != '\0')
    {
        const char kind = *strokes++;
        rblVec2 points[MAX_POINTS];
        uint32_t count = 0;
        for (; *strokes >= '0' && *strokes <= '9' && count < MAX_POINTS; strokes += 2)
        {
            points[count++] = (rblVec2){(float)(strokes[0] - '0'), (float)(strokes[1] - 'e')};
        }
        if (kind == '~')
        {
            add_smooth(segments, points, count);
        }
        else if (kind == '@')
        {
            add_closed(segments, points, count);
        }
        else
        {
            add_straight(segments, points, count);
        }
    }
}

// ---- from segments to pixels ----

static float distance_squared(rblVec2 p, rblVec2 a, rblVec2 b)
{
    const float dx = b.x - a.x, dy = b.y - a.y;
    const float length2 = dx * dx + dy * dy;
    const float along = (p.x - a.x) * dx + (p.y - a.y) * dy;
    const float t = length2 > 0.0f ? rbl_clampf(along / length2, 0.0f, 1.0f) : 0.0f;
    const float x = p.x - (a.x + t * dx), y = p.y - (a.y + t * dy);
    return x * x + y * y;
}

typedef struct Pen
{
    const rblCanvas* canvas;
    const uint8_t* color;
    float x, y;   // of the glyph's origin, pixels
    float scale;  // pixels per grid unit
    float radius; // pixels
} Pen;

static void blend(uint8_t* pixel, const uint8_t color[3], float coverage)
{
    for (int i = 0; i < 3; ++i)
    {
        const float mixed = (float)pixel[i] + coverage * ((float)color[i] - (float)pixel[i]);
        pixel[i] = (uint8_t)(mixed + 0.5f);
    }
    pixel[3] = pixel[3] > (uint8_t)(255.0f * coverage) ? pixel[3] : (uint8_t)(255.0f * coverage);
}

// The share of a pixel that the pen covers, from the distance of its centre to the nearest stroke.
static float coverage_at(const Pen* pen, const Segments* segments, float x, float y)
{
    const rblVec2 p = {(x - pen->x) / pen->scale, (pen->y - y) / pen->scale};
    float nearest = INFINITY;
    for (uint32_t i = 0; i < segments->count; ++i)
    {
        nearest = rbl_minf(nearest, distance_squared(p, segments->from[i], segments->to[i]));
    }
    return rbl_clampf(pen->radius - sqrtf(nearest) * pen->scale + 0.5f, 0.0f, 1.0f);
}

static uint32_t clamped_pixel(float x, uint32_t limit)
{
    return x <= 0.0f ? 0 : (x >= (float)limit ? limit : (uint32_t)x);
}

static void draw_glyph(const Pen* pen, const Glyph* glyph)
{
    Segments segments = {.count = 0};
    add_strokes(&segments, glyph->strokes);
    const float border = pen->radius + 1.5f;
    const uint32_t left = clamped_pixel(pen->x - border, pen->canvas->width);
    const uint32_t right =
        clamped_pixel(pen->x + (float)glyph->width * pen->scale + border + 1.0f, pen->canvas->width);
    const uint32_t top = clamped_pixel(pen->y - 13.0f * pen->scale - border, pen->canvas->height);
    const uint32_t bottom = clamped_pixel(pen->y + 4.0f * pen->scale + border + 1.0f, pen->canvas->height);
    for (uint32_t y = top; y < bottom; ++y)
    {
        for (uint32_t x = left; x < right; ++x)
        {
            const float coverage = coverage_at(pen, &segments, (float)x + 0.5f, (float)y + 0.5f);
            if (coverage > 0.0f)
            {
                blend(&pen->canvas->rgba[4 * ((size_t)y * pen->canvas->width + x)], pen->color, coverage);
            }
        }
    }
}

void rbl_stroke_text(const rblCanvas* canvas, const char* text, float x, float y, float size,
                     const uint8_t color[3])
{
    Pen pen = {canvas, color, x, y, size / CAPITAL_HEIGHT, rbl_maxf(0.07f * size, 0.55f)};
    for (; *text != '\0'; ++text)
    {
        const Glyph* glyph = find_glyph(*text);
        draw_glyph(&pen, glyph);
        pen.x += ((float)glyph->width + GLYPH_SPACING) * pen.scale;
    }
}
