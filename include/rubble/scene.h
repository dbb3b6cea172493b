/// Scenes: the initial state of a world and a list of events, read from JSON (docs/scenes.md).
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

/// Read a scene. Refused: anything that docs/scenes.md does not allow, such as unknown keys, undefined names, sizes that are not
/// positive; the message gives file, line, column and path of the value. rbl_scene_prepare() reads the files of shapes.
RBL_API rblResult rbl_scene_load(const char* path, rblSceneId* out);

/// The same from memory; the text is copied. `name` replaces the file name in messages; paths of shapes are relative to its folder.
RBL_API rblResult rbl_scene_load_memory(const void* text, size_t size, const char* name, rblSceneId* out);

/// Destroy a scene with its shapes; bodies reference theirs. Views of the scene must no longer be used.
RBL_API rblResult rbl_scene_destroy(rblSceneId scene);

// ---- content ----

/// One shape, as the scene describes it.
typedef struct rblSceneShape
{
    const char* name;
    const char* kind; ///< "box", "mesh", "vase", ...
    const char* file; ///< of meshes, as written in the scene; null for others
} rblSceneShape;

/// One material with all values.
typedef struct rblSceneMaterial
{
    const char* name;   ///< of a material of the scene, or of a preset
    const char* preset; ///< preset that it is based on; null: unknown
    rblMaterial values;
    float color[3]; ///< linear red, green, blue, for drawing
} rblSceneMaterial;

/// A breaker of the scene; bodies with the same kind and parameters share it.
typedef struct rblSceneBreaker
{
    const char* kind; ///< name of its kind (rbl_breaker_kind_find())
    rblBreakerId id;  ///< null until the scene is prepared; rbl_breaker_kind_def() has its parameters
} rblSceneBreaker;

/// One body. Each body of a grid has its own entry; bodies that events spawn are included.
typedef struct rblSceneBody
{
    const char* name; ///< unique
    uint32_t shape;
    uint32_t material;
    rblBodyType type;
    rblTransform pose;
    rblVec3 velocity, spin;
    float mass;     ///< kg; 0: by the material's density
    uint32_t event; ///< index of the event that spawns it; RBL_NONE: it exists from the start
    const char*
        fracture;     ///< kind of breaker in the scene, null for "none"; bodies of reserved kinds stay whole
    uint32_t breaker; ///< index in rblSceneView.breakers; RBL_NONE: it does not break
    rblAnchor anchor;
    bool sensor;
} rblSceneBody;

/// One joint. Bodies are indices of the list of bodies.
typedef struct rblSceneJoint
{
    rblJointDef def; ///< without bodies
    uint32_t a;
    uint32_t b;        ///< RBL_NONE: the world
    bool has_anchor_b; ///< false: at anchor_a (ball, hinge, fixed), or at b's origin (others)
} rblSceneJoint;

/// The kind of an event.
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

/// An event at a given time.
typedef struct rblSceneEvent
{
    rblSceneEventKind kind;
    double time;       ///< s
    uint32_t step;     ///< the event is applied before this step, counted from 0
    uint32_t body;     ///< the body, or the first spawned body; RBL_NONE for explosions
    const char* piece; ///< null, or the name of a fragment of `body`
    uint32_t count;    ///< number of spawned bodies
    bool has_at;       ///< false: at the centre of mass
    rblVec3 at;        ///< world
    rblVec3 normal;    ///< break
    rblVec3 velocity;  ///< impulse (N s) or velocity (m/s)
    rblVec3 spin;      ///< rad/s
    bool has_velocity; ///< set velocity: false: unchanged
    bool has_spin;
    float radius;   ///< explosion, m
    float strength; ///< explosion, N s at its centre, decreasing to 0 at the radius
} rblSceneEvent;

/// The camera of a scene.
typedef struct rblSceneCamera
{
    rblVec3 eye, target;
    float fov; ///< vertical field of view, degrees
} rblSceneCamera;

/// A scene as plain arrays, valid until it is destroyed. Events are sorted by time.
typedef struct rblSceneView
{
    const char* name;  ///< of the file
    const char* about; ///< description; may be empty
    const char* text;  ///< content of the file
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

/// Read a scene. Refused: stale ids.
RBL_API rblResult rbl_scene_view(rblSceneId scene, rblSceneView* out);

/// The name of a kind of event, for messages and files. Never null.
RBL_API const char* rbl_scene_event_name(rblSceneEventKind kind);

/// Find the index of a body by its name. RBL_ERROR_ARGUMENT when there is no such body.
RBL_API rblResult rbl_scene_find_body(rblSceneId scene, const char* name, uint32_t* out);

/// A preset (rubble/material.h) as a material of scenes, with its colour. Refused: unknown names.
RBL_API rblResult rbl_scene_material_preset(const char* name, rblSceneMaterial* out);

// ---- building a world ----

/// Read the files and create the shapes. The functions below call it when needed. It may be slow.
RBL_API rblResult rbl_scene_prepare(rblSceneId scene);

/// A prepared shape, and its surface for drawing (null for planes). Both belong to the scene.
RBL_API rblResult rbl_scene_shape(rblSceneId scene, uint32_t shape, rblShapeId* out, rblMeshId* surface);

/// The definition of a world for the scene: sets gravity, substeps, sleeping and seed of a definition from rbl_default_world_def().
RBL_API rblResult rbl_scene_world_def(rblSceneId scene, rblWorldDef* out);

/// Create the bodies and joints that are there from the start. `bodies` has capacity for all of the scene's and receives
/// their ids, null for those spawned later. On failure nothing is left behind.
RBL_API rblResult rbl_scene_build(rblSceneId scene, rblWorldId world, rblBodyId* bodies);

/// Apply an event. `bodies` has the ids of rbl_scene_build(); ids of spawned and removed bodies are updated. Events of bodies that no
/// longer exist or have broken, and events of fragments, do nothing. Explosions also act on fragments.
RBL_API rblResult rbl_scene_apply(rblSceneId scene, rblWorldId world, uint32_t event, rblBodyId* bodies);

/// Apply an event of a fragment to it; the caller finds the body by its name (fragment 3 of `plate` is plate_piece_3, and its first
/// fragment plate_piece_3_piece_0). Fragments that no longer exist are ignored; impulses do not move static fragments.
RBL_API rblResult rbl_scene_apply_to_piece(rblSceneId scene, rblWorldId world, uint32_t event,
                                           rblBodyId piece);

RBL_EXTERN_C_END

#endif
