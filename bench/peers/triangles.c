// Triangle against triangle by intervals on the line in which their planes meet (Moeller 1997, "A Fast
// Triangle-Triangle Intersection Test"). Float corners in doubles leave it right but for contacts within rounding.
#include "peers.h"

#include <math.h>

typedef struct Vec
{
    double x, y, z;
} Vec;

static Vec subtract(Vec a, Vec b)
{
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Vec cross(Vec a, Vec b)
{
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void get_corners(const PeerMesh* mesh, uint32_t triangle, Vec out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        const float* p = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)triangle + (size_t)i];
        out[i] = (Vec){(double)p[0], (double)p[1], (double)p[2]};
    }
}

// Heights of the corners of `points` over the plane; nonzero when all lie strictly on one side, or all in it.
static int heights(const Vec points[3], Vec on_plane, Vec normal, double out[3])
{
    int above = 0;
    int below = 0;
    for (int i = 0; i < 3; ++i)
    {
        out[i] = dot(normal, subtract(points[i], on_plane));
        above += out[i] > 0.0;
        below += out[i] < 0.0;
    }
    return above == 3 || below == 3 || above + below == 0;
}

// Where the triangle's edges cross the other plane, along `axis`, counted from `origin`.
static void interval(const Vec points[3], const double height[3], Vec origin, Vec axis, double out[2])
{
    int found = 0;
    double ends[6];
    for (int i = 0; i < 3; ++i)
    {
        const int j = (i + 1) % 3;
        const double from = dot(axis, subtract(points[i], origin));
        if (height[i] == 0.0)
        {
            ends[found++] = from;
        }
        if ((height[i] < 0.0 && height[j] > 0.0) || (height[i] > 0.0 && height[j] < 0.0))
        {
            const double to = dot(axis, subtract(points[j], origin));
            ends[found++] = from + (to - from) * (height[i] / (height[i] - height[j]));
        }
    }
    out[0] = ends[0];
    out[1] = ends[0];
    for (int i = 1; i < found; ++i)
    {
        out[0] = fmin(out[0], ends[i]);
        out[1] = fmax(out[1], ends[i]);
    }
}

int peer_triangles_meet(const PeerMesh* a, uint32_t triangle_a, const PeerMesh* b, uint32_t triangle_b)
{
    Vec p[3];
    Vec q[3];
    double p_heights[3];
    double q_heights[3];
    get_corners(a, triangle_a, p);
    get_corners(b, triangle_b, q);
    const Vec q_normal = cross(subtract(q[1], q[0]), subtract(q[2], q[0]));
    if (heights(p, q[0], q_normal, p_heights))
    {
        return 0;
    }
    const Vec p_normal = cross(subtract(p[1], p[0]), subtract(p[2], p[0]));
    if (heights(q, p[0], p_normal, q_heights))
    {
        return 0;
    }
    const Vec axis = cross(p_normal, q_normal);
    double p_ends[2];
    double q_ends[2];
    interval(p, p_heights, p[0], axis, p_ends);
    interval(q, q_heights, p[0], axis, q_ends);
    return p_ends[0] <= q_ends[1] && q_ends[0] <= p_ends[1];
}

int peer_share_vertex(const PeerMesh* mesh, uint32_t a, uint32_t b)
{
    const uint32_t* p = mesh->indices + 3 * (size_t)a;
    const uint32_t* q = mesh->indices + 3 * (size_t)b;
    for (int i = 0; i < 3; ++i)
    {
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2])
        {
            return 1;
        }
    }
    return 0;
}
