// The node tree (3.5) and the transforms of its nodes. The traversal has its own stack: a file can nest to any depth.
#include "io/gltf/gltf_private.h"
#include "math/vec.h"

typedef struct Walk
{
    rblGltf* gltf;
    rblGltfInstances* instances;
    uint32_t node_count;
    bool* seen;                   // per node
    rblGltfTransform* transforms; // per node: of its parent first, its own after the visit
    rblIndexArray stack;
    uint32_t seen_count;
} Walk;

static const rblGltfTransform identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

// ---- transforms (3.5.3) ----

static rblVec3d turn(const rblGltfTransform* t, rblVec3d v)
{
    return (rblVec3d){t->cx.x * v.x + t->cy.x * v.y + t->cz.x * v.z,
                      t->cx.y * v.x + t->cy.y * v.y + t->cz.y * v.z,
                      t->cx.z * v.x + t->cy.z * v.y + t->cz.z * v.z};
}

static rblGltfTransform compose(const rblGltfTransform* outer, const rblGltfTransform* inner)
{
    return (rblGltfTransform){turn(outer, inner->cx), turn(outer, inner->cy), turn(outer, inner->cz),
                              rbl_add3d(turn(outer, inner->offset), outer->offset)};
}

static rblResult read_matrix(rblJson matrix, rblGltfTransform* out)
{
    double m[16];
    RBL_TRY(rbl_json_get_numbers(matrix, m, 16));
    // Exporters leave rounding errors in the last row; larger values mean a projection.
    const double slack = 1e-6;
    if (fabs(m[3]) > slack || fabs(m[7]) > slack || fabs(m[11]) > slack || fabs(m[15] - 1.0) > slack)
    {
        return rbl_json_fail(matrix, RBL_ERROR_FORMAT, "the last row of a matrix must be 0, 0, 0, 1");
    }
    *out = (rblGltfTransform){
        {m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}};
    return RBL_OK;
}

// Columns of the rotation by a quaternion, which is normalised first.
static rblResult read_rotation(rblJson rotation, rblGltfTransform* out)
{
    double q[4];
    RBL_TRY(rbl_json_get_numbers(rotation, q, 4));
    const double largest = rbl_maxd(rbl_maxd(fabs(q[0]), fabs(q[1])), rbl_maxd(fabs(q[2]), fabs(q[3])));
    if (largest == 0.0)
    {
        return rbl_json_fail(rotation, RBL_ERROR_FORMAT, "a rotation must not be zero");
    }
    double sum = 0.0;
    for (int i = 0; i < 4; ++i)
    {
        q[i] /= largest; // so that the squares neither overflow nor underflow
        sum += q[i] * q[i];
    }
    const double s = 2.0 / sum;
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    out->cx = rbl_vec3d(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y));
    out->cy = rbl_vec3d(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x));
    out->cz = rbl_vec3d(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y));
    return RBL_OK;
}

static rblResult read_transform(rblJson node, rblGltfTransform* out)
{
    const rblJson matrix = rbl_json_find(node, "matrix");
    const rblJson translation = rbl_json_find(node, "translation");
    const rblJson rotation = rbl_json_find(node, "rotation");
    const rblJson scale = rbl_json_find(node, "scale");
    double v[3];
    *out = identity;
    if (rbl_json_exists(matrix))
    {
        const bool both = rbl_json_exists(translation) || rbl_json_exists(rotation) || rbl_json_exists(scale);
        return both ? rbl_json_fail(matrix, RBL_ERROR_FORMAT, "a node has a matrix or its parts, not both")
                    : read_matrix(matrix, out);
    }
    if (rbl_json_exists(rotation))
    {
        RBL_TRY(read_rotation(rotation, out));
    }
    if (rbl_json_exists(scale))
    {
        RBL_TRY(rbl_json_get_numbers(scale, v, 3));
        out->cx = rbl_scale3d(out->cx, v[0]);
        out->cy = rbl_scale3d(out->cy, v[1]);
        out->cz = rbl_scale3d(out->cz, v[2]);
    }
    if (rbl_json_exists(translation))
    {
        RBL_TRY(rbl_json_get_numbers(translation, v, 3));
        out->offset = rbl_vec3d(v[0], v[1], v[2]);
    }
    return RBL_OK;
}

// ---- tree ----

// Push the nodes of a list (of a scene, or the children of a node) to the stack, to be visited in list order.
static rblResult push_nodes(Walk* walk, rblJson list, const rblGltfTransform* parent)
{
    if (!rbl_json_exists(list))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_json_expect(list, RBL_JSON_ARRAY));
    for (uint32_t i = rbl_json_count(list); i-- > 0;)
    {
        const rblJson item = rbl_json_item(list, i);
        uint32_t node;
        RBL_TRY(rbl_gltf_refer(item, walk->gltf->nodes, "node", &node));
        if (walk->seen[node])
        {
            return rbl_json_fail(item, RBL_ERROR_FORMAT, "node %u has two parents or is its own ancestor",
                                 node);
        }
        walk->seen[node] = true;
        walk->seen_count += 1;
        walk->transforms[node] = *parent;
        if (!rbl_array_push(&walk->stack, node))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult visit(Walk* walk, uint32_t index)
{
    const rblJson node = rbl_json_item(walk->gltf->nodes, index);
    const rblJson mesh = rbl_json_find(node, "mesh");
    rblGltfTransform local;
    RBL_TRY(read_transform(node, &local));
    walk->transforms[index] = compose(&walk->transforms[index], &local);
    if (rbl_json_exists(mesh))
    {
        rblGltfInstance instance = {.node = index, .transform = walk->transforms[index]};
        RBL_TRY(rbl_gltf_refer(mesh, walk->gltf->meshes, "mesh", &instance.mesh));
        if (!rbl_array_push(walk->instances, instance))
        {
            return rbl_fail_memory();
        }
        if (rbl_json_exists(rbl_json_find(node, "skin")))
        {
            rbl_gltf_warn(walk->gltf, node, RBL_GLTF_SKINS);
        }
    }
    return push_nodes(walk, rbl_json_find(node, "children"), &walk->transforms[index]);
}

static rblResult visit_pending(Walk* walk)
{
    while (walk->stack.count > 0)
    {
        RBL_TRY(visit(walk, walk->stack.data[--walk->stack.count]));
    }
    return RBL_OK;
}

// Mark all nodes with a parent: without a default scene all other nodes are roots.
static rblResult mark_children(Walk* walk, bool* is_child)
{
    for (uint32_t n = 0; n < walk->node_count; ++n)
    {
        const rblJson children = rbl_json_find(rbl_json_item(walk->gltf->nodes, n), "children");
        for (uint32_t i = 0; i < rbl_json_count(children); ++i)
        {
            const rblJson item = rbl_json_item(children, i);
            uint32_t child;
            if (rbl_json_exists(item))
            {
                RBL_TRY(rbl_gltf_refer(item, walk->gltf->nodes, "node", &child));
                is_child[child] = true;
            }
        }
    }
    return RBL_OK;
}

static rblResult visit_roots(Walk* walk, const bool* is_child)
{
    for (uint32_t n = 0; n < walk->node_count; ++n)
    {
        if (is_child[n])
        {
            continue;
        }
        walk->seen[n] = true;
        walk->seen_count += 1;
        walk->transforms[n] = identity;
        RBL_TRY(visit(walk, n));
        RBL_TRY(visit_pending(walk));
    }
    if (walk->seen_count < walk->node_count)
    {
        return rbl_json_fail(walk->gltf->nodes, RBL_ERROR_FORMAT, "some nodes are their own ancestors");
    }
    return RBL_OK;
}

static rblResult walk_roots(Walk* walk)
{
    const rblAllocator* allocator = walk->gltf->source->allocator;
    bool* is_child = rbl_alloc_zero(allocator, walk->node_count * sizeof *is_child);
    if (is_child == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = mark_children(walk, is_child);
    result = result == RBL_OK ? visit_roots(walk, is_child) : result;
    RBL_FREE_ARRAY(allocator, is_child, walk->node_count);
    return result;
}

static rblResult walk_scene(Walk* walk, rblJson scene)
{
    const rblJson scenes = rbl_json_find(rbl_json_root(&walk->gltf->document), "scenes");
    uint32_t index;
    RBL_TRY(rbl_gltf_refer(scene, scenes, "scene", &index));
    RBL_TRY(rbl_json_expect(rbl_json_item(scenes, index), RBL_JSON_OBJECT));
    RBL_TRY(push_nodes(walk, rbl_json_find(rbl_json_item(scenes, index), "nodes"), &identity));
    return visit_pending(walk);
}

// A library of meshes without a scene: each mesh once, without a transform.
static rblResult take_all_meshes(Walk* walk)
{
    for (uint32_t i = 0; i < rbl_json_count(walk->gltf->meshes); ++i)
    {
        const rblGltfInstance instance = {i, RBL_NONE, identity};
        if (!rbl_array_push(walk->instances, instance))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

rblResult rbl_gltf_collect(rblGltf* gltf, rblGltfInstances* instances)
{
    const rblAllocator* allocator = gltf->source->allocator;
    const rblJson scene = rbl_json_find(rbl_json_root(&gltf->document), "scene");
    Walk walk = {.gltf = gltf, .instances = instances, .node_count = rbl_json_count(gltf->nodes)};
    if (walk.node_count == 0)
    {
        return take_all_meshes(&walk);
    }
    rbl_array_init(&walk.stack, allocator);
    walk.seen = rbl_alloc_zero(allocator, walk.node_count * sizeof *walk.seen);
    walk.transforms = RBL_NEW_ARRAY(allocator, rblGltfTransform, walk.node_count);
    rblResult result = rbl_fail_memory();
    if (walk.seen != NULL && walk.transforms != NULL)
    {
        result = rbl_json_exists(scene) ? walk_scene(&walk, scene) : walk_roots(&walk);
    }
    RBL_FREE_ARRAY(allocator, walk.seen, walk.node_count);
    RBL_FREE_ARRAY(allocator, walk.transforms, walk.node_count);
    rbl_array_free(&walk.stack);
    return result;
}
