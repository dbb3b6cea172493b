#include "describe.h"

#include <stdarg.h>
#include <string.h>

const char* const describe_exit_codes[3] = {
    "done",
    "an input was refused, or the work failed; one line on standard error says why",
    "wrong usage; one line on standard error says what is wrong",
};

static void append(char* text, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

static void append(char* text, const char* format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, DESCRIBE_SIZE - length, format, arguments);
    va_end(arguments);
}

void describe_value(const Option* option, char out[DESCRIBE_SIZE])
{
    out[0] = '\0';
    if (option->kind == OPTION_CHOICE)
    {
        for (uint32_t i = 0; option->choices[i] != NULL; ++i)
        {
            append(out, "%s%s", i > 0 ? "|" : "", option->choices[i]);
        }
    }
    else if (option->kind != OPTION_FLAG)
    {
        append(out, "%s", option->value);
    }
}

// The range worth telling: limits that nobody meets by accident are only told to whoever crosses them.
static void describe_range(const Option* option, char out[DESCRIBE_SIZE])
{
    out[0] = '\0';
    char lowest[RBL_NUMBER_SIZE];
    char highest[RBL_NUMBER_SIZE];
    rbl_format_double(option->lowest, lowest);
    rbl_format_double(option->highest, highest);
    if (option->kind != OPTION_NUMBERS || (option->lowest == 0.0 && option->highest == 0.0))
    {
        return;
    }
    if (option->highest < 1e4)
    {
        append(out, "%s to %s", lowest, highest);
    }
    else if (option->lowest > 1e-4)
    {
        append(out, "at least %s", lowest);
    }
}

void describe_option(const Option* option, char out[DESCRIBE_SIZE])
{
    char range[DESCRIBE_SIZE];
    describe_range(option, range);
    out[0] = '\0';
    append(out, "%s", option->help);
    const bool bounded = range[0] != '\0';
    if (bounded || option->fallback != NULL)
    {
        append(out, " (%s%s%s%s)", range, bounded && option->fallback != NULL ? "; " : "",
               option->fallback != NULL ? "default: " : "", option->fallback != NULL ? option->fallback : "");
    }
}

void describe_argument(const Program* program, const Argument* argument, char out[DESCRIBE_SIZE])
{
    out[0] = '\0';
    append(out, "%s", argument->help);
    const bool input = argument->kind == ARGUMENT_INPUT || argument->kind == ARGUMENT_INPUTS;
    if (!input && argument->kind != ARGUMENT_OUTPUT)
    {
        return;
    }
    const char* const* endings = input ? program->input_endings : program->output_endings;
    for (uint32_t i = 0; endings[i] != NULL; ++i)
    {
        append(out, "%s.%s", i == 0 ? ": " : ", ", endings[i]);
    }
}

void describe_usage(const Command* command, const Variant* variant, char out[DESCRIBE_SIZE])
{
    out[0] = '\0';
    append(out, "%s", command->name);
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        const Argument* argument = &command->arguments[i];
        const bool replaced = variant != NULL && argument->kind == ARGUMENT_VARIANT;
        append(out, argument->optional && !replaced ? " [%s]" : " %s",
               replaced ? variant->name : argument->name);
        append(out, "%s", argument->kind == ARGUMENT_INPUTS ? "..." : "");
    }
    for (uint32_t i = 0; i < command->option_count; ++i)
    {
        const Option* option = &command->options[i];
        if (option->required)
        {
            append(out, option->letter != 0 ? " -%c" : " --", option->letter);
            append(out, "%s %s", option->letter != 0 ? "" : option->name, option->value);
        }
    }
    append(out, " [options]");
}

void describe_words(FILE* out, uint32_t width, uint32_t column, uint32_t indent, const char* text)
{
    bool first = true;
    while (*text != '\0')
    {
        const uint32_t length = (uint32_t)strcspn(text, " ");
        if (!first && column + 1 + length > width)
        {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        else if (!first)
        {
            fputc(' ', out);
            ++column;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    fputc('\n', out);
}
