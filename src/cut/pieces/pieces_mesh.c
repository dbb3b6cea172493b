// Meshes of pieces for drawing.
#include "base/error.h"
#include "cut/pieces/pieces_triangulate.h"
#include "math/mat3.h"
#include "rubble/picture.h"
#include <stdio.h>

typedef struct MeshWork
{
    const rblPieces* pieces;
    const rblMeshView* surface;
    const uint32_t* triangle_corners; // three per triangle of the surface; null: 3 t, 3 t + 1, 3 t + 2
    const uint32_t* triangle_faces;   // per triangle: its face; null: t
    rblMeshBuilder builder;
    rblHashMap numbers; // from vertices of the pieces to vertices of the mesh
    rblCrackClipper clipper;
    rblIndexArray faces; // per face of the mesh: its rblPieceFace
    uint32_t crack_material, crack_group;
    bool failed;
} MeshWork;

static uint32_t corner_of(const MeshWork* work, uint32_t triangle, uint32_t k)
{
    const size_t c = 3 * (size_t)triangle + k;
    return work->triangle_corners != NULL ? work->triangle_corners[c] : (uint32_t)c;
}

static uint32_t face_of(const MeshWork* work, uint32_t triangle)
{
    return work->triangle_faces != NULL ? work->triangle_faces[triangle] : triangle;
}

static uint32_t vertex_number(MeshWork* work, uint32_t vertex)
{
    bool added;
    const uint32_t next = (uint32_t)work->builder.positions.count;
    const uint32_t* number = rbl_hash_map_get_or_add(&work->numbers, vertex, next, &added);
    if (number == NULL)
    {
        work->failed = true;
        return 0;
    }
    const uint32_t result = *number;
    if (added)
    {
        rbl_mesh_builder_vertex(&work->builder, rbl_piece_position(work->pieces, work->surface, vertex));
    }
    return result;
}

// ---- materials and groups ----

// Index of a material of the surface in the mesh of the piece: by its name if it has one, else by a generated name.
static uint32_t material_number(MeshWork* work, uint32_t face)
{
    const uint32_t number = work->surface->face_materials != NULL ? work->surface->face_materials[face] : 0;
    if (work->surface->material_count > 0)
    {
        return number;
    }
    char name[32] = "surface";
    if (number > 0)
    {
        (void)snprintf(name, sizeof name, "material %u", number);
    }
    return rbl_mesh_builder_material(&work->builder, name);
}

static void finish_face(MeshWork* work, uint32_t triangle, uint32_t piece_face)
{
    const rblMeshView* surface = work->surface;
    uint32_t material = work->crack_material, group = work->crack_group, origin = RBL_NONE;
    if (triangle != RBL_NONE)
    {
        origin = face_of(work, triangle);
        material = material_number(work, origin);
        group = surface->face_groups != NULL ? surface->face_groups[origin] : 0;
    }
    rbl_mesh_builder_face(&work->builder, material, group, origin);
    work->failed = !rbl_array_push(&work->faces, piece_face) || work->failed;
}

// ---- outer faces ----

static void add_uncut(MeshWork* work, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t corner = corner_of(work, triangle, k);
        const uint32_t vertex = vertex_number(work, work->surface->corner_vertices[corner]);
        rbl_mesh_builder_corner_copy(&work->builder, vertex, work->surface, corner);
    }
    finish_face(work, triangle, RBL_NONE);
}

// Barycentric weights in a triangle of a vertex that the cut created.
static void weigh_vertex(const MeshWork* work, uint32_t triangle, uint32_t vertex, double weights[3])
{
    const rblPieceVertex* origin = &work->pieces->origins[vertex - work->pieces->surface_vertex_count];
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t at = work->surface->corner_vertices[corner_of(work, triangle, k)];
        if (origin->triangle != RBL_NONE)
        {
            weights[k] = origin->weights[k];
        }
        else
        {
            weights[k] = at == origin->ends[0] ? 1.0 - origin->weights[0]
                                               : (at == origin->ends[1] ? origin->weights[0] : 0.0);
        }
    }
}

// A corner of the surface keeps its attributes exactly; attributes of other corners are interpolated.
static void add_blended(MeshWork* work, uint32_t triangle, uint32_t vertex)
{
    const uint32_t corners[3] = {corner_of(work, triangle, 0), corner_of(work, triangle, 1),
                                 corner_of(work, triangle, 2)};
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (work->surface->corner_vertices[corners[k]] == vertex) // never for a vertex that the cut created
        {
            rbl_mesh_builder_corner_copy(&work->builder, vertex_number(work, vertex), work->surface,
                                         corners[k]);
            return;
        }
    }
    double weights[3];
    weigh_vertex(work, triangle, vertex, weights);
    rbl_mesh_builder_corner_blend(&work->builder, vertex_number(work, vertex), work->surface, corners,
                                  weights, 3);
}

// Triangulate a convex polygon as a fan from its first corner.
static void add_cut(MeshWork* work, uint32_t number)
{
    const rblPieceFace* face = &work->pieces->faces[number];
    const uint32_t begin = work->pieces->loop_starts[face->first_loop];
    const uint32_t end = work->pieces->loop_starts[face->first_loop + 1];
    for (uint32_t c = begin + 1; c + 1 < end; ++c)
    {
        add_blended(work, face->triangle, work->pieces->corners[begin]);
        add_blended(work, face->triangle, work->pieces->corners[c]);
        add_blended(work, face->triangle, work->pieces->corners[c + 1]);
        finish_face(work, face->triangle, number);
    }
}

// ---- crack faces ----

// Twice the area times the normal of the side whose loops are not reversed, summed over all loops.
static rblVec3d crack_normal(const MeshWork* work, const rblPieceFace* face)
{
    const rblPieces* pieces = work->pieces;
    const uint32_t begin = pieces->loop_starts[face->first_loop];
    const rblVec3d origin = rbl_piece_position(pieces, work->surface, pieces->corners[begin]);
    rblVec3d sum = {0, 0, 0};
    for (uint32_t loop = face->first_loop; loop < face->end_loop; ++loop)
    {
        const uint32_t first = pieces->loop_starts[loop], end = pieces->loop_starts[loop + 1];
        rblVec3d a = rbl_sub3d(rbl_piece_position(pieces, work->surface, pieces->corners[end - 1]), origin);
        for (uint32_t c = first; c < end; ++c)
        {
            const rblVec3d b =
                rbl_sub3d(rbl_piece_position(pieces, work->surface, pieces->corners[c]), origin);
            sum = rbl_add3d(sum, rbl_cross3d(a, b));
            a = b;
        }
    }
    return rbl_normalize3d(sum, rbl_vec3d(0, 0, 1));
}

// Attributes of a corner of a crack face: the normal of its facet, UVs in metres along two axes of its plane, white.
// Both mates use the same axes.
static void set_crack_layers(MeshWork* work, uint32_t corner, rblVec3d position, rblVec3d normal,
                             rblVec3d facet, bool reversed)
{
    const rblVec3d helper = fabs(normal.y) < 0.9 ? rbl_vec3d(0, 1, 0) : rbl_vec3d(1, 0, 0);
    const rblVec3d u = rbl_normalize3d(rbl_cross3d(helper, normal), rbl_vec3d(1, 0, 0));
    const rblVec3d v = rbl_cross3d(normal, u);
    const double sign = reversed ? -1.0 : 1.0;
    const float out[3] = {(float)(sign * facet.x), (float)(sign * facet.y), (float)(sign * facet.z)};
    const float uv[2] = {(float)(sign * rbl_dot3d(position, u)), (float)rbl_dot3d(position, v)};
    const float white[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    for (uint32_t l = 0; l < work->surface->layer_count; ++l)
    {
        const rblLayerKind kind = work->surface->layers[l].kind;
        rbl_mesh_builder_set(&work->builder, l, corner,
                             kind == RBL_LAYER_NORMAL ? out : (kind == RBL_LAYER_UV ? uv : white));
    }
}

// Add the points inside a face that have bumps. Returns the index of the first in the mesh.
static uint32_t add_bumps(MeshWork* work, const rblPieceFace* face, rblVec3d normal)
{
    const uint32_t first = (uint32_t)work->builder.positions.count;
    for (size_t i = 0; i < work->clipper.inner.count; ++i)
    {
        rbl_mesh_builder_vertex(&work->builder, rbl_crack_bump(work->pieces, work->surface, face, normal,
                                                               work->clipper.inner.data[i]));
    }
    return first;
}

static rblVec3d facet_normal(const MeshWork* work, const uint32_t numbers[3], rblVec3d fallback)
{
    const rblVec3d* p = work->builder.positions.data;
    const rblVec3d a = p[numbers[0]];
    return rbl_normalize3d(rbl_cross3d(rbl_sub3d(p[numbers[1]], a), rbl_sub3d(p[numbers[2]], a)), fallback);
}

static void add_crack_triangle(MeshWork* work, const rblPieceFace* face, const uint32_t v[3],
                               uint32_t first_bump, rblVec3d normal)
{
    const rblCrackClipper* clipper = &work->clipper;
    uint32_t numbers[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        numbers[k] = v[k] >= clipper->first_inner ? first_bump + (v[k] - clipper->first_inner)
                                                  : vertex_number(work, v[k]);
    }
    if (work->failed || work->builder.failed)
    {
        work->failed = true;
        return;
    }
    const rblVec3d own = clipper->inner.count > 0 ? facet_normal(work, numbers, normal) : normal;
    for (uint32_t n = 0; n < 3; ++n)
    {
        const uint32_t k = face->reversed ? 2 - n : n;
        const rblVec3d flat = v[k] >= clipper->first_inner
                                  ? clipper->inner.data[v[k] - clipper->first_inner]
                                  : rbl_piece_position(work->pieces, work->surface, v[k]);
        const uint32_t corner = rbl_mesh_builder_corner(&work->builder, numbers[k]);
        set_crack_layers(work, corner, flat, normal, own, face->reversed);
    }
}

static bool triangulate(MeshWork* work, const rblPieceFace* face, rblVec3d normal)
{
    rblCrackClipper* clipper = &work->clipper;
    const rblPieces* pieces = work->pieces;
    if (!rbl_crack_triangulate(clipper, pieces, work->surface, face, normal))
    {
        return false;
    }
    return !(pieces->noise > 0.0) || rbl_crack_refine(clipper, pieces, work->surface,
                                                      rbl_crack_bump_spacing(clipper, pieces, work->surface));
}

static void add_crack(MeshWork* work, uint32_t number)
{
    const rblPieceFace* face = &work->pieces->faces[number];
    const rblVec3d normal = crack_normal(work, face);
    if (!triangulate(work, face, normal))
    {
        work->failed = true;
        return;
    }
    const uint32_t first_bump = add_bumps(work, face, normal);
    for (size_t t = 0; t + 2 < work->clipper.triangles.count; t += 3)
    {
        add_crack_triangle(work, face, work->clipper.triangles.data + t, first_bump, normal);
        finish_face(work, RBL_NONE, number);
    }
}

// ---- the mesh ----

static void name_materials(MeshWork* work)
{
    const rblMeshView* surface = work->surface;
    rbl_mesh_builder_like(&work->builder, surface);
    if (surface->material_count == 0)
    {
        rbl_mesh_builder_material(&work->builder, "surface");
    }
    work->crack_material = rbl_mesh_builder_material(&work->builder, RBL_CRACK_MATERIAL);
    // A single group names the whole mesh: cracks are part of it.
    work->crack_group =
        surface->group_count > 1 ? rbl_mesh_builder_group(&work->builder, RBL_CRACK_MATERIAL) : 0;
}

// Reserve memory for all triangles: a loop of n corners gives n - 2 triangles, and a hole two more.
static void reserve(MeshWork* work, const rblPiece* piece)
{
    size_t faces = piece->end_triangle - piece->first_triangle;
    for (uint32_t f = piece->first_face; f < piece->end_face; ++f)
    {
        const rblPieceFace* face = &work->pieces->faces[f];
        const uint32_t corners =
            work->pieces->loop_starts[face->end_loop] - work->pieces->loop_starts[face->first_loop];
        faces += (size_t)corners + 2 * (size_t)(face->end_loop - face->first_loop) - 4;
    }
    // Euler: a closed surface has about half as many vertices as triangles.
    rbl_mesh_builder_reserve(&work->builder, faces / 2 + 2, faces, 3 * faces);
    work->failed = !rbl_array_reserve(&work->faces, faces) || work->failed;
    work->failed = !rbl_hash_map_reserve(&work->numbers, faces / 2 + 2) || work->failed;
}

static rblResult build(MeshWork* work, const rblPiece* piece, rblMesh** out)
{
    name_materials(work);
    reserve(work, piece);
    for (uint32_t t = piece->first_triangle; t < piece->end_triangle; ++t)
    {
        add_uncut(work, work->pieces->triangles[t]);
    }
    for (uint32_t f = piece->first_face; f < piece->end_face; ++f)
    {
        if (work->pieces->faces[f].triangle != RBL_NONE)
        {
            add_cut(work, f);
        }
        else
        {
            add_crack(work, f);
        }
    }
    if (work->failed)
    {
        rbl_mesh_builder_discard(&work->builder);
        return rbl_fail_memory();
    }
    return rbl_mesh_builder_finish(&work->builder, out);
}

static rblResult build_with(MeshWork* work, const rblPiece* piece, rblMesh** out)
{
    const rblAllocator* allocator = work->pieces->allocator;
    rbl_mesh_builder_init(&work->builder, allocator);
    rbl_hash_map_init(&work->numbers, allocator);
    rbl_crack_clipper_init(&work->clipper, allocator);
    rbl_array_init(&work->faces, allocator);
    const rblResult result = build(work, piece, out);
    rbl_hash_map_free(&work->numbers);
    rbl_crack_clipper_free(&work->clipper);
    return result;
}

static rblResult build_triangulated(MeshWork* work, const rblPiece* piece, rblMesh** out)
{
    const rblMeshView* surface = work->surface;
    if (surface->corner_count == 3 * (uint64_t)surface->face_count)
    {
        return build_with(work, piece, out);
    }
    rblIndexArray corners, faces;
    rbl_array_init(&corners, work->pieces->allocator);
    rbl_array_init(&faces, work->pieces->allocator);
    rbl_array_init(&work->faces, work->pieces->allocator);
    rblResult result = rbl_triangulate_corners(surface, &corners, &faces);
    work->triangle_corners = corners.data;
    work->triangle_faces = faces.data;
    result = result == RBL_OK ? build_with(work, piece, out) : result;
    rbl_array_free(&corners);
    rbl_array_free(&faces);
    return result;
}

// Copy the faces to an array of exactly their number.
static rblResult copy_faces(const MeshWork* work, uint32_t** out)
{
    const size_t count = work->faces.count;
    uint32_t* faces = RBL_NEW_ARRAY(work->pieces->allocator, uint32_t, count);
    if (faces == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t f = 0; f < count; ++f)
    {
        faces[f] = work->faces.data[f];
    }
    *out = faces;
    return RBL_OK;
}

rblResult rbl_piece_mesh(const rblPieces* pieces, uint32_t piece, const rblMeshView* surface, rblMeshId* out,
                         uint32_t** piece_faces)
{
    if (piece >= pieces->piece_count || surface->vertex_count != pieces->surface_vertex_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "piece mesh: piece %u must be below %u, and the surface the one that was cut", piece,
                        pieces->piece_count);
    }
    MeshWork work = {.pieces = pieces, .surface = surface};
    rblMesh* mesh;
    rblResult result = build_triangulated(&work, &pieces->pieces[piece], &mesh);
    if (result == RBL_OK)
    {
        uint32_t* faces = NULL;
        result = piece_faces != NULL ? copy_faces(&work, &faces) : RBL_OK;
        if (result != RBL_OK)
        {
            rbl_mesh_free(mesh);
        }
        else
        {
            result = rbl_mesh_register(mesh, out);
            if (result != RBL_OK)
            {
                RBL_FREE_ARRAY(pieces->allocator, faces, work.faces.count);
            }
            else if (piece_faces != NULL)
            {
                *piece_faces = faces;
            }
        }
    }
    rbl_array_free(&work.faces);
    return result;
}
