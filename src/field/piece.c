#include "field/piece.h"

#include "base/error.h"
#include "field/field.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/vec.h"

// ---- tuning ----
#define ZERO_LENGTH 1e-5f // relative to the size of a piece; lengths below count as zero
// Relative to the size of a piece; points farther outside its region are not near the piece.
#define FAR_OFF 0.02f

// Allowed distance of a projection from the surface, relative to the length of the projection, and relative to a cell
// if the root is a level set: the interpolation error on smooth surfaces.
#define PROJECTION_ERROR      0.1f
#define PROJECTION_ERROR_CELL 0.1f

// Search of the largest inner ball: below samples, at depths that decrease by a factor of 4.
#define PROBED_SAMPLES 16u // samples
#define PROBED_DEPTHS  4u  // depths below each sample

// ---- field ----

static float root_bound(const rblPieceField* piece, rblVec3 point, bool* far)
{
    if (piece->grid != NULL)
    {
        return rbl_level_set_distance_only(piece->grid, point, far);
    }
    rblVec3 unused;
    const rblShapeKind* kind = piece->root->kind;
    return kind->bound != NULL ? kind->bound(piece->root->data, point)
                               : kind->distance(piece->root->data, point, &unused);
}

// A lower bound of the distance. `cut`: the region gave the value; else the root did, and `far` says whether it is a
// bound of a level set far from its surface.
static float piece_value(const rblPieceField* piece, rblVec3 point, bool* far, bool* cut)
{
    const float region = rbl_region_distance(piece->region, point);
    *cut = true;
    if (region > piece->far_off)
    {
        return region; // the root can only raise the bound
    }
    const float root = root_bound(piece, point, far);
    *cut = region >= root;
    return rbl_maxf(root, region);
}

static float bound(const void* data, rblVec3 point)
{
    bool far;
    bool cut;
    return piece_value(data, point, &far, &cut);
}

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPieceField* piece = data;
    rblVec3 root_gradient;
    const float of_root = piece->root->kind->distance(piece->root->data, point, &root_gradient);
    const float cut = rbl_region_nearest(piece->region, point, gradient);
    if (of_root > cut)
    {
        *gradient = root_gradient;
        return of_root;
    }
    return cut;
}

static void free_piece(void* data, const rblAllocator* allocator)
{
    rblPieceField* piece = data;
    rbl_shape_release(piece->root);
    rbl_region_free(piece->region, allocator);
    rbl_free(allocator, piece, sizeof *piece);
}

// For a point outside: whether its projection is on the surface of the piece. If not, another part of the piece is
// nearest; samples of its edges and corners find it.
static bool confirm(const rblShape* shape, rblVec3 point, float wanted, float* outside)
{
    const rblPieceField* piece = shape->data;
    const rblLevelSet* grid = piece->grid;
    rblVec3 gradient;
    const float signed_distance = distance(piece, point, &gradient);
    *outside = signed_distance;
    if (!(signed_distance <= wanted))
    {
        return false;
    }
    const float missed = bound(piece, rbl_mul_add3(point, -signed_distance, gradient));
    return missed <= PROJECTION_ERROR * signed_distance + ZERO_LENGTH * shape->view.radius +
                         (grid != NULL ? PROJECTION_ERROR_CELL * grid->cell : 0.0f);
}

// Where the region gives the value, the value decreases by at most the length of the path: the maximum is never below
// the value of the region.
static float value(const rblShape* shape, rblVec3 point, float limit, rblFieldSlope* slope)
{
    (void)limit;
    bool far = false;
    bool cut = false;
    const float distance_bound = piece_value(shape->data, point, &far, &cut);
    *slope = cut ? RBL_SLOPE_ONE : (far ? RBL_SLOPE_FAR : RBL_SLOPE_STEEP);
    return distance_bound;
}

static void describe_field(const rblShape* shape, rblField* field)
{
    const rblPieceField* piece = shape->data;
    field->value = value;
    field->confirm = confirm;
    field->interpolated = piece->grid != NULL;
    field->slack = rbl_field_of(piece->root).slack;
}

static const rblShape* root(const void* data)
{
    return ((const rblPieceField*)data)->root;
}

static rblResult visit(const rblShape* shape, const rblSourceVisitor* visitor)
{
    return visitor->shape(root(shape->data), visitor->context);
}

const rblShapeKind rbl_piece_kind = {.name = "piece",
                                     .code = RBL_PIECE_CODE,
                                     .joinable = true,
                                     .piece = true,
                                     .distance = distance,
                                     .bound = bound,
                                     .describe_field = describe_field,
                                     .root = root,
                                     .visit = visit,
                                     .put = rbl_put_piece,
                                     .take = rbl_take_piece,
                                     .free = free_piece};

// Null: the shape is not a piece with a field.
static const rblPieceField* piece_of(const rblShape* shape)
{
    return shape->kind == &rbl_piece_kind ? shape->data : NULL;
}

// ---- creation ----

static rblResult check_def(const rblPieceShapeDef* def, const rblShapeId* out)
{
    const rblMassProperties* mass = def->mass;
    const rblVec3 size = rbl_aabb_size(def->bounds);
    if (out == NULL || !def->parent->view.bounded || def->sample_count == 0 ||
        !(size.x > 0.0f && size.y > 0.0f && size.z > 0.0f) || !rbl_finite3(size))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "piece: out and samples must not be null, and parent and piece must be bounded");
    }
    if (!(mass->volume > 0.0) || !rbl_finite(mass->volume) || !rbl_finite3d(mass->center) ||
        !(mass->moments.x > 0.0) || !rbl_finite3d(mass->moments))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "piece: volume and principal moments must be positive and finite");
    }
    return RBL_OK;
}

static rblResult make_region(const rblPieceShapeDef* def, const rblAllocator* allocator, rblRegion** out)
{
    const rblPieceField* parent = piece_of(def->parent);
    if (parent == NULL && !def->boxed)
    {
        return rbl_region_create(&def->region, allocator, out);
    }
    const float nothing = ZERO_LENGTH * rbl_length3(rbl_aabb_size(def->bounds));
    const rblRegionProduct product = {.a = parent != NULL ? parent->region : NULL,
                                      .b = &def->region,
                                      .box = rbl_aabb_grown(def->bounds, nothing),
                                      .tolerance = nothing};
    return rbl_region_multiply(&product, allocator, out);
}

// Radius of an inner ball: the largest depth of some points below samples and of the centre of mass.
static float deepest_probe(const rblPieceField* piece, const rblPieceShapeDef* def)
{
    const float size = rbl_length3(rbl_aabb_size(def->bounds));
    const uint32_t step = 1 + (def->sample_count - 1) / PROBED_SAMPLES;
    float deepest = -bound(piece, rbl_to_float3(def->mass->center));
    for (uint32_t i = 0; i < def->sample_count; i += step)
    {
        rblVec3 gradient;
        distance(piece, def->samples[i], &gradient);
        float depth = 0.25f * size;
        for (uint32_t k = 0; k < PROBED_DEPTHS; ++k, depth *= 0.25f)
        {
            const rblVec3 below = rbl_mul_add3(def->samples[i], -depth, gradient);
            deepest = rbl_maxf(-bound(piece, below), deepest);
        }
    }
    return rbl_maxf(deepest, 0.0f);
}

static float ball_radius(rblAabb box, rblVec3d center)
{
    const rblVec3d low = rbl_sub3d(center, rbl_to_double3(box.lower));
    const rblVec3d high = rbl_sub3d(rbl_to_double3(box.upper), center);
    return (float)(rbl_length3d(rbl_max3d(low, high)) * (1.0 + 1e-7));
}

static void fill_view(rblShapeView* view, const rblPieceShapeDef* def, const rblPieceField* piece)
{
    const rblVec3 size = rbl_aabb_size(def->bounds);
    const float smallest = rbl_minf(size.x, rbl_minf(size.y, size.z));
    view->bounds = def->bounds;
    view->mass = *def->mass;
    view->radius = ball_radius(def->bounds, def->mass->center);
    view->inner_radius =
        def->inner_radius > 0.0f ? def->inner_radius : rbl_minf(deepest_probe(piece, def), 0.5f * smallest);
    view->thinnest = view->inner_radius > 0.0f ? 2.0f * view->inner_radius : smallest;
}

static rblResult create_piece(const rblPieceShapeDef* def, rblShape* parts)
{
    const rblPieceField* parent = piece_of(def->parent);
    rblPieceField* piece = rbl_alloc_zero(parts->allocator, sizeof *piece);
    if (piece == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = make_region(def, parts->allocator, &piece->region);
    if (result != RBL_OK)
    {
        rbl_free(parts->allocator, piece, sizeof *piece);
        return result;
    }
    piece->far_off = FAR_OFF * rbl_length3(rbl_aabb_size(def->bounds));
    piece->root = parent != NULL ? parent->root : def->parent;
    piece->grid = rbl_shape_level_set(piece->root);
    rbl_shape_retain(piece->root);
    fill_view(&parts->view, def, piece);
    parts->data = piece;
    return RBL_OK;
}

rblResult rbl_shape_create_piece(const rblPieceShapeDef* def, rblShapeId* out)
{
    rblShape parts = {.kind = &rbl_piece_kind, .quick = true, .allocator = rbl_default_allocator()};
    rblResult result = check_def(def, out);
    if (result == RBL_OK)
    {
        result = create_piece(def, &parts);
    }
    if (result != RBL_OK)
    {
        rbl_lazy_surface_free(&def->surface);
        return result;
    }
    rbl_shape_adopt_surface(&parts, &def->surface);
    const rblPieceField* piece = parts.data;
    return rbl_shape_register(&parts, sizeof *piece + piece->region->bytes, def->samples, def->sample_count,
                              out);
}
