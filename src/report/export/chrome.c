/* The Trace Event Format (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which
 * Perfetto, chrome://tracing and speedscope read: JSON with a begin and an end ("B", "E") for each call of a timeline.
 *
 * A complete event ("X") would be one instead of two, but readers add up its time and duration in floating point, and
 * where that is past the next event's time, they nest what stands side by side. Times are in microseconds from the
 * start of the first run, with three digits after the point, as recorded, rounded down. Threads are numbered: managed
 * ids are used again. Events have no arguments, which speedscope would take for a part of their names: file and line
 * are the stack frame ("sf") at the begin of a call, one for each function that has them. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/timeline.h"
#include "report/view/source.h"

typedef struct chrome {
    printer *out;
    const report *r;
    buffer name;
    bool first;        /* nothing has been written */
    uint64_t pid, tid; /* that the events are reported to be of */
    const profile_run *run;
    uint64_t before_ns; /* from the start of the first run to that of this one */
    uint64_t lost;      /* calls that are not in it */
} chrome;

static void begin(chrome *c, const char *phase, uint64_t tid) {
    print_string(c->out, c->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    print_string(c->out, phase);
    print_string(c->out, "\",\"pid\":");
    print_number(c->out, c->pid);
    print_string(c->out, ",\"tid\":");
    print_number(c->out, tid);
    print_string(c->out, ",\"name\":");
    c->first = false;
}

/* An event that gives the process or thread the name in c->name. */
static void metadata(chrome *c, const char *what, uint64_t tid) {
    begin(c, "M", tid);
    print_format(c->out, "\"%s\",\"args\":{\"name\":", what);
    print_json(c->out, buffer_bytes(&c->name));
    print_string(c->out, "}}");
}

static void name_of_call(chrome *c, const matched_node *n) {
    if (n->function < FUNCTION_FOLDED)
        view_text(&c->name, c->r->sum->list.functions[n->function].name);
    else
        view_text(&c->name, bytes_of("(folded calls)", 14));
}

static void event(chrome *c, const char *phase, const matched_node *n, uint64_t ticks) {
    uint64_t ns = profile_add(c->before_ns, profile_ns(c->run, ticks));
    begin(c, phase, c->tid);
    name_of_call(c, n);
    print_json(c->out, buffer_bytes(&c->name));
    print_format(c->out, ",\"ts\":%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

/* The place of a call is a frame by the function's position. */
static void place_of_call(chrome *c, const matched_node *n) {
    if (n->function < FUNCTION_FOLDED && view_source(&c->name, c->r, &c->r->sum->list.functions[n->function]))
        print_format(c->out, ",\"sf\":%u", (unsigned)n->function);
}

static void places(chrome *c) {
    const function_list *list = &c->r->sum->list;
    bool first = true;
    for (uint32_t i = 0; i < list->function_count; i++) {
        uint32_t line = view_source(&c->name, c->r, &list->functions[i]);
        if (!line)
            continue;
        buffer_printf(&c->name, ":%" PRIu32, line);
        print_string(c->out, first ? ",\n\"stackFrames\":{" : ",\n");
        print_format(c->out, "\"%" PRIu32 "\":{\"category\":\"source\",\"name\":", i);
        print_json(c->out, buffer_bytes(&c->name));
        print_string(c->out, "}");
        first = false;
    }
    print_string(c->out, first ? "" : "}");
}

/* `stack` has room for as many as there are: those that have begun. */
static void events(chrome *c, const matched_thread *t, const timeline_call *calls, uint32_t count, uint32_t *stack) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i <= count; i++) {
        for (; depth > 0; depth--) {
            const timeline_call *top = &calls[stack[depth - 1]];
            if (i < count && top->depth < calls[i].depth && top->end >= calls[i].start)
                break;
            event(c, "E", &t->nodes[top->node], top->end);
            print_string(c->out, "}");
        }
        if (i == count)
            break;
        const matched_node *n = &t->nodes[calls[i].node];
        event(c, "B", n, calls[i].start);
        print_format(c->out, ",\"cat\":\"%s%s\"", n->machine ? "step" : "call", calls[i].open ? ",open" : "");
        place_of_call(c, n);
        print_string(c->out, "}");
        stack[depth++] = i;
    }
}

static bool stream(chrome *c, const matched_thread *t, const profile_stream *s, uint64_t end) {
    timeline_call *calls;
    uint32_t count;
    if (!timeline_calls(&calls, &count, &t->corrected.t, s, end))
        return false;
    uint32_t *stack = calloc((size_t)count + 1, sizeof *stack);
    if (stack) {
        view_thread_name(&c->name, &(report){.profile_count = 1},
                         &(report_thread){.id = s->thread_id, .name = s->name, .count = 1});
        metadata(c, "thread_name", c->tid);
        events(c, t, calls, count, stack);
    }
    free(stack);
    free(calls);
    c->lost = profile_add(c->lost, s->overwritten);
    return stack != NULL;
}

bool chrome_write(printer *out, const report *r) {
    chrome c = {.out = out, .r = r, .first = true};
    const view_span span = view_span_of(r);
    print_string(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    bool done = true;
    for (size_t i = 0; i < r->profile_count && done; i++) {
        const profile *p = &r->profiles[i];
        if (!timeline_is_recorded(p))
            continue;
        const view_program program = view_program_of(r, i);
        c.pid = r->profile_count == 1 ? program.pid : i + 1; /* ids of several machines may be alike */
        c.before_ns = p->run.start_ns - span.start_ns;
        view_text(&c.name, program.name);
        if (r->profile_count > 1)
            buffer_printf(&c.name, ", process %" PRIu64, program.pid);
        metadata(&c, "process_name", 0);
        c.run = &p->run;
        c.tid = 1;
        uint64_t end = view_timeline_end(r, i);
        for (size_t k = 0; k < r->matched[i].thread_count && done; k++) {
            const matched_thread *matched = &r->matched[i].threads[k];
            const profile_thread *t = &matched->corrected.t;
            c.lost = profile_add(c.lost, t->events_lost);
            for (uint32_t n = 0; n < t->stream_count && done; n++, c.tid++)
                done = stream(&c, matched, &t->streams[n], end);
        }
    }
    print_string(out, "\n]");
    places(&c);
    print_format(out, ",\"otherData\":{\"exporter\":\"ilinject " ILJ_VERSION "\",\"overwritten\":\"%" PRIu64 "\"}}\n",
                 c.lost);
    done = done && !c.name.failed;
    buffer_clear(&c.name);
    return done;
}
