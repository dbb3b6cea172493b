// Kinds of breakers without a method: their bodies stay whole. Scene files may name them and give their own keys, which are checked.
#include "fracture/breaker_kinds.h"
#include "fracture/pattern/pattern.h"

static const rblParameter nothing[] = {{.type = RBL_PARAMETER_END}};

static const rblParameter voronoi_parameters[] = {
    {.key = "pattern",
     .type = RBL_PARAMETER_CHOICE_OR_FILE,
     .offset = offsetof(rblPatternDef, kind),
     .choices = rbl_pattern_words,
     .file_offset = offsetof(rblPatternDef, file),
     .about = "the pattern, or a file"},
    {.key = "pieces",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(rblPatternDef, pieces),
     .min = 1.0,
     .max = RBL_PATTERN_MAX_PIECES,
     .about = "requested number of pieces"},
    {.type = RBL_PARAMETER_END},
};

static void set_nothing(void* def)
{
    (void)def;
}

static void set_pattern(void* def)
{
    rbl_pattern_def_init(def, sizeof(rblPatternDef));
}

const rblBreakerKind rbl_none_kind = {
    .name = RBL_BREAKER_KIND_NONE,
    .about = "the body never breaks",
    .def_size = sizeof(char),
    .parameters = nothing,
    .set_defaults = set_nothing,
};

const rblBreakerKind rbl_voronoi_kind = {
    .name = "voronoi",
    .about = "reserved for a later version",
    .def_size = sizeof(rblPatternDef),
    .parameters = voronoi_parameters,
    .set_defaults = set_pattern,
};

const rblBreakerKind rbl_xfem_kind = {
    .name = "xfem",
    .about = "reserved for a later version",
    .def_size = sizeof(char),
    .parameters = nothing,
    .set_defaults = set_nothing,
};
