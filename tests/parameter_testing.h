// A definition with every type of parameter, and its table.
#ifndef RBL_TESTS_PARAMETER_TESTING_H
#define RBL_TESTS_PARAMETER_TESTING_H

#include "io/json/json_parameters.h"
#include "rubble/math.h"

typedef struct Everything
{
    float part;
    double length;
    uint32_t count;
    uint64_t seed;
    bool loud;
    uint32_t color;
    rblVec3 size;
    rblVec3d axis;
    const char* title;
    const char* grid;
    uint32_t pattern;
    const char* pattern_file;
    float inner;
    uint32_t deep;
} Everything;

static const char* const everything_colors[] = {"red", "green", NULL};
static const char* const everything_patterns[] = {"rings", "rays", NULL};

static const rblParameter everything_deepest[] = {
    {.key = "deep", .type = RBL_PARAMETER_U32, .offset = offsetof(Everything, deep), .about = "below"},
    {.key = NULL},
};
static const rblParameter everything_group[] = {
    {.key = "inner",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(Everything, inner),
     .about = "within",
     .max = 1.0,
     .max_excluded = true,
     .required = true},
    {.key = "more", .type = RBL_PARAMETER_GROUP, .about = "and deeper", .group = everything_deepest},
    {.key = NULL},
};
static const rblParameter everything[] = {
    {.key = "part",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(Everything, part),
     .about = "of all",
     .max = 1.0},
    {.key = "length",
     .type = RBL_PARAMETER_DOUBLE,
     .offset = offsetof(Everything, length),
     .about = "m",
     .max = RBL_PARAMETER_UNLIMITED,
     .min_excluded = true},
    {.key = "count",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(Everything, count),
     .about = "of pieces",
     .min = 2.0,
     .max = 100.0},
    {.key = "seed", .type = RBL_PARAMETER_U64, .offset = offsetof(Everything, seed), .about = "any"},
    {.key = "loud", .type = RBL_PARAMETER_BOOL, .offset = offsetof(Everything, loud), .about = "or not"},
    {.key = "color",
     .type = RBL_PARAMETER_CHOICE,
     .offset = offsetof(Everything, color),
     .about = "of two",
     .choices = everything_colors},
    {.key = "size",
     .type = RBL_PARAMETER_VECTOR,
     .offset = offsetof(Everything, size),
     .about = "m",
     .max = RBL_PARAMETER_UNLIMITED,
     .min_excluded = true},
    {.key = "axis",
     .type = RBL_PARAMETER_VECTOR_DOUBLE,
     .offset = offsetof(Everything, axis),
     .about = "a direction",
     .nonzero = true},
    {.key = "title", .type = RBL_PARAMETER_TEXT, .offset = offsetof(Everything, title), .about = "any text"},
    {.key = "grid", .type = RBL_PARAMETER_FILE, .offset = offsetof(Everything, grid), .about = "a file"},
    {.key = "pattern",
     .type = RBL_PARAMETER_CHOICE_OR_FILE,
     .offset = offsetof(Everything, pattern),
     .about = "a word or a file",
     .choices = everything_patterns,
     .file_offset = offsetof(Everything, pattern_file)},
    {.key = "group", .type = RBL_PARAMETER_GROUP, .about = "of two", .group = everything_group},
    {.key = NULL},
};

static inline Everything everything_default(void)
{
    return (Everything){.part = 0.5f,
                        .length = 1.0,
                        .count = 3,
                        .size = {1.0f, 1.0f, 1.0f},
                        .axis = {0.0, 1.0, 0.0},
                        .inner = 0.25f};
}

#endif
