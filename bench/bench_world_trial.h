// A trial: a scene of rigid bodies that any engine can be put through, and what it did. Plain C without a word of
// Rubble, because rubble-peers reads it too. Engines see bodies in their own axes: the centre of mass and the principal
// axes of inertia, which for boxes and balls are the axes of the shape.
#ifndef RBL_BENCH_BENCH_WORLD_TRIAL_H
#define RBL_BENCH_BENCH_WORLD_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    typedef enum rblTrialKind
    {
        RBL_TRIAL_PLANE, // all below y = 0; static
        RBL_TRIAL_BOX,
        RBL_TRIAL_BALL,
        RBL_TRIAL_HULL,
        RBL_TRIAL_MESH,  // any closed surface
        RBL_TRIAL_GROUND // any surface; static
    } rblTrialKind;

    typedef struct rblTrialShape
    {
        uint32_t kind;
        float size[3]; // sides of a box; radius of a ball
        uint32_t first_point, point_count;
        uint32_t first_triangle, triangle_count; // corners count within the shape's points
        double center[3];                        // of mass, in the shape's axes
        double axes[4];                          // quaternion: own axes to the shape's
        double volume;
        double moments[3]; // at density 1
    } rblTrialShape;

    typedef struct rblTrialBody
    {
        uint32_t shape;
        uint32_t moves;                 // 0: static
        uint32_t asleep;                // until another body acts on it
        float position[3], rotation[4]; // of the shape's axes
        float velocity[3], spin[3];     // of the centre of mass; world axes
        float density, friction, restitution;
    } rblTrialBody;

    // A ball joint, or a hinge, that holds two bodies together where they start.
    typedef struct rblTrialJoint
    {
        uint32_t a, b;           // bodies; b is RBL_TRIAL_WORLD for the world
        uint32_t hinges;         // 0: a ball joint
        float point[3], axis[3]; // at the start, world axes; the axis of a hinge has length 1
    } rblTrialJoint;

#define RBL_TRIAL_WORLD UINT32_MAX

    typedef struct rblTrialSetup
    {
        float gravity[3];
        float step;
        uint32_t steps;
        uint32_t threads;
        uint32_t repeats;    // the shortest time of each step counts
        uint32_t every_step; // keep the states after every step, not only the last
        uint32_t shape_count, body_count, joint_count, point_count, triangle_count;
    } rblTrialSetup;

    typedef struct rblTrial
    {
        rblTrialSetup setup;
        rblTrialShape* shapes;
        rblTrialBody* bodies;
        rblTrialJoint* joints;
        float* points;       // 3 each, own axes
        uint32_t* triangles; // 3 each
    } rblTrial;

    // Of a body's own axes.
    typedef struct rblTrialState
    {
        double position[3], rotation[4], velocity[3], spin[3];
    } rblTrialState;

    typedef struct rblTrialStep
    {
        double milliseconds;
        double kinetic, potential;
        double contacts;
    } rblTrialStep;

    typedef struct rblTrialRun
    {
        char engine[64];
        uint32_t step_count, frame_count; // frames of states: start and every step, or the last one alone
        double bytes;                     // of memory for the scene; 0: not known
        rblTrialStep* steps;
        rblTrialState* states; // frame_count times body_count
    } rblTrialRun;

    // What plays a trial. Functions return 0 when done.
    typedef struct rblTrialEngine
    {
        const char* name;
        void* (*open)(const rblTrial* trial, void* user); // null: it cannot
        void (*close)(void* world);
        int (*step)(void* world);
        void (*state)(void* world, uint32_t body, rblTrialState* out);
        double (*contacts)(void* world); // after every step, and once before the first
        void* user;
    } rblTrialEngine;

    void rbl_trial_free(rblTrial* trial);
    void rbl_trial_run_free(rblTrialRun* run);

    // Files, 0 when done. Nothing is kept of a file that is broken.
    int rbl_trial_write(const rblTrial* trial, const char* path);
    int rbl_trial_read(const char* path, rblTrial* out);
    int rbl_trial_run_write(const rblTrial* trial, const rblTrialRun* run, const char* path);
    int rbl_trial_run_read(const rblTrial* trial, const char* path, rblTrialRun* out);

    double rbl_trial_mass(const rblTrial* trial, uint32_t body);
    void rbl_trial_moments(const rblTrial* trial, uint32_t body, double out[3]);

    // Where a body starts, in its own axes, and the pose of the shape's axes at a state.
    void rbl_trial_start(const rblTrial* trial, uint32_t body, rblTrialState* out);
    void rbl_trial_shape_pose(const rblTrial* trial, uint32_t body, const rblTrialState* state,
                              double position[3], double rotation[4]);

    // Kinetic energy of a body, its spin momentum in world axes, and its potential energy.
    double rbl_trial_kinetic(const rblTrial* trial, uint32_t body, const rblTrialState* state);
    void rbl_trial_momentum(const rblTrial* trial, uint32_t body, const rblTrialState* state, double out[3]);
    double rbl_trial_potential(const rblTrial* trial, uint32_t body, const rblTrialState* state);

    // States of the frame, counted from the start of what was kept.
    const rblTrialState* rbl_trial_frame(const rblTrial* trial, const rblTrialRun* run, uint32_t frame);

    // First b, then a; v turned by q; v turned back.
    void rbl_trial_turn(const double q[4], const double v[3], double out[3]);
    void rbl_trial_turn_back(const double q[4], const double v[3], double out[3]);
    void rbl_trial_multiply(const double a[4], const double b[4], double out[4]);

    // Milliseconds of processor time when one thread works, so that a busy machine does not count; otherwise of time.
    double rbl_trial_clock(uint32_t threads);

    // Put an engine through a trial. 0 when done.
    int rbl_trial_play(const rblTrial* trial, const rblTrialEngine* engine, rblTrialRun* out);

#ifdef __cplusplus
}
#endif

#endif
