/* console.h - what the user sees: results on standard output, diagnostics on standard error. */
#ifndef ILINJECT_CLI_CONSOLE_H
#define ILINJECT_CLI_CONSOLE_H

#include "ilinject.h"

typedef enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

/* The values that a process ends with. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LEFT_OUT = 3, EXIT_FAIL_IF = 4, EXIT_NOT_STARTED = 125 };

/* The name, for people, of a path that the user never named: that of an unpacked archive. */
typedef struct console_alias {
    const char *path, *name;
} console_alias;

typedef struct console {
    bool quiet;
    bool passing; /* the outputs are for this run alone: notes about them are no news */
    bool color_out;
    bool color_err;
    uint64_t progress_since;      /* when the first of what is reported now was reported, ns; 0: nothing */
    uint64_t progress_shown;      /* when the line that stands on the terminal was written; 0: none stands there */
    const char *program;          /* its own name as it was started: a path, or a name along $PATH */
    const console_alias *aliases; /* borrowed; in all that diagnostics say */
    size_t alias_count;
    int write_error; /* errno of the first write to standard output that failed; 0: none */
} console;

/* Decides about colours; from here on a reader that goes away is an error of write, not the end of the process. */
void console_open(console *c, color_choice color, bool quiet);

/* Flushes standard output. Returns `status`, or EXIT_FAILED with a line when output was lost; a reader that went away
 * (`| head`) is no failure. */
int console_close(console *c, int status);

/* On a terminal, and for what takes more than a second: "WHAT DONE of COUNT" on a line of standard error that the next
 * thing to be said takes the place of. Nothing where the results are lines on the same terminal. */
void console_progress(console *c, const char *what, size_t done, size_t count);
/* The same as "WHAT, N s", by the time since the first call. */
void console_progress_time(console *c, const char *what);
void console_progress_end(console *c);

/* An ilj_write_fn: text to standard output; `user` is the console. */
int console_write(void *user, const char *text, size_t length);
void console_printf(console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void console_json_string(console *c, const char *text);

/* An ilj_diagnostic_fn: FILE: severity CODE: text; `user` is the console. */
void console_diagnostic(void *user, const ilj_diagnostic *diagnostic);
/* A line about the command line itself. */
void console_error(console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line about what was done otherwise than is usual. */
void console_warning(console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An information line on standard error. */
void console_note(console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of --trace about a file, also with --quiet. */
void console_trace(console *c, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
