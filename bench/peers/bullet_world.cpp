// Bullet put through a trial of bench/bench_world_trial.h: its discrete world with the sequential impulse solver as it
// comes, meshes by GImpact or, asked for parts, cut into convex hulls by HACD. Bodies never fall asleep and are not damped.
#include "peers.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>
#ifdef PEER_BULLET_PARTS_WORLD
#include <HACD/hacdHACD.h>
#endif
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace
{
// Hulls grow by a margin of 40 mm unless told otherwise. They keep it: with 5 mm two to three times as many of the
// stones fall through the floor.
const btScalar meshMargin = btScalar(0.005);

struct World
{
    const rblTrial* trial;
    bool parts; // meshes as convex parts
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> arrays;
    std::vector<std::unique_ptr<btCollisionShape>> shapes; // and their parts
    std::vector<btCollisionShape*> shapeOf;                // by the trial's number
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
};

btVector3 toVector(const double v[3])
{
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

std::unique_ptr<btCollisionShape> makeHull(const rblTrial* trial, const rblTrialShape& shape)
{
    auto hull = std::make_unique<btConvexHullShape>();
    for (std::uint32_t i = 0; i < shape.point_count; ++i)
    {
        const float* p = trial->points + 3 * std::size_t(shape.first_point + i);
        hull->addPoint(btVector3(p[0], p[1], p[2]), false);
    }
    hull->recalcLocalAabb();
    return hull;
}

std::unique_ptr<btCollisionShape> makeMesh(World& world, const rblTrialShape& shape)
{
    const rblTrial* trial = world.trial;
    auto* indices = reinterpret_cast<int*>(trial->triangles + 3 * std::size_t(shape.first_triangle));
    world.arrays.push_back(std::make_unique<btTriangleIndexVertexArray>(
        int(shape.triangle_count), indices, int(3 * sizeof(int)), int(shape.point_count),
        trial->points + 3 * std::size_t(shape.first_point), int(3 * sizeof(float))));
    auto mesh = std::make_unique<btGImpactMeshShape>(world.arrays.back().get());
    mesh->setMargin(meshMargin);
    mesh->updateBound();
    return mesh;
}

std::unique_ptr<btCollisionShape> makeGround(World& world, const rblTrialShape& shape)
{
    const rblTrial* trial = world.trial;
    auto* indices = reinterpret_cast<int*>(trial->triangles + 3 * std::size_t(shape.first_triangle));
    world.arrays.push_back(std::make_unique<btTriangleIndexVertexArray>(
        int(shape.triangle_count), indices, int(3 * sizeof(int)), int(shape.point_count),
        trial->points + 3 * std::size_t(shape.first_point), int(3 * sizeof(float))));
    return std::make_unique<btBvhTriangleMeshShape>(world.arrays.back().get(), true);
}

#ifdef PEER_BULLET_PARTS_WORLD
std::unique_ptr<btCollisionShape> makePart(HACD::HACD& cutter, std::size_t cluster)
{
    std::vector<HACD::Vec3<HACD::Real>> points(cutter.GetNPointsCH(cluster));
    std::vector<HACD::Vec3<long>> triangles(cutter.GetNTrianglesCH(cluster));
    cutter.GetCH(cluster, points.data(), triangles.data());
    auto hull = std::make_unique<btConvexHullShape>();
    for (const auto& p : points)
    {
        hull->addPoint(btVector3(btScalar(p.X()), btScalar(p.Y()), btScalar(p.Z())), false);
    }
    hull->setMargin(meshMargin);
    hull->recalcLocalAabb();
    return hull;
}

// With the settings of Bullet's own demo of convex decomposition, and at least as many parts as a statue has limbs.
std::unique_ptr<btCollisionShape> makeParts(World& world, const rblTrialShape& shape)
{
    const rblTrial* trial = world.trial;
    std::vector<HACD::Vec3<HACD::Real>> points;
    std::vector<HACD::Vec3<long>> triangles;
    for (std::size_t i = 0; i < shape.point_count; ++i)
    {
        const float* p = trial->points + 3 * (shape.first_point + i);
        points.emplace_back(HACD::Real(p[0]), HACD::Real(p[1]), HACD::Real(p[2]));
    }
    for (std::size_t i = 0; i < shape.triangle_count; ++i)
    {
        const std::uint32_t* t = trial->triangles + 3 * (shape.first_triangle + i);
        triangles.emplace_back(long(t[0]), long(t[1]), long(t[2]));
    }
    HACD::HACD cutter;
    cutter.SetPoints(points.data());
    cutter.SetNPoints(points.size());
    cutter.SetTriangles(triangles.data());
    cutter.SetNTriangles(triangles.size());
    cutter.SetCompacityWeight(0.1);
    cutter.SetVolumeWeight(0.0);
    cutter.SetNClusters(8);
    cutter.SetNVerticesPerCH(100);
    cutter.SetConcavity(100);
    cutter.SetAddExtraDistPoints(false);
    cutter.SetAddNeighboursDistPoints(false);
    cutter.SetAddFacesPoints(false);
    cutter.Compute();
    auto compound = std::make_unique<btCompoundShape>();
    for (std::size_t i = 0; i < cutter.GetNClusters(); ++i)
    {
        world.shapes.push_back(makePart(cutter, i));
        compound->addChildShape(btTransform::getIdentity(), world.shapes.back().get());
    }
    return compound;
}
#else
std::unique_ptr<btCollisionShape> makeParts(World& world, const rblTrialShape& shape)
{
    return makeMesh(world, shape);
}
#endif

std::unique_ptr<btCollisionShape> makeShape(World& world, const rblTrialShape& shape)
{
    switch (shape.kind)
    {
    case RBL_TRIAL_PLANE:
        return std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0));
    case RBL_TRIAL_BOX:
        return std::make_unique<btBoxShape>(btScalar(0.5) *
                                            btVector3(shape.size[0], shape.size[1], shape.size[2]));
    case RBL_TRIAL_BALL:
        return std::make_unique<btSphereShape>(shape.size[0]);
    case RBL_TRIAL_GROUND:
        return makeGround(world, shape);
    case RBL_TRIAL_HULL:
        return makeHull(world.trial, shape);
    default:
        return world.parts ? makeParts(world, shape) : makeMesh(world, shape);
    }
}

// Bullet multiplies both bodies' coefficients.
void addBody(World& world, std::uint32_t index)
{
    const rblTrialBody& from = world.trial->bodies[index];
    rblTrialState start;
    double moments[3];
    rbl_trial_start(world.trial, index, &start);
    rbl_trial_moments(world.trial, index, moments);
    const btScalar mass = from.moves ? btScalar(rbl_trial_mass(world.trial, index)) : btScalar(0);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, world.shapeOf[from.shape],
                                                  from.moves ? toVector(moments) : btVector3(0, 0, 0));
    info.m_startWorldTransform.setOrigin(toVector(start.position));
    info.m_startWorldTransform.setRotation(
        btQuaternion(btScalar(start.rotation[0]), btScalar(start.rotation[1]), btScalar(start.rotation[2]),
                     btScalar(start.rotation[3])));
    info.m_friction = std::sqrt(from.friction);
    info.m_restitution = std::sqrt(from.restitution);
    auto body = std::make_unique<btRigidBody>(info);
    body->setLinearVelocity(toVector(start.velocity));
    body->setAngularVelocity(toVector(start.spin));
    body->setActivationState(from.asleep ? ISLAND_SLEEPING : DISABLE_DEACTIVATION);
    world.world.addRigidBody(body.get());
    world.bodies.push_back(std::move(body));
}

// Frames that lie at the joint's point and have its axis as z.
void addJoint(World& world, const rblTrialJoint& from)
{
    btRigidBody& a = *world.bodies[from.a];
    btRigidBody* b = from.b != RBL_TRIAL_WORLD ? world.bodies[from.b].get() : nullptr;
    const btVector3 point(from.point[0], from.point[1], from.point[2]);
    const btVector3 axis(from.axis[0], from.axis[1], from.axis[2]);
    const btVector3 onA = a.getWorldTransform().invXform(point);
    const btVector3 axisA = a.getWorldTransform().getBasis().transpose() * axis;
    std::unique_ptr<btTypedConstraint> joint;
    if (b == nullptr)
    {
        joint = from.hinges ? std::unique_ptr<btTypedConstraint>(new btHingeConstraint(a, onA, axisA))
                            : std::unique_ptr<btTypedConstraint>(new btPoint2PointConstraint(a, onA));
    }
    else
    {
        const btVector3 onB = b->getWorldTransform().invXform(point);
        const btVector3 axisB = b->getWorldTransform().getBasis().transpose() * axis;
        joint = from.hinges
                    ? std::unique_ptr<btTypedConstraint>(new btHingeConstraint(a, *b, onA, onB, axisA, axisB))
                    : std::unique_ptr<btTypedConstraint>(new btPoint2PointConstraint(a, *b, onA, onB));
    }
    world.world.addConstraint(joint.get(), true);
    world.joints.push_back(std::move(joint));
}

void* open(const rblTrial* trial, void* parts)
{
    auto world = std::make_unique<World>();
    world->trial = trial;
    world->parts = parts != nullptr;
    btGImpactCollisionAlgorithm::registerAlgorithm(&world->dispatcher);
    const float* gravity = trial->setup.gravity;
    world->world.setGravity(btVector3(gravity[0], gravity[1], gravity[2]));
    for (std::uint32_t i = 0; i < trial->setup.shape_count; ++i)
    {
        world->shapes.push_back(makeShape(*world, trial->shapes[i]));
        world->shapeOf.push_back(world->shapes.back().get());
    }
    for (std::uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        addBody(*world, i);
    }
    for (std::uint32_t i = 0; i < trial->setup.joint_count; ++i)
    {
        addJoint(*world, trial->joints[i]);
    }
    return world.release();
}

void close(void* context)
{
    std::unique_ptr<World> world(static_cast<World*>(context));
    for (const auto& joint : world->joints)
    {
        world->world.removeConstraint(joint.get());
    }
    for (const auto& body : world->bodies)
    {
        world->world.removeRigidBody(body.get());
    }
}

int step(void* context)
{
    auto* world = static_cast<World*>(context);
    world->world.stepSimulation(world->trial->setup.step, 0);
    return 0;
}

void state(void* context, std::uint32_t index, rblTrialState* out)
{
    const btRigidBody& body = *static_cast<World*>(context)->bodies[index];
    const btQuaternion turn = body.getOrientation();
    for (int k = 0; k < 3; ++k)
    {
        out->position[k] = double(body.getCenterOfMassPosition()[k]);
        out->velocity[k] = double(body.getLinearVelocity()[k]);
        out->spin[k] = double(body.getAngularVelocity()[k]);
    }
    for (int k = 0; k < 4; ++k)
    {
        out->rotation[k] = double(turn[k]);
    }
}

double contacts(void* context)
{
    auto* world = static_cast<World*>(context);
    double count = 0;
    for (int i = 0; i < world->dispatcher.getNumManifolds(); ++i)
    {
        count += world->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
    }
    return count;
}

int play(const char* trial, const char* run, const char* ending, void* parts)
{
    char name[64];
    std::snprintf(name, sizeof name, "Bullet %d.%d%s", btGetVersion() / 100, btGetVersion() % 100, ending);
    const rblTrialEngine engine = {name, open, close, step, state, contacts, parts};
    return peer_play(trial, run, &engine);
}
} // namespace

int peer_bullet_world(const char* trial, const char* run)
{
    return play(trial, run, "", nullptr);
}

#ifdef PEER_BULLET_PARTS_WORLD
int peer_bullet_parts_world(const char* trial, const char* run)
{
    static int yes = 1;
    return play(trial, run, " parts", &yes);
}
#endif
