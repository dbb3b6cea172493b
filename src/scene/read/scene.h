// Internal data of scenes, shared by the parts of the reader.
#ifndef RBL_SCENE_READ_SCENE_H
#define RBL_SCENE_READ_SCENE_H

#include "base/arena.h"
#include "base/hash_map.h"
#include "base/parameters.h"
#include "field/shape.h"
#include "io/json/json.h"
#include "rubble/scene.h"
#include "rubble/solids.h"

#define RBL_SCENE_MAX_BODIES (1u << 18)

// Unique names and their numbers.
typedef struct rblSceneNames
{
    rblHashMap map;
    RBL_ARRAY(const char*) names; // by number; not owned
} rblSceneNames;

void rbl_scene_names_init(rblSceneNames* table, const rblAllocator* allocator);
void rbl_scene_names_free(rblSceneNames* table);

// RBL_NONE when the name does not exist.
uint32_t rbl_scene_names_find(const rblSceneNames* table, const char* name);

// Add a new name with the next number. False when out of memory.
bool rbl_scene_names_add(rblSceneNames* table, const char* name);

// ---- data of the reader ----

// One of three: a shape kind with its definition, a procedural solid with its values, or the file of a mesh.
typedef struct rblShapeDef
{
    rblJson json; // for error messages
    const rblShapeKind* kind;
    void* def; // described by rblShapeKeys of the kind
    const rblSolidKind* solid;
    rblSolidValue* values;
    uint32_t value_count;
    const char* file;
    float height;         // m: height of a mesh file after scaling; 0: not scaled
    float error;          // m: error of the level set; 0: from the size
    uint32_t cells;       // cells along the longest side; 0: the default
    uint32_t parts;       // most convex parts; 0: a level set
    float part_tolerance; // share of the volume; 0: the default
    rblShapeId shape;     // filled by rbl_scene_make_shapes()
    rblMeshId surface;    // for drawing; null for planes
} rblShapeDef;

static inline bool rbl_is_unbounded(const rblShapeDef* def)
{
    return def->kind != NULL && def->kind->unbounded;
}

typedef RBL_ARRAY(rblShapeDef) rblShapeDefArray;
typedef RBL_ARRAY(rblSceneShape) rblSceneShapeArray;
typedef RBL_ARRAY(rblSceneMaterial) rblSceneMaterialArray;
typedef RBL_ARRAY(rblSceneBody) rblSceneBodyArray;
typedef RBL_ARRAY(rblSceneJoint) rblSceneJointArray;
typedef RBL_ARRAY(rblSceneEvent) rblSceneEventArray;
typedef RBL_ARRAY(rblJson) rblJsonArray;

// The definition that a breaker is created from.
typedef struct rblBreakerSource
{
    const rblBreakerKind* kind; // retained
    void* def;                  // in the arena, with paths as in the file
    rblJson json;               // for error messages
} rblBreakerSource;

// A file named by a parameter.
typedef struct rblSceneFile
{
    const rblParameter* row;
    rblJson json; // for error messages
    const char* path;
} rblSceneFile;

typedef struct rblScene
{
    const rblAllocator* allocator;
    char* text;
    size_t text_size;
    char* name;
    size_t name_size;
    rblJsonDocument document;
    bool parsed;
    bool prepared;
    bool adopted;         // meshes were set by rbl_scene_adopt_surface(): their files may be missing
    uint32_t further_ids; // number of ids besides the first; guarded by the mutex of the registry
    rblArena arena;
    rblSceneView view; // its arrays are the ones below

    rblSceneNames shape_names;
    rblSceneNames material_names;
    rblSceneNames body_names; // explicit names first, then automatic ones
    rblSceneShapeArray shapes;
    rblShapeDefArray shape_defs;
    rblSceneMaterialArray materials;
    rblSceneBodyArray bodies;
    rblIndexArray named;                         // by name in body_names: the body
    rblJsonArray body_jsons;                     // by body: for error messages
    RBL_ARRAY(bool) unnamed;                     // by body: `name` is only the suffix of an automatic name
    RBL_ARRAY(rblSceneBreaker) breakers;         // one for all bodies with equal definitions
    RBL_ARRAY(rblBreakerSource) breaker_sources; // by breaker: its definition
    RBL_ARRAY(rblSceneFile)
    fracture_files; // named by fracture parameters; they must exist, whatever the method is
    rblSceneJointArray joints;
    rblJsonArray joint_jsons;
    rblSceneEventArray events;
    rblJsonArray event_jsons;
} rblScene;

// The parts of the reader, in the order in which they run (scene_*.c).
rblResult rbl_scene_read_materials(rblScene* scene, rblJson root);
rblResult rbl_scene_read_shapes(rblScene* scene, rblJson root);
rblResult rbl_scene_read_bodies(rblScene* scene, rblJson root);
rblResult rbl_sort_events(rblScene* scene, rblJson root);
rblResult rbl_name_bodies(rblScene* scene);
rblResult rbl_scene_read_joints(rblScene* scene, rblJson root);
rblResult rbl_scene_read_events(rblScene* scene);

// Read one body, or a grid of bodies; `event` spawns it.
rblResult rbl_scene_read_body(rblScene* scene, rblJson body, uint32_t event);

// Read the method, the breaker and the anchor of a body (scene_fracture.c).
rblResult rbl_scene_read_fracture(rblScene* scene, rblJson body, rblSceneBody* out);
rblResult rbl_anchor_read(rblJson body, rblSceneBody* out);

// Shared by the reader of shapes and their schema (scene_shapes.c). A mesh is not a shape kind: the surface in a file becomes a
// hull or a level set. Rows describe rblShapeDef; those of level sets are for meshes and procedural solids.
#define RBL_MESH_KIND "mesh"
extern const rblParameter rbl_mesh_rows[];
extern const rblParameter rbl_level_set_rows[];

// Null when there is no such solid.
const rblSolidKind* rbl_find_solid(const char* name);

// Facets belong to procedural meshes. An exact shape has none, but accepts the number when a solid of its name has one. Null:
// no such parameter.
const rblSolidParameter* rbl_find_segments(const char* kind);

// Write the JSON schemas of "fracture" and of one entry of "shapes", as in docs/scene.schema.json (scene_schema.c,
// scene_shape_schema.c).
rblResult rbl_scene_write_fracture_schema(rblJsonWriter* writer);
void rbl_scene_write_shape_schema(rblJsonWriter* writer);

// Create the breakers; release them; free their definitions.
rblResult rbl_scene_prepare_breakers(rblScene* scene);
void rbl_discard_breakers(rblScene* scene);
void rbl_forget_breakers(rblScene* scene);

// The path of a file, relative to the scene file. In the arena; null when out of memory (scene_prepare.c).
const char* rbl_scene_path(rblScene* scene, const char* file);

// The number of the material named at `value`. A preset is added when it is first used.
rblResult rbl_scene_lookup_material(rblScene* scene, rblJson value, uint32_t* out);

// The body with the name at `value`.
rblResult rbl_scene_lookup_body(const rblScene* scene, rblJson value, uint32_t* out);

// The same, or the body whose piece has that name; `piece` is then that name. Names of pieces are at most this long.
#define RBL_SCENE_PIECE_NAME 160
rblResult rbl_scene_lookup_body_or_piece(const rblScene* scene, rblJson value, uint32_t* out,
                                         const char** piece);

// Create shapes; list their files (scene_prepare.c).
rblResult rbl_scene_make_shapes(rblScene* scene);
void rbl_discard_shapes(rblScene* scene);

// Before the scene is prepared: use this repaired and scaled mesh instead of the file of a shape, and search no files. The mesh
// is shared. Shapes without a file are not changed.
rblResult rbl_scene_adopt_surface(rblSceneId scene, uint32_t shape, rblMeshId surface);

// A second id of the same scene, destroyed separately, for objects that must outlive the owner of the first id.
rblResult rbl_scene_share(rblSceneId id, rblSceneId* out);

// The scene that an id refers to, or RBL_ERROR_STALE.
rblResult rbl_scene_find(rblSceneId id, rblScene** out);

#endif
