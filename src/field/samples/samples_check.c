#include "field/shape_check.h"
#include "math/vec.h"

// Rounding of a distance that is computed again, relative.
#define ROUNDING 1e-6f

// Where each point hangs: its parent, and its place among the children. The root has none.
typedef struct Place
{
    uint32_t parent;
    uint32_t child;
} Place;

static rblResult check_child(const rblSampleTree* tree, uint32_t parent, uint32_t k)
{
    const rblSampleChild* child = &tree->children[k];
    const uint32_t node = child->node;
    RBL_SHAPE_CHECK(node > parent && node < tree->count, "a sample comes before its parent", node);
    RBL_SHAPE_CHECK(memcmp(&child->point, &tree->points[node], sizeof child->point) == 0,
                    "a child of a sample is another point", node);
    RBL_SHAPE_CHECK(child->first == tree->first_children[node] &&
                        child->end == tree->first_children[node + 1],
                    "a child of a sample has other children", node);
    RBL_SHAPE_CHECK(child->radius == rbl_sample_radius(tree, node), "a child of a sample has another radius",
                    node);
    return RBL_OK;
}

static rblResult check_ranges(const rblSampleTree* tree)
{
    RBL_SHAPE_CHECK(tree->count > 0 && tree->first_children[0] == 0, "a hierarchy of samples has no root", 0);
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        RBL_SHAPE_CHECK(rbl_finite3(tree->points[i]), "a sample is not finite", i);
        RBL_SHAPE_CHECK(tree->first_children[i] <= tree->first_children[i + 1] &&
                            tree->first_children[i + 1] < tree->count,
                        "children of samples are out of bounds", i);
    }
    RBL_SHAPE_CHECK(tree->first_children[tree->count] == tree->count - 1, "a sample has no parent", 0);
    return RBL_OK;
}

static rblResult find_places(const rblSampleTree* tree, Place* places)
{
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        for (uint32_t k = tree->first_children[i]; k < tree->first_children[i + 1]; ++k)
        {
            RBL_TRY(check_child(tree, i, k));
            Place* place = &places[tree->children[k].node];
            RBL_SHAPE_CHECK(place->child == RBL_NONE, "a sample has two parents", tree->children[k].node);
            *place = (Place){i, k};
        }
    }
    return RBL_OK;
}

static rblResult check_reaches(const rblSampleTree* tree, const Place* places)
{
    for (uint32_t k = 0; k + 1 < tree->count; ++k)
    {
        RBL_SHAPE_CHECK(rbl_finite((double)tree->children[k].reach), "a reach of samples is not finite", k);
    }
    for (uint32_t i = 1; i < tree->count; ++i)
    {
        for (uint32_t at = i; at > 0; at = places[at].parent)
        {
            const rblVec3 ancestor = tree->points[places[at].parent];
            const float distance = rbl_length3(rbl_sub3(tree->points[i], ancestor));
            RBL_SHAPE_CHECK(distance <= (1.0f + ROUNDING) * tree->children[places[at].child].reach,
                            "a sample is out of the reach of an ancestor", i);
        }
    }
    return RBL_OK;
}

rblResult rbl_sample_tree_check(const rblSampleTree* tree)
{
    RBL_TRY(check_ranges(tree));
    const rblAllocator* allocator = rbl_default_allocator();
    Place* places = RBL_NEW_ARRAY(allocator, Place, tree->count);
    if (places == NULL)
    {
        return rbl_fail_memory();
    }
    memset(places, 0xFF, sizeof *places * tree->count);
    rblResult result = find_places(tree, places);
    result = result == RBL_OK ? check_reaches(tree, places) : result;
    RBL_FREE_ARRAY(allocator, places, tree->count);
    return result;
}
