// Bullet: the quantized tree of its triangle mesh shape (build, refit, rays) and GImpact's tree (overlaps).
#include "peers.h"

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <cstdio>
#include <cstring>
#include <memory>

namespace
{
char name[64];

std::unique_ptr<btTriangleIndexVertexArray> makeArray(const PeerMesh& mesh)
{
    static_assert(sizeof(btScalar) == sizeof(float), "Bullet in single precision");
    return std::make_unique<btTriangleIndexVertexArray>(
        int(mesh.triangle_count), reinterpret_cast<int*>(mesh.indices), int(3 * sizeof(int)),
        int(mesh.vertex_count), mesh.positions, int(3 * sizeof(float)));
}

struct Shape
{
    std::unique_ptr<btTriangleIndexVertexArray> array;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    const PeerWork* work;
    std::size_t found;
    bool any;
};

void buildAgain(void* context)
{
    auto* shape = static_cast<Shape*>(context);
    shape->shape = std::make_unique<btBvhTriangleMeshShape>(shape->array.get(), true, true);
}

void refit(void* context)
{
    auto* shape = static_cast<Shape*>(context);
    shape->shape->refitTree(shape->shape->getLocalAabbMin(), shape->shape->getLocalAabbMax());
}

void measureBuild(const PeerWork& work)
{
    Shape shape{makeArray(work.mesh), nullptr, &work, 0, false};
    peer_figure(name, "build 1T", peer_best(&work, buildAgain, &shape), work.mesh.triangle_count);
    const double bytes = shape.shape->getOptimizedBvh()->calculateSerializeBufferSize();
    peer_figure(name, "memory 1T", bytes / work.mesh.triangle_count, work.mesh.triangle_count);
}

void measureRefit(const PeerWork& work)
{
    Shape shape{makeArray(work.mesh), nullptr, &work, 0, false};
    buildAgain(&shape);
    peer_figure(name, "refit 1T", peer_best(&work, refit, &shape), work.mesh.triangle_count);
}

class ClosestHit : public btTriangleRaycastCallback
{
  public:
    ClosestHit(const btVector3& from, const btVector3& to) : btTriangleRaycastCallback(from, to)
    {
    }

    btScalar reportHit(const btVector3&, btScalar fraction, int, int) override
    {
        hit = true;
        return fraction;
    }

    bool hit = false;
};

void trace(void* context)
{
    auto* shape = static_cast<Shape*>(context);
    const PeerTable& table = shape->work->table;
    shape->found = 0;
    for (std::uint32_t i = 0; i < table.row_count; ++i)
    {
        const float* row = table.values + 8 * std::size_t(i);
        const btVector3 from(row[0], row[1], row[2]);
        const btVector3 to = from + row[7] * btVector3(row[3], row[4], row[5]);
        ClosestHit callback(from, to);
        shape->shape->performRaycast(&callback, from, to);
        shape->found += callback.hit;
    }
}

void measureRays(const PeerWork& work)
{
    Shape shape{makeArray(work.mesh), nullptr, &work, 0, false};
    buildAgain(&shape);
    const double taken = peer_best(&work, trace, &shape);
    peer_figure(name, "closest 1T", taken, double(shape.found));
}

// One part of a GImpact shape is a whole mesh here, and holds the tree.
struct Gimpact
{
    std::unique_ptr<btTriangleIndexVertexArray> array;
    std::unique_ptr<btGImpactMeshShape> shape;
    btGImpactMeshShapePart* part;
};

Gimpact makeGimpact(const PeerMesh& mesh)
{
    Gimpact made{makeArray(mesh), nullptr, nullptr};
    made.shape = std::make_unique<btGImpactMeshShape>(made.array.get());
    made.shape->setMargin(0);
    made.shape->updateBound();
    made.part = made.shape->getMeshPart(0);
    return made;
}

struct Pair
{
    Gimpact a, b;
    const PeerWork* work;
    std::size_t found;
};

void collide(void* context)
{
    auto* pair = static_cast<Pair*>(context);
    btPairSet pairs;
    const btTransform identity = btTransform::getIdentity();
    btGImpactBoxSet::find_collision(pair->a.part->getBoxSet(), identity, pair->b.part->getBoxSet(), identity,
                                    pairs);
    pair->found = 0;
    for (int i = 0; i < pairs.size(); ++i)
    {
        pair->found += std::size_t(peer_triangles_meet(&pair->work->mesh, std::uint32_t(pairs[i].m_index1),
                                                       &pair->work->other, std::uint32_t(pairs[i].m_index2)));
    }
}

void measureOverlap(const PeerWork& work)
{
    Pair pair{makeGimpact(work.mesh), makeGimpact(work.other), &work, 0};
    const double taken = peer_best(&work, collide, &pair);
    char gimpact[80];
    std::snprintf(gimpact, sizeof gimpact, "%s GImpact", name);
    peer_figure(gimpact, "pairs 1T", taken, double(pair.found));
}
} // namespace

int peer_bullet(const PeerWork* work)
{
    std::snprintf(name, sizeof name, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    if (std::strcmp(work->task, "build") == 0)
    {
        measureBuild(*work);
    }
    else if (std::strcmp(work->task, "refit") == 0)
    {
        measureRefit(*work);
    }
    else if (std::strcmp(work->task, "rays") == 0)
    {
        measureRays(*work);
    }
    else if (std::strcmp(work->task, "overlap") == 0)
    {
        measureOverlap(*work);
    }
    return 0;
}
