#include <inttypes.h>
#include <stdlib.h>

#include "report/page/json.h"
#include "report/page/page.h"
#include "report/view/calls.h"
#include "report/view/names.h"
#include "report/view/runs.h"
#include "util/unicode.h"

/* The room that a call may take in a page: each of its texts, and all values of all calls as the profile has them. */
enum { MOST_TEXT = 4096, MOST_CAUSES = 16 };
enum { MOST_BYTES = 16 << 20 };

typedef struct page_calls {
    printer *out;
    const report *r;
    buffer text;
} page_calls;

/* ---- Which ------------------------------------------------------------------------------------------------------- */

static int slowest_first(const void *left, const void *right) {
    const calls_shown *a = left, *b = right;
    uint64_t x = profile_ns(&a->p->run, a->call->ticks), y = profile_ns(&b->p->run, b->call->ticks);
    if (x != y)
        return x > y ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

/* The slowest ones, as many as there is room for; `list` is put into their order. */
static uint32_t choose(calls_shown *list, uint32_t count) {
    size_t bytes = 0;
    uint32_t chosen = 0;
    if (count > 0)
        qsort(list, count, sizeof *list, slowest_first);
    for (; chosen < count && chosen < PAGE_MAX_CALLS; chosen++) {
        bytes += list[chosen].call->values.size + list[chosen].call->exception.size;
        if (bytes > MOST_BYTES)
            break;
    }
    return chosen;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* The text in the buffer, as a JSON string; cut between two characters. */
static void text(page_calls *c) {
    bytes whole = buffer_bytes(&c->text);
    size_t end = 0;
    for (size_t at = 0; at < whole.size && at <= MOST_TEXT; unicode_next(whole, &at))
        end = at;
    if (whole.size > MOST_TEXT && !c->text.failed) {
        c->text.size = end;
        buffer_string(&c->text, "\u2026");
    }
    page_string(c->out, buffer_bytes(&c->text));
}

static void value(page_calls *c, bytes of) {
    c->text.size = 0;
    calls_append_text(&c->text, of, SIZE_MAX);
    text(c);
}

/* As the profile has it. */
static void given(page_calls *c, bytes of) {
    c->text.size = 0;
    buffer_append(&c->text, of.data, of.size);
    text(c);
}

static void by_type(page_calls *c) {
    print_string(c->out, "\"(by type)\"");
}

/* Per parameter what it was, null: nothing yet; of one that may become something an array of before and after. */
static void arguments(page_calls *c, const view_call *of) {
    print_string(c->out, ",\"arguments\":[");
    for (uint32_t i = 0; i < of->argument_count; i++) {
        const view_argument a = view_argument_of(of, i);
        print_string(c->out, i == 0 ? "" : ",");
        print_string(c->out, a.has_after ? "[" : "");
        if (a.has_before)
            value(c, a.before);
        else if (a.absent)
            print_string(c->out, "null");
        else
            by_type(c);
        if (a.has_after) {
            print_string(c->out, ",");
            value(c, a.after);
            print_string(c->out, "]");
        }
    }
    print_string(c->out, "]");
}

/* The text of all of it, and each one's stack, the outermost first. */
static void exception(page_calls *c, const view_call *of) {
    print_string(c->out, ",\"exception\":");
    if (of->exception.size)
        value(c, of->exception);
    else
        print_string(c->out, "\"(not known)\"");
    calls_exception e = {.inner = of->call->exception};
    print_string(c->out, ",\"chain\":[");
    for (uint32_t i = 0; i < MOST_CAUSES && calls_try_exception(e.inner, &e); i++) {
        print_string(c->out, i == 0 ? "[" : ",[");
        given(c, e.type);
        print_string(c->out, ",");
        given(c, e.message);
        print_string(c->out, ",");
        given(c, e.stack);
        print_string(c->out, "]");
    }
    print_string(c->out, "]");
}

static void function_name(page_calls *c, uint32_t function, bool whole) {
    const report_function *f = &c->r->sum->list.functions[function];
    view_text(&c->text, whole ? f->name : (bytes){f->name.data, f->parts.parameters});
    page_string(c->out, buffer_bytes(&c->text));
}

/* `position`: of the profile. */
static void methods_of(page_calls *c, size_t position, bool *first) {
    const profile *p = &c->r->profiles[position];
    const uint32_t *functions = c->r->matched[position].methods;
    for (uint32_t i = 0; i < p->calls.method_count; i++) {
        const calls_method *m = &p->calls.methods[i];
        print_string(c->out, *first ? "{\"name\":" : ",\n{\"name\":");
        *first = false;
        function_name(c, functions[i], false);
        print_string(c->out, ",\"signature\":");
        function_name(c, functions[i], true);
        print_format(c->out, ",\"seen\":%" PRIu64 ",\"has_arguments\":%s,\"parameters\":[", m->seen,
                     m->flags & CALLS_ARGUMENTS ? "true" : "false");
        for (uint32_t k = 0; k < m->parameter_count; k++) {
            print_string(c->out, k == 0 ? "" : ",");
            given(c, m->parameters[k].name);
        }
        print_string(c->out, "]}");
    }
}

/* `method` and `run`: positions. */
static void one(page_calls *c, const view_call *of, size_t method, size_t run) {
    print_format(c->out, "{\"method\":%zu,\"run\":%zu,\"thread\":%" PRIu64, method, run, of->thread);
    print_format(c->out, ",\"start\":%" PRIu64 ",\"ns\":%" PRIu64, of->start_ns, of->ns);
    if (of->went_on)
        print_format(c->out, ",\"synchronous\":%" PRIu64, of->synchronous_ns);
    if (of->unended)
        print_string(c->out, ",\"unended\":true");
    if (of->cancelled)
        print_string(c->out, ",\"cancelled\":true");
    if (of->has_caller) {
        print_string(c->out, ",\"caller\":");
        function_name(c, of->caller, true);
    }
    if (of->has_arguments)
        arguments(c, of);
    if (of->has_this) {
        print_string(c->out, ",\"this\":");
        value(c, of->self);
    }
    if (of->has_result) {
        print_string(c->out, ",\"result\":");
        value(c, of->result);
    } else if (of->lost) {
        print_string(c->out, ",\"result\":\"(not known)\"");
    } else if (of->result_by_type && !of->thrown && !of->unended) {
        print_string(c->out, ",\"result\":");
        by_type(c);
    }
    if (of->thrown)
        exception(c, of);
    print_string(c->out, "}");
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

bool page_calls_write(printer *out, const report *r) {
    page_calls c = {.out = out, .r = r, .text = BUFFER_INIT};
    uint32_t count;
    calls_shown *list = calls_sorted(r, &count);
    size_t *methods = calloc(r->profile_count + 1, sizeof *methods);
    size_t *runs = calloc(r->profile_count + 1, sizeof *runs); /* before each profile's own */
    bool done = list && methods && runs, first = true;
    if (done) {
        uint32_t chosen = choose(list, count);
        print_format(out, "{\"left_out\":%" PRIu32 ",\"methods\":[", count - chosen);
        for (size_t i = 0; i < r->profile_count; i++) {
            const profile *p = &r->profiles[i];
            methods_of(&c, i, &first);
            methods[i + 1] = methods[i] + p->calls.method_count;
            runs[i + 1] = runs[i] + view_runs_of(r, i);
        }
        print_string(out, "],\n\"list\":[");
        for (uint32_t i = 0; i < chosen; i++) {
            const view_call of = view_call_of(r, &list[i]);
            print_string(out, i == 0 ? "" : ",\n");
            one(&c, &of, methods[of.profile] + list[i].call->method, runs[of.profile]);
        }
        print_string(out, "]}");
    }
    done = done && !c.text.failed;
    buffer_clear(&c.text);
    free(list);
    free(methods);
    free(runs);
    return done;
}
