// Look-ups in the description of the command line; the parser is in parse.c.
#include "options.h"

#include <assert.h>
#include <string.h>

const Command* options_find_command(const Program* program, const char* name)
{
    for (uint32_t i = 0; i < program->command_count; ++i)
    {
        if (strcmp(program->commands[i].name, name) == 0)
        {
            return &program->commands[i];
        }
    }
    return NULL;
}

const Variant* options_find_variant(const Command* command, const char* name)
{
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        if (strcmp(command->variants[i].name, name) == 0)
        {
            return &command->variants[i];
        }
    }
    return NULL;
}

OptionGroups options_groups(const Program* program, const Command* command, const Variant* variant)
{
    OptionGroups groups = {.count = 0};
    groups.items[groups.count++] = (OptionGroup){program->options, program->option_count};
    if (command != NULL)
    {
        groups.items[groups.count++] = (OptionGroup){command->options, command->option_count};
    }
    if (variant != NULL)
    {
        groups.items[groups.count++] = (OptionGroup){variant->options, variant->option_count};
    }
    for (uint32_t i = 0; command != NULL && variant == NULL && i < command->variant_count; ++i)
    {
        assert(groups.count < OPTIONS_MAX_GROUPS);
        groups.items[groups.count++] =
            (OptionGroup){command->variants[i].options, command->variants[i].option_count};
    }
    return groups;
}

const Option* options_find(const OptionGroups* groups, const char* name, size_t length)
{
    for (uint32_t g = 0; g < groups->count; ++g)
    {
        for (uint32_t i = 0; i < groups->items[g].count; ++i)
        {
            const Option* option = &groups->items[g].options[i];
            if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            {
                return option;
            }
        }
    }
    return NULL;
}

const Option* options_find_letter(const OptionGroups* groups, char letter)
{
    for (uint32_t g = 0; g < groups->count; ++g)
    {
        for (uint32_t i = 0; i < groups->items[g].count; ++i)
        {
            if (groups->items[g].options[i].letter == letter)
            {
                return &groups->items[g].options[i];
            }
        }
    }
    return NULL;
}

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool options_has_ending(const char* path, const char* const* endings)
{
    const char* dot = strrchr(path, '.');
    for (; dot != NULL && *endings != NULL; ++endings)
    {
        size_t i = 0;
        while ((*endings)[i] != '\0' && lower_case(dot[1 + i]) == (*endings)[i])
        {
            ++i;
        }
        if ((*endings)[i] == '\0' && dot[1 + i] == '\0')
        {
            return true;
        }
    }
    return false;
}

const OptionValue* options_value(const Parsed* parsed, const char* name)
{
    const OptionGroups groups = options_groups(parsed->program, parsed->command, parsed->variant);
    const Option* option = options_find(&groups, name, strlen(name));
    assert(option != NULL);
    for (uint32_t i = 0; i < parsed->value_count; ++i)
    {
        if (parsed->values[i].option == option)
        {
            return &parsed->values[i];
        }
    }
    return NULL;
}

bool options_given(const Parsed* parsed, const char* name)
{
    return options_value(parsed, name) != NULL;
}

double options_number(const Parsed* parsed, const char* name, double fallback)
{
    const OptionValue* value = options_value(parsed, name);
    return value != NULL ? value->numbers[0] : fallback;
}

uint32_t options_count(const Parsed* parsed, const char* name, uint32_t fallback)
{
    const OptionValue* value = options_value(parsed, name);
    return value != NULL ? (uint32_t)value->numbers[0] : fallback;
}
