#include <inttypes.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/unicode.h"

/* One object, one element of an array a line. Each value is written by hand in the order of docs/profile-format.md. */

static void json_string(printer *out, bytes s) {
    print_bytes(out, "\"", 1);
    for (size_t at = 0; at < s.size;) {
        uint32_t c = unicode_next(s, &at);
        char encoded[4];
        if (c == '"' || c == '\\')
            print_format(out, "\\%c", (int)c);
        else if (c < 0x20 || c == 0x7F)
            print_format(out, "\\u%04x", (unsigned)c);
        else
            print_bytes(out, encoded, unicode_encode(encoded, c));
    }
    print_bytes(out, "\"", 1);
}

static void key(printer *out, const char *name) {
    print_format(out, ", \"%s\": ", name);
}

static void string_field(printer *out, const char *name, bytes value) {
    key(out, name);
    json_string(out, value);
}

static void number_field(printer *out, const char *name, uint64_t value) {
    key(out, name);
    print_format(out, "%" PRIu64, value);
}

static void run(printer *out, const profile *p) {
    const profile_run *run = &p->run;
    print_string(out, "{\"name\": ");
    json_string(out, run->name);
    number_field(out, "pid", run->pid);
    string_field(out, "host", run->host);
    number_field(out, "start_ns", run->start_ns);
    number_field(out, "wall_ns", profile_ns(run, run->wall_ticks));
    string_field(out, "clock", run->clock);
    string_field(out, "runtime", run->runtime);
    string_field(out, "reason", run->reason);
    string_field(out, "tracker", run->tracker);
    string_field(out, "file", bytes_of(p->file, strlen(p->file)));
    print_string(out, "}");
}

static void totals(printer *out, const report_totals *t) {
    print_format(out, "{\"enters\": %" PRIu64, t->enters);
    number_field(out, "leaves", t->leaves);
    number_field(out, "resynchronised", t->resynchronised);
    number_field(out, "open", t->open);
    number_field(out, "folded", t->folded);
    number_field(out, "dropped", t->dropped);
    print_string(out, "}");
}

/* The bytes of a GUID stand in the file with its first three groups little-endian. */
static void mvid(printer *out, const uint8_t *b) {
    print_format(out, "\"%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\"", load_u32(b), load_u16(b + 4),
                 load_u16(b + 6), b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void module(printer *out, const report_module *m) {
    print_string(out, "{\"assembly\": ");
    json_string(out, m->assembly);
    string_field(out, "module", m->module);
    key(out, "mvid");
    if (m->named)
        mvid(out, m->mvid);
    else
        print_string(out, "null");
    number_field(out, "methods", m->method_count);
    print_string(out, "}");
}

static void function(printer *out, const report_function *f) {
    if (f->module == NO_MODULE)
        print_string(out, "{\"module\": -1");
    else
        print_format(out, "{\"module\": %" PRIu32, f->module);
    key(out, "token");
    if (f->row)
        print_format(out, "\"0x%08" PRIx32 "\"", 0x06000000u + f->row);
    else
        print_string(out, "null");
    string_field(out, "name", f->name);
    string_field(out, "type", (bytes){f->name.data, f->parts.type_bytes});
    string_field(out, "method", (bytes){f->name.data + f->parts.method, f->name.size - f->parts.method});
    number_field(out, "calls", f->calls);
    number_field(out, "inclusive_ns", f->inclusive_ns);
    number_field(out, "exclusive_ns", f->exclusive_ns);
    number_field(out, "average_ns", report_average(f));
    number_field(out, "resynchronised", f->resynchronised);
    number_field(out, "open", f->open);
    print_string(out, "}");
}

static void node(printer *out, const profile_run *run, const profile_node *n, const uint32_t *positions) {
    if (n->function == FUNCTION_ROOT || n->function == FUNCTION_FOLDED)
        print_format(out, "{\"function\": %d", n->function == FUNCTION_ROOT ? -1 : -2);
    else
        print_format(out, "{\"function\": %" PRIu32, positions[n->function]);
    number_field(out, "depth", n->depth);
    number_field(out, "calls", n->calls);
    number_field(out, "inclusive_ns", profile_ns(run, n->ticks));
    number_field(out, "exclusive_ns", profile_ns(run, n->own));
    number_field(out, "resynchronised", n->resynchronised);
    number_field(out, "open", n->open);
    print_string(out, "}");
}

static void thread(printer *out, const profile_run *run, size_t run_position, const profile_thread *t,
                   const uint32_t *positions) {
    print_format(out, "{\"id\": %" PRIu64, t->id);
    string_field(out, "name", t->name);
    number_field(out, "count", t->count);
    number_field(out, "run", run_position);
    key(out, "tree");
    for (uint32_t i = 0; i < t->node_count; i++) {
        print_string(out, i == 0 ? "[\n" : ",\n");
        node(out, run, &t->nodes[i], positions);
    }
    print_string(out, "\n]}");
}

static void threads(printer *out, const report *r, const uint32_t *positions) {
    bool first = true;
    for (size_t i = 0; i < r->profile_count; i++)
        for (size_t k = 0; k < r->profiles[i].thread_count; k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            thread(out, &r->profiles[i].run, i, &r->profiles[i].threads[k], positions);
        }
}

bool json_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const report_function **sorted = report_sorted(a, ILJ_SORT_EXCLUSIVE);
    uint32_t *positions = calloc((size_t)a->function_count + 1, sizeof *positions);
    bool done = sorted && positions;
    if (!done)
        goto done;
    for (uint32_t i = 0; i < a->function_count; i++)
        positions[sorted[i] - a->functions] = i;

    print_string(out, "{\n\"format\": \"ilinject-profile\",\n\"version\": 1,\n\"runs\": [");
    for (size_t i = 0; i < r->profile_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        run(out, &r->profiles[i]);
    }
    print_string(out, "\n],\n\"totals\": ");
    totals(out, &a->totals);
    print_string(out, ",\n\"modules\": [");
    for (uint32_t i = 0; i < a->module_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        module(out, &a->modules[i]);
    }
    print_string(out, "\n],\n\"functions\": [");
    for (uint32_t i = 0; i < a->function_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        function(out, sorted[i]);
    }
    print_string(out, "\n],\n\"threads\": [");
    threads(out, r, positions);
    print_string(out, "\n]\n}\n");
done:
    free(sorted);
    free(positions);
    return done;
}
