// Completion for fish: one `complete` line per option.
#include "describe.h"

static void put_quoted(FILE* out, const char* text)
{
    fputc('\'', out);
    for (; *text != '\0'; ++text)
    {
        if (*text == '\'' || *text == '\\')
        {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_option(FILE* out, const Program* program, const char* condition, const Option* option)
{
    fprintf(out, "complete -c %s", program->name);
    if (condition[0] != '\0')
    {
        fprintf(out, " -n '%s'", condition);
    }
    if (option->letter != 0)
    {
        fprintf(out, " -s %c", option->letter);
    }
    fprintf(out, " -l %s", option->name);
    if (option->kind == OPTION_CHOICE)
    {
        fputs(" -x -a '", out);
        for (uint32_t i = 0; option->choices[i] != NULL; ++i)
        {
            fprintf(out, "%s%s", i > 0 ? " " : "", option->choices[i]);
        }
        fputs("'", out);
    }
    else if (option->kind != OPTION_FLAG)
    {
        fputs(option->kind == OPTION_FILE ? " -r" : " -x", out);
    }
    fputs(" -d ", out);
    put_quoted(out, option->help);
    fputc('\n', out);
}

static void put_options(FILE* out, const Program* program, const char* condition, const Option* options,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        put_option(out, program, condition, &options[i]);
    }
}

static void put_file_function(FILE* out, const Program* program, const char* what, const char* const* endings)
{
    fprintf(out,
            "function __%s_%s\n"
            "    __fish_complete_path (commandline -ct) | string match -r '^.*(?:/|\\.(?:",
            program->name, what);
    for (uint32_t i = 0; endings[i] != NULL; ++i)
    {
        fprintf(out, "%s%s", i > 0 ? "|" : "", endings[i]);
    }
    fputs("))(?:\\t.*)?$'\nend\n\n", out);
}

static void put_variants(FILE* out, const Program* program, const Command* command)
{
    char condition[DESCRIBE_SIZE];
    for (uint32_t v = 0; v < command->variant_count; ++v)
    {
        const Variant* variant = &command->variants[v];
        fprintf(out, "complete -c %s -f -n '__%s_at %s 0' -a %s -d ", program->name, program->name,
                command->name, variant->name);
        put_quoted(out, variant->summary);
        fputc('\n', out);
        snprintf(condition, sizeof condition,
                 "__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s", command->name,
                 variant->name);
        put_options(out, program, condition, variant->options, variant->option_count);
    }
}

static void put_command(FILE* out, const Program* program, const Command* command)
{
    fprintf(out, "\ncomplete -c %s -f -n __fish_use_subcommand -a %s -d ", program->name, command->name);
    put_quoted(out, command->summary);
    fputc('\n', out);
    char condition[DESCRIBE_SIZE];
    snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", command->name);
    put_options(out, program, condition, command->options, command->option_count);
    for (uint32_t i = 0; i < command->argument_count; ++i)
    {
        const ArgumentKind kind = command->arguments[i].kind;
        if (kind == ARGUMENT_INPUTS)
        {
            fprintf(out, "complete -c %s -f -n '__fish_seen_subcommand_from %s' -a '(__%s_inputs)'\n",
                    program->name, command->name, program->name);
        }
        else if (kind == ARGUMENT_INPUT || kind == ARGUMENT_OUTPUT)
        {
            fprintf(out, "complete -c %s -f -n '__%s_at %s %u' -a '(__%s_%s)'\n", program->name,
                    program->name, command->name, i, program->name,
                    kind == ARGUMENT_INPUT ? "inputs" : "outputs");
        }
        else if (kind == ARGUMENT_SCENE || kind == ARGUMENT_RUN)
        {
            const char* ending = kind == ARGUMENT_RUN ? program->run_endings[0] : program->scene_endings[0];
            fprintf(out, "complete -c %s -f -n '__%s_at %s %u' -a '(__fish_complete_suffix .%s)'\n",
                    program->name, program->name, command->name, i, ending);
        }
        else if (kind == ARGUMENT_FOLDER)
        {
            fprintf(out, "complete -c %s -f -n '__%s_at %s %u' -a '(__fish_complete_directories)'\n",
                    program->name, program->name, command->name, i);
        }
        else if (kind == ARGUMENT_COMMAND)
        {
            fprintf(out, "complete -c %s -f -n '__%s_at %s %u' -a '", program->name, program->name,
                    command->name, i);
            for (uint32_t c = 0; c < program->command_count; ++c)
            {
                fprintf(out, "%s%s", c > 0 ? " " : "", program->commands[c].name);
            }
            fputs("'\n", out);
        }
    }
    put_variants(out, program, command);
}

static void put_valued_options(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (options[i].kind != OPTION_FLAG)
        {
            fprintf(out, " --%s", options[i].name);
        }
    }
}

// How many arguments of the command come before the cursor: options and their values do not count.
static void put_position_function(FILE* out, const Program* program)
{
    fprintf(out, "set -g __%s_valued", program->name);
    put_valued_options(out, program->options, program->option_count);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        const Command* command = &program->commands[c];
        put_valued_options(out, command->options, command->option_count);
        for (uint32_t v = 0; v < command->variant_count; ++v)
        {
            put_valued_options(out, command->variants[v].options, command->variants[v].option_count);
        }
    }
    fprintf(out,
            "\n\n"
            "function __%s_at --argument-names command position\n"
            "    set -l words (commandline -opc)\n"
            "    set -l plain\n"
            "    set -l skip 0\n"
            "    for word in $words[2..-1]\n"
            "        if test $skip = 1\n"
            "            set skip 0\n"
            "        else if contains -- $word $__%s_valued\n"
            "            set skip 1\n"
            "        else if not string match -q -- '-*' $word\n"
            "            set plain $plain $word\n"
            "        end\n"
            "    end\n"
            "    test (count $plain) -eq (math $position + 1); and test $plain[1] = $command\n"
            "end\n\n",
            program->name, program->name);
}

void completion_print_fish(FILE* out, const Program* program)
{
    fprintf(out, "# fish completion for %s %s, printed by: %s completion fish\n\n", program->name,
            program->version, program->name);
    put_position_function(out, program);
    put_file_function(out, program, "inputs", program->input_endings);
    put_file_function(out, program, "outputs", program->output_endings);
    fprintf(out, "complete -c %s -f\n", program->name);
    put_options(out, program, "", program->options, program->option_count);
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        put_command(out, program, &program->commands[i]);
    }
}
