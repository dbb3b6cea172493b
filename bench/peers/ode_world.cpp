// ODE put through a trial of bench/bench_world_trial.h: quick steps with friction in proportion to the normal force.
// Bodies never fall asleep and are not damped.
#include "peers.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <ode/ode.h>
#include <vector>

namespace
{
const int mostContacts = 8; // of a pair

// ODE keeps pointers into what a convex shape is made of.
struct Hull
{
    std::vector<dReal> planes, points;
    std::vector<unsigned> polygons;
};

struct World
{
    const rblTrial* trial;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    std::vector<Hull> hulls;
    std::vector<dTriMeshDataID> meshes; // null where the shape is none
    std::vector<dBodyID> bodies;        // null for static ones
    std::vector<dGeomID> geoms;
    double contacts;
};

void cross(const dReal* a, const dReal* b, const dReal* c, dReal* out)
{
    dReal u[3];
    dReal v[3];
    for (int k = 0; k < 3; ++k)
    {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
}

void makeHull(const rblTrial* trial, const rblTrialShape& shape, Hull& hull)
{
    const float* points = trial->points + 3 * std::size_t(shape.first_point);
    hull.points.assign(points, points + 3 * std::size_t(shape.point_count));
    for (std::uint32_t t = 0; t < shape.triangle_count; ++t)
    {
        const std::uint32_t* corners = trial->triangles + 3 * std::size_t(shape.first_triangle + t);
        const dReal* first = &hull.points[3 * std::size_t(corners[0])];
        dReal normal[3];
        cross(first, &hull.points[3 * std::size_t(corners[1])], &hull.points[3 * std::size_t(corners[2])],
              normal);
        const dReal length = std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        dReal offset = 0;
        for (int k = 0; k < 3; ++k)
        {
            normal[k] /= length;
            offset += normal[k] * first[k];
            hull.planes.push_back(normal[k]);
        }
        hull.planes.push_back(offset);
        hull.polygons.insert(hull.polygons.end(), {3, corners[0], corners[1], corners[2]});
    }
}

void makeShape(World& world, std::uint32_t index)
{
    const rblTrial* trial = world.trial;
    const rblTrialShape& shape = trial->shapes[index];
    if (shape.kind == RBL_TRIAL_HULL)
    {
        makeHull(trial, shape, world.hulls[index]);
    }
    else if (shape.kind == RBL_TRIAL_MESH || shape.kind == RBL_TRIAL_GROUND)
    {
        world.meshes[index] = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildSingle(world.meshes[index], trial->points + 3 * std::size_t(shape.first_point),
                                    int(3 * sizeof(float)), int(shape.point_count),
                                    trial->triangles + 3 * std::size_t(shape.first_triangle),
                                    int(3 * shape.triangle_count), int(3 * sizeof(std::uint32_t)));
    }
}

dGeomID makeGeom(World& world, std::uint32_t index)
{
    const rblTrialShape& shape = world.trial->shapes[index];
    Hull& hull = world.hulls[index];
    switch (shape.kind)
    {
    case RBL_TRIAL_PLANE:
        return dCreatePlane(world.space, 0, 1, 0, 0);
    case RBL_TRIAL_BOX:
        return dCreateBox(world.space, dReal(shape.size[0]), dReal(shape.size[1]), dReal(shape.size[2]));
    case RBL_TRIAL_BALL:
        return dCreateSphere(world.space, dReal(shape.size[0]));
    case RBL_TRIAL_HULL:
        return dCreateConvex(world.space, hull.planes.data(), shape.triangle_count, hull.points.data(),
                             shape.point_count, hull.polygons.data());
    default:
        return dCreateTriMesh(world.space, world.meshes[index], nullptr, nullptr, nullptr);
    }
}

dBodyID makeBody(World& world, std::uint32_t index, const rblTrialState& start)
{
    double moments[3];
    dMass mass;
    rbl_trial_moments(world.trial, index, moments);
    dMassSetParameters(&mass, rbl_trial_mass(world.trial, index), 0, 0, 0, moments[0], moments[1], moments[2],
                       0, 0, 0);
    dBodyID body = dBodyCreate(world.world);
    dBodySetMass(body, &mass);
    dBodySetLinearVel(body, start.velocity[0], start.velocity[1], start.velocity[2]);
    dBodySetAngularVel(body, start.spin[0], start.spin[1], start.spin[2]);
    if (world.trial->bodies[index].asleep)
    {
        dBodyDisable(body);
    }
    return body;
}

void addBody(World& world, std::uint32_t index)
{
    const rblTrialBody& from = world.trial->bodies[index];
    rblTrialState start;
    rbl_trial_start(world.trial, index, &start);
    dGeomID geom = makeGeom(world, from.shape);
    dBodyID body = from.moves ? makeBody(world, index, start) : nullptr;
    if (body != nullptr)
    {
        dGeomSetBody(geom, body);
    }
    if (world.trial->shapes[from.shape].kind != RBL_TRIAL_PLANE) // planes cannot be placed
    {
        const dQuaternion turn = {start.rotation[3], start.rotation[0], start.rotation[1], start.rotation[2]};
        dGeomSetPosition(geom, start.position[0], start.position[1], start.position[2]);
        dGeomSetQuaternion(geom, turn);
    }
    dGeomSetData(geom, &world.trial->bodies[index]);
    world.bodies.push_back(body);
    world.geoms.push_back(geom);
}

void addJoint(World& world, const rblTrialJoint& from)
{
    dBodyID a = world.bodies[from.a];
    dBodyID b = from.b != RBL_TRIAL_WORLD ? world.bodies[from.b] : nullptr;
    dJointID joint =
        from.hinges ? dJointCreateHinge(world.world, nullptr) : dJointCreateBall(world.world, nullptr);
    dJointAttach(joint, a, b);
    if (from.hinges)
    {
        dJointSetHingeAnchor(joint, from.point[0], from.point[1], from.point[2]);
        dJointSetHingeAxis(joint, from.axis[0], from.axis[1], from.axis[2]);
    }
    else
    {
        dJointSetBallAnchor(joint, from.point[0], from.point[1], from.point[2]);
    }
}

void* open(const rblTrial* trial, void*)
{
    auto world = std::make_unique<World>();
    const float* gravity = trial->setup.gravity;
    world->trial = trial;
    world->contacts = 0;
    world->world = dWorldCreate();
    world->space = dHashSpaceCreate(nullptr);
    world->joints = dJointGroupCreate(0);
    dWorldSetGravity(world->world, dReal(gravity[0]), dReal(gravity[1]), dReal(gravity[2]));
    dWorldSetAutoDisableFlag(world->world, 0);
    world->hulls.resize(trial->setup.shape_count);
    world->meshes.resize(trial->setup.shape_count);
    for (std::uint32_t i = 0; i < trial->setup.shape_count; ++i)
    {
        makeShape(*world, i);
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
    dJointGroupDestroy(world->joints);
    dSpaceDestroy(world->space);
    dWorldDestroy(world->world);
    for (dTriMeshDataID mesh : world->meshes)
    {
        if (mesh != nullptr)
        {
            dGeomTriMeshDataDestroy(mesh);
        }
    }
}

void meet(void* context, dGeomID a, dGeomID b)
{
    auto* world = static_cast<World*>(context);
    dBodyID body_a = dGeomGetBody(a);
    dBodyID body_b = dGeomGetBody(b);
    const bool joined = body_a != nullptr && body_b != nullptr &&
                        dAreConnectedExcluding(body_a, body_b, dJointTypeContact) != 0;
    if ((body_a == nullptr && body_b == nullptr) || joined)
    {
        return;
    }
    const auto* from_a = static_cast<const rblTrialBody*>(dGeomGetData(a));
    const auto* from_b = static_cast<const rblTrialBody*>(dGeomGetData(b));
    dContact contacts[mostContacts] = {};
    const int count = dCollide(a, b, mostContacts, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; ++i)
    {
        dSurfaceParameters& surface = contacts[i].surface;
        surface.mode = dContactApprox1 | dContactBounce;
        surface.mu = std::sqrt(double(from_a->friction) * double(from_b->friction));
        surface.bounce = double(std::fmax(from_a->restitution, from_b->restitution));
        surface.bounce_vel = 0.2;
        dJointAttach(dJointCreateContact(world->world, world->joints, &contacts[i]), body_a, body_b);
    }
    world->contacts += count;
}

int step(void* context)
{
    auto* world = static_cast<World*>(context);
    world->contacts = 0;
    dSpaceCollide(world->space, world, meet);
    const int ok = dWorldQuickStep(world->world, dReal(world->trial->setup.step));
    dJointGroupEmpty(world->joints);
    return ok ? 0 : 1;
}

void state(void* context, std::uint32_t index, rblTrialState* out)
{
    const auto* world = static_cast<World*>(context);
    dBodyID body = world->bodies[index];
    if (body == nullptr)
    {
        rbl_trial_start(world->trial, index, out);
        return;
    }
    const dReal* turn = dBodyGetQuaternion(body);
    for (int k = 0; k < 3; ++k)
    {
        out->position[k] = dBodyGetPosition(body)[k];
        out->velocity[k] = dBodyGetLinearVel(body)[k];
        out->spin[k] = dBodyGetAngularVel(body)[k];
        out->rotation[k] = turn[k + 1];
    }
    out->rotation[3] = turn[0];
}

double contactCount(void* context)
{
    return static_cast<World*>(context)->contacts;
}
} // namespace

int peer_ode_world(const char* trial, const char* run)
{
    dInitODE2(0);
    const rblTrialEngine engine = {"ODE", open, close, step, state, contactCount, nullptr};
    const int code = peer_play(trial, run, &engine);
    dCloseODE();
    return code;
}
