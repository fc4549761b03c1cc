/* run_profile.h - where a program that runs writes its profiles, and what becomes of them when it has ended: they are
 * kept as one, and shown. */
#ifndef ILINJECT_CLI_RUN_PROFILE_H
#define ILINJECT_CLI_RUN_PROFILE_H

#include "command.h"

typedef struct run_profile {
    console *console;
    ilj_context *context;
    char *profiles;                      /* the folder where the tracker writes */
    const char *output, *html;           /* as the user has named them, or NULL */
    const option_list *tracker_settings; /* each NAME=VALUE */
    ilj_sort_key sort;
    ilj_report_view view;
    ilj_report_by by;
    unsigned top;
    char *const *counted; /* profiles of the run before, that counted its calls */
    size_t counted_count;
    bool is_copy;     /* an instrumented copy has run */
    const char *name; /* of the profile, without its ending, where the user has named none; NULL: that of the program */
    const char *given; /* the program that a host was given; NULL: none */
} run_profile;

/* The folder for profiles in that of a run, for the caller to free; NULL: memory ran out. */
char *run_profiles_folder(const char *folder);

/* Makes a folder and those above it. Returns EXIT_DONE or EXIT_FAILED (reported). */
int run_make_folder(console *c, const char *path);

/* Sets where this process's children write profiles, a folder, and the tracker's settings; `hook`: .NET is to find the
 * tracker, whatever a deps.json says. Returns EXIT_DONE or EXIT_FAILED (reported). */
int run_set_environment(const run_profile *l, const char *folder, bool hook);

/* Keeps the profiles, which the command that ended with `value` has left, and shows them. Returns EXIT_DONE when the
 * profile is where it was wanted, and is shown; else EXIT_FAILED (reported). */
int run_keep_profile(const run_profile *l, const char *command, int value);

#endif
