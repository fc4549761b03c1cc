/* run_copy.h - the copy of an application that a command instruments and runs. */
#ifndef ILINJECT_CLI_RUN_COPY_H
#define ILINJECT_CLI_RUN_COPY_H

#include "selection.h"

/* The price that the tracker holds when nothing is said of it: with all methods recorded, a program that calls small
 * ones all the time takes ten times as long, and most of that is the probes'. */
#define USUAL_PRICE "overhead=100%"

typedef struct run_copy {
    console *console;
    ilj_context *context;
    size_t assemblies, methods; /* instrumented so far, in all copies */
} run_copy;

/* Instruments `app` into `folder`, which is made. `wanted` has all but the selection. Returns EXIT_DONE, or another
 * exit value (reported). */
int run_copy_make(run_copy *copy, const ilj_application *app, const char *folder, const selection_settings *selection,
                  const ilj_instrument_options *wanted);
void run_copy_note(const run_copy *copy);

/* Checks what --set gave. Returns EXIT_DONE or EXIT_USAGE (reported). */
int run_check_settings(console *c, const command *of, const option_list *tracker_settings);

#endif
