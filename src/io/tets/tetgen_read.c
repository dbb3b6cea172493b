// The two text files of TetGen: NAME.node with the nodes and NAME.ele with the tetrahedra. Comments begin with #.
// Numbers begin at 0 or 1, like the first node. The first attribute of a tetrahedron, if there is one, is its region.
#include "base/number.h"
#include "io/tets/tets_files.h"
#include "io/text.h"

typedef struct Tokens
{
    const rblSource* source;
    const char* at;
    const char* end;
} Tokens;

static Tokens start_tokens(const rblSource* source)
{
    const char* text = (const char*)source->bytes;
    const char* end = text + source->size;
    return (Tokens){source, rbl_skip_byte_order_mark(text, end), end};
}

static void skip_to_content(Tokens* tokens)
{
    while (tokens->at < tokens->end &&
           rbl_text_is(*tokens->at, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT))
    {
        tokens->at = *tokens->at == '#' ? rbl_find_line_end(tokens->at, tokens->end) : tokens->at + 1;
    }
}

static rblResult next_number(Tokens* tokens, double* out)
{
    skip_to_content(tokens);
    const char* after = rbl_parse_double(tokens->at, tokens->end, out);
    if (after == NULL ||
        (after < tokens->end && !rbl_text_is(*after, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT)))
    {
        char token[RBL_QUOTE_SIZE];
        rbl_quote_token(tokens->at, tokens->end, token);
        return rbl_fail_line(tokens->source, tokens->at, RBL_ERROR_FORMAT, "expected a number, found '%s'",
                             token);
    }
    tokens->at = after;
    return RBL_OK;
}

// An integer from 0 to 2^32 - 1.
static rblResult next_index(Tokens* tokens, uint64_t* out)
{
    double value = 0.0;
    RBL_TRY(next_number(tokens, &value));
    if (!(value >= 0.0 && value < 4294967296.0) || value != (double)(uint64_t)value)
    {
        return rbl_fail_line(tokens->source, tokens->at, RBL_ERROR_FORMAT,
                             "expected an integer that is not negative");
    }
    *out = (uint64_t)value;
    return RBL_OK;
}

static rblResult skip_numbers(Tokens* tokens, uint64_t count)
{
    double ignored;
    for (uint64_t i = 0; i < count; ++i)
    {
        RBL_TRY(next_number(tokens, &ignored));
    }
    return RBL_OK;
}

static rblResult read_nodes(rblTetsCollector* collector, const rblSource* source)
{
    Tokens tokens = start_tokens(source);
    uint64_t count = 0, dimension = 0, attributes = 0, markers = 0;
    RBL_TRY(next_index(&tokens, &count));
    RBL_TRY(next_index(&tokens, &dimension));
    RBL_TRY(next_index(&tokens, &attributes));
    RBL_TRY(next_index(&tokens, &markers));
    if (dimension != 3)
    {
        return rbl_fail_line(source, tokens.at, RBL_ERROR_FORMAT, "the dimension must be 3");
    }
    for (uint64_t i = 0; i < count; ++i)
    {
        uint64_t number = 0;
        rblVec3d position = {0, 0, 0};
        RBL_TRY(next_index(&tokens, &number));
        const char* start = tokens.at;
        RBL_TRY(next_number(&tokens, &position.x));
        RBL_TRY(next_number(&tokens, &position.y));
        RBL_TRY(next_number(&tokens, &position.z));
        RBL_TRY(skip_numbers(&tokens, attributes + markers));
        RBL_TRY(rbl_collect_node(collector, number, position, start));
    }
    return RBL_OK;
}

static uint32_t region_of(double attribute)
{
    return attribute >= 0.0 && attribute < 4294967296.0 ? (uint32_t)attribute : 0;
}

static rblResult read_tets(rblTetsCollector* collector)
{
    Tokens tokens = start_tokens(collector->source);
    uint64_t count = 0, size = 0, attributes = 0, number = 0;
    RBL_TRY(next_index(&tokens, &count));
    RBL_TRY(next_index(&tokens, &size));
    RBL_TRY(next_index(&tokens, &attributes));
    if (size != 4 && size != 10)
    {
        return rbl_fail_line(collector->source, tokens.at, RBL_ERROR_FORMAT,
                             "tetrahedra must have 4 or 10 nodes");
    }
    for (uint64_t i = 0; i < count; ++i)
    {
        uint64_t corners[4];
        double region = 1.0;
        RBL_TRY(next_index(&tokens, &number));
        const char* start = tokens.at;
        for (int k = 0; k < 4; ++k)
        {
            RBL_TRY(next_index(&tokens, &corners[k]));
        }
        RBL_TRY(skip_numbers(&tokens, size - 4));
        if (attributes > 0)
        {
            RBL_TRY(next_number(&tokens, &region));
            RBL_TRY(skip_numbers(&tokens, attributes - 1));
        }
        RBL_TRY(rbl_collect_tet(collector, corners, region_of(region), start));
    }
    return RBL_OK;
}

rblResult rbl_read_tetgen(rblTetsCollector* collector, const rblSource* nodes)
{
    const rblSource* own = collector->source;
    collector->source = nodes; // errors in nodes refer to this file
    const rblResult result = read_nodes(collector, nodes);
    collector->source = own;
    RBL_TRY(result);
    return read_tets(collector);
}
