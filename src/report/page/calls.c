#include <inttypes.h>
#include <stdlib.h>

#include "report/page/json.h"
#include "report/page/page.h"
#include "report/view/names.h"
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
    calls_append_text(&c->text, of);
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
static void arguments(page_calls *c, const calls_method *m, const calls_call *call) {
    print_string(c->out, ",\"arguments\":[");
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        bytes before, after;
        bool changed = calls_try_value(call, CALLS_BECOMES_FIRST - (int64_t)i, &after);
        print_string(c->out, i == 0 ? "" : ",");
        print_string(c->out, changed ? "[" : "");
        if (calls_try_value(call, i, &before))
            value(c, before);
        else if (m->parameters[i].flags & CALLS_BY_TYPE || !(m->parameters[i].flags & CALLS_NOT_BEFORE))
            by_type(c);
        else
            print_string(c->out, "null");
        if (changed) {
            print_string(c->out, ",");
            value(c, after);
            print_string(c->out, "]");
        }
    }
    print_string(c->out, "]");
}

/* The text of all of it, and each one's stack, the outermost first. */
static void exception(page_calls *c, const calls_call *call) {
    print_string(c->out, ",\"exception\":");
    if (call->exception.size && call->exception.data[0] != 'n')
        value(c, call->exception);
    else
        print_string(c->out, "\"(not known)\"");
    calls_exception e = {.inner = call->exception};
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
    const report_function *f = &c->r->sum->functions[function];
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
static void one(page_calls *c, const calls_shown *shown, size_t method, size_t run) {
    const calls_call *call = shown->call;
    const calls_method *m = &shown->p->calls.methods[call->method];
    bytes of;
    print_format(c->out, "{\"method\":%zu,\"run\":%zu,\"thread\":%" PRIu64, method, run, call->thread);
    print_format(c->out, ",\"start\":%" PRIu64 ",\"ns\":%" PRIu64, profile_ns(&shown->p->run, call->start),
                 profile_ns(&shown->p->run, call->ticks));
    if (calls_went_on(call))
        print_format(c->out, ",\"synchronous\":%" PRIu64, profile_ns(&shown->p->run, call->first_part));
    if (call->unended)
        print_string(c->out, ",\"unended\":true");
    if (call->cancelled)
        print_string(c->out, ",\"cancelled\":true");
    uint32_t caller = report_caller(c->r, shown->p, call);
    if (caller < FUNCTION_FOLDED) {
        print_string(c->out, ",\"caller\":");
        function_name(c, caller, true);
    }
    if (m->flags & CALLS_ARGUMENTS)
        arguments(c, m, call);
    if (calls_try_value(call, CALLS_POSITION_THIS, &of)) {
        print_string(c->out, ",\"this\":");
        value(c, of);
    }
    if (calls_try_value(call, CALLS_POSITION_RESULT, &of)) {
        print_string(c->out, ",\"result\":");
        value(c, of);
    } else if (call->lost) {
        print_string(c->out, ",\"result\":\"(not known)\"");
    } else if (m->flags & CALLS_RESULT_BY_TYPE && !call->thrown && !call->unended) {
        print_string(c->out, ",\"result\":");
        by_type(c);
    }
    if (call->thrown)
        exception(c, call);
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
            runs[i + 1] = runs[i] + (p->run.merged ? p->runs.count : 1);
        }
        print_string(out, "],\n\"list\":[");
        for (uint32_t i = 0; i < chosen; i++) {
            size_t at = (size_t)(list[i].p - r->profiles);
            print_string(out, i == 0 ? "" : ",\n");
            one(&c, &list[i], methods[at] + list[i].call->method, runs[at]);
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
