// From words to a Parsed: first the words are told apart (options, their values, arguments), then, when command and
// variant are known, every option is looked up again and its value converted.
#include "options.h"

#include "rubble/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// An option as it stands on the command line.
typedef struct Token
{
    const char* name; // without dashes, not terminated
    size_t name_length;
    const char* value; // null when there is none
} Token;

typedef struct Parser
{
    const Program* program;
    const char* const* words;
    uint32_t word_count;
    uint32_t next; // the word to be read next
    Token* tokens; // these and the values are in the store
    size_t token_count, token_capacity;
    OptionValue* values;
    size_t value_count, value_capacity;
    Parsed* out;
    char* message;
} Parser;

static void append(char* message, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

static void append(char* message, const char* format, ...)
{
    const size_t length = strlen(message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + length, OPTIONS_MESSAGE_SIZE - length, format, arguments);
    va_end(arguments);
}

// Command and variant, as both errors and "see ... --help" name them.
static void append_place(const Parser* parser)
{
    const Variant* variant = parser->out->variant;
    append(parser->message, "%s", parser->out->command->name);
    if (variant != NULL && variant->option_count > 0)
    {
        append(parser->message, " %s", variant->name);
    }
}

// Compose the message: where, what, and where to read more unless it ends in a suggestion. Always false.
static bool complain(const Parser* parser, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

static bool complain(const Parser* parser, const char* format, ...)
{
    char what[OPTIONS_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);

    parser->message[0] = '\0';
    if (parser->out->command != NULL)
    {
        append_place(parser);
        append(parser->message, ": ");
    }
    append(parser->message, "%s", what);
    if (what[strlen(what) - 1] == '?')
    {
        return false;
    }
    append(parser->message, "; see %s ", parser->program->name);
    if (parser->out->command != NULL)
    {
        append_place(parser);
        append(parser->message, " ");
    }
    append(parser->message, "--help");
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// A dash and more, but not a negative number.
static bool looks_like_option(const char* word)
{
    if (word[0] != '-' || word[1] == '\0')
    {
        return false;
    }
    return !is_digit(word[1]) && !(word[1] == '.' && is_digit(word[2]));
}

#define MAX_CANDIDATES 256

static bool complain_unknown_option(const Parser* parser, const Token* token)
{
    const OptionGroups groups = options_groups(parser->program, parser->out->command, parser->out->variant);
    const char* names[MAX_CANDIDATES];
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups.count; ++g)
    {
        for (uint32_t i = 0; i < groups.items[g].count && count < MAX_CANDIDATES; ++i)
        {
            names[count++] = groups.items[g].options[i].name;
        }
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(token->name_length < 60 ? token->name_length : 60),
             token->name);
    const char* close = rbl_suggest(word, names, count);
    if (close != NULL)
    {
        return complain(parser, "no option --%s; did you mean --%s?", word, close);
    }
    return complain(parser, "no option --%s%s", word,
                    parser->out->command == NULL ? " before the command" : "");
}

static bool complain_unknown_command(const Parser* parser, const char* word)
{
    const Program* program = parser->program;
    const char* names[MAX_CANDIDATES];
    uint32_t count = 0;
    for (; count < program->command_count && count < MAX_CANDIDATES; ++count)
    {
        names[count] = program->commands[count].name;
    }
    const char* close = rbl_suggest(word, names, count);
    if (close != NULL)
    {
        return complain(parser, "no command '%.60s'; did you mean %s?", word, close);
    }
    return complain(parser, "no command '%.60s'", word);
}

static bool take_command(Parser* parser, const char* word)
{
    parser->out->command = options_find_command(parser->program, word);
    return parser->out->command != NULL || complain_unknown_command(parser, word);
}

static bool take_argument(Parser* parser, const char* word)
{
    Parsed* out = parser->out;
    if (out->command == NULL)
    {
        return take_command(parser, word);
    }
    const uint32_t most = out->command->argument_count;
    const bool repeats = most > 0 && out->command->arguments[most - 1].kind == ARGUMENT_INPUTS;
    if (out->argument_count >= most && !repeats)
    {
        return complain(parser, "'%.60s' is one argument too many", word);
    }
    out->arguments[out->argument_count++] = word;
    return true;
}

// -q is --quiet: continue with the long name.
static bool expand_letter(const Parser* parser, const OptionGroups* groups, const char* word, Token* token)
{
    const Option* option = word[2] == '\0' ? options_find_letter(groups, word[1]) : NULL;
    if (option == NULL)
    {
        return complain(parser, "no option '%.60s'", word);
    }
    token->name = option->name;
    token->name_length = strlen(option->name);
    return true;
}

static bool take_option(Parser* parser, const char* word)
{
    // The variant is not known yet: an option of any variant will do to see whether a value follows.
    const OptionGroups groups = options_groups(parser->program, parser->out->command, NULL);
    Token token = {.name = word + 2, .name_length = strcspn(word + 2, "=")};
    if (word[1] != '-')
    {
        if (!expand_letter(parser, &groups, word, &token))
        {
            return false;
        }
    }
    else if (token.name[token.name_length] == '=')
    {
        token.value = token.name + token.name_length + 1;
    }
    const Option* option = options_find(&groups, token.name, token.name_length);
    if (option == NULL)
    {
        return complain_unknown_option(parser, &token);
    }
    if (option->kind == OPTION_FLAG && token.value != NULL)
    {
        return complain(parser, "--%s takes no value", option->name);
    }
    if (option->kind != OPTION_FLAG && token.value == NULL)
    {
        if (parser->next == parser->word_count || looks_like_option(parser->words[parser->next]))
        {
            return complain(parser, "--%s needs a value", option->name);
        }
        token.value = parser->words[parser->next++];
    }
    if (parser->token_count == parser->token_capacity)
    {
        Token* larger = store_grow(&parser->out->store, parser->tokens, parser->token_count, sizeof token,
                                   &parser->token_capacity);
        if (larger == NULL)
        {
            return complain(parser, "out of memory");
        }
        parser->tokens = larger;
    }
    parser->tokens[parser->token_count++] = token;
    return true;
}

static bool take_words(Parser* parser)
{
    bool options_ended = false;
    while (parser->next < parser->word_count)
    {
        const char* word = parser->words[parser->next++];
        if (!options_ended && strcmp(word, "--") == 0)
        {
            options_ended = true;
            continue;
        }
        const bool is_option = !options_ended && looks_like_option(word);
        if (!(is_option ? take_option(parser, word) : take_argument(parser, word)))
        {
            return false;
        }
    }
    return true;
}

static bool choose_variant(Parser* parser)
{
    Parsed* out = parser->out;
    const Command* command = out->command;
    if (command == NULL || command->variant_count == 0 || out->argument_count == 0)
    {
        return true;
    }
    out->variant = options_find_variant(command, out->arguments[0]);
    if (out->variant != NULL)
    {
        return true;
    }
    const char* names[MAX_CANDIDATES];
    uint32_t count = 0;
    for (; count < command->variant_count && count < MAX_CANDIDATES; ++count)
    {
        names[count] = command->variants[count].name;
    }
    const char* close = rbl_suggest(out->arguments[0], names, count);
    if (close != NULL)
    {
        return complain(parser, "no %s '%.60s'; did you mean %s?", command->variant_noun, out->arguments[0],
                        close);
    }
    return complain(parser, "no %s '%.60s'", command->variant_noun, out->arguments[0]);
}

static bool complain_range(const Parser* parser, const Option* option, double number)
{
    char given[RBL_NUMBER_SIZE];
    char lowest[RBL_NUMBER_SIZE];
    char highest[RBL_NUMBER_SIZE];
    rbl_format_double(number, given);
    rbl_format_double(option->lowest, lowest);
    rbl_format_double(option->highest, highest);
    if (!(option->highest < OPTIONS_UNBOUNDED))
    {
        return complain(parser, "--%s is %s, must be at least %s", option->name, given, lowest);
    }
    return complain(parser, "--%s is %s, must be %s to %s", option->name, given, lowest, highest);
}

static bool check_number(const Parser* parser, const Option* option, double number)
{
    if (!isfinite(number))
    {
        return complain(parser, "--%s must be finite", option->name);
    }
    if (option->whole && number != floor(number))
    {
        return complain(parser, "--%s takes %s", option->name, option->most == 1 ? "an integer" : "integers");
    }
    const bool bounded = option->lowest != 0.0 || option->highest != 0.0;
    if (bounded && (number < option->lowest || number > option->highest))
    {
        return complain_range(parser, option, number);
    }
    return true;
}

// What an option wants, in words.
static const char* wanted(const Option* option)
{
    if (option->least != 1 || option->most != 1)
    {
        return option->value;
    }
    return option->whole ? "an integer" : "a number";
}

static bool check_count(const Parser* parser, const Option* option, uint32_t count)
{
    const uint32_t most = option->most != 0 ? option->most : UINT32_MAX;
    if (count >= option->least && count <= most && !(option->pairs && count % 2 != 0))
    {
        return true;
    }
    return complain(parser, "--%s takes %s, not %u number%s", option->name, wanted(option), count,
                    count == 1 ? "" : "s");
}

static bool convert_numbers(Parser* parser, OptionValue* value)
{
    const Option* option = value->option;
    const char* at = value->text;
    const char* end = at + strlen(at);
    const char separator = option->separator != 0 ? option->separator : ',';
    // There are at most as many numbers as there are separators, and one.
    size_t capacity = 1;
    for (const char* c = at; c < end; ++c)
    {
        capacity += *c == separator;
    }
    double* numbers = STORE_ARRAY(&parser->out->store, double, capacity);
    if (numbers == NULL)
    {
        return complain(parser, "out of memory");
    }
    for (bool more = true; more;)
    {
        double number = 0.0;
        at = rbl_parse_double(at, end, &number);
        more = at != NULL && at < end && *at == separator;
        if (at == NULL || (at < end && !more))
        {
            return complain(parser, "--%s takes %s, not '%.60s'", option->name, wanted(option), value->text);
        }
        at += more;
        if (!check_number(parser, option, number))
        {
            return false;
        }
        numbers[value->count++] = number;
    }
    value->numbers = numbers;
    return check_count(parser, option, value->count);
}

static bool convert_choice(const Parser* parser, OptionValue* value)
{
    const Option* option = value->option;
    uint32_t count = 0;
    for (; option->choices[count] != NULL; ++count)
    {
        if (strcmp(option->choices[count], value->text) == 0)
        {
            value->choice = count;
            return true;
        }
    }
    const char* close = rbl_suggest(value->text, option->choices, count);
    if (close != NULL)
    {
        return complain(parser, "no --%s '%.60s'; did you mean %s?", option->name, value->text, close);
    }
    char list[OPTIONS_MESSAGE_SIZE / 4] = "";
    for (uint32_t i = 0; i < count; ++i)
    {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? " or " : "", option->choices[i]);
    }
    return complain(parser, "--%s takes %s, not '%.60s'", option->name, list, value->text);
}

static bool check_output(const Parser* parser, const char* path, const char* const* endings)
{
    if (options_has_ending(path, endings))
    {
        return true;
    }
    char list[80] = "";
    for (uint32_t i = 0; endings[i] != NULL; ++i)
    {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, " .%s", endings[i]);
    }
    return complain(parser, "'%.60s' does not end in%s%s", path, endings[1] != NULL ? " one of" : "", list);
}

static bool convert(Parser* parser, OptionValue* value)
{
    switch (value->option->kind)
    {
    case OPTION_NUMBERS:
        return convert_numbers(parser, value);
    case OPTION_CHOICE:
        return convert_choice(parser, value);
    case OPTION_FILE:
        return check_output(parser, value->text, value->option->endings);
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return true;
}

// Replace the value given earlier for the same option, or add one: the last one counts.
static bool store(Parser* parser, const OptionValue* value)
{
    for (size_t i = 0; i < parser->value_count; ++i)
    {
        if (parser->values[i].option == value->option)
        {
            parser->values[i] = *value;
            return true;
        }
    }
    if (parser->value_count == parser->value_capacity)
    {
        OptionValue* larger = store_grow(&parser->out->store, parser->values, parser->value_count,
                                         sizeof *value, &parser->value_capacity);
        if (larger == NULL)
        {
            return complain(parser, "out of memory");
        }
        parser->values = larger;
    }
    parser->values[parser->value_count++] = *value;
    return true;
}

static bool convert_options(Parser* parser)
{
    const OptionGroups groups = options_groups(parser->program, parser->out->command, parser->out->variant);
    for (size_t i = 0; i < parser->token_count; ++i)
    {
        const Token* token = &parser->tokens[i];
        OptionValue value = {.option = options_find(&groups, token->name, token->name_length),
                             .text = token->value};
        if (value.option == NULL)
        {
            return complain_unknown_option(parser, token);
        }
        if (!convert(parser, &value) || !store(parser, &value))
        {
            return false;
        }
    }
    return true;
}

static bool stands_alone(const Parser* parser)
{
    for (size_t i = 0; i < parser->value_count; ++i)
    {
        if (parser->values[i].option->stands_alone)
        {
            return true;
        }
    }
    return false;
}

static bool check_argument(const Parser* parser, const Argument* argument, const char* word)
{
    if (word[0] == '\0')
    {
        return complain(parser, "%s is empty", argument->name);
    }
    if (argument->kind == ARGUMENT_COMMAND && options_find_command(parser->program, word) == NULL)
    {
        return complain_unknown_command(parser, word);
    }
    return argument->kind != ARGUMENT_OUTPUT || check_output(parser, word, parser->program->output_endings);
}

static bool check_required(const Parser* parser)
{
    const Command* command = parser->out->command;
    for (uint32_t i = 0; i < command->option_count; ++i)
    {
        const Option* option = &command->options[i];
        bool given = !option->required;
        for (size_t v = 0; !given && v < parser->value_count; ++v)
        {
            given = parser->values[v].option == option;
        }
        if (!given)
        {
            return complain(parser, "--%s %s is missing", option->name, option->value);
        }
    }
    return true;
}

static bool check_arguments(const Parser* parser)
{
    const Parsed* out = parser->out;
    if (stands_alone(parser))
    {
        return true;
    }
    if (out->command == NULL)
    {
        return complain(parser, "no command given");
    }
    const uint32_t known = out->command->argument_count;
    for (uint32_t i = 0; i < known || i < out->argument_count; ++i)
    {
        const Argument* argument = &out->command->arguments[i < known ? i : known - 1];
        if (i >= out->argument_count && !argument->optional)
        {
            return complain(parser, "%s is missing", argument->name);
        }
        if (i < out->argument_count && !check_argument(parser, argument, out->arguments[i]))
        {
            return false;
        }
    }
    return check_required(parser);
}

bool options_parse(const Program* program, int argument_count, const char* const* arguments, Parsed* out,
                   char message[OPTIONS_MESSAGE_SIZE])
{
    *out = (Parsed){.program = program, .called_as = argument_count > 0 ? arguments[0] : program->name};
    Parser parser = {.program = program,
                     .words = arguments,
                     .word_count = (uint32_t)argument_count,
                     .next = 1,
                     .out = out,
                     .message = message};
    message[0] = '\0';
    out->arguments = STORE_ARRAY(&out->store, const char*, (size_t)argument_count + 1);
    bool ok = out->arguments != NULL || complain(&parser, "out of memory");
    ok = ok && take_words(&parser) && choose_variant(&parser) && convert_options(&parser) &&
         check_arguments(&parser);
    out->values = parser.values;
    out->value_count = ok ? (uint32_t)parser.value_count : 0;
    return ok;
}

void options_free(Parsed* parsed)
{
    store_free(&parsed->store);
}
