// The prescored breaker as a kind: its parameters in files.
#include "fracture/breaker_kinds.h"
#include "fracture/prescored/prescored_private.h"

_Static_assert(sizeof(rblPatternKind) == sizeof(uint32_t) && sizeof(rblCrumbs) == sizeof(uint32_t),
               "choices are 32 bits");

static const char* const crumbs[] = {"merge", "debris", NULL}; // as rblCrumbs

// Rows that other code refers to.
enum
{
    ROW_PATTERN,
    ROW_PIECES,
    ROW_RADIUS,
    ROW_FALLOFF,
    ROW_JITTER
};

#define ROW(name, kind, field)                                                                               \
    .key = name, .type = RBL_PARAMETER_##kind, .offset = offsetof(rblPrescoredDef, field)
#define NOT_NEGATIVE .max = RBL_PARAMETER_UNLIMITED

static const rblParameter parameters[] = {
    [ROW_PATTERN] = {ROW("pattern", CHOICE_OR_FILE, pattern.kind), .choices = rbl_pattern_words,
                     .file_offset = offsetof(rblPrescoredDef, pattern.file),
                     .about = "the pattern, or a file; default: the pattern of the material"},
    [ROW_PIECES] = {ROW("pieces", U32, pattern.pieces), .min = 1.0, .max = RBL_PATTERN_MAX_PIECES,
                    .about = "requested number of pieces; for a file, its number of regions"},
    [ROW_RADIUS] = {ROW("radius", DOUBLE, pattern.radius), NOT_NEGATIVE,
                    .about = "m: beyond this distance from the impact the body stays one piece; 0: the "
                             "whole body breaks"},
    [ROW_FALLOFF] = {ROW("falloff", DOUBLE, pattern.falloff), NOT_NEGATIVE,
                     .about = "m: pieces grow beyond this distance from the impact; 0: as the pattern does"},
    [ROW_JITTER] = {ROW("jitter", DOUBLE, pattern.jitter), .max = 1.0, .about = "0: as regular as possible"},
    {ROW("size", DOUBLE, pattern.size), NOT_NEGATIVE,
     .about = "m: longest side of a file's box; 0: just large enough for the body"},
    {ROW("noise", DOUBLE, pattern.noise), NOT_NEGATIVE,
     .about = "m: height of the bumps on drawn crack faces"},
    {ROW("noiseLength", DOUBLE, pattern.noise_length), NOT_NEGATIVE,
     .about = "m: from bump to bump; 0: eight times their height"},
    {ROW("aspect", DOUBLE, pattern.aspect), .max = 1000.0,
     .about = "ratio of length to width of splinters, of length to height of bricks; 0: the default of the "
              "pattern"},
    {ROW("axis", VECTOR_DOUBLE, pattern.axis),
     .about =
         "in the shape's axes: along splinters, across slabs, up through courses; zero: chosen for the body"},
    {ROW("seed", U64, pattern.seed), .about = "seed of the pattern; combined with that of the scene"},
    {ROW("crumbs", CHOICE, crumbs), .choices = crumbs, .about = "what happens to pieces that are too small"},
    {ROW("smallest", FLOAT, smallest), .max = 1.0, .max_excluded = true,
     .about = "part of the body's volume: smaller pieces are crumbs"},
    {ROW("thinnest", FLOAT, thinnest), NOT_NEGATIVE,
     .about = "m: thinner pieces are crumbs, too; 0: a fiftieth of the body's thickness"},
    {ROW("mostFragments", U32, max_fragments),
     .about = "most fragments of one break: the smallest are merged with a neighbour; 0: no limit"},
    {ROW("lifetime", FLOAT, lifetime), NOT_NEGATIVE, .about = "lifetime of debris, s; 0: no limit"},
    {ROW("accumulate", BOOL, accumulate), .about = "impacts that do not break the body weaken it"},
    {ROW("aligned", BOOL, aligned), .about = "rotate the pattern by right angles only"},
    {ROW("fixedPieces", BOOL, fixed_pieces),
     .about = "break into the requested number of pieces or not at all; false: into as many as the impact "
              "can pay for"},
    {ROW("generations", U32, generations),
     .about = "how often pieces of pieces break: 1, only the body itself"},
    {ROW("share", FLOAT, share), NOT_NEGATIVE,
     .about = "number of pieces of a fragment divided by that of its parent, but at least two"},
    {ROW("smallestBody", FLOAT, smallest_body), NOT_NEGATIVE,
     .about = "m: pieces that are shorter than this in all directions stay whole"},
    {.type = RBL_PARAMETER_END},
};

static void set_defaults(void* def)
{
    rbl_prescored_def_init(def, sizeof(rblPrescoredDef));
}

// Without a pattern the preset of the material defines it. Jitter is a float in files, and in presets, too.
static rblResult complete(void* def, uint64_t given, const char* material)
{
    rblPrescoredDef* prescored = def;
    rblPatternDef preset = rbl_default_pattern_def();
    if (material == NULL || (given >> ROW_PATTERN & 1) != 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_pattern_preset(material, &preset));
    prescored->pattern.kind = preset.kind;
    if ((given >> ROW_JITTER & 1) == 0)
    {
        prescored->pattern.jitter = (double)(float)preset.jitter;
    }
    return RBL_OK;
}

const rblBreakerKind rbl_prescored_kind = {
    .name = "prescored",
    .about = "a pattern is centred at the impact and cuts the body",
    .def_size = sizeof(rblPrescoredDef),
    .parameters = parameters,
    .set_defaults = set_defaults,
    .complete = complete,
    .create = rbl_prescored_create,
    .put_data = rbl_prescored_put_data,
};
