#include "command.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* "  -o, --output=OUT" and its help from HELP_COLUMN on, wrapped. */
static void option_lines(console *c, const option_row *row) {
    char left[64];
    const char dash_letter[] = {'-', row->letter, ',', 0};
    int used = snprintf(left, sizeof left, "  %3s --%s", row->letter ? dash_letter : "", row->name);
    console_printf(c, "%s", left);
    const int value_column = used + 1;
    for (const char *at = row->value; at && *at;) { /* choices that are too many go on below the first one */
        int length = (int)strcspn(at, "|");
        length += at[length] == '|';
        if (at == row->value) {
            console_printf(c, row->kind == OPTION_LISTED ? "[=" : "=");
            used = value_column + (row->kind == OPTION_LISTED);
        } else if (used + length > HELP_WIDTH) {
            console_printf(c, "\n%*s", value_column, "");
            used = value_column;
        }
        console_write(c, at, (size_t)length);
        used += length;
        at += length;
    }
    if (row->kind == OPTION_LISTED) {
        console_printf(c, "]");
        used++;
    }
    if (used >= HELP_COLUMN) {
        console_printf(c, "\n");
        used = 0;
    }
    console_printf(c, "%*s", HELP_COLUMN - used, "");
    size_t column = HELP_COLUMN;
    for (const char *word = row->help; *word;) {
        size_t length = strcspn(word, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            console_printf(c, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            console_printf(c, " ");
            column++;
        }
        console_write(c, word, length);
        column += length;
        word += length + (word[length] == ' ');
    }
    console_printf(c, "\n");
}

static void option_table(console *c, const option_row *table) {
    for (const option_row *row = table; row->name; row++)
        option_lines(c, row);
}

void help_command(console *c, const command *of, bool is_default) {
    console_printf(c, "Usage: ilinject %s%s%s %s\n\n%s\n\nOptions:\n", is_default ? "[" : "", of->name,
                   is_default ? "]" : "", of->synopsis, of->text);
    option_table(c, of->options);
    option_table(c, common_options);
}

void help_overall(console *c, const command *const *commands) {
    console_printf(c, "Usage: ilinject IN... -o OUT\n"
                      "       ilinject COMMAND ...\n\n"
                      "Rewrites .NET assemblies so that they measure themselves: every method reports when\n"
                      "it is entered and left, and a profile is written when the program ends.\n\n"
                      "Commands:\n");
    for (const command *const *of = commands; *of; of++)
        console_printf(c, "  %-12s%s\n", (*of)->name, (*of)->summary);
    console_printf(c, "\nOptions of every command:\n");
    option_table(c, common_options);
    console_printf(c, "\n'ilinject COMMAND --help' shows a command's own options. @FILE stands for the\n"
                      "arguments in FILE, one a line.\n"
                      "Exit values: 0 done, 1 an input failed, 2 wrong usage, 3 with --strict: something\n"
                      "that was asked for was left out.\n");
}
