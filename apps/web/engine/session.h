// The engine behind a page: one scene at a time, stepped, watched and touched from JavaScript (exports.h).
#ifndef WEB_SESSION_H
#define WEB_SESSION_H

#include "list.h"
#include "rubble/rubble.h"

// ---- what JavaScript reads: 32-bit words in this order (src/engine/engine.ts) ----

#define WEB_MOVABLE   1u
#define WEB_BREAKABLE 2u
#define WEB_PLANE     4u
#define WEB_NEW_MESH  8u // the first body with this mesh: it is to be fetched

typedef struct WebBody
{
    uint32_t slot;
    uint32_t serial;
    uint32_t parent; // serial; RBL_NONE: none
    uint32_t mesh;   // RBL_NONE: nothing to draw
    uint32_t flags;
    const char* name;
    const char* material;
    float color[3];
    rblVec3 normal;  // of planes
    rblVec3 center;  // of mass, in the axes of the shape
    rblVec3 outward; // from the centre of what was whole once, in the same axes
    float radius;
} WebBody;

#define WEB_POSE_FLOATS 8u // position, quaternion, flags
#define WEB_THERE       1.0f
#define WEB_AWAKE       2.0f

enum
{
    WEB_TIME,
    WEB_BODIES,
    WEB_AWAKE_BODIES,
    WEB_FRAGMENTS,
    WEB_CONTACTS,
    WEB_ISLANDS,
    WEB_BREAKS,
    WEB_KINETIC,
    WEB_POTENTIAL,
    WEB_WORK,
    WEB_DISSIPATED,
    WEB_SURFACE,
    WEB_HEAT,
    WEB_TOTAL_MS,
    WEB_STAGE_MS, // broad narrow impact fracture solve integrate drift sleep update
    WEB_NUMBERS = WEB_STAGE_MS + 9
};

typedef struct WebFrame
{
    uint32_t step;
    uint32_t slots;
    const float* poses; // WEB_POSE_FLOATS for each slot
    uint32_t added_count;
    const WebBody* added;
    uint32_t removed_count;
    const uint32_t* removed; // slots
    uint32_t hash_low, hash_high;
    uint32_t grabbed; // slot; RBL_NONE: nothing is held
    double numbers[WEB_NUMBERS];
} WebFrame;

// ---- the session ----

// A body that the page knows.
typedef struct WebKnown
{
    rblBodyId id; // null: the slot is free
    uint32_t serial;
    uint32_t material; // of the run; RBL_NONE: not known
    bool breakable;
    rblVec3 outward;
} WebKnown;

// A fragment that the page does not know yet.
typedef struct WebBirth
{
    rblBodyId id;
    uint32_t parent; // serial of what it is a piece of and the page knows
    rblVec3 outward;
} WebBirth;

// In the order of put_actions().
typedef enum WebActionKind
{
    WEB_ACTION_THROW,
    WEB_ACTION_PULL,
    WEB_ACTION_BREAK
} WebActionKind;

// What the user did before a step.
typedef struct WebAction
{
    WebActionKind kind;
    uint32_t step;
    const char* body; // name, the run's own
    const char* material;
    rblVec3 at;
    rblVec3 vector; // velocity, or normal
    rblVec3 spin;   // pulls: rad/s
    float radius;
} WebAction;

typedef struct WebGrab
{
    bool holds;
    rblBodyId body;
    rblVec3 point;  // in the axes of the shape
    rblVec3 target; // world
} WebGrab;

typedef struct WebTotals
{
    double work, dissipated, surface, heat; // J since the start
} WebTotals;

typedef struct WebSession
{
    rblSceneId scene;                  //
    rblSceneView view;                 // of it
    rblRunId run;                      //
    rblWorldId world;                  // the run's
    uint32_t step;                     // steps done
    rblStepRecord last;                // of the statistics
    WebTotals totals;                  //
    WebGrab grab;                      //
    uint32_t thrown;                   // balls so far
    uint32_t next_serial;              //
    uint32_t next_mesh;                //
    IndexList mesh_of_shape;           // by slot of the shape: the mesh that was made of what was last in it
    WebFrame frame;                    //
    LIST(WebKnown) known;              // by slot
    LIST(WebBirth) births;             // since the page looked last
    IndexList birth_of_slot;           // the last one there
    LIST(rblBodyMotion) motions;       //
    FloatList poses;                   //
    LIST(WebBody) added;               //
    IndexList removed;                 //
    LIST(WebAction) actions;           // in order
    LIST(rblShapeId) shapes_of_meshes; // by mesh number
    LIST(rblShapeId) balls;            // of what was thrown
} WebSession;

// The one that runs; null before the first scene.
WebSession* web_session(void);

// The same, or a failure that says that there is none.
rblResult web_require_session(WebSession** out);

// RBL_ERROR_MEMORY with a message.
rblResult web_fail_memory(void);

// After a step: who was born of what (bodies.c).
rblResult web_note_births(WebSession* session);

// Before a step: pull what is held. After it: hold on to a piece when it broke (hand.c).
rblResult web_pull(WebSession* session);
rblResult web_keep_hold(WebSession* session);

// A text for JavaScript, valid until the next one is kept.
rblResult web_keep_text(const rblJsonWriter* json);

// Members of JSON objects (session.c).
void web_put_vector(rblJsonWriter* json, const char* key, rblVec3 v);
void web_put_text(rblJsonWriter* json, const char* key, const char* text);

// Points of the overlay (overlay.c), and the stress in bodies as such points, after web_look() (stress.c). What was prepared for that is
// forgotten with the scene.
void web_put_point(rblVec3 at, float size, const float color[3]);
rblResult web_draw_stress(const WebSession* session);
void web_forget_stress(void);

// Free what was drawn last (surface.c, overlay.c).
void web_forget_drawn(void);
void web_forget_overlay(void);

#endif
