/// Pictures: meshes with poses and colours, ray traced with a soft sun and sky light. Needs no window and no graphics
/// card; the pixels are the same for any number of threads.
#ifndef RUBBLE_PICTURE_H
#define RUBBLE_PICTURE_H

#include "rubble/mesh.h"
#include "rubble/progress.h"

RBL_EXTERN_C_BEGIN

/// A material whose name contains this word (or "interior" or "inside", upper or lower case) marks crack faces, the new
/// surfaces of a broken body. They are drawn in the crack colour. Breakers use exactly this name.
#define RBL_CRACK_MATERIAL "crack"

#define RBL_PICTURE_MAX_SIZE    16384 ///< pixels, width and height
#define RBL_PICTURE_MAX_SAMPLES 4096  ///< per pixel

/// The parts of an item that can be moved apart and have their own colours.
typedef enum rblPictureParts
{
    RBL_PARTS_WHOLE,     ///< the whole item
    RBL_PARTS_GROUPS,    ///< its groups
    RBL_PARTS_COMPONENTS ///< its connected components; a cavity belongs to the solid around it
} rblPictureParts;

/// One body in a picture. Start from rbl_default_picture_item().
typedef struct rblPictureItem
{
    rblMeshId mesh;        ///< any mesh, closed or not; vertex colours with an alpha above 0 override `color`
    rblTransform pose;     ///< metres, unit quaternion
    rblVec3 color;         ///< colour of the original surface, linear red, green, blue, 0 to 1
    rblVec3 crack_color;   ///< colour of crack faces and of the section at the cut plane
    rblPictureParts parts; ///< default RBL_PARTS_WHOLE; otherwise part n has the colour rbl_picture_color(n)
} rblPictureItem;

/// Definition of a picture. Start from rbl_default_picture_def() and change fields.
typedef struct rblPictureDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_picture_def()
    uint32_t cookie;      ///< set by rbl_default_picture_def()
    const rblPictureItem* items;
    uint32_t item_count;
    uint32_t width, height; ///< pixels, 1 to RBL_PICTURE_MAX_SIZE; default 1280 x 720
    uint32_t samples; ///< per pixel, each with a shadow ray and a sky ray; powers of two are best; default 16

    int has_eye;    ///< 0: a three-quarter view of everything
    int has_target; ///< 0: the middle of the scene
    rblVec3d eye;   ///< metres
    rblVec3d target;
    double field_of_view; ///< vertical, radians; default 0.45

    double
        explode; ///< every part moves away from the middle by this multiple of its distance from it; default 0

    int has_cut; ///< remove everything in front of a plane, on the side of its normal; parts are moved first
    rblVec3d cut_point;
    rblVec3d cut_normal; ///< any length but zero

    int has_floor; ///< 0: the floor is just below the lowest point of the scene
    double floor;  ///< its height, metres; the parts below it are hidden

    rblVec3 background; ///< colour of floor and backdrop, linear; default a warm white
    rblVec3d sun;  ///< direction towards the sun; zero, the default: over the left shoulder of the viewer.
                   ///< Below the horizon it has set
    uint32_t seed; ///< of the sampling noise; default 1

    rblProgress progress; ///< default nobody
} rblPictureDef;

/// Statistics of a picture, and its camera.
typedef struct rblPictureStats
{
    uint64_t triangles;
    uint64_t rays;
    uint32_t parts;
    double prepare_seconds; ///< triangles, normals, parts
    double build_seconds;   ///< the hierarchy
    double trace_seconds;
    rblVec3d eye, target;
} rblPictureStats;

/// The defaults named above; set the items yourself.
RBL_API void rbl_picture_def_init(rblPictureDef* def, size_t size);
static inline rblPictureDef rbl_default_picture_def(void)
{
    rblPictureDef def;
    rbl_picture_def_init(&def, sizeof def);
    return def;
}

/// The mesh at the identity pose, in the default colours.
RBL_API rblPictureItem rbl_default_picture_item(rblMeshId mesh);

/// A palette of distinct colours, also for colour-blind readers; any index is allowed. Linear.
RBL_API rblVec3 rbl_picture_color(uint32_t index);

/// Draw into `rgba`: 4 * width * height bytes, top row first, sRGB, alpha 255. `stats` may be null.
RBL_API rblResult rbl_picture_render(const rblPictureDef* def, uint8_t* rgba, rblPictureStats* stats);

/// Draw into a PNG file.
RBL_API rblResult rbl_picture_save(const rblPictureDef* def, const char* path, rblPictureStats* stats);

// ---- contact sheets and text ----

/// A contact sheet: pictures of one size in rows, captions under them. Start from rbl_default_sheet_def().
typedef struct rblSheetDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_sheet_def()
    uint32_t cookie;      ///< set by rbl_default_sheet_def()
    uint32_t columns;
    uint32_t cell_width, cell_height; ///< pixels, of every picture
    uint32_t gap;                     ///< pixels between pictures and around them
    uint32_t caption_size;            ///< height of capitals in pixels; 0: no captions
    const char* title;                ///< above everything, twice as large; null: none
    uint8_t paper[3], ink[3];         ///< sRGB
} rblSheetDef;

/// One picture of a sheet.
typedef struct rblSheetCell
{
    const uint8_t* rgba; ///< cell_width x cell_height pixels, as rbl_picture_render() writes them
    const char* caption; ///< printable ASCII, centred under the picture; null: none
} rblSheetCell;

/// Four columns of 320 x 240 pixels, with captions, dark on white; no title.
RBL_API void rbl_sheet_def_init(rblSheetDef* def, size_t size);
static inline rblSheetDef rbl_default_sheet_def(void)
{
    rblSheetDef def;
    rbl_sheet_def_init(&def, sizeof def);
    return def;
}

/// Size of the sheet in pixels. RBL_ERROR_LIMIT beyond RBL_PICTURE_MAX_SIZE.
RBL_API rblResult rbl_sheet_size(const rblSheetDef* def, uint32_t count, uint32_t* width, uint32_t* height);

/// Draw the sheet into `rgba`, 4 * width * height bytes.
RBL_API rblResult rbl_sheet_draw(const rblSheetDef* def, const rblSheetCell* cells, uint32_t count,
                                 uint8_t* rgba);

/// Draw a line of text on a picture. `place` is the left end of the baseline in pixels from the top left corner; capitals
/// have a height of `size` pixels. Text outside the picture is clipped; a character that is not printable ASCII becomes a
/// box.
RBL_API rblResult rbl_picture_write(uint8_t* rgba, uint32_t width, uint32_t height, const char* text,
                                    rblVec2 place, float size, const uint8_t color[3]);

RBL_EXTERN_C_END

#endif
