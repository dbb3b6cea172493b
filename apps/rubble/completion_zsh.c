// Completion for zsh: one _arguments specification per option.
#include "describe.h"

// Text inside single quotes, with `special` characters escaped for _arguments and _describe.
static void put_quoted(FILE* out, const char* text, const char* special)
{
    for (; *text != '\0'; ++text)
    {
        if (*text == '\'')
        {
            fputs("'\\''", out);
            continue;
        }
        for (const char* s = special; *s != '\0'; ++s)
        {
            if (*s == *text)
            {
                fputc('\\', out);
            }
        }
        fputc(*text, out);
    }
}

static void put_option(FILE* out, const Option* option)
{
    const bool flag = option->kind == OPTION_FLAG;
    fputs("        '", out);
    if (option->letter != 0)
    {
        fprintf(out, "(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    }
    else
    {
        fprintf(out, "--%s%s[", option->name, flag ? "" : "=");
    }
    put_quoted(out, option->help, "[]:\\");
    fputs("]", out);
    if (option->kind == OPTION_CHOICE)
    {
        fprintf(out, ":%s:(", option->name);
        for (uint32_t i = 0; option->choices[i] != NULL; ++i)
        {
            fprintf(out, "%s%s", i > 0 ? " " : "", option->choices[i]);
        }
        fputs(")", out);
    }
    else if (!flag)
    {
        fputs(":", out);
        put_quoted(out, option->value, ":\\");
        fputs(option->kind == OPTION_FILE ? ":_files" : ": ", out);
    }
    fputs("'\n", out);
}

static void put_options(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        put_option(out, &options[i]);
    }
}

static void put_endings(FILE* out, const char* const* endings)
{
    fputs(":_files -g \"*.(#i)(", out);
    for (uint32_t i = 0; endings[i] != NULL; ++i)
    {
        fprintf(out, "%s%s", i > 0 ? "|" : "", endings[i]);
    }
    fputs(")(-.)\"", out);
}

static void put_variant_names(FILE* out, const Command* command)
{
    fputs(":((", out);
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        fprintf(out, "%s%s\\:\"", i > 0 ? " " : "", command->variants[i].name);
        put_quoted(out, command->variants[i].summary, "\":\\()");
        fputs("\"", out);
    }
    fputs("))", out);
}

static void put_argument(FILE* out, const Program* program, const Command* command, uint32_t index)
{
    const Argument* argument = &command->arguments[index];
    if (argument->kind == ARGUMENT_INPUTS)
    {
        fprintf(out, "        '*:%s", argument->name);
    }
    else
    {
        fprintf(out, "        '%u:%s%s", index + 1, argument->optional ? ":" : "", argument->name);
    }
    switch (argument->kind)
    {
    case ARGUMENT_INPUT:
    case ARGUMENT_INPUTS:
        put_endings(out, program->input_endings);
        break;
    case ARGUMENT_SCENE:
        put_endings(out, program->scene_endings);
        break;
    case ARGUMENT_RUN:
        put_endings(out, program->run_endings);
        break;
    case ARGUMENT_OUTPUT:
        put_endings(out, program->output_endings);
        break;
    case ARGUMENT_VARIANT:
        put_variant_names(out, command);
        break;
    case ARGUMENT_COMMAND:
        fprintf(out, ":_%s_commands", program->name);
        break;
    case ARGUMENT_FOLDER:
        fputs(":_files -/", out);
        break;
    case ARGUMENT_WORD:
        fputs(": ", out);
        break;
    }
    fputs("'\n", out);
}

static void put_variants(FILE* out, const Command* command)
{
    bool opened = false;
    for (uint32_t v = 0; v < command->variant_count; ++v)
    {
        const Variant* variant = &command->variants[v];
        if (variant->option_count == 0)
        {
            continue;
        }
        if (!opened)
        {
            fputs("        case ${words[(r)(", out);
            for (uint32_t i = 0; i < command->variant_count; ++i)
            {
                fprintf(out, "%s%s", i > 0 ? "|" : "", command->variants[i].name);
            }
            fputs(")]} in\n", out);
            opened = true;
        }
        fprintf(out, "        %s) specs+=(\n", variant->name);
        put_options(out, variant->options, variant->option_count);
        fputs("        ) ;;\n", out);
    }
    if (opened)
    {
        fputs("        esac\n", out);
    }
}

static void put_command(FILE* out, const Program* program, const Command* command)
{
    fprintf(out, "    %s)\n        specs+=(\n", command->name);
    put_options(out, command->options, command->option_count);
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        put_argument(out, program, command, i);
    }
    fputs("        )\n", out);
    put_variants(out, command);
    fputs("        ;;\n", out);
}

void completion_print_zsh(FILE* out, const Program* program)
{
    const char* name = program->name;
    fprintf(out, "#compdef %s\n# zsh completion for %s %s, printed by: %s completion zsh\n\n", name, name,
            program->version, name);
    fprintf(out, "_%s_commands()\n{\n    local -a commands=(\n", name);
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        fprintf(out, "        '%s:", program->commands[i].name);
        put_quoted(out, program->commands[i].summary, ":\\");
        fputs("'\n", out);
    }
    fputs("    )\n    _describe command commands\n}\n\n", out);
    fprintf(out, "_%s()\n{\n    local context state state_descr line\n    typeset -A opt_args\n", name);
    fputs("    local -a specs=(\n", out);
    put_options(out, program->options, program->option_count);
    fprintf(out,
            "    )\n"
            "    _arguments -C $specs '1:command:_%s_commands' '*:: :->rest' && return\n"
            "    [[ $state == rest ]] || return 1\n"
            "    case $words[1] in\n",
            name);
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        put_command(out, program, &program->commands[i]);
    }
    fprintf(out, "    esac\n    _arguments $specs\n}\n\n");
    // Sourced, it registers itself; found through $fpath, it is the body of the function.
    fprintf(out, "if [[ $funcstack[1] == _%s ]]; then\n    _%s \"$@\"\nelse\n    compdef _%s %s\nfi\n", name,
            name, name, name);
}
