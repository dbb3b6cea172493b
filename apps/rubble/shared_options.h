// Options and arguments that several commands have, for their tables.
#ifndef RUBBLE_TOOL_SHARED_OPTIONS_H
#define RUBBLE_TOOL_SHARED_OPTIONS_H

#include "options.h"

#define JSON_OPTION                                                                                          \
    {                                                                                                        \
        .name = "json", .help = "print one JSON object instead of text"                                      \
    }
#define TEXT_OPTION                                                                                          \
    {                                                                                                        \
        .name = "text", .help = "write the text form of PLY and STL instead of the binary one"               \
    }
#define EVERY_OPTION                                                                                         \
    {                                                                                                        \
        .name = "every", .kind = OPTION_NUMBERS, .least = 1, .most = 1, .whole = true, .lowest = 1,          \
        .highest = 1e9, .value = "N", .fallback = "1",                                                       \
        .help = "write every N-th step only; of animations (.glb, .usda) the keys between are left out"      \
    }
#define FORCE_OPTION                                                                                         \
    {                                                                                                        \
        .name = "force", .help = "write frames into a folder that holds other files"                         \
    }

// From a mesh to a mesh: IN OUT.
#define MESH_ARGUMENT_COUNT 2
extern const Argument mesh_arguments[MESH_ARGUMENT_COUNT];

#endif
