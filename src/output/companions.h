/* companions.h - what has to stand beside an output so that it runs: which files, from where, to where.
 *
 * Mono finds the tracker by its file's place alone; CoreCLR reads app.deps.json, when there is one, and loads what is
 * listed there. */
#ifndef ILINJECT_OUTPUT_COMPANIONS_H
#define ILINJECT_OUTPUT_COMPANIONS_H

#include "base/buffer.h"
#include "base/diag.h"
#include "ilinject.h"

typedef struct companion_tracker {
    const char *file_name; /* without a folder; the runtimes look for NAME.dll, NAME being the assembly's */
    bytes image;
    bytes native_clock; /* goes beside it as libilinject_clock.so; size 0: there is none */
    bool compiled;      /* it has native code: it takes the place of one without, and keeps it */
    const char *rid;    /* a program's deps.json names the native form for this system, too; NULL: it does not */
    bytes native;       /* the native form; size 0: there is none */
} companion_tracker;

/* The files that were put beside an output, for when it cannot be written itself. Starts all zero. */
typedef struct companions_made {
    buffer list;
} companions_made;

/* Takes them away again, or puts what stood there in their places. What cannot be undone stays. */
void companions_take_back(companions_made *made, ilj_outputs *known);
void companions_keep(companions_made *made);

/* Call it when everything is checked, before the assembly itself is written, so that an output never stands without
 * what it needs, after a loss of power either (OS_NEEDED of os.h); input and output may be one file. In the output's
 * folder (X and Y are the stems of input's and output's names) it writes
 *   - the tracker, and its native clock;
 *   - the tracker's native form (DEPS_NATIVE_ASSET), where a deps.json names it, and where one stands; without one the
 *     tracker itself, so that no older one is loaded;
 *   - Y.runtimeconfig.json and Y.dll.config (Y.exe.config), when the input has its own beside it;
 *   - Y.deps.json from X.deps.json, and any other deps.json there that lists the output, with the tracker in it;
 *   - any other deps.json from the input's folder that lists the output, the tracker added, where none of its name
 *     stands (DIAG_DEPS_BROUGHT, unless its program stands there).
 * A Y.deps.json that stands there and has all that X.deps.json has is kept, and the tracker added to it. A file
 * that stands there with the same content is not touched. A deps.json that cannot be changed is a warning
 * (DIAG_DEPS_JSON) and goes over as it is; all else that fails is DIAG_BESIDE. Facts that `known` (may be NULL) has of
 * the folder are not looked up again. All that it has put is in `made` (may be
 * NULL), also when it fails. Returns ECMA_OK, ECMA_IO,
 * ECMA_NO_MEMORY. */
ecma_status companions_write(diag *d, ilj_outputs *known, const char *input, const char *output,
                             const companion_tracker *tracker, companions_made *made);

/* For who puts something else in the tracker's place. */
void companions_forget(ilj_outputs *known);

/* Writes one more file beside the output, with the permissions of `like`; what stands there already with the same
 * content is not touched. Fails as companions_write does. */
ecma_status companions_put(diag *d, const char *path, bytes content, const char *like);

/* companions_put in two steps (os_prepare_file): settled, the file takes its place or (`keep` false) goes. */
ecma_status companions_prepare(diag *d, const char *path, bytes content, const char *like);
ecma_status companions_settle(diag *d, const char *path, bool keep);

#endif
