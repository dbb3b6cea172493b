/// Scenes: what a world begins with and what happens in it, read from JSON (docs/scenes.md).
#ifndef RUBBLE_SCENE_H
#define RUBBLE_SCENE_H

#include "rubble/joint.h"
#include "rubble/world.h"
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Handle to a scene. Zero is null; pass by value, compare, store. Stale ids are caught.
typedef struct rblSceneId
{
    uint32_t index1;
    uint32_t generation;
} rblSceneId;

/// Read a scene. Refused, with file, line, column and path of the value: anything that docs/scenes.md does not allow,
/// such as unknown keys, undefined names, sizes that are not positive. Files that shapes name are read later, by
/// rbl_scene_prepare().
RBL_API rblResult rbl_scene_load(const char* path, rblSceneId* out);

/// The same from memory; the text is copied. `name` stands for the file in messages, and files that shapes name are
/// relative to its folder.
RBL_API rblResult rbl_scene_load_memory(const void* text, size_t size, const char* name, rblSceneId* out);

/// Destroy a scene with the shapes that it made; bodies keep theirs. Views of it must no longer be used.
RBL_API rblResult rbl_scene_destroy(rblSceneId scene);

// ---- what is in it ----

/// One shape, as the scene describes it.
typedef struct rblSceneShape
{
    const char* name;
    const char* kind; ///< "box", "mesh", "vase", ...
    const char* file; ///< of meshes, as the scene has it; null for others
} rblSceneShape;

/// One material, complete.
typedef struct rblSceneMaterial
{
    const char* name;   ///< of the scene's own or of a preset
    const char* preset; ///< that it began as; null when that is not known
    rblMaterial values;
    float color[3]; ///< linear red, green, blue, for drawing
} rblSceneMaterial;

/// How bodies break: those that break alike share it.
typedef struct rblSceneBreaker
{
    const char* kind; ///< its name (rbl_breaker_kind_find())
    rblBreakerId id;  ///< null until the scene is prepared; rbl_breaker_kind_def() tells its parameters
} rblSceneBreaker;

/// One body, grids taken apart. Those that events spawn are in the list too.
typedef struct rblSceneBody
{
    const char* name; ///< unique
    uint32_t shape;
    uint32_t material;
    rblBodyType type;
    rblTransform pose;
    rblVec3 velocity, spin;
    float mass;     ///< kg; 0: by the material's density
    uint32_t event; ///< that spawns it; RBL_NONE: there from the start
    const char*
        fracture; ///< the kind of breaker that it names, null for "none"; those without a method stay whole
    uint32_t breaker; ///< in rblSceneView.breakers; RBL_NONE: it does not break
    rblAnchor anchor;
} rblSceneBody;

/// One joint. Bodies are indices of the list of bodies.
typedef struct rblSceneJoint
{
    rblJointDef def; ///< without bodies
    uint32_t a;
    uint32_t b;        ///< RBL_NONE: the world
    bool has_anchor_b; ///< false: where anchor_a is (ball, hinge, fixed), or b's origin (others)
} rblSceneJoint;

/// What an event does.
typedef enum rblSceneEventKind
{
    RBL_EVENT_SPAWN,
    RBL_EVENT_BREAK,
    RBL_EVENT_IMPULSE,
    RBL_EVENT_EXPLODE,
    RBL_EVENT_REMOVE,
    RBL_EVENT_SET_VELOCITY,
    RBL_EVENT_KIND_COUNT
} rblSceneEventKind;

/// Something that happens at a given time.
typedef struct rblSceneEvent
{
    rblSceneEventKind kind;
    double time;       ///< s
    uint32_t step;     ///< happens before this step, counted from 0
    uint32_t body;     ///< the body, or the first of those spawned; RBL_NONE for explosions
    const char* piece; ///< null, or the name of the piece of `body` that is meant
    uint32_t count;    ///< of bodies spawned
    bool has_at;       ///< false: at the centre of mass
    rblVec3 at;        ///< world
    rblVec3 normal;    ///< break
    rblVec3 velocity;  ///< impulse (N s) or velocity (m/s)
    rblVec3 spin;      ///< rad/s
    bool has_velocity; ///< set velocity: false keeps it
    bool has_spin;
    float radius;   ///< explosion, m
    float strength; ///< explosion, N s at its centre, falling to 0 at the radius
} rblSceneEvent;

/// From where a scene is drawn.
typedef struct rblSceneCamera
{
    rblVec3 eye, target;
    float fov; ///< from bottom to top, degrees
} rblSceneCamera;

/// All of a scene as plain arrays, valid until it is destroyed. Events are in the order in which they happen.
typedef struct rblSceneView
{
    const char* name;  ///< of the file
    const char* about; ///< what it shows; may be empty
    const char* text;  ///< all of the file
    size_t text_size;
    rblVec3 gravity;
    double step;     ///< s
    double duration; ///< s
    uint32_t step_count;
    uint32_t substeps;
    uint64_t seed;
    bool sleeping;

    uint32_t shape_count;
    const rblSceneShape* shapes;
    uint32_t material_count;
    const rblSceneMaterial* materials;
    uint32_t body_count;
    const rblSceneBody* bodies;
    uint32_t joint_count;
    const rblSceneJoint* joints;
    uint32_t event_count;
    const rblSceneEvent* events;
    uint32_t breaker_count;
    const rblSceneBreaker* breakers;
    bool has_camera;
    rblSceneCamera camera;
} rblSceneView;

/// Read it. Refused: stale ids.
RBL_API rblResult rbl_scene_view(rblSceneId scene, rblSceneView* out);

/// The name of a kind, for messages and files. Never null.
RBL_API const char* rbl_scene_event_name(rblSceneEventKind kind);

/// The number of the body of a name. RBL_ERROR_ARGUMENT when there is none.
RBL_API rblResult rbl_scene_find_body(rblSceneId scene, const char* name, uint32_t* out);

/// A preset (rubble/material.h) as scenes have it, with its colour. Refused: names that are none.
RBL_API rblResult rbl_scene_material_preset(const char* name, rblSceneMaterial* out);

// ---- into a world ----

/// Read the files and make the shapes. Called by the functions below when it was not before; it may take a while.
RBL_API rblResult rbl_scene_prepare(rblSceneId scene);

/// A prepared shape, and the surface to draw (null for planes). Both belong to the scene.
RBL_API rblResult rbl_scene_shape(rblSceneId scene, uint32_t shape, rblShapeId* out, rblMeshId* surface);

/// A world as the scene wants it: sets gravity, substeps, sleeping and seed of a definition from rbl_default_world_def().
RBL_API rblResult rbl_scene_world_def(rblSceneId scene, rblWorldDef* out);

/// Create the bodies and joints that are there from the start. `bodies` has capacity for all of the scene's and receives
/// their ids, null for those spawned later. On failure nothing is left behind.
RBL_API rblResult rbl_scene_build(rblSceneId scene, rblWorldId world, rblBodyId* bodies);

/// Let an event happen. `bodies` are the ids that rbl_scene_build() gave; spawned and removed ones are updated. Events of
/// bodies that are no longer there, or have broken, do nothing, and neither do those of pieces. Explosions push fragments, too.
RBL_API rblResult rbl_scene_apply(rblSceneId scene, rblWorldId world, uint32_t event, rblBodyId* bodies);

/// Let an event of a piece happen to it, by whoever knows which body has its name (fragment 3 of `plate` is plate_piece_3, and its
/// first one plate_piece_3_piece_0). Nothing happens to pieces that are no longer there, and pushing does not move static ones.
RBL_API rblResult rbl_scene_apply_to_piece(rblSceneId scene, rblWorldId world, uint32_t event,
                                           rblBodyId piece);

RBL_EXTERN_C_END

#endif
