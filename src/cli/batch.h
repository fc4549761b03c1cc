/* batch.h - several inputs instrumented by several threads, with the results of one.
 *
 * Outputs are made in memory by the threads, in any order; the calling thread writes them and reports on them in the
 * order of the list. So files that belong to several outputs (the tracker, a deps.json, the symbols of app.exe and
 * app.dll) and what is said about them come out the same for every number of threads, and only one thread has
 * unfinished files. Outputs that are made and not written yet are bounded: together these inputs have at most as many
 * bytes as the largest one times the threads. */
#ifndef ILINJECT_CLI_BATCH_H
#define ILINJECT_CLI_BATCH_H

#include "summary.h"

enum { BATCH_MOST_WORKERS = 1024 };

/* One input, in the order of work. */
typedef struct batch_item {
    file_result *file;
    bool after_all; /* reads what those before it write: starts when they are done */
} batch_item;

/* Called when an item is done; file->summary and elapsed_ns are filled in. */
typedef void batch_done_fn(void *user, file_result *file, ilj_status status);

typedef struct batch_order {
    const batch_item *items;
    size_t count;
    unsigned workers;
    const ilj_instrument_options *options; /* of each; its selection knows afterwards what all of them matched */
} batch_order;

/* Instruments all items. Returns false, with nothing done, when there is no memory or no thread to begin with. */
bool batch_run(console *c, const batch_order *order, batch_done_fn *done, void *user);

/* Calls visit(user, index) for each index below `count`, in up to `workers` threads, in any order. */
void batch_each(size_t count, unsigned workers, void (*visit)(void *user, size_t index), void *user);

#endif
