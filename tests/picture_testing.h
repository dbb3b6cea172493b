// What tests of pictures share. Include after testing.h.
#ifndef RBL_TESTS_PICTURE_TESTING_H
#define RBL_TESTS_PICTURE_TESTING_H

#include "math/vec.h"
#include "scene/picture/picture_scene.h"
#include "shapes.h"

#define WIDTH  96
#define HEIGHT 64

typedef struct Image
{
    uint8_t rgba[4 * WIDTH * HEIGHT];
} Image;

typedef struct Pixel
{
    int r, g, b;
} Pixel;

static inline rblPictureDef small_def(const rblPictureItem* items, uint32_t count)
{
    rblPictureDef def = rbl_default_picture_def();
    def.items = items;
    def.item_count = count;
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 4;
    return def;
}

static inline Pixel pixel_at(const Image* image, uint32_t x, uint32_t y)
{
    const uint8_t* p = &image->rgba[4 * (y * WIDTH + x)];
    return (Pixel){p[0], p[1], p[2]};
}

static inline int brightness(Pixel p)
{
    return p.r + p.g + p.b;
}

static inline rblMeshId make_solid(const char* kind)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return mesh;
}

static inline rblMeshId make_box(double x, double y, double z)
{
    rblMeshId mesh;
    const double size[3] = {x, y, z};
    const rblSolidValue value = {"size", size, 3};
    check_ok(rbl_mesh_make("box", &value, 1, &mesh));
    return mesh;
}

static inline rblMeshId registered(rblMeshBuilder* builder)
{
    rblMeshId id;
    check_ok(rbl_mesh_register(finish_shape(builder), &id));
    return id;
}

// The colour of an item is recognised by the order of its channels.
static const rblVec3 blue = {0.05f, 0.1f, 0.8f};
static const rblVec3 red = {0.8f, 0.05f, 0.05f};
static const rblVec3 green = {0.05f, 0.7f, 0.05f};

static inline bool is_blue(Pixel p)
{
    return p.b > p.r + 40 && p.b > p.g + 30;
}

static inline bool is_red(Pixel p)
{
    return p.r > p.g + 40 && p.r > p.b + 40;
}

static inline bool is_green(Pixel p)
{
    return p.g > p.r + 40 && p.g > p.b + 40;
}

static inline rblPictureItem colored_item(rblMeshId mesh, rblVec3 color)
{
    rblPictureItem item = rbl_default_picture_item(mesh);
    item.color = color;
    item.crack_color = red;
    return item;
}

static inline void add_named_box(rblMeshBuilder* builder, double x, uint32_t material, uint32_t group)
{
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const uint32_t first = (uint32_t)builder->positions.count;
    for (uint32_t i = 0; i < 8; ++i)
    {
        rbl_mesh_builder_vertex(builder, rbl_vec3d(x + (i & 1u), i >> 1 & 1u, i >> 2));
    }
    for (uint32_t f = 0; f < 6; ++f)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            rbl_mesh_builder_corner(builder, first + quads[f][i]);
        }
        rbl_mesh_builder_face(builder, material, group, f);
    }
}

#endif
