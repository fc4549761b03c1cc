/* command.h - what a command is: a name, its options, its help, its work. */
#ifndef ILINJECT_CLI_COMMAND_H
#define ILINJECT_CLI_COMMAND_H

#include "console.h"
#include "options.h"

typedef struct command {
    const char *name;
    const char *synopsis; /* what follows the name: "IN... -o OUT" */
    const char *summary;  /* for the list of commands */
    const char *text;     /* what it does, lines of at most 80 columns */
    const option_row *options;
    void *settings; /* starts with common_settings; all zero but for defaults that are not */
    option_end end; /* of its options */
    bool own_lists; /* @FILE is its own matter */
    /* Does the work; returns the value to exit with. */
    int (*run)(console *c, ilj_context *context, arguments operands);
} command;

extern const command instrument_command, list_command, dump_command, report_command, merge_command, diff_command,
    mibc_command, run_command, test_command, ctl_command, serve_command, baseline_command, check_command,
    explain_command, mcp_command;

/* Wrong usage of `of` (NULL: none in particular): says what, and where help is. Returns EXIT_USAGE. */
int usage_failure(console *c, const command *of, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* `commands` in the order of the help; ended by NULL; the first is the default: its options are shown, too. `all`:
 * every option, in the groups of groups.def; else those that are needed first. */
void help_overall(console *c, const command *const *commands, bool all);
/* `is_default`: its name may be left out. */
void help_command(console *c, const command *of, bool is_default, bool all);

/* The exit value for a status of the library. */
int exit_of(ilj_status status);

#endif
