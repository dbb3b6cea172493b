// rubble completion: one script per shell, all from the tables.
#include "describe.h"

#include "tool.h"
#include <string.h>

static int completion_run(const Parsed* parsed)
{
    const char* shell = parsed->variant->name;
    if (strcmp(shell, "bash") == 0)
    {
        completion_print_bash(stdout, parsed->program);
    }
    else if (strcmp(shell, "zsh") == 0)
    {
        completion_print_zsh(stdout, parsed->program);
    }
    else
    {
        completion_print_fish(stdout, parsed->program);
    }
    return TOOL_DONE;
}

static const Argument completion_arguments[] = {
    {"SHELL", ARGUMENT_VARIANT, false, "the shell to print it for"}};
static const Variant shells[] = {
    {.name = "bash", .summary = "for ~/.local/share/bash-completion/completions/rubble"},
    {.name = "zsh", .summary = "for a file _rubble in a directory of $fpath"},
    {.name = "fish", .summary = "for ~/.config/fish/completions/rubble.fish"},
};
static const char* const completion_examples[] = {"source <(rubble completion bash)", NULL};

const Command completion_command = {
    .name = "completion",
    .summary = "print a completion script for a shell",
    .details = "Completes commands, options, choices, kinds of solids, and files with the endings "
               "that a command can read or write.",
    .arguments = completion_arguments,
    .argument_count = OPTIONS_COUNT_OF(completion_arguments),
    .variant_noun = "shell",
    .variants = shells,
    .variant_count = OPTIONS_COUNT_OF(shells),
    .examples = completion_examples,
    .run = completion_run};
