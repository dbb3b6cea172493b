// The manual page, in the man(7) macros and as Markdown, from the tables alone.
#include "describe.h"

#include "tool.h"

// Text that troff prints as it is. Dashes become real ones, so that options can be copied from the page.
static void put_troff(FILE* out, const char* text)
{
    if (*text == '.' || *text == '\'')
    {
        fputs("\\&", out);
    }
    for (; *text != '\0'; ++text)
    {
        if (*text == '\\')
        {
            fputs("\\e", out);
        }
        else if (*text == '-')
        {
            fputs("\\-", out);
        }
        else
        {
            fputc(*text, out);
        }
    }
}

static void put_troff_line(FILE* out, const char* text)
{
    put_troff(out, text);
    fputc('\n', out);
}

static void put_troff_entry(FILE* out, const char* name, const char* text)
{
    fputs(".TP\n.B ", out);
    put_troff_line(out, name);
    put_troff_line(out, text);
}

static void put_troff_options(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        char value[DESCRIBE_SIZE];
        char text[DESCRIBE_SIZE];
        describe_value(&options[i], value);
        describe_option(&options[i], text);
        fputs(".TP\n", out);
        if (options[i].letter != 0)
        {
            fprintf(out, "\\fB\\-%c\\fR, ", options[i].letter);
        }
        fputs("\\fB\\-\\-", out);
        put_troff(out, options[i].name);
        fputs("\\fR", out);
        if (value[0] != '\0')
        {
            fputs(" \\fI", out);
            put_troff(out, value);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        put_troff_line(out, text);
    }
}

static void put_troff_subsection(FILE* out, const Program* program, const Command* command,
                                 const Variant* variant)
{
    char usage[DESCRIBE_SIZE];
    describe_usage(command, variant, usage);
    fprintf(out, ".SS \"%s ", program->name);
    put_troff(out, usage);
    fputs("\"\n", out);
    put_troff_line(out, variant != NULL ? variant->summary : command->details);
}

static void put_troff_command(FILE* out, const Program* program, const Command* command)
{
    put_troff_subsection(out, program, command, NULL);
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        char text[DESCRIBE_SIZE];
        describe_argument(program, &command->arguments[i], text);
        fputs(".TP\n.I ", out);
        put_troff_line(out, command->arguments[i].name);
        put_troff_line(out, text);
    }
    put_troff_options(out, command->options, command->option_count);
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        const Variant* variant = &command->variants[i];
        if (variant->option_count == 0)
        {
            put_troff_entry(out, variant->name, variant->summary);
        }
    }
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        const Variant* variant = &command->variants[i];
        if (variant->option_count > 0)
        {
            put_troff_subsection(out, program, command, variant);
            put_troff_options(out, variant->options, variant->option_count);
        }
    }
}

static void put_troff_examples(FILE* out, const Program* program)
{
    fputs(".SH EXAMPLES\n", out);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        const char* const* examples = program->commands[c].examples;
        for (uint32_t i = 0; examples != NULL && examples[i] != NULL; ++i)
        {
            fputs(".PP\n.EX\n", out);
            put_troff_line(out, examples[i]);
            fputs(".EE\n", out);
        }
    }
}

static const char* const option_rules = "Options may be anywhere after the command, as --name value or "
                                        "--name=value. Options of every command may also be before it. If "
                                        "an option is given twice, the last one counts. Negative numbers "
                                        "are values. Words after -- are arguments, whatever they begin "
                                        "with.";

static const char* const models_help = "folder of the models for benchmarks; ../shared/models when it is "
                                       "not set";

void man_print_troff(FILE* out, const Program* program)
{
    fprintf(out, ".TH RUBBLE 1 \"\" \"%s %s\" \"User Commands\"\n.SH NAME\n%s \\- ", program->name,
            program->version, program->name);
    put_troff_line(out, program->summary);
    fprintf(out,
            ".SH SYNOPSIS\n.B %s\n\\fICOMMAND\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n.SH DESCRIPTION\n",
            program->name);
    put_troff_line(out, program->details);
    fputs(".PP\n", out);
    put_troff_line(out, option_rules);
    fputs(".SH COMMANDS\n", out);
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        put_troff_command(out, program, &program->commands[i]);
    }
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    put_troff_options(out, program->options, program->option_count);
    fputs(".SH EXIT STATUS\n", out);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const char code[2] = {(char)('0' + i), '\0'};
        put_troff_entry(out, code, describe_exit_codes[i]);
    }
    fputs(".SH ENVIRONMENT\n", out);
    put_troff_entry(out, "RUBBLE_MODELS", models_help);
    put_troff_examples(out, program);
}

#define MARKDOWN_WIDTH 118

static void put_markdown_paragraph(FILE* out, const char* text)
{
    describe_words(out, MARKDOWN_WIDTH, 0, 0, text);
}

// An entry of a list. `begun`: columns of it that are written already, after the dash.
static void put_markdown_entry(FILE* out, int begun, const char* name, const char* text)
{
    const int length = fprintf(out, "%s`%s`: ", begun == 0 ? "- " : "", name);
    describe_words(out, MARKDOWN_WIDTH, (uint32_t)(begun + length), 2, text);
}

static void put_markdown_options(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        char value[DESCRIBE_SIZE];
        char text[DESCRIBE_SIZE];
        describe_value(&options[i], value);
        describe_option(&options[i], text);
        char name[2 * DESCRIBE_SIZE];
        snprintf(name, sizeof name, "--%s%s%s", options[i].name, value[0] != '\0' ? " " : "", value);
        const int begun = options[i].letter != 0 ? fprintf(out, "- `-%c`, ", options[i].letter) : 0;
        put_markdown_entry(out, begun, name, text);
    }
}

static void put_markdown_variants(FILE* out, const Program* program, const Command* command)
{
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        const Variant* variant = &command->variants[i];
        if (variant->option_count == 0)
        {
            put_markdown_entry(out, 0, variant->name, variant->summary);
        }
    }
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        const Variant* variant = &command->variants[i];
        if (variant->option_count > 0)
        {
            char usage[DESCRIBE_SIZE];
            describe_usage(command, variant, usage);
            fprintf(out, "\n### %s %s\n\n%s\n\n", program->name, usage, variant->summary);
            put_markdown_options(out, variant->options, variant->option_count);
        }
    }
}

static void put_markdown_command(FILE* out, const Program* program, const Command* command)
{
    char usage[DESCRIBE_SIZE];
    describe_usage(command, NULL, usage);
    fprintf(out, "\n## %s %s\n\n", program->name, usage);
    put_markdown_paragraph(out, command->details);
    fputc('\n', out);
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        char text[DESCRIBE_SIZE];
        describe_argument(program, &command->arguments[i], text);
        put_markdown_entry(out, 0, command->arguments[i].name, text);
    }
    put_markdown_options(out, command->options, command->option_count);
    put_markdown_variants(out, program, command);
    if (command->examples != NULL)
    {
        fputs("\n```sh\n", out);
        for (uint32_t i = 0; command->examples[i] != NULL; ++i)
        {
            fprintf(out, "%s\n", command->examples[i]);
        }
        fputs("```\n", out);
    }
}

void man_print_markdown(FILE* out, const Program* program)
{
    fprintf(out, "# The command-line tool\n\n<!-- Made by `%s man --markdown`; change apps/rubble. -->\n\n",
            program->name);
    put_markdown_paragraph(out, program->details);
    fputc('\n', out);
    put_markdown_paragraph(out, option_rules);
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        put_markdown_command(out, program, &program->commands[i]);
    }
    fputs("\n## Options of every command\n\n", out);
    put_markdown_options(out, program->options, program->option_count);
    fputs("\n## Exit codes\n\n", out);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const char code[2] = {(char)('0' + i), '\0'};
        put_markdown_entry(out, 0, code, describe_exit_codes[i]);
    }
    fputs("\n## Environment\n\n", out);
    put_markdown_entry(out, 0, "RUBBLE_MODELS", models_help);
}

static int man_run(const Parsed* parsed)
{
    if (options_given(parsed, "markdown"))
    {
        man_print_markdown(stdout, parsed->program);
    }
    else
    {
        man_print_troff(stdout, parsed->program);
    }
    return TOOL_DONE;
}

static const Option man_options[] = {{.name = "markdown", .help = "print Markdown instead of troff"}};
static const char* const man_examples[] = {"rubble man | man -l -", NULL};

const Command man_command = {.name = "man",
                             .summary = "print the manual page",
                             .details =
                                 "Prints the manual as a troff page in the man macros, or as Markdown.",
                             .options = man_options,
                             .option_count = OPTIONS_COUNT_OF(man_options),
                             .examples = man_examples,
                             .run = man_run};
