/* timeline.h - the calls of a recorded timeline (section TIME) in the order in which they began.
 *
 * A stream has them in order of end, as they were recorded; who called whom follows from that order and the nodes'
 * depths, since calls that are nested may begin, or end, at the same tick. */
#ifndef ILINJECT_REPORT_MODEL_TIMELINE_H
#define ILINJECT_REPORT_MODEL_TIMELINE_H

#include "profile/profile.h"

typedef struct timeline_call {
    uint32_t node;       /* position in the thread's nodes */
    uint32_t depth;      /* callers; of a folded call those that are known */
    uint64_t start, end; /* ticks; of an open call the end of the run */
    bool open;
} timeline_call;

static inline bool timeline_is_recorded(const profile *p) {
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].stream_count > 0)
            return true;
    return false;
}

/* Has it, in place of one, what ran at each tick of the clock (section SAMP)? */
static inline bool timeline_is_sampled(const profile *p) {
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].sampled_count > 0)
            return !timeline_is_recorded(p);
    return false;
}

/* The last tick of a thread's timeline; 0 without one. */
uint64_t timeline_last(const profile_thread *t);

/* All calls of a stream, callers before their callees, siblings in their order; to be freed. `end` is that of the run.
 * False when memory ran out; then nothing is given. */
bool timeline_calls(timeline_call **calls, uint32_t *count, const profile_thread *t, const profile_stream *s,
                    uint64_t end);

/* The same of a stream of samples: where a path stands in several of them, one after another, it is taken for one call,
 * from the first to the last. */
bool timeline_sampled(timeline_call **calls, uint32_t *count, const profile_thread *t, const profile_stream *s);

#endif
