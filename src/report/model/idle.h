/* idle.h - what only waits while others work: the Main of a service, a thread that waits for its end.
 *
 * Such a path begins at the top of a thread. It is called once on its thread, lasts for half of the run and of the
 * longest thread's time at least, and nine tenths of that are waiting in one place. It works for little of its time, or
 * does little of all work. Other paths do more work than it does. A wait in calls that are repeated, as of a lock or a
 * database, is not such a path: the reader looks for it.
 *
 * A method that calls what src/naming/loops.def names, as `app.Run()`, may work as much as it likes: where it is called
 * once on its thread, what it waits itself is no path but left out of its times.
 *
 * All zero at first; idle_find, use, idle_clear. */
#ifndef ILINJECT_REPORT_MODEL_IDLE_H
#define ILINJECT_REPORT_MODEL_IDLE_H

#include "report/model/aggregate.h"

typedef enum idle_part {
    IDLE_NOT,
    IDLE_TOP,   /* the node from which on a path only waits; of several with one parent the first */
    IDLE_MORE,  /* one of the others */
    IDLE_BELOW, /* stands below one of these */
    IDLE_OWN,   /* the waiting of a method that works as well, in what loops.def names */
} idle_part;

typedef struct idle {
    unsigned char *parts; /* an idle_part for each node of the tree */
    bool *functions;      /* of each function: it waits so, and does nothing elsewhere */
    uint64_t *own_ns;     /* of each function that is not: what its IDLE_OWN have */
} idle;

/* The tree must be finished. False when memory ran out. */
bool idle_find(idle *i, const aggregate *a);
void idle_clear(idle *i);

/* The node of the path from `top` on that does the waiting in its own code. */
uint32_t idle_place(const aggregate *a, uint32_t top);

#endif
