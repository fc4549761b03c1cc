#include "report/page/trend.h"

#include <inttypes.h>
#include <string.h>

#include "report/model/trend.h"
#include "report/page/json.h"
#include "report/view/frames.h"
#include "report/view/names.h"

bool page_has_trend(const report *r) {
    return r->trend && r->trend->point_count > 0;
}

static void write_text(printer *out, buffer *text, bytes of) {
    view_text(text, of);
    page_string(out, buffer_bytes(text));
}

static void write_point(printer *out, const report *r, const trend_point *p, buffer *text) {
    const profile *of = &p->r->profiles[p->profile];
    print_string(out, "{\"name\":");
    write_text(out, text, of->run.name);
    print_string(out, ",\"file\":");
    write_text(out, text, bytes_of(of->file, strlen(of->file)));
    page_field(out, "start_ns", of->run.start_ns);
    page_field(out, "runs", profile_runs_in(&of->run));
    print_string(out, p->r == r ? ",\"labels\":[" : ",\"before\":true,\"labels\":[");
    for (uint32_t i = 0, written = 0; i < of->label_count; i++)
        for (uint32_t k = 0; k < of->labels[i].of.count; k++) {
            print_string(out, written++ == 0 ? "[" : ",[");
            write_text(out, text, of->labels[i].name);
            print_string(out, ",");
            write_text(out, text, of->labels[i].of.values[k].value);
            print_string(out, "]");
        }
    print_string(out, "]}");
}

static void write_values(printer *out, const trend *t, const char *name, trend_value value) {
    uint32_t written = 0;
    print_format(out, ",\n\"%s\":[", name);
    for (uint32_t i = 0; i < t->method_count; i++)
        for (size_t k = 0; k < t->point_count; k++)
            if (t->points[k].known)
                page_element(out, written++, t->points[k].values[i][value]);
    print_string(out, "]");
}

bool page_trend_write(printer *out, const report *r) {
    const trend *t = r->trend;
    buffer text = BUFFER_INIT;
    if (!page_has_trend(r))
        return true;
    print_format(out, ",\n\"trend\":{\"left_out\":%zu,\"runs\":[", t->left_out);
    for (size_t k = 0, written = 0; k < t->point_count; k++)
        if (t->points[k].known) {
            print_string(out, written++ == 0 ? "\n" : ",\n");
            write_point(out, r, &t->points[k], &text);
        }
    print_string(out, "],\n\"name\":[");
    for (uint32_t i = 0; i < t->method_count; i++) {
        print_string(out, i > 0 ? "," : "");
        write_text(out, &text, t->methods[i]->name);
    }
    print_string(out, "]");
    write_values(out, t, "calls", TREND_CALLS);
    if (view_has_time(r)) {
        write_values(out, t, "exclusive", TREND_EXCLUSIVE);
        write_values(out, t, "inclusive", TREND_INCLUSIVE);
    }
    print_string(out, "}");
    const bool done = !text.failed;
    buffer_clear(&text);
    return done;
}
