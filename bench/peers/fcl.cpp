// FCL: its tree of boxes over a mesh, refit, and two of them against each other with its own triangle test.
#include "peers.h"

#include <cstring>
#include <fcl/config.h>
#include <fcl/math/bv/utility.h> // before the model, which wants its fit()

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <limits>
#include <memory>
#include <vector>

namespace
{
using Model = fcl::BVHModel<fcl::AABB<float>>;

const char name[] = "FCL " FCL_VERSION " (AABB, float)";

struct Input
{
    std::vector<fcl::Vector3<float>> points;
    std::vector<fcl::Triangle> triangles;
};

Input makeInput(const PeerMesh& mesh)
{
    Input input;
    for (std::uint32_t v = 0; v < mesh.vertex_count; ++v)
    {
        const float* p = mesh.positions + 3 * std::size_t(v);
        input.points.emplace_back(p[0], p[1], p[2]);
    }
    for (std::uint32_t t = 0; t < mesh.triangle_count; ++t)
    {
        const std::uint32_t* c = mesh.indices + 3 * std::size_t(t);
        input.triangles.emplace_back(c[0], c[1], c[2]);
    }
    return input;
}

std::unique_ptr<Model> buildModel(const Input& input)
{
    auto model = std::make_unique<Model>();
    model->beginModel(int(input.triangles.size()), int(input.points.size()));
    model->addSubModel(input.points, input.triangles);
    model->endModel();
    return model;
}

struct Build
{
    Input input;
    std::unique_ptr<Model> model;
};

void buildAgain(void* context)
{
    auto* build = static_cast<Build*>(context);
    build->model = buildModel(build->input);
}

void measureBuild(const PeerWork& work)
{
    Build build{makeInput(work.mesh), nullptr};
    const double taken = peer_best(&work, buildAgain, &build);
    peer_figure(name, "build 1T", taken, work.mesh.triangle_count);
    const double bytes = double(build.model->getNumBVs()) * sizeof(fcl::BVNode<fcl::AABB<float>>) +
                         double(work.mesh.triangle_count) * sizeof(int);
    peer_figure(name, "memory 1T", bytes / work.mesh.triangle_count, work.mesh.triangle_count);
}

struct Pair
{
    std::unique_ptr<Model> a, b;
    std::size_t found = 0;
};

void collide(void* context)
{
    auto* pair = static_cast<Pair*>(context);
    // FCL takes models that may be changed, but with no transform between them leaves them alone.
    fcl::CollisionRequest<float> request(std::numeric_limits<std::size_t>::max() / 2, false);
    fcl::CollisionResult<float> result;
    fcl::detail::MeshCollisionTraversalNode<fcl::AABB<float>> node;
    fcl::Transform3<float> place_a = fcl::Transform3<float>::Identity();
    fcl::Transform3<float> place_b = place_a;
    fcl::detail::initialize(node, *pair->a, place_a, *pair->b, place_b, request, result);
    fcl::detail::collide(&node);
    pair->found = result.numContacts();
}

void measureOverlap(const PeerWork& work)
{
    Pair pair{buildModel(makeInput(work.mesh)), buildModel(makeInput(work.other))};
    const double taken = peer_best(&work, collide, &pair);
    peer_figure(name, "pairs 1T", taken, double(pair.found));
}
} // namespace

int peer_fcl(const PeerWork* work)
{
    if (std::strcmp(work->task, "build") == 0)
    {
        measureBuild(*work);
    }
    else if (std::strcmp(work->task, "overlap") == 0)
    {
        measureOverlap(*work);
    }
    return 0;
}
