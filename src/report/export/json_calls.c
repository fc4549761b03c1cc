#include <inttypes.h>

#include "report/export/json.h"
#include "report/view/runs.h"

/* The JSON report's calls that were seen with their values, one a line. */

static void value(printer *out, buffer *b, bytes text) {
    b->size = 0;
    calls_append_json(b, text);
    out->no_memory |= b->failed;
    if (!b->failed)
        print_bytes(out, (const char *)b->data, b->size);
}

static void arguments(printer *out, buffer *b, const calls_method *m, const calls_call *call) {
    bytes text;
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        print_string(out, i ? ", {\"name\": " : "{\"name\": ");
        print_json(out, m->parameters[i].name);
        if (calls_try_value(call, i, &text)) {
            print_string(out, ", \"value\": ");
            value(out, b, text);
        } else if (m->parameters[i].flags & CALLS_BY_TYPE) {
            print_string(out, ", \"by_type\": true");
        }
        if (calls_try_value(call, CALLS_BECOMES_FIRST - (int64_t)i, &text)) {
            print_string(out, ", \"becomes\": ");
            value(out, b, text);
        }
        print_string(out, "}");
    }
}

/* `run`: the position of the first of the profile's. */
static void one(printer *out, buffer *b, const report *r, const calls_shown *shown, size_t run,
                const uint32_t *positions) {
    const profile *p = shown->p;
    const calls_call *call = shown->call;
    const calls_method *m = &p->calls.methods[call->method];
    uint32_t caller = report_caller(r, p, call);
    bytes text;
    print_format(out, "{\"function\": %" PRIu32 ", \"run\": %zu, \"thread\": %" PRIu64,
                 positions[report_called(r, p, call)], run, call->thread);
    print_format(out,
                 ", \"start_ns\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"caller\": ", profile_ns(&p->run, call->start),
                 profile_ns(&p->run, call->ticks));
    if (caller < FUNCTION_FOLDED)
        print_format(out, "%" PRIu32, positions[caller]);
    else
        print_string(out, "null");
    if (m->flags & CALLS_ARGUMENTS) {
        print_string(out, ", \"arguments\": [");
        arguments(out, b, m, call);
        print_string(out, "]");
    }
    if (calls_try_value(call, CALLS_POSITION_THIS, &text)) {
        print_string(out, ", \"this\": ");
        value(out, b, text);
    }
    if (calls_try_value(call, CALLS_POSITION_RESULT, &text)) {
        print_string(out, ", \"result\": ");
        value(out, b, text);
    }
    if (call->awaited)
        print_format(out, ", \"synchronous_ns\": %" PRIu64 ", \"ended\": %s, \"cancelled\": %s",
                     profile_ns(&p->run, calls_went_on(call) ? call->first_part : call->ticks),
                     call->lost      ? "null"
                     : call->unended ? "false"
                                     : "true",
                     call->cancelled ? "true" : "false");
    print_format(out, ", \"thrown\": %s", call->thrown ? "true" : "false");
    if (call->thrown) {
        print_string(out, ", \"exception\": ");
        value(out, b, call->exception);
    }
    print_string(out, "}");
}

void json_write_calls(printer *out, const report *r, const uint32_t *positions) {
    bool any = false, first = true;
    size_t run = 0; /* of the profile */
    for (size_t i = 0; i < r->profile_count; i++)
        any |= r->profiles[i].calls.there;
    if (!any)
        return;
    buffer b = BUFFER_INIT;
    print_string(out, ",\n\"calls\": [");
    for (size_t i = 0; i < r->profile_count; run += view_runs_of(r, i), i++) {
        const profile *p = &r->profiles[i];
        for (uint32_t k = 0; k < p->calls.count; k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            one(out, &b, r, &(calls_shown){p, &p->calls.list[k]}, run, positions);
        }
    }
    print_string(out, "\n]");
    buffer_clear(&b);
}
