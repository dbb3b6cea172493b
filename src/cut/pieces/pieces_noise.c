// Bumps on drawn crack faces: real cracks are rough. Both sides of a crack have the same bumps.
//
// Heights are noise of the position (math/noise.h). They fade to 0 towards the border of a face, so that faces still
// meet in their edges. No face is tilted by more than 14 degrees out of its plane.
#include "cut/pieces/pieces_triangulate.h"
#include "math/noise.h"

// ---- tuning ----
#define MAX_POINTS      3000.0 // points per face, at most; limits the resolution of bumps
#define POINTS_PER_BUMP 3.0    // points per bump, along a line
#define MAX_SLOPE       0.25   // largest ratio of height to distance from the border

static double segment_distance_squared(rblVec3d a, rblVec3d b, rblVec3d p)
{
    const rblVec3d along = rbl_sub3d(b, a);
    const double length = rbl_dot3d(along, along);
    const double t = length > 0.0 ? rbl_dot3d(rbl_sub3d(p, a), along) / length : 0.0;
    const rblVec3d foot = rbl_mul_add3d(a, rbl_clampd(t, 0.0, 1.0), along);
    const rblVec3d away = rbl_sub3d(p, foot);
    return rbl_dot3d(away, away);
}

static double border_distance(const rblPieces* pieces, const rblMeshView* surface, const rblPieceFace* face,
                              rblVec3d point)
{
    double least = (double)INFINITY;
    for (uint32_t loop = face->first_loop; loop < face->end_loop; ++loop)
    {
        const uint32_t end = pieces->loop_starts[loop + 1];
        rblVec3d a = rbl_piece_position(pieces, surface, pieces->corners[end - 1]);
        for (uint32_t c = pieces->loop_starts[loop]; c < end; ++c)
        {
            const rblVec3d b = rbl_piece_position(pieces, surface, pieces->corners[c]);
            least = rbl_mind(segment_distance_squared(a, b, point), least);
            a = b;
        }
    }
    return sqrt(least);
}

double rbl_crack_bump_spacing(const rblCrackClipper* clipper, const rblPieces* pieces,
                              const rblMeshView* surface)
{
    double area = 0.0;
    for (size_t t = 0; t + 2 < clipper->triangles.count; t += 3)
    {
        const uint32_t* v = clipper->triangles.data + t;
        const rblVec3d a = rbl_piece_position(pieces, surface, v[0]);
        const rblVec3d ab = rbl_sub3d(rbl_piece_position(pieces, surface, v[1]), a);
        const rblVec3d ac = rbl_sub3d(rbl_piece_position(pieces, surface, v[2]), a);
        area += 0.5 * rbl_length3d(rbl_cross3d(ab, ac));
    }
    return rbl_maxd(pieces->noise_length / POINTS_PER_BUMP, sqrt(area / MAX_POINTS));
}

rblVec3d rbl_crack_bump(const rblPieces* pieces, const rblMeshView* surface, const rblPieceFace* face,
                        rblVec3d normal, rblVec3d point)
{
    const double max_height = MAX_SLOPE * border_distance(pieces, surface, face, point);
    const double height =
        rbl_mind(pieces->noise, max_height) * rbl_noise3d(rbl_scale3d(point, 1.0 / pieces->noise_length));
    return rbl_mul_add3d(point, height, normal);
}
