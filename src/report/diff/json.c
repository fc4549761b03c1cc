#include <inttypes.h>

#include "report/diff/write.h"

/* One object, one entry a line; docs/profile-format.md has the fields. */

static const char *const metric_names[DIFF_FIGURES] = {
#define METRIC(ID, field, node_field, name) [DIFF_##ID] = name,
#include "facts/figures.def"
};
static const char *const verdicts[] = {
    [DIFF_SAME] = "same", [DIFF_MORE] = "more", [DIFF_LESS] = "less", [DIFF_NEW] = "new", [DIFF_GONE] = "gone",
};

/* Whole numbers as such. */
static void number(printer *out, double value) {
    if (value < 9e15 && value > -9e15 && value == (double)(int64_t)value)
        print_format(out, "%" PRId64, (int64_t)value);
    else
        print_format(out, "%.17g", value);
}

static void text(printer *out, const char *s) {
    print_json(out, bytes_of(s, strlen(s)));
}

static void side(printer *out, const diff_view *v, int which) {
    print_format(out, "{\"runs\": %" PRIu64 ", \"files\": [", v->sides[which].runs);
    for (uint32_t i = 0; i < v->d->runs[which]; i++) {
        print_string(out, i == 0 ? "" : ", ");
        text(out, v->sides[which].files[i]);
    }
    print_string(out, "]}");
}

static const char *metric_name(diff_metric metric) {
    return metric < DIFF_FIGURES ? metric_names[metric] : figure_rows[diff_row_of(metric)].field;
}

static void metric_field(printer *out, const diff_view *v, uint32_t entry, diff_metric metric) {
    const diff *d = v->d;
    diff_change c = diff_of(d, v->table, entry, metric);
    print_format(out, ", \"%s\": {\"verdict\": \"%s\", \"before\": ", metric_name(metric), verdicts[c.verdict]);
    number(out, c.before);
    print_string(out, ", \"after\": ");
    number(out, c.after);
    print_string(out, ", \"noise\": ");
    if (diff_is_time(metric) && diff_knows_noise(d))
        number(out, c.noise);
    else
        print_string(out, "null");
    for (int s = 0; s < 2; s++) {
        print_string(out, s == 0 ? ", \"runs_before\": [" : "], \"runs_after\": [");
        for (uint32_t i = 0; i < d->runs[s]; i++) {
            print_string(out, i == 0 ? "" : ", ");
            number(out, diff_value(d, v->table, entry, metric, s == 0 ? i : d->runs[0] + i));
        }
    }
    print_string(out, "]}");
}

/* The sentence and what it names. */
static void summary(printer *out, diff_view *v) {
    static const char *const causes[] = {
        [STORY_NOTHING] = NULL, [STORY_SPREAD] = NULL, [STORY_ITSELF] = "own",
        [STORY_NEW] = "new",    [STORY_GONE] = "gone", [STORY_COUNT] = "calls",
    };
    story_text t = {.name_count = 0};
    story_tell(&t, v->d, &v->story);
    print_string(out, "{\"text\": ");
    print_json(out, t.text.failed ? (bytes){NULL, 0} : buffer_bytes(&t.text));
    const uint32_t named[] = {v->story.subject, v->story.cause};
    for (size_t i = 0; i < 2; i++) {
        print_string(out, i == 0 ? ", \"subject\": " : ", \"cause\": ");
        if (named[i] == STORY_NONE)
            print_string(out, "null");
        else
            print_json(out, v->d->functions[named[i]].name);
    }
    print_string(out, ", \"by\": ");
    if (causes[v->story.kind])
        text(out, causes[v->story.kind]);
    else
        print_string(out, "null");
    print_string(out, "}");
    v->scratch.failed |= t.text.failed;
    buffer_clear(&t.text);
}

static void entry_object(printer *out, const diff_view *v, uint32_t entry) {
    const diff_entry *e = &v->table->entries[entry];
    if (v->options->by_path) {
        print_format(out, "{\"depth\": %" PRIu32 ", \"parent\": ", e->depth);
        if (e->parent == 0)
            print_string(out, "null, ");
        else
            print_format(out, "%" PRIu32 ", ", e->parent - 1);
    } else {
        print_string(out, "{");
    }
    print_string(out, "\"name\": ");
    if (e->kind == NODE_FOLDED) {
        text(out, "(folded calls)");
    } else {
        print_json(out, v->d->functions[e->function].name);
        print_string(out, ", \"assembly\": ");
        print_json(out, v->d->functions[e->function].assembly);
    }
    if (e->kind == NODE_RESUMED)
        print_string(out, ", \"resumed\": true");
    bool off = e->kind != NODE_FOLDED && v->d->functions[e->function].switched;
    print_format(out, ", \"status\": \"%s\"", off ? "switched" : !e->seen[0] ? "new" : e->seen[1] ? "matched" : "gone");
    for (int metric = 0; metric < DIFF_PUBLIC; metric++)
        if (v->d->untimed && diff_is_time((diff_metric)metric))
            print_format(out, ", \"%s\": null", metric_names[metric]);
        else if (metric < DIFF_FIGURES || !v->d->without[diff_figure_of((diff_metric)metric)])
            metric_field(out, v, entry, (diff_metric)metric);
    print_string(out, "}");
}

void diff_write_json(printer *out, diff_view *v) {
    print_string(out, "{\n\"format\": \"ilinject-diff\",\n\"version\": 1,\n\"before\": ");
    side(out, v, 0);
    print_string(out, ",\n\"after\": ");
    side(out, v, 1);
    print_string(out, ",\n\"summary\": ");
    summary(out, v);
    print_string(out, ",\n\"noise\": ");
    if (diff_knows_noise(v->d)) {
        print_string(out, "{\"exclusive\": ");
        number(out, v->d->spread[DIFF_EXCLUSIVE]);
        print_string(out, ", \"inclusive\": ");
        number(out, v->d->spread[DIFF_INCLUSIVE]);
        print_string(out, "}");
    } else {
        print_string(out, "null");
    }
    print_string(out, ",\n\"fail_if\": [");
    for (size_t i = 0; i < v->gate_count; i++) {
        print_string(out, i == 0 ? "{\"condition\": " : ", {\"condition\": ");
        text(out, v->gates[i].text);
        print_format(out, ", \"named\": %" PRIu32 ", \"methods\": %" PRIu32 "}", v->gates[i].named, v->gates[i].held);
    }
    print_format(out, "],\n\"%s\": [", v->options->by_path ? "paths" : "methods");
    uint32_t first = v->options->by_path ? 1 : 0; /* without the root */
    for (uint32_t i = first; i < v->table->count; i++) {
        print_string(out, i == first ? "\n" : ",\n");
        entry_object(out, v, i);
    }
    print_string(out, "\n]\n}\n");
}
