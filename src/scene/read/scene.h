// A scene from inside: what the parts of the reader hand to each other.
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

// Unique names and the numbers they stand for.
typedef struct rblSceneNames
{
    rblHashMap map;
    RBL_ARRAY(const char*) names; // in order; not owned
} rblSceneNames;

void rbl_scene_names_init(rblSceneNames* table, const rblAllocator* allocator);
void rbl_scene_names_free(rblSceneNames* table);

// RBL_NONE when the name is not there.
uint32_t rbl_scene_names_find(const rblSceneNames* table, const char* name);

// Add a name that is not there yet, with the next number. False when out of memory.
bool rbl_scene_names_add(rblSceneNames* table, const char* name);

// ---- what the reader found ----

// One of three: a kind of shape with its definition, a procedural solid with its values, or the file of a mesh.
typedef struct rblShapeDef
{
    rblJson json; // for messages
    const rblShapeKind* kind;
    void* def; // of rblShapeKeys
    const rblSolidKind* solid;
    rblSolidValue* values;
    uint32_t value_count;
    const char* file;
    float height;      // of files: 0: as they have it
    float error;       // of the level set, m; 0: by the size
    uint32_t cells;    // along the longest side; 0: the default
    rblShapeId shape;  // once prepared
    rblMeshId surface; // to draw; null for planes
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

// What a breaker is made from.
typedef struct rblBreakerSource
{
    const rblBreakerKind* kind; // referenced
    void* def;                  // in the arena, with paths as the file has them
    rblJson json;               // for messages
} rblBreakerSource;

// A file that a parameter names.
typedef struct rblSceneFile
{
    const rblParameter* row;
    rblJson json; // for messages
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
    bool adopted;         // meshes were handed over: files may not be there
    uint32_t further_ids; // beside the first; guarded by the mutex of the registry
    rblArena arena;
    rblSceneView view; // its arrays are those below

    rblSceneNames shape_names;
    rblSceneNames material_names;
    rblSceneNames body_names; // of bodies with a name of their own, then of the others
    rblSceneShapeArray shapes;
    rblShapeDefArray shape_defs;
    rblSceneMaterialArray materials;
    rblSceneBodyArray bodies;
    rblIndexArray named;                 // per name in body_names: the body
    rblJsonArray body_jsons;             // per body: for messages
    RBL_ARRAY(bool) unnamed;             // per body: `name` is only what comes after the automatic name
    RBL_ARRAY(rblSceneBreaker) breakers; // one for all bodies that break alike,
    RBL_ARRAY(rblBreakerSource) breaker_sources; // and where they come from
    RBL_ARRAY(rblSceneFile) fracture_files; // that breaking names: they must be there, whatever the method is
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

// One body, or a grid of them; `event` spawns it.
rblResult rbl_scene_read_body(rblScene* scene, rblJson body, uint32_t event);

// What is said about breaking: the body's method and breaker, its anchor (scene_fracture.c).
rblResult rbl_scene_read_fracture(rblScene* scene, rblJson body, rblSceneBody* out);
rblResult rbl_anchor_read(rblJson body, rblSceneBody* out);

// What the reader of shapes and their schema share (scene_shapes.c). A mesh is no kind of shape: the surface in a file becomes a
// hull or a level set. Rows are of rblShapeDef; those of level sets are for meshes and procedural solids.
#define RBL_MESH_KIND "mesh"
extern const rblParameter rbl_mesh_rows[];
extern const rblParameter rbl_level_set_rows[];

// Null: there is none of that name.
const rblSolidKind* rbl_find_solid(const char* name);

// Facets are for procedural meshes; an exact shape has none, but may be given the number where a solid of its name has it. Null: none has.
const rblSolidParameter* rbl_find_segments(const char* kind);

// The JSON schemas of "fracture" and of one of "shapes", as docs/scene.schema.json has them (scene_schema.c, scene_shape_schema.c).
rblResult rbl_scene_write_fracture_schema(rblJsonWriter* writer);
void rbl_scene_write_shape_schema(rblJsonWriter* writer);

// Make the breakers; give them up; forget what they are made from.
rblResult rbl_scene_prepare_breakers(rblScene* scene);
void rbl_discard_breakers(rblScene* scene);
void rbl_forget_breakers(rblScene* scene);

// A file of the scene: relative to the scene's own. In the arena; null when out of memory (scene_prepare.c).
const char* rbl_scene_path(rblScene* scene, const char* file);

// The number of a material by the name at `value`; presets are added when they are first used.
rblResult rbl_scene_lookup_material(rblScene* scene, rblJson value, uint32_t* out);

// The body that a text names.
rblResult rbl_scene_lookup_body(const rblScene* scene, rblJson value, uint32_t* out);

// The same, or the body of which it names a piece: then the text is that piece's name. Names of pieces are no longer than this.
#define RBL_SCENE_PIECE_NAME 160
rblResult rbl_scene_lookup_body_or_piece(const rblScene* scene, rblJson value, uint32_t* out,
                                         const char** piece);

// Make shapes; name their files (scene_prepare.c).
rblResult rbl_scene_make_shapes(rblScene* scene);
void rbl_discard_shapes(rblScene* scene);

// Before the scene is prepared: take this mesh, mended and scaled, for the file that a shape names, and look for no files.
// It is shared; shapes without a file are left alone.
rblResult rbl_scene_adopt_surface(rblSceneId scene, uint32_t shape, rblMeshId surface);

// A second id of the same scene, to be destroyed on its own: for those who must outlive the first one's owner.
rblResult rbl_scene_share(rblSceneId id, rblSceneId* out);

// The scene behind an id, or RBL_ERROR_STALE.
rblResult rbl_scene_find(rblSceneId id, rblScene** out);

#endif
