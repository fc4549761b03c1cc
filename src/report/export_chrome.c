/* The Trace Event Format (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which
 * Perfetto, chrome://tracing and speedscope read: JSON with a complete event ("X") for each call of a timeline.
 *
 * Times are in microseconds from the start of the first run, with three digits behind the point, as recorded; both ends
 * of a call are rounded down, so that nested calls stay nested. Threads are numbered: managed ids are used again.
 * Events have no arguments, which speedscope would take for a part of their names. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export.h"
#include "report/timeline.h"

typedef struct chrome {
    printer *out;
    const report *r;
    buffer name;
    bool first; /* nothing has been written */
    uint64_t pid;
    uint64_t before_ns; /* from the start of the first run to that of this one */
    uint64_t lost;      /* calls that are not in it */
} chrome;

static void begin(chrome *c, const char *phase, uint64_t tid) {
    print_format(c->out, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"name\":", c->first ? "\n" : ",\n",
                 phase, c->pid, tid);
    c->first = false;
}

/* An event that gives the process or thread the name in c->name. */
static void metadata(chrome *c, const char *what, uint64_t tid) {
    begin(c, "M", tid);
    print_format(c->out, "\"%s\",\"args\":{\"name\":", what);
    print_json(c->out, buffer_bytes(&c->name));
    print_string(c->out, "}}");
}

static void time_field(chrome *c, const char *key, uint64_t ns) {
    print_format(c->out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void call(chrome *c, const profile *p, const profile_thread *t, const timeline_call *e, uint64_t tid) {
    const profile_node *n = &t->nodes[e->node];
    uint64_t start = profile_ns(&p->run, e->start), end = profile_ns(&p->run, e->end);
    begin(c, "X", tid);
    if (n->function < FUNCTION_FOLDED)
        export_text(&c->name, c->r->sum->functions[n->function].name);
    else
        export_text(&c->name, bytes_of("(folded calls)", 14));
    print_json(c->out, buffer_bytes(&c->name));
    print_format(c->out, ",\"cat\":\"%s%s\"", n->machine ? "step" : "call", e->open ? ",open" : "");
    time_field(c, "ts", profile_add(c->before_ns, start));
    time_field(c, "dur", end - start);
    print_string(c->out, "}");
}

static bool stream(chrome *c, const profile *p, const profile_thread *t, const profile_stream *s, uint64_t end,
                   uint64_t tid) {
    timeline_call *calls;
    uint32_t count;
    if (!timeline_calls(&calls, &count, t, s, end))
        return false;
    export_thread_name(&c->name, &(report){.profile_count = 1},
                       &(report_thread){.id = s->thread_id, .name = s->name, .count = 1});
    metadata(c, "thread_name", tid);
    for (uint32_t i = 0; i < count; i++)
        call(c, p, t, &calls[i], tid);
    free(calls);
    c->lost = profile_add(c->lost, s->overwritten);
    return true;
}

bool chrome_write(printer *out, const report *r) {
    chrome c = {.out = out, .r = r, .first = true};
    uint64_t first_ns = UINT64_MAX;
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.start_ns < first_ns)
            first_ns = r->profiles[i].run.start_ns;
    print_string(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    bool done = true;
    for (size_t i = 0; i < r->profile_count && done; i++) {
        const profile *p = &r->profiles[i];
        if (!timeline_is_recorded(p))
            continue;
        c.pid = r->profile_count == 1 ? p->run.pid : i + 1; /* ids of several machines may be alike */
        c.before_ns = p->run.start_ns - first_ns;
        export_text(&c.name, p->run.name);
        if (r->profile_count > 1)
            buffer_printf(&c.name, ", process %" PRIu64, p->run.pid);
        metadata(&c, "process_name", 0);
        uint64_t end = timeline_end(p), tid = 0;
        for (size_t k = 0; k < p->thread_count && done; k++) {
            const profile_thread *t = &p->threads[k];
            c.lost = profile_add(c.lost, t->events_lost);
            for (uint32_t n = 0; n < t->stream_count && done; n++)
                done = stream(&c, p, t, &t->streams[n], end, ++tid);
        }
    }
    print_format(out,
                 "\n],\"otherData\":{\"exporter\":\"ilinject " ILJ_VERSION "\",\"overwritten\":\"%" PRIu64 "\"}}\n",
                 c.lost);
    done = done && !c.name.failed;
    buffer_clear(&c.name);
    return done;
}
