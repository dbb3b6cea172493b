// --help, from the tables alone.
#include "describe.h"

#include "tool.h"
#include <string.h>

#define PAGE_WIDTH  80
#define TEXT_COLUMN 24

static void print_entry(FILE* out, const char* label, const char* text)
{
    const uint32_t width = (uint32_t)fprintf(out, "  %s", label);
    if (width + 2 > TEXT_COLUMN)
    {
        fprintf(out, "\n%*s", TEXT_COLUMN, "");
    }
    else
    {
        fprintf(out, "%*s", (int)(TEXT_COLUMN - width), "");
    }
    describe_words(out, PAGE_WIDTH, TEXT_COLUMN, TEXT_COLUMN, text);
}

static void print_options(FILE* out, const char* title, const Option* options, uint32_t count)
{
    if (count == 0)
    {
        return;
    }
    fprintf(out, "\n%s:\n", title);
    for (uint32_t i = 0; i < count; ++i)
    {
        char value[DESCRIBE_SIZE];
        char text[DESCRIBE_SIZE];
        char label[2 * DESCRIBE_SIZE];
        describe_value(&options[i], value);
        describe_option(&options[i], text);
        char letter[8] = "";
        if (options[i].letter != 0)
        {
            snprintf(letter, sizeof letter, "-%c, ", options[i].letter);
        }
        snprintf(label, sizeof label, "%s--%s%s%s", letter, options[i].name, value[0] != '\0' ? " " : "",
                 value);
        print_entry(out, label, text);
    }
}

static void print_examples(FILE* out, const char* const* examples)
{
    if (examples == NULL)
    {
        return;
    }
    fprintf(out, "\nExamples:\n");
    for (; *examples != NULL; ++examples)
    {
        fprintf(out, "  %s\n", *examples);
    }
}

static void print_program(FILE* out, const Program* program)
{
    fprintf(out, "Usage: %s COMMAND [arguments] [options]\n\n", program->name);
    describe_words(out, PAGE_WIDTH, 0, 0, program->details);
    fprintf(out, "\nCommands:\n");
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        print_entry(out, program->commands[i].name, program->commands[i].summary);
    }
    print_options(out, "Options of every command", program->options, program->option_count);
    fprintf(out, "\nExit codes:\n");
    for (uint32_t i = 0; i < 3; ++i)
    {
        const char code[2] = {(char)('0' + i), '\0'};
        print_entry(out, code, describe_exit_codes[i]);
    }
    fprintf(out, "\n%s COMMAND --help tells more.\n", program->name);
}

static void print_arguments(FILE* out, const Program* program, const Command* command, const Variant* variant)
{
    bool titled = false;
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        const Argument* argument = &command->arguments[i];
        if (variant != NULL && argument->kind == ARGUMENT_VARIANT)
        {
            continue;
        }
        if (!titled)
        {
            fprintf(out, "\nArguments:\n");
            titled = true;
        }
        char text[DESCRIBE_SIZE];
        describe_argument(program, argument, text);
        print_entry(out, argument->name, text);
    }
}

static void print_variants(FILE* out, const Command* command)
{
    if (command->variant_count == 0)
    {
        return;
    }
    fprintf(out, "\n%s is one of:\n", command->arguments[0].name);
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        print_entry(out, command->variants[i].name, command->variants[i].summary);
    }
}

void help_print(FILE* out, const Program* program, const Command* command, const Variant* variant)
{
    if (command == NULL)
    {
        print_program(out, program);
        return;
    }
    char usage[DESCRIBE_SIZE];
    describe_usage(command, variant, usage);
    fprintf(out, "Usage: %s %s\n\n", program->name, usage);
    if (variant != NULL)
    {
        char title[DESCRIBE_SIZE];
        snprintf(title, sizeof title, "%s: %s.", variant->name, variant->summary);
        describe_words(out, PAGE_WIDTH, 0, 0, title);
    }
    else
    {
        describe_words(out, PAGE_WIDTH, 0, 0, command->details);
    }
    print_arguments(out, program, command, variant);
    if (variant != NULL)
    {
        char title[DESCRIBE_SIZE];
        snprintf(title, sizeof title, "Options of %s", variant->name);
        print_options(out, title, variant->options, variant->option_count);
    }
    else
    {
        print_variants(out, command);
    }
    print_options(out, "Options", command->options, command->option_count);
    print_options(out, "Options of every command", program->options, program->option_count);
    print_examples(out, command->examples);
}

static int help_run(const Parsed* parsed)
{
    const Program* program = parsed->program;
    const Command* command =
        parsed->argument_count > 0 ? options_find_command(program, parsed->arguments[0]) : NULL;
    const Variant* variant = NULL;
    if (parsed->argument_count > 1)
    {
        variant = options_find_variant(command, parsed->arguments[1]);
        if (variant == NULL)
        {
            return tool_usage(parsed, "%s has no '%.60s'", command->name, parsed->arguments[1]);
        }
    }
    help_print(stdout, program, command, variant);
    return TOOL_DONE;
}

static const Argument help_arguments[] = {
    {"COMMAND", ARGUMENT_COMMAND, true, "the command to explain"},
    {"KIND", ARGUMENT_WORD, true, "its object, such as a kind of solid"},
};

const Command help_command = {.name = "help",
                              .summary = "explain how a command is used",
                              .details = "The same as COMMAND --help.",
                              .arguments = help_arguments,
                              .argument_count = OPTIONS_COUNT_OF(help_arguments),
                              .run = help_run};
