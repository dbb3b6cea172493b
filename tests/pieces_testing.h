// Cells, cuts and checks that the tests of pieces share. Include after testing.h.
#ifndef RBL_TESTS_PIECES_TESTING_H
#define RBL_TESTS_PIECES_TESTING_H

#include "base/random.h"
#include "cut/pieces/pieces.h"
#include "cut/pieces/pieces_side.h"
#include "math/mat3.h"
#include "mesh/inspect.h"
#include <stdlib.h>
#include <string.h>

// Voronoi cells of random seeds in a box, with weights that make some of them larger.
static inline rblCells* make_random_cells(uint64_t seed, uint32_t count, rblAabbd box, double unevenness)
{
    rblRandom random = rbl_random_seed(seed, 1);
    rblVec3d* gradients = malloc(sizeof *gradients * count);
    double* offsets = malloc(sizeof *offsets * count);
    const rblVec3d size = rbl_sub3d(box.upper, box.lower);
    const double spread = unevenness * rbl_dot3d(size, size) / (4.0 * count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblVec3d s;
        s.x = rbl_random_range(&random, box.lower.x, box.upper.x);
        s.y = rbl_random_range(&random, box.lower.y, box.upper.y);
        s.z = rbl_random_range(&random, box.lower.z, box.upper.z);
        gradients[i] = rbl_scale3d(s, -2.0);
        offsets[i] = rbl_dot3d(s, s) + spread * rbl_random_double(&random);
    }
    rblCells* cells = NULL;
    check_ok(rbl_cells_create(gradients, offsets, count, box, seed, rbl_serial_jobs(),
                              rbl_default_allocator(), &cells));
    free(gradients);
    free(offsets);
    return cells;
}

static inline rblAabbd grown(rblAabbd box, double by)
{
    const rblVec3d size = rbl_sub3d(box.upper, box.lower);
    const double reach = by * rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    const rblVec3d r = {reach, reach, reach};
    return (rblAabbd){rbl_sub3d(box.lower, r), rbl_add3d(box.upper, r)};
}

static const rblMat3d no_turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static inline rblMeshView view_of(rblMeshId mesh)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    return view;
}

static inline rblMeshId make_solid(const char* kind)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return mesh;
}

static inline rblPieces* cut_solid(const rblMeshView* view, const rblCells* cells,
                                   const rblCutOptions* options, rblJobs* jobs)
{
    rblPieces* pieces = NULL;
    check_ok(rbl_cut_pieces(view, cells, &no_turn, rbl_vec3d(0, 0, 0), options, jobs, rbl_default_allocator(),
                            &pieces));
    return pieces;
}

// A piece is a closed surface by index, and a manifold where the solid does not cross itself: faces that do
// are triangulated as well as can be.
static inline rblMeshReport check_closed_piece(const rblPieces* pieces, uint32_t p, const rblMeshView* view,
                                               bool simple, bool intersections)
{
    rblMeshId mesh;
    rblMeshReport report;
    check_ok(rbl_piece_mesh(pieces, p, view, &mesh, NULL));
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = intersections;
    check_ok(rbl_mesh_inspect(mesh, &options, &report));
    const bool whole = report.manifold || !simple;
    if (!report.closed || !whole || !report.oriented || report.isolated_vertices.count > 0)
    {
        fail_msg("piece %u of %u: closed %d, manifold %d, oriented %d, isolated %u", p, pieces->piece_count,
                 report.closed, report.manifold, report.oriented, report.isolated_vertices.count);
    }
    check_ok(rbl_mesh_destroy(mesh));
    return report;
}

// And of the volume, area and bounds that the cut says.
static inline void check_piece(const rblPieces* pieces, uint32_t p, const rblMeshView* view,
                               bool intersections)
{
    const rblPiece* piece = &pieces->pieces[p];
    const rblMeshReport report = check_closed_piece(pieces, p, view, true, intersections);
    if (report.self_intersections.count > 0)
    {
        fail_msg("piece %u of %u: %u self-intersections, faces %u and %u", p, pieces->piece_count,
                 report.self_intersections.count, report.intersecting_faces[0][0],
                 report.intersecting_faces[0][1]);
    }
    const rblVec3d size = rbl_sub3d(report.bounds.upper, report.bounds.lower);
    check_close(piece->mass.volume, report.volume, 1e-12 * (size.x * size.y * size.z + fabs(report.volume)));
    check_close(piece->area, report.area, 1e-6 * report.area);
    assert_true(rbl_equal3d(piece->bounds.lower, report.bounds.lower));
    assert_true(rbl_equal3d(piece->bounds.upper, report.bounds.upper));
}

// Crack faces come in pairs: the same loops, the other way round, of other pieces.
static inline void check_mates(const rblPieces* pieces)
{
    for (uint32_t f = 0; f < pieces->face_count; ++f)
    {
        const rblPieceFace* face = &pieces->faces[f];
        assert_true(face->piece < pieces->piece_count);
        assert_true(f >= pieces->pieces[face->piece].first_face && f < pieces->pieces[face->piece].end_face);
        if (face->triangle != RBL_NONE)
        {
            assert_int_equal(face->mate, RBL_NONE);
            continue;
        }
        const rblPieceFace* mate = &pieces->faces[face->mate];
        assert_int_equal(mate->mate, f);
        assert_int_not_equal(mate->piece, face->piece);
        assert_int_equal(mate->first_loop, face->first_loop);
        assert_int_equal(mate->end_loop, face->end_loop);
        assert_int_equal(mate->cell, face->other);
        assert_int_equal(mate->other, face->cell);
        assert_true(mate->reversed != face->reversed);
    }
}

static inline double sum_volumes(const rblPieces* pieces)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        sum += pieces->pieces[p].mass.volume;
    }
    return sum;
}

// Volume, centre and inertia of all pieces together are the solid's.
static inline void check_tiling(const rblPieces* pieces, rblMeshId solid)
{
    rblMassProperties whole;
    check_ok(rbl_mesh_mass_properties(solid, 1.0, &whole));
    check_relative(sum_volumes(pieces), whole.volume, 1e-12);
    rblVec3d first = {0, 0, 0};
    rblMat3d inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        const rblMassProperties* mass = &pieces->pieces[p].mass;
        const rblVec3d r = rbl_sub3d(mass->center, whole.center);
        first = rbl_mul_add3d(first, mass->volume, r);
        const double rr = rbl_dot3d(r, r);
        const rblMat3d outer = rbl_mat3d_outer(r, r);
        const rblMat3d about = rbl_mat3d_diagonal(rr, rr, rr);
        const rblMat3d negative = rbl_mat3d_scale(&outer, -1.0);
        const rblMat3d offset = rbl_mat3d_add(&about, &negative);
        const rblMat3d weighted = rbl_mat3d_scale(&offset, mass->volume);
        inertia = rbl_mat3d_add(&inertia, &mass->inertia);
        inertia = rbl_mat3d_add(&inertia, &weighted);
    }
    const double reach = sqrt(whole.moments.z / whole.volume);
    check_close(rbl_length3d(first), 0.0, 1e-11 * reach * whole.volume);
    check_close(inertia.cx.x, whole.inertia.cx.x, 1e-10 * whole.moments.z);
    check_close(inertia.cy.y, whole.inertia.cy.y, 1e-10 * whole.moments.z);
    check_close(inertia.cz.z, whole.inertia.cz.z, 1e-10 * whole.moments.z);
    check_close(inertia.cy.x, whole.inertia.cy.x, 1e-10 * whole.moments.z);
    check_close(inertia.cz.x, whole.inertia.cz.x, 1e-10 * whole.moments.z);
    check_close(inertia.cz.y, whole.inertia.cz.y, 1e-10 * whole.moments.z);
}

// The same to the bit.
static inline void check_same_pieces(const rblPieces* a, const rblPieces* b)
{
    assert_int_equal(a->piece_count, b->piece_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->loop_count, b->loop_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->vertices, b->vertices, sizeof *a->vertices * a->vertex_count);
    assert_memory_equal(a->triangles, b->triangles, sizeof *a->triangles * a->triangle_count);
    assert_memory_equal(a->loop_starts, b->loop_starts, sizeof *a->loop_starts * a->loop_count);
    assert_memory_equal(a->corners, b->corners, sizeof *a->corners * a->corner_count);
    for (uint32_t f = 0; f < a->face_count; ++f)
    {
        assert_int_equal(a->faces[f].triangle, b->faces[f].triangle);
        assert_int_equal(a->faces[f].mate, b->faces[f].mate);
        assert_int_equal(a->faces[f].first_loop, b->faces[f].first_loop);
        assert_int_equal(a->faces[f].piece, b->faces[f].piece);
    }
    for (uint32_t p = 0; p < a->piece_count; ++p)
    {
        assert_memory_equal(&a->pieces[p].mass, &b->pieces[p].mass, sizeof a->pieces[p].mass);
        assert_memory_equal(&a->pieces[p].area, &b->pieces[p].area, sizeof a->pieces[p].area);
        assert_int_equal(a->pieces[p].convex, b->pieces[p].convex);
    }
}

// Triangles as nine numbers, to find the same ones on both sides of a crack.
static inline int compare_triangles(const void* a, const void* b)
{
    return memcmp(a, b, 9 * sizeof(double));
}

// The triangle's corners, beginning with the least, in their cyclic order or against it.
static inline void canonical_triangle(const rblMeshView* view, uint32_t face, bool backwards, double out[9])
{
    double rows[3][3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        const rblVec3d p =
            view->positions[view->corner_vertices[view->face_starts[face] + (backwards ? 2 - k : k)]];
        memcpy(rows[k], (double[]){p.x, p.y, p.z}, sizeof rows[k]);
    }
    uint32_t least = memcmp(rows[1], rows[0], sizeof rows[0]) < 0 ? 1 : 0;
    least = memcmp(rows[2], rows[least], sizeof rows[0]) < 0 ? 2 : least;
    for (uint32_t k = 0; k < 3; ++k)
    {
        memcpy(out + 3 * k, rows[(least + k) % 3], sizeof rows[0]);
    }
}

#endif
