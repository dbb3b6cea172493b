// Calls that change a world, for recorders. The world does not know recordings.
#ifndef RBL_DYNAMICS_CALLS_H
#define RBL_DYNAMICS_CALLS_H

#include "rubble/joint.h"

typedef enum rblCallCode
{
    RBL_CALL_STEP,    // a step begins
    RBL_CALL_STEPPED, // a step ends; `failed` when memory ran out
    RBL_CALL_SET_GRAVITY,
    RBL_CALL_BODY_CREATE,
    RBL_CALL_BODY_DESTROY,
    RBL_CALL_BODY_TELEPORT,
    RBL_CALL_BODY_SET_VELOCITY,
    RBL_CALL_BODY_APPLY_FORCE,
    RBL_CALL_BODY_APPLY_TORQUE,
    RBL_CALL_BODY_APPLY_IMPULSE,
    RBL_CALL_BODY_SET_FILTER,
    RBL_CALL_BODY_WAKE,
    RBL_CALL_JOINT_CREATE,
    RBL_CALL_JOINT_DESTROY,
    RBL_CALL_JOINT_SET_TARGET,
    RBL_CALL_SAVE,
    RBL_CALL_RESTORE,
    RBL_CALL_DESTROY, // the destruction of the world begins
    RBL_CALL_BODY_BREAK,
    RBL_CALL_BREAKABLE_CREATE, // in files only: RBL_CALL_BODY_CREATE of a body with a breaker or an anchor
    RBL_CALL_BODY_SET_TYPE,    // this and the next three: the new value is in body_def
    RBL_CALL_BODY_SET_MATERIAL,
    RBL_CALL_BODY_SET_BREAKER, // files also have the current anchor
    RBL_CALL_BODY_SET_GRAVITY_SCALE,
    RBL_CALL_JOINT_SET_LIMITS, // lower and upper are in `first`
    RBL_CALL_JOINT_SET_MOTOR,  // speed and force are in `first`
    RBL_CALL_AXIS_CREATE,      // in files only: RBL_CALL_JOINT_CREATE of a joint with limits or a motor
    RBL_CALL_SENSOR_CREATE,    // in files only: RBL_CALL_BODY_CREATE of a sensor
    RBL_CALL_COUNT
} rblCallCode;

// One call that has succeeded (RBL_CALL_STEP and RBL_CALL_DESTROY: that begins). The code says which fields are used.
typedef struct rblCall
{
    rblCallCode code;
    rblBodyId body;      // argument, or the new body
    rblJointId joint;    // likewise
    rblVec3 first;       // gravity, velocity, force, torque, impulse, target
    rblVec3 second;      // spin, point
    rblTransform pose;   //
    rblFilter filter;    //
    float seconds;       //
    bool failed;         //
    uint64_t number;     // of the snapshot, counted from 1 by the world
    rblBodyDef body_def; //
    uint32_t breaker;    // in files: the number of the body's breaker + 1; 0: none
    rblJointDef joint_def;
} rblCall;

typedef void rblCallHook(const rblCall* call, void* context);

// Set the function that is called for each call that changes a world; null: none.
rblResult rbl_world_hook_calls(rblWorldId world, rblCallHook* hook, void* context);

// The serial number of a world in its ids. Files store indices and generations only, so readers add the serial.
rblResult rbl_world_serial(rblWorldId world, uint32_t* out);

// Report a call to the hook: RBL_NOTE_CALL(world, .code = ..., ...).
#define RBL_NOTE_CALL(world, ...)                                                                            \
    do                                                                                                       \
    {                                                                                                        \
        if ((world)->hook != NULL)                                                                           \
        {                                                                                                    \
            const rblCall rbl_noted_call = {__VA_ARGS__};                                                    \
            (world)->hook(&rbl_noted_call, (world)->hook_context);                                           \
        }                                                                                                    \
    } while (0)

#endif
