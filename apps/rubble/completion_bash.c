// Completion for bash (3.2 and later), without the bash-completion package.
#include "describe.h"

static void put_endings(FILE* out, const char* const* endings)
{
    for (uint32_t i = 0; endings[i] != NULL; ++i)
    {
        fprintf(out, "%s%s", i > 0 ? " " : "", endings[i]);
    }
}

static void put_names(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        fprintf(out, " --%s", options[i].name);
    }
}

// Which word is the command, which one the variant; option values are skipped.
static void put_scan(FILE* out, const Program* program)
{
    fprintf(out,
            "_%s_scan()\n"
            "{\n"
            "    local i word skip=\n"
            "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
            "        word=${COMP_WORDS[i]}\n"
            "        if [[ $skip ]]; then\n"
            "            [[ $word == = ]] || skip=\n"
            "        elif [[ $word == -* ]]; then\n"
            "            _%s_takes_value \"$word\" && skip=1\n"
            "        else\n"
            "            arguments+=(\"$word\")\n"
            "        fi\n"
            "    done\n"
            "}\n\n",
            program->name, program->name);
}

static void put_value_names(FILE* out, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (options[i].kind != OPTION_FLAG)
        {
            fprintf(out, "    --%s) return 0 ;;\n", options[i].name);
            if (options[i].letter != 0)
            {
                fprintf(out, "    -%c) return 0 ;;\n", options[i].letter);
            }
        }
    }
}

// No option takes a value in one command and none in another (a test sees to that), so one list does for all.
static void put_takes_value(FILE* out, const Program* program)
{
    fprintf(out, "_%s_takes_value()\n{\n    case $1 in\n", program->name);
    put_value_names(out, program->options, program->option_count);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        const Command* command = &program->commands[c];
        put_value_names(out, command->options, command->option_count);
        for (uint32_t v = 0; v < command->variant_count; ++v)
        {
            put_value_names(out, command->variants[v].options, command->variants[v].option_count);
        }
    }
    fputs("    esac\n    return 1\n}\n\n", out);
}

static void put_files(FILE* out, const Program* program)
{
    fprintf(out,
            "_%s_files()\n"
            "{\n"
            "    local ending file\n"
            "    compopt -o filenames 2>/dev/null\n"
            "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(\n"
            "        compgen -d -- \"$current\"\n"
            "        for ending in $endings; do compgen -f -X \"!*.$ending\" -- \"$current\"; done)\n"
            "}\n\n",
            program->name);
}

// What options of one command take; "*" stands for every command. Commands give one name to options of different values.
static void put_choices(FILE* out, const char* command, const Option* options, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (options[i].kind == OPTION_CHOICE)
        {
            fprintf(out, "        %s' --%s') words='", command, options[i].name);
            for (uint32_t c = 0; options[i].choices[c] != NULL; ++c)
            {
                fprintf(out, "%s%s", c > 0 ? " " : "", options[i].choices[c]);
            }
            fputs("' ;;\n", out);
        }
        else if (options[i].kind == OPTION_FILE)
        {
            fprintf(out, "        %s' --%s'|%s' -%c') endings='", command, options[i].name, command,
                    options[i].letter);
            put_endings(out, options[i].endings);
            fputs("' ;;\n", out);
        }
    }
}

static void put_argument(FILE* out, const Program* program, const Command* command, uint32_t index)
{
    const Argument* argument = &command->arguments[index];
    if (argument->kind == ARGUMENT_INPUTS)
    {
        fputs("        *) ", out);
    }
    else
    {
        fprintf(out, "        %u) ", index + 1);
    }
    const bool input = argument->kind == ARGUMENT_INPUT || argument->kind == ARGUMENT_INPUTS;
    if (input || argument->kind == ARGUMENT_OUTPUT)
    {
        fputs("endings='", out);
        put_endings(out, input ? program->input_endings : program->output_endings);
        fputs("'", out);
    }
    else if (argument->kind == ARGUMENT_SCENE || argument->kind == ARGUMENT_RUN)
    {
        fputs("endings='", out);
        put_endings(out, argument->kind == ARGUMENT_RUN ? program->run_endings : program->scene_endings);
        fputs("'", out);
    }
    else if (argument->kind == ARGUMENT_FOLDER)
    {
        fputs("endings=/", out); // no file ends so, and folders are always offered
    }
    else if (argument->kind == ARGUMENT_VARIANT)
    {
        fputs("words='", out);
        for (uint32_t v = 0; v < command->variant_count; ++v)
        {
            fprintf(out, "%s%s", v > 0 ? " " : "", command->variants[v].name);
        }
        fputs("'", out);
    }
    else if (argument->kind == ARGUMENT_COMMAND)
    {
        fputs("words=$commands", out);
    }
    else
    {
        fputs(":", out);
    }
    fputs(" ;;\n", out);
}

static void put_command(FILE* out, const Program* program, const Command* command)
{
    fprintf(out, "    %s)\n        options+='", command->name);
    put_names(out, command->options, command->option_count);
    fputs("'\n", out);
    if (command->variant_count > 0)
    {
        fputs("        case ${arguments[1]} in\n", out);
        for (uint32_t v = 0; v < command->variant_count; ++v)
        {
            const Variant* variant = &command->variants[v];
            if (variant->option_count > 0)
            {
                fprintf(out, "        %s) options+='", variant->name);
                put_names(out, variant->options, variant->option_count);
                fputs("' ;;\n", out);
            }
        }
        fputs("        esac\n", out);
    }
    fputs("        case ${#arguments[@]} in\n", out);
    for (uint32_t a = 0; a < command->argument_count; ++a)
    {
        put_argument(out, program, command, a);
    }
    fputs("        esac\n        ;;\n", out);
}

static void put_main(FILE* out, const Program* program)
{
    fprintf(out,
            "_%s()\n"
            "{\n"
            "    local words='' options='' endings='' commands='",
            program->name);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        fprintf(out, "%s%s", c > 0 ? " " : "", program->commands[c].name);
    }
    fprintf(out,
            "'\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
            "    local -a arguments=()\n"
            "    COMPREPLY=()\n"
            "    if [[ $current == = ]]; then\n"
            "        current='' # the word so far is --name=\n"
            "    elif [[ $previous == = ]]; then\n"
            "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
            "    fi\n"
            "    _%s_scan\n"
            "    if _%s_takes_value \"$previous\"; then\n"
            "        case \"${arguments[0]} $previous\" in\n",
            program->name, program->name);
    put_choices(out, "*", program->options, program->option_count);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        put_choices(out, program->commands[c].name, program->commands[c].options,
                    program->commands[c].option_count);
    }
    fprintf(out,
            "        esac\n"
            "        [[ $words ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
            "        [[ $endings ]] && _%s_files\n"
            "        return 0\n"
            "    fi\n"
            "    options='",
            program->name);
    put_names(out, program->options, program->option_count);
    fputs("'\n    case ${arguments[0]} in\n    '') words=$commands ;;\n", out);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        put_command(out, program, &program->commands[c]);
    }
    fprintf(out,
            "    esac\n"
            "    if [[ $current == -* ]]; then\n"
            "        words=$options\n"
            "    elif [[ $endings ]]; then\n"
            "        _%s_files\n"
            "        return\n"
            "    fi\n"
            "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
            "}\n\n",
            program->name);
}

void completion_print_bash(FILE* out, const Program* program)
{
    fprintf(out, "# bash completion for %s %s, printed by: %s completion bash\n\n", program->name,
            program->version, program->name);
    put_takes_value(out, program);
    put_scan(out, program);
    put_files(out, program);
    put_main(out, program);
    fprintf(out, "complete -F _%s %s\n", program->name, program->name);
}
