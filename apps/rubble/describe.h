// The texts that help, man page and documentation share.
#ifndef RUBBLE_TOOL_DESCRIBE_H
#define RUBBLE_TOOL_DESCRIBE_H

#include "options.h"
#include <stdio.h>

#define DESCRIBE_SIZE 1024

// What follows the name of an option: "N", "y-up|z-up", or nothing for a flag.
void describe_value(const Option* option, char out[DESCRIBE_SIZE]);

// The help of an option with its range and default.
void describe_option(const Option* option, char out[DESCRIBE_SIZE]);

// The help of an argument with the endings of files.
void describe_argument(const Program* program, const Argument* argument, char out[DESCRIBE_SIZE]);

// "make KIND OUT [options]", with the variant in place of its argument when there is one.
void describe_usage(const Command* command, const Variant* variant, char out[DESCRIBE_SIZE]);

// The words of a text from column `column` on, in lines of at most `width` columns; following lines start at `indent`.
void describe_words(FILE* out, uint32_t width, uint32_t column, uint32_t indent, const char* text);

// The help page of the program (command null), of a command, or of a variant of it.
void help_print(FILE* out, const Program* program, const Command* command, const Variant* variant);

// The manual: a page in the man(7) macros, and the same as Markdown.
void man_print_troff(FILE* out, const Program* program);
void man_print_markdown(FILE* out, const Program* program);

// Completion scripts.
void completion_print_bash(FILE* out, const Program* program);
void completion_print_zsh(FILE* out, const Program* program);
void completion_print_fish(FILE* out, const Program* program);

// What the exit codes mean, in order from 0.
extern const char* const describe_exit_codes[3];

#endif
