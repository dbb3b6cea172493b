// MSH of Gmsh, versions 2 (2.0 to 2.2) and 4.1, as text and binary: nodes and tetrahedra are read, everything else is
// skipped. The region of a tetrahedron is its physical group in version 2 (its entity if it has none), and its entity
// in version 4.
#include "base/number.h"
#include "io/tets/tets_files.h"
#include "io/text.h"
#include <string.h>

typedef struct Msh
{
    rblTetsCollector* collector;
    const rblSource* source;
    const char* at;
    const char* end;
    uint32_t version; // 2 or 4
    bool binary;
    size_t other_solids; // volume elements that are not tetrahedra
} Msh;

static rblResult fail_here(const Msh* msh, const char* what)
{
    return rbl_fail_line(msh->source, msh->at, RBL_ERROR_FORMAT, "%s", what);
}

static void skip_space(Msh* msh)
{
    while (msh->at < msh->end && rbl_is_space(*msh->at))
    {
        ++msh->at;
    }
}

// ---- numbers ----

static rblResult text_integer(Msh* msh, int64_t* out)
{
    skip_space(msh);
    const char* after = rbl_parse_i64(msh->at, msh->end, out);
    if (after == NULL || (after < msh->end && !rbl_is_space(*after)))
    {
        char token[RBL_QUOTE_SIZE];
        rbl_quote_token(msh->at, msh->end, token);
        return rbl_fail_line(msh->source, msh->at, RBL_ERROR_FORMAT, "expected an integer, found '%s'",
                             token);
    }
    msh->at = after;
    return RBL_OK;
}

static rblResult take(Msh* msh, size_t size, uint64_t* out)
{
    if ((size_t)(msh->end - msh->at) < size)
    {
        return fail_here(msh, "the file ends within a number");
    }
    *out = 0;
    for (size_t i = 0; i < size; ++i)
    {
        *out |= (uint64_t)(uint8_t)msh->at[i] << 8 * i;
    }
    msh->at += size;
    return RBL_OK;
}

// An int of the format: 32 bits in binary files.
static rblResult read_int(Msh* msh, int64_t* out)
{
    if (!msh->binary)
    {
        return text_integer(msh, out);
    }
    uint64_t bits = 0;
    RBL_TRY(take(msh, 4, &bits));
    *out = bits < 0x80000000u ? (int64_t)bits : (int64_t)bits - 0x100000000;
    return RBL_OK;
}

// A count or tag: a size_t of 64 bits in binary files of version 4.
static rblResult read_size(Msh* msh, uint64_t* out)
{
    int64_t value = 0;
    if (msh->binary && msh->version == 4)
    {
        return take(msh, 8, out);
    }
    RBL_TRY(read_int(msh, &value));
    *out = (uint64_t)value;
    return value >= 0 ? RBL_OK : fail_here(msh, "a count or a number of a node is negative");
}

static rblResult read_double(Msh* msh, double* out)
{
    if (msh->binary)
    {
        uint64_t bits = 0;
        RBL_TRY(take(msh, 8, &bits));
        memcpy(out, &bits, sizeof *out);
        return RBL_OK;
    }
    skip_space(msh);
    const char* after = rbl_parse_double(msh->at, msh->end, out);
    if (after == NULL || (after < msh->end && !rbl_is_space(*after)))
    {
        char token[RBL_QUOTE_SIZE];
        rbl_quote_token(msh->at, msh->end, token);
        return rbl_fail_line(msh->source, msh->at, RBL_ERROR_FORMAT, "expected a number, found '%s'", token);
    }
    msh->at = after;
    return RBL_OK;
}

static rblResult read_position(Msh* msh, rblVec3d* out)
{
    RBL_TRY(read_double(msh, &out->x));
    RBL_TRY(read_double(msh, &out->y));
    return read_double(msh, &out->z);
}

// The count of a section. In binary files of version 2 it is text too, and the bytes begin on the next line.
static rblResult read_count_line(Msh* msh, uint64_t* out)
{
    int64_t value = 0;
    RBL_TRY(text_integer(msh, &value));
    if (value < 0)
    {
        return fail_here(msh, "a count is negative");
    }
    *out = (uint64_t)value;
    if (msh->binary)
    {
        msh->at = rbl_skip_line_end(rbl_find_line_end(msh->at, msh->end), msh->end);
    }
    return RBL_OK;
}

// ---- elements ----

// Nodes of the element types 1 to 31 of Gmsh; 0: unknown.
static const uint8_t element_nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

static rblResult element_size(const Msh* msh, int64_t type, uint32_t* out)
{
    const int64_t known = (int64_t)(sizeof element_nodes / sizeof element_nodes[0]);
    if (type < 1 || type >= known)
    {
        return rbl_fail_line(msh->source, msh->at, RBL_ERROR_UNSUPPORTED,
                             "elements of type %lld are not supported", (long long)type);
    }
    *out = element_nodes[type];
    return RBL_OK;
}

// Tetrahedra of first to fifth order; of curved ones only the corners are used, which come first.
static bool is_tet(int64_t type)
{
    return type == 4 || type == 11 || (type >= 29 && type <= 31);
}

static bool is_other_solid(int64_t type)
{
    return (type >= 5 && type <= 7) || (type >= 12 && type <= 14) || (type >= 17 && type <= 19);
}

// `group` becomes the region; an invalid group (for instance negative) becomes 0.
static rblResult read_element_nodes(Msh* msh, int64_t type, uint32_t size, int64_t group, const char* start)
{
    const uint32_t region = group >= 0 && group <= UINT32_MAX ? (uint32_t)group : 0;
    uint64_t corners[4] = {0};
    for (uint32_t i = 0; i < size; ++i)
    {
        uint64_t node = 0;
        RBL_TRY(read_size(msh, &node));
        if (i < 4)
        {
            corners[i] = node;
        }
    }
    msh->other_solids += is_other_solid(type);
    return is_tet(type) ? rbl_collect_tet(msh->collector, corners, region, start) : RBL_OK;
}

// ---- version 2 ----

static rblResult read_nodes_2(Msh* msh)
{
    uint64_t count = 0;
    RBL_TRY(read_count_line(msh, &count));
    for (uint64_t i = 0; i < count; ++i)
    {
        const char* start = msh->at;
        uint64_t number = 0;
        rblVec3d position = {0, 0, 0};
        RBL_TRY(read_size(msh, &number));
        RBL_TRY(read_position(msh, &position));
        RBL_TRY(rbl_collect_node(msh->collector, number, position, start));
    }
    return RBL_OK;
}

// The number, the tags and the nodes of one element.
static rblResult read_element_2(Msh* msh, int64_t type, int64_t tag_count, uint32_t size, const char* start)
{
    int64_t physical = 0, entity = 0;
    for (int64_t k = 0; k < tag_count; ++k)
    {
        int64_t tag = 0;
        RBL_TRY(read_int(msh, &tag));
        physical = k == 0 ? tag : physical;
        entity = k == 1 ? tag : entity;
    }
    return read_element_nodes(msh, type, size, physical != 0 ? physical : entity, start);
}

// In a text each element has its own type; binary files contain groups of elements of one type.
static rblResult read_elements_2(Msh* msh)
{
    uint64_t count = 0;
    RBL_TRY(read_count_line(msh, &count));
    int64_t type = 0, tag_count = 0, run = 0, number = 0;
    for (uint64_t i = 0; i < count; ++i)
    {
        const char* start = msh->at;
        if (msh->binary && run == 0)
        {
            RBL_TRY(read_int(msh, &type));
            RBL_TRY(read_int(msh, &run));
            RBL_TRY(read_int(msh, &tag_count));
            if (run < 1)
            {
                return fail_here(msh, "a run of elements is empty");
            }
        }
        RBL_TRY(read_int(msh, &number));
        if (!msh->binary)
        {
            RBL_TRY(read_int(msh, &type));
            RBL_TRY(read_int(msh, &tag_count));
        }
        uint32_t size = 0;
        RBL_TRY(element_size(msh, type, &size));
        RBL_TRY(read_element_2(msh, type, tag_count, size, start));
        run -= 1;
    }
    return RBL_OK;
}

// ---- version 4.1 ----

typedef struct Block
{
    int64_t dimension, entity, kind; // kind: parametric flag of nodes, or type of elements
    uint64_t count;
} Block;

static rblResult read_block(Msh* msh, Block* block)
{
    RBL_TRY(read_int(msh, &block->dimension));
    RBL_TRY(read_int(msh, &block->entity));
    RBL_TRY(read_int(msh, &block->kind));
    return read_size(msh, &block->count);
}

static rblResult read_heading_4(Msh* msh, uint64_t* blocks)
{
    uint64_t ignored = 0;
    RBL_TRY(read_size(msh, blocks));
    RBL_TRY(read_size(msh, &ignored));
    RBL_TRY(read_size(msh, &ignored));
    return read_size(msh, &ignored);
}

// All numbers of a block come first, then all positions, each with the parameters of its curve or surface.
static rblResult read_node_block(Msh* msh, const Block* block)
{
    const int64_t parameters = block->kind != 0 ? block->dimension : 0;
    if (parameters < 0 || parameters > 3 || block->count > (uint64_t)(msh->end - msh->at))
    {
        return fail_here(msh, "a block of nodes claims more than there is");
    }
    Msh numbers = *msh;
    uint64_t number = 0;
    for (uint64_t i = 0; i < block->count; ++i)
    {
        RBL_TRY(read_size(msh, &number));
    }
    for (uint64_t i = 0; i < block->count; ++i)
    {
        const char* start = msh->at;
        rblVec3d position = {0, 0, 0};
        double parameter = 0.0;
        RBL_TRY(read_size(&numbers, &number));
        RBL_TRY(read_position(msh, &position));
        for (int64_t k = 0; k < parameters; ++k)
        {
            RBL_TRY(read_double(msh, &parameter));
        }
        RBL_TRY(rbl_collect_node(msh->collector, number, position, start));
    }
    return RBL_OK;
}

static rblResult read_nodes_4(Msh* msh)
{
    uint64_t blocks = 0;
    RBL_TRY(read_heading_4(msh, &blocks));
    for (uint64_t b = 0; b < blocks; ++b)
    {
        Block block = {0};
        RBL_TRY(read_block(msh, &block));
        RBL_TRY(read_node_block(msh, &block));
    }
    return RBL_OK;
}

static rblResult read_elements_4(Msh* msh)
{
    uint64_t blocks = 0;
    RBL_TRY(read_heading_4(msh, &blocks));
    for (uint64_t b = 0; b < blocks; ++b)
    {
        Block block = {0};
        RBL_TRY(read_block(msh, &block));
        uint32_t size = 0;
        RBL_TRY(element_size(msh, block.kind, &size));
        for (uint64_t i = 0; i < block.count; ++i)
        {
            const char* start = msh->at;
            uint64_t number = 0;
            RBL_TRY(read_size(msh, &number));
            RBL_TRY(read_element_nodes(msh, block.kind, size, block.entity, start));
        }
    }
    return RBL_OK;
}

// ---- sections ----

static bool take_word(Msh* msh, const char* word)
{
    const size_t length = strlen(word);
    const bool is_there = (size_t)(msh->end - msh->at) >= length && memcmp(msh->at, word, length) == 0 &&
                          (msh->at + length == msh->end || rbl_is_space(msh->at[length]));
    msh->at += is_there ? length : 0;
    return is_there;
}

static rblResult read_format(Msh* msh)
{
    skip_space(msh);
    if (!take_word(msh, "$MeshFormat"))
    {
        return fail_here(msh, "expected $MeshFormat: this is no MSH file");
    }
    double version = 0.0;
    int64_t kind = 0, size = 0;
    RBL_TRY(read_double(msh, &version));
    RBL_TRY(text_integer(msh, &kind));
    RBL_TRY(text_integer(msh, &size));
    if (!(version >= 2.0 && version < 2.5) && version != 4.1)
    {
        return rbl_fail_line(msh->source, msh->at, RBL_ERROR_UNSUPPORTED,
                             "versions 2 and 4.1 of MSH are read; save it as one of these");
    }
    if (kind < 0 || kind > 1 || size != 8)
    {
        return fail_here(msh, "the file type must be 0 or 1, the data size 8");
    }
    msh->version = version < 3.0 ? 2 : 4;
    msh->at = rbl_skip_line_end(rbl_find_line_end(msh->at, msh->end), msh->end);
    uint64_t one = 1;
    if (kind == 1)
    {
        RBL_TRY(take(msh, 4, &one));
    }
    msh->binary = kind == 1;
    return one == 1 ? RBL_OK
                    : rbl_fail_line(msh->source, msh->at, RBL_ERROR_UNSUPPORTED,
                                    "big-endian numbers are not supported");
}

// Skip to the end of the $End... line of an unknown section. Binary data could contain that word only by chance.
static rblResult skip_section(Msh* msh)
{
    static const char ending[] = "$End";
    while (msh->at < msh->end)
    {
        const char* found = memchr(msh->at, '$', (size_t)(msh->end - msh->at));
        msh->at = found != NULL ? found : msh->end;
        if ((size_t)(msh->end - msh->at) >= 4 && memcmp(msh->at, ending, 4) == 0)
        {
            msh->at = rbl_find_line_end(msh->at, msh->end);
            return RBL_OK;
        }
        msh->at += msh->at < msh->end;
    }
    return fail_here(msh, "the file ends within a section");
}

static rblResult end_section(Msh* msh, const char* ending)
{
    skip_space(msh);
    return take_word(msh, ending)
               ? RBL_OK
               : rbl_fail_line(msh->source, msh->at, RBL_ERROR_FORMAT, "expected %s", ending);
}

static rblResult read_section(Msh* msh)
{
    if (take_word(msh, "$Nodes"))
    {
        msh->at = rbl_skip_line_end(rbl_find_line_end(msh->at, msh->end), msh->end);
        RBL_TRY(msh->version == 2 ? read_nodes_2(msh) : read_nodes_4(msh));
        return end_section(msh, "$EndNodes");
    }
    if (take_word(msh, "$Elements"))
    {
        msh->at = rbl_skip_line_end(rbl_find_line_end(msh->at, msh->end), msh->end);
        RBL_TRY(msh->version == 2 ? read_elements_2(msh) : read_elements_4(msh));
        return end_section(msh, "$EndElements");
    }
    if (msh->at < msh->end && *msh->at != '$')
    {
        return fail_here(msh, "expected the beginning of a section");
    }
    return skip_section(msh);
}

rblResult rbl_read_msh(rblTetsCollector* collector)
{
    const rblSource* source = collector->source;
    Msh msh = {.collector = collector, .source = source, .at = (const char*)source->bytes};
    msh.end = msh.at + source->size;
    RBL_TRY(read_format(&msh));
    RBL_TRY(end_section(&msh, "$EndMeshFormat"));
    for (skip_space(&msh); msh.at < msh.end; skip_space(&msh))
    {
        RBL_TRY(read_section(&msh));
    }
    if (msh.other_solids > 0)
    {
        rbl_warn_line(source, NULL, "%zu volume elements that are no tetrahedra are left out",
                      msh.other_solids);
    }
    return RBL_OK;
}
