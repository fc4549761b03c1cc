/* compile_ahead.h - outputs of inputs that had code compiled ahead get such code again (--native=compile): those
 * of ReadyToRun images by crossgen2, those that Mono had an image for (FILE.so beside the input, or in its AOT cache)
 * by `mono --aot`, with the tracker beside them. An output is IL alone until its compiler has ended well, and stays so
 * when it fails. Files without such code get none. */
#ifndef ILINJECT_CLI_COMPILE_AHEAD_H
#define ILINJECT_CLI_COMPILE_AHEAD_H

#include "summary.h"

typedef struct compile_ahead_choices {
    const char *crossgen2; /* its file, a program or .dll; NULL: along $PATH */
    const char *tracker;   /* the name of the tracker's file */
    bool told;             /* a line about each on standard output */
} compile_ahead_choices;

/* Compiles the outputs of files that were instrumented, and corrects `output_bytes` of their summaries. Returns how
 * many could not be compiled; each is reported. */
size_t compile_ahead(console *c, file_result *files, size_t count, const compile_ahead_choices *choices);

#endif
