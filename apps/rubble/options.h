// One description of every command and option. Parsing, --help, shell completion, the man page and docs/cli.md all
// come out of these tables (each at the end of its command's file), so that none of them can forget an option.
#ifndef RUBBLE_TOOL_OPTIONS_H
#define RUBBLE_TOOL_OPTIONS_H

#include "rubble/rubble.h"
#include "store.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum OptionKind
{
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_FILE,    // a file to write, with one of `endings`
    OPTION_NUMBERS, // `least` to `most` numbers between commas
    OPTION_CHOICE
} OptionKind;

typedef struct Option
{
    const char* name; // without the dashes
    OptionKind kind;
    char letter;                // for -q; 0: none
    bool stands_alone;          // a flag: given it, the command's arguments are not needed
    bool required;              // the command makes no sense without it
    char separator;             // OPTION_NUMBERS: what stands between them; 0: a comma
    bool whole;                 // OPTION_NUMBERS: no fractions
    bool pairs;                 // OPTION_NUMBERS: an even count
    uint32_t least, most;       // OPTION_NUMBERS: how many; most 0: any number
    double lowest, highest;     // OPTION_NUMBERS: range of each; both 0: any
    const char* value;          // what stands for the value in help: "N", "X,Y,Z"
    const char* const* choices; // OPTION_CHOICE; ends with null
    const char* const* endings; // OPTION_FILE: without the dot; ends with null
    const char* fallback;       // the default as text; null: nothing to say
    const char* help;           // what it does, without a full stop
} Option;

typedef enum ArgumentKind
{
    ARGUMENT_VARIANT, // one of the command's variants; must come first
    ARGUMENT_COMMAND, // the name of a command
    ARGUMENT_WORD,    // anything
    ARGUMENT_FOLDER,  // a directory
    ARGUMENT_SCENE,   // a scene file to read
    ARGUMENT_RUN,     // a recording to read
    ARGUMENT_INPUT,   // a mesh file to read
    ARGUMENT_INPUTS,  // one or more of them; must come last
    ARGUMENT_OUTPUT   // a mesh file to write
} ArgumentKind;

typedef struct Argument
{
    const char* name; // upper case
    ArgumentKind kind;
    bool optional; // only followed by optional ones
    const char* help;
} Argument;

// What the first argument of some commands chooses from: a kind of solid, a bench, a shell.
typedef struct Variant
{
    const char* name;
    const char* summary;
    const Option* options; // beside the command's own; each takes a value
    uint32_t option_count;
} Variant;

typedef struct Parsed Parsed;
typedef struct Command Command;
typedef int CommandFcn(const Parsed* parsed); // returns the exit code

// Fill in the variants that the library or the benches know, in the store. False when out of memory.
typedef bool DescribeFcn(Command* command, Store* store);

struct Command
{
    const char* name;
    const char* summary; // one line without a full stop
    const char* details; // sentences
    const Argument* arguments;
    uint32_t argument_count;
    const Option* options;
    uint32_t option_count;
    const char* variant_noun; // "kind of solid"; null without variants
    const Variant* variants;
    uint32_t variant_count;
    const char* const* examples; // command lines; ends with null
    DescribeFcn* describe;       // called when the tool starts; null: the table is complete
    CommandFcn* run;
};

typedef struct Program
{
    const char* name;
    const char* version;
    const char* summary;
    const char* details;
    const Option* options; // understood by every command
    uint32_t option_count;
    const Command* commands;
    uint32_t command_count;
    const char* const* input_endings; // without the dot; ends with null
    const char* const* output_endings;
    const char* const* scene_endings;
    const char* const* run_endings;
} Program;

typedef struct OptionValue
{
    const Option* option;
    const char* text;      // as it was given; null for a flag
    const double* numbers; // OPTION_NUMBERS
    uint32_t count;        // how many numbers
    uint32_t choice;       // OPTION_CHOICE: index of what was chosen
} OptionValue;

#define OPTIONS_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

#define OPTIONS_MAX_GROUPS   64
#define OPTIONS_MESSAGE_SIZE 400
#define OPTIONS_UNBOUNDED    1e300 // Option.highest from here on: no upper limit

// A command line that was understood. An option given twice counts as it was given last.
struct Parsed
{
    const Program* program;
    const char* called_as;  // the first word of the command line
    const Command* command; // null when only --help or --version was asked for
    const Variant* variant; // null when the command has none, or none was given
    const char** arguments; // in the store
    uint32_t argument_count;
    const OptionValue* values;
    uint32_t value_count;
    Store store; // holds values and numbers
};

// Understand a command line. False when it is wrong: `message` then says why in one line. options_free() either way.
bool options_parse(const Program* program, int argument_count, const char* const* arguments, Parsed* out,
                   char message[OPTIONS_MESSAGE_SIZE]);
void options_free(Parsed* parsed);

// The value of an option of this command, null when it was not given. The name must be in the tables.
const OptionValue* options_value(const Parsed* parsed, const char* name);
bool options_given(const Parsed* parsed, const char* name);
double options_number(const Parsed* parsed, const char* name, double fallback);
uint32_t options_count(const Parsed* parsed, const char* name, uint32_t fallback);

// Look-ups in the tables; null when there is no such thing.
const Command* options_find_command(const Program* program, const char* name);
const Variant* options_find_variant(const Command* command, const char* name);

typedef struct OptionGroup
{
    const Option* options;
    uint32_t count;
} OptionGroup;

typedef struct OptionGroups
{
    OptionGroup items[OPTIONS_MAX_GROUPS];
    uint32_t count;
} OptionGroups;

// The options in reach: of the program, of the command and its variant (either may be null); of all its variants while
// the variant is not known.
OptionGroups options_groups(const Program* program, const Command* command, const Variant* variant);
const Option* options_find(const OptionGroups* groups, const char* name, size_t length);
const Option* options_find_letter(const OptionGroups* groups, char letter);

// True when the name ends in a dot and one of the endings, in upper or lower case.
bool options_has_ending(const char* path, const char* const* endings);

#endif
