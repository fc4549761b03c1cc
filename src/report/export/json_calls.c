#include <inttypes.h>

#include "report/export/json.h"
#include "report/view/calls.h"
#include "report/view/runs.h"

/* The JSON report's calls that were seen with their values, one a line. */

static void value(printer *out, buffer *b, bytes text) {
    b->size = 0;
    calls_append_json(b, text);
    out->no_memory |= b->failed;
    if (!b->failed)
        print_bytes(out, (const char *)b->data, b->size);
}

static void arguments(printer *out, buffer *b, const view_call *c) {
    for (uint32_t i = 0; i < c->argument_count; i++) {
        const view_argument a = view_argument_of(c, i);
        print_string(out, i ? ", {\"name\": " : "{\"name\": ");
        print_json(out, a.name);
        if (a.has_before) {
            print_string(out, ", \"value\": ");
            value(out, b, a.before);
        } else if (a.by_type) {
            print_string(out, ", \"by_type\": true");
        }
        if (a.has_after) {
            print_string(out, ", \"becomes\": ");
            value(out, b, a.after);
        }
        print_string(out, "}");
    }
}

/* `run`: the position of the first of the profile's. */
static void one(printer *out, buffer *b, const view_call *c, size_t run, const uint32_t *positions) {
    print_format(out, "{\"function\": %" PRIu32 ", \"run\": %zu, \"thread\": %" PRIu64, positions[c->function], run,
                 c->thread);
    print_format(out, ", \"start_ns\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"caller\": ", c->start_ns, c->ns);
    if (c->has_caller)
        print_format(out, "%" PRIu32, positions[c->caller]);
    else
        print_string(out, "null");
    if (c->has_arguments) {
        print_string(out, ", \"arguments\": [");
        arguments(out, b, c);
        print_string(out, "]");
    }
    if (c->has_this) {
        print_string(out, ", \"this\": ");
        value(out, b, c->self);
    }
    if (c->has_result) {
        print_string(out, ", \"result\": ");
        value(out, b, c->result);
    }
    if (c->awaited)
        print_format(out, ", \"synchronous_ns\": %" PRIu64 ", \"ended\": %s, \"cancelled\": %s", c->synchronous_ns,
                     c->lost      ? "null"
                     : c->unended ? "false"
                                  : "true",
                     c->cancelled ? "true" : "false");
    print_format(out, ", \"thrown\": %s", c->thrown ? "true" : "false");
    if (c->thrown) {
        print_string(out, ", \"exception\": ");
        value(out, b, c->call->exception);
    }
    print_string(out, "}");
}

void json_write_calls(printer *out, const report *r, const uint32_t *positions) {
    bool first = true;
    size_t run = 0; /* of the profile */
    if (!view_has_calls(r))
        return;
    buffer b = BUFFER_INIT;
    print_string(out, ",\n\"calls\": [");
    for (size_t i = 0; i < r->profile_count; run += view_runs_of(r, i), i++) {
        const profile *p = &r->profiles[i];
        for (uint32_t k = 0; k < p->calls.count; k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            const view_call c = view_call_of(r, &(calls_shown){p, &p->calls.list[k]});
            one(out, &b, &c, run, positions);
        }
    }
    print_string(out, "\n]");
    buffer_clear(&b);
}
