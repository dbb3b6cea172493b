// Options and arguments that several commands have, for their tables.
#ifndef RUBBLE_TOOL_SHARED_OPTIONS_H
#define RUBBLE_TOOL_SHARED_OPTIONS_H

#include "options.h"

// One number within bounds, one that is whole, three of a vector, the size of a picture. No usual value: NULL.
#define ONE_NUMBER(option_name, from, to, what, usual, text)                                                 \
    {                                                                                                        \
        .name = option_name, .kind = OPTION_NUMBERS, .least = 1, .most = 1, .lowest = from, .highest = to,   \
        .value = what, .fallback = usual, .help = text                                                       \
    }
#define ONE_COUNT(option_name, from, to, usual, text)                                                        \
    {                                                                                                        \
        .name = option_name, .kind = OPTION_NUMBERS, .least = 1, .most = 1, .whole = true, .lowest = from,   \
        .highest = to, .value = "N", .fallback = usual, .help = text                                         \
    }
#define VECTOR_OPTION(option_name, usual, text)                                                              \
    {                                                                                                        \
        .name = option_name, .kind = OPTION_NUMBERS, .least = 3, .most = 3, .value = "X,Y,Z",                \
        .fallback = usual, .help = text                                                                      \
    }
#define PIXELS_OPTION(option_name, usual, text)                                                              \
    {                                                                                                        \
        .name = option_name, .kind = OPTION_NUMBERS, .separator = 'x', .least = 2, .most = 2, .whole = true, \
        .lowest = 1, .highest = RBL_PICTURE_MAX_SIZE, .value = "WxH", .fallback = usual, .help = text        \
    }
#define DENSITY_OPTION ONE_NUMBER("density", 1e-9, 1e9, "D", "1000", "density for the masses, kg/m^3")

#define JSON_OPTION                                                                                          \
    {                                                                                                        \
        .name = "json", .help = "print one JSON object instead of text"                                      \
    }
#define TEXT_OPTION                                                                                          \
    {                                                                                                        \
        .name = "text", .help = "write the text form of PLY and STL instead of the binary one"               \
    }
#define EVERY_OPTION                                                                                         \
    ONE_COUNT("every", 1, 1e9, "1",                                                                          \
              "write every N-th step only; of animations (.glb, .usda) the keys between are left out")
#define FORCE_OPTION                                                                                         \
    {                                                                                                        \
        .name = "force", .help = "write frames into a folder that has other files"                           \
    }

// From a mesh to a mesh: IN OUT.
#define MESH_ARGUMENT_COUNT 2
extern const Argument mesh_arguments[MESH_ARGUMENT_COUNT];

#endif
