#include "report/page/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/model/timeline.h"
#include "report/page/json.h"
#include "report/view/names.h"
#include "report/view/runs.h"
#include "report/view/timeline.h"

/* The longest calls are in the page: those that last longer than `least`, and the first `limit` of those that last as
 * long. A caller lasts at least as long as what it called and stands before it, so that it is in, too. */
typedef struct page_timeline {
    printer *out;
    const report *r;
    const uint32_t *position;
    buffer *text;
    uint64_t *lengths; /* of all calls; for choose alone */
    uint64_t count;    /* of them */
    uint64_t least, limit, left_out, overwritten, end_ns;
    uint32_t lanes; /* written */
    bool sampled;
} page_timeline;

/* A stream of a profile. */
typedef struct page_stream {
    size_t at; /* the profile's position */
    const matched_thread *thread;
    const profile_stream *s;
    bool sampled;
    uint64_t end; /* of the run, in ticks */
} page_stream;

typedef bool stream_fn(page_timeline *t, const page_stream *of);

bool page_has_timeline(const report *r) {
    for (size_t i = 0; i < r->profile_count && r->sum->kept.text_count == 0; i++)
        if ((timeline_is_recorded(&r->profiles[i]) || timeline_is_sampled(&r->profiles[i])) &&
            r->matched[i].thread_count > 0)
            return true;
    return false;
}

static bool each_stream(page_timeline *t, stream_fn *use) {
    for (size_t i = 0; i < t->r->profile_count; i++) {
        const profile *p = &t->r->profiles[i];
        page_stream of = {.at = i, .sampled = timeline_is_sampled(p), .end = view_timeline_end(t->r, i)};
        if (!of.sampled && !timeline_is_recorded(p))
            continue;
        for (uint32_t k = 0; k < t->r->matched[i].thread_count; k++) {
            of.thread = &t->r->matched[i].threads[k];
            const profile_thread *from = &of.thread->corrected.t;
            for (uint32_t n = 0; n < (of.sampled ? from->sampled_count : from->stream_count); n++) {
                of.s = of.sampled ? &from->samples[n] : &from->streams[n];
                if (!use(t, &of))
                    return false;
            }
        }
    }
    return true;
}

/* As timeline_calls. */
static bool calls_of(timeline_call **calls, uint32_t *count, const page_stream *of) {
    const profile_thread *t = &of->thread->corrected.t;
    return of->sampled ? timeline_sampled(calls, count, t, of->s) : timeline_calls(calls, count, t, of->s, of->end);
}

/* ---- Which calls ------------------------------------------------------------------------------------------------- */

static uint64_t length_of(const profile_run *run, uint64_t start, uint64_t end) {
    const uint64_t from = profile_ns(run, start), to = profile_ns(run, end);
    return to > from ? to - from : 0;
}

static bool count_calls(page_timeline *t, const page_stream *of) {
    const profile_run *run = &t->r->profiles[of->at].run;
    timeline_call *calls;
    uint32_t count;
    if (!t->lengths && !of->sampled) {
        t->count += (uint64_t)of->s->event_count + of->s->open_count;
        return true;
    }
    if (!calls_of(&calls, &count, of))
        return false;
    for (uint32_t i = 0; t->lengths && i < count; i++)
        t->lengths[t->count + i] = length_of(run, calls[i].start, calls[i].end);
    t->count += count;
    free(calls);
    return true;
}

static int descending(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

static bool choose(page_timeline *t) {
    if (!each_stream(t, count_calls))
        return false;
    t->limit = PAGE_MAX_EVENTS;
    if (t->count <= PAGE_MAX_EVENTS)
        return true;
    if (t->count > SIZE_MAX / sizeof *t->lengths || !(t->lengths = calloc((size_t)t->count, sizeof *t->lengths)))
        return false;
    t->left_out = t->count - PAGE_MAX_EVENTS;
    t->count = 0;
    if (!each_stream(t, count_calls)) {
        free(t->lengths);
        return false;
    }
    qsort(t->lengths, (size_t)t->count, sizeof *t->lengths, descending);
    t->least = t->lengths[PAGE_MAX_EVENTS - 1];
    for (t->limit = 0; t->limit < PAGE_MAX_EVENTS && t->lengths[PAGE_MAX_EVENTS - 1 - t->limit] == t->least; t->limit++)
        continue;
    free(t->lengths);
    t->lengths = NULL;
    return true;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

typedef struct lane {
    timeline_call *calls; /* those in the page */
    uint32_t count;
    const matched_thread *thread;
    const profile_run *run;
    uint64_t before_ns;
} lane;

static bool is_in(page_timeline *t, uint64_t length) {
    if (length != t->least)
        return length > t->least;
    if (t->limit == 0)
        return false;
    t->limit--;
    return true;
}

static void keep_chosen(page_timeline *t, lane *l) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (is_in(t, length_of(l->run, l->calls[i].start, l->calls[i].end)))
            l->calls[kept++] = l->calls[i];
    l->count = kept;
}

static uint64_t start_of(const lane *l, uint32_t i) {
    return profile_add(l->before_ns, profile_ns(l->run, l->calls[i].start));
}

static int64_t function_of(const page_timeline *t, const lane *l, uint32_t i) {
    const uint32_t function = l->thread->nodes[l->calls[i].node].function;
    return function < FUNCTION_FOLDED && t->position[function] != UINT32_MAX ? (int64_t)t->position[function] : -1;
}

static void write_calls(page_timeline *t, const lane *l) {
    print_string(t->out, ",\n\"function\":[");
    for (uint32_t i = 0; i < l->count; i++) {
        print_string(t->out, i > 0 ? "," : "");
        print_signed(t->out, function_of(t, l, i));
    }
    print_string(t->out, "],\n\"start\":[");
    for (uint32_t i = 0; i < l->count; i++) { /* a clock that was set back makes a step below 0 */
        print_string(t->out, i > 0 ? "," : "");
        print_signed(t->out, (int64_t)(start_of(l, i) - (i > 0 ? start_of(l, i - 1) : 0)));
    }
    print_string(t->out, "],\n\"ns\":[");
    for (uint32_t i = 0; i < l->count; i++)
        page_element(t->out, i, length_of(l->run, l->calls[i].start, l->calls[i].end));
    print_string(t->out, "],\n\"depth\":[");
    for (uint32_t i = 0; i < l->count; i++)
        page_element(t->out, i, l->calls[i].depth);
    print_string(t->out, "]}");
}

static bool write_lane(page_timeline *t, const page_stream *of) {
    const profile *p = &t->r->profiles[of->at];
    const profile_stream *s = of->s;
    lane l = {.thread = of->thread, .run = &p->run, .before_ns = p->run.start_ns - view_span_of(t->r).start_ns};
    if (!calls_of(&l.calls, &l.count, of))
        return false;
    const uint64_t end_ns = profile_add(l.before_ns, profile_ns(&p->run, of->end));
    t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
    t->overwritten = profile_add(t->overwritten, s->overwritten);
    keep_chosen(t, &l);
    t->sampled |= of->sampled;
    print_format(t->out, "%s{\"run\":%zu,\"name\":", t->lanes++ > 0 ? ",\n" : "", of->at);
    view_thread_name(t->text, &(report){.profile_count = 1},
                     &(report_thread){.id = s->thread_id, .name = s->name, .count = 1});
    page_string(t->out, buffer_bytes(t->text));
    write_calls(t, &l);
    free(l.calls);
    return true;
}

bool page_timeline_write(printer *out, const report *r, const uint32_t *position, buffer *text) {
    page_timeline t = {.out = out, .r = r, .position = position, .text = text};
    if (!page_has_timeline(r))
        return true;
    if (!choose(&t))
        return false;
    print_string(out, ",\n\"timeline\":{\"lanes\":[\n");
    if (!each_stream(&t, write_lane))
        return false;
    for (size_t i = 0; i < r->profile_count; i++)
        for (uint32_t k = 0; k < r->matched[i].thread_count; k++)
            t.overwritten = profile_add(t.overwritten, profile_add(r->matched[i].threads[k].corrected.t.events_lost,
                                                                   r->matched[i].threads[k].corrected.t.samples_lost));
    print_string(out, t.sampled ? "],\"sampled\":true" : "]");
    page_field(out, "left_out", t.left_out);
    page_field(out, "least", t.least);
    page_field(out, "overwritten", t.overwritten);
    page_field(out, "end", t.end_ns);
    print_string(out, "}");
    return true;
}
