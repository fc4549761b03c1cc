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
    const char *end = row->value ? row->value + options_choices_shown(row->value) : NULL;
    const bool optional = row->kind == OPTION_LISTED || row->kind == OPTION_MAYBE;
    for (const char *at = row->value; at < end;) { /* choices that are too many go on below the first one */
        int length = (int)strcspn(at, "|");
        length += at + length < end;
        if (at == row->value) {
            console_printf(c, optional ? "[=" : "=");
            used = value_column + optional;
        } else if (used + length > HELP_WIDTH) {
            console_printf(c, "\n%*s", value_column, "");
            used = value_column;
        }
        console_write(c, at, (size_t)length);
        used += length;
        at += length;
    }
    if (optional) {
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

static const struct group {
    const char *command, *title, *names; /* title NULL: the first ones */
} groups[] = {
#define FIRST(command, names)        {command, NULL, names},
#define GROUP(command, title, names) {command, title, names},
#include "groups.def"
#undef FIRST
#undef GROUP
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static bool has_name(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static const struct group *first_of(const command *of) {
    for (size_t i = 0; i < GROUPS; i++)
        if (!groups[i].title && strcmp(groups[i].command, of->name) == 0)
            return &groups[i];
    return NULL;
}

static const char *group_of(const command *of, const option_row *row) {
    for (size_t i = 0; i < GROUPS; i++)
        if (groups[i].title && strcmp(groups[i].command, of->name) == 0 && has_name(groups[i].names, row->name))
            return groups[i].title;
    return "Other";
}

static void option_table(console *c, const option_row *table) {
    for (const option_row *row = table; row->name; row++)
        if (row->help)
            option_lines(c, row);
}

/* The options of the group, in the order of their names there. */
static void options_named(console *c, const command *of, const char *names) {
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        for (const option_row *row = of->options; row->name; row++)
            if (row->help && strlen(row->name) == strcspn(at, " ") && strncmp(row->name, at, strcspn(at, " ")) == 0)
                option_lines(c, row);
}

static void options_in_groups(console *c, const command *of) {
    bool other = false;
    for (size_t i = 0; i < GROUPS; i++)
        if (groups[i].title && strcmp(groups[i].command, of->name) == 0) {
            console_printf(c, "\n%s:\n", groups[i].title);
            options_named(c, of, groups[i].names);
        }
    for (const option_row *row = of->options; row->name; row++)
        if (row->help && strcmp(group_of(of, row), "Other") == 0) {
            console_printf(c, "%s", other ? "" : "\nOther:\n");
            option_lines(c, row);
            other = true;
        }
}

/* The options of a command and, with `all`, in groups. */
static void command_options(console *c, const command *of, bool all) {
    const struct group *first = first_of(of);
    size_t count = 0;
    for (const option_row *row = of->options; row->name; row++)
        count += row->help != NULL;
    if (first && all) {
        options_in_groups(c, of);
    } else if (first) {
        console_printf(c, "\nOptions that are needed first (of %zu; --help=all shows the others):\n", count);
        options_named(c, of, first->names);
    } else if (count > 0) {
        console_printf(c, "\nOptions:\n");
        option_table(c, of->options);
    }
    console_printf(c, "\nOptions of every command:\n");
    option_table(c, common_options);
}

void help_command(console *c, const command *of, bool is_default, bool all) {
    console_printf(c, "Usage: ilinject %s%s%s %s\n\n%s\n", is_default ? "[" : "", of->name, is_default ? "]" : "",
                   of->synopsis, of->text);
    command_options(c, of, all);
}

void help_overall(console *c, const command *const *commands, bool all) {
    console_printf(c, "Usage: ilinject IN... -o OUT\n"
                      "       ilinject COMMAND ...\n\n"
                      "Rewrites .NET assemblies so that they measure themselves: every method reports when\n"
                      "it is entered and left, and a profile is written when the program ends.\n\n"
                      "Commands:\n");
    for (const command *const *of = commands; *of; of++)
        console_printf(c, "  %-12s%s\n", (*of)->name, (*of)->summary);
    command_options(c, commands[0], all);
    console_printf(c, "\n'ilinject COMMAND --help' shows a command's own options, 'ilinject explain WORD'\n"
                      "what a diagnostic, a setting or a column means. @FILE stands for the arguments\n"
                      "in FILE, one a line.\n"
                      "Exit values: 0 done, 1 an input failed, 2 wrong usage, 3 with --strict: something\n"
                      "that was asked for was left out, 4 a condition of --fail-if held.\n");
}
