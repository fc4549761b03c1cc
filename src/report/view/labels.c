#include "report/view/labels.h"

#include <stdlib.h>

#include "util/list.h"
#include "util/unicode.h"

static int by_name(const void *left, const void *right) {
    return bytes_compare(((const profile_label *)left)->name, ((const profile_label *)right)->name);
}

static int by_value(const void *left, const void *right) {
    return bytes_compare(((const profile_fact *)left)->value, ((const profile_fact *)right)->value);
}

/* Adds up the values of `count` labels of one name, which is the first one's. False when memory ran out. */
static bool add_up(profile_label *sum, const profile_label *labels, uint32_t count) {
    uint32_t values = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++)
        values += labels[i].of.count;
    profile_fact *all = malloc(((size_t)values + 1) * sizeof *all);
    if (!all)
        return false;
    *sum = (profile_label){.name = labels[0].name};
    values = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < labels[i].of.count; k++)
            all[values++] = labels[i].of.values[k];
        sum->of.others = profile_add(sum->of.others, labels[i].of.others);
    }
    qsort(all, values, sizeof *all, by_value);
    for (uint32_t i = 0; i < values; i++) {
        if (kept > 0 && bytes_equal(all[kept - 1].value, all[i].value))
            all[kept - 1].runs = profile_add(all[kept - 1].runs, all[i].runs);
        else
            all[kept++] = all[i];
    }
    sum->of.values = all;
    sum->of.count = kept;
    return true;
}

bool view_labels_make(view_labels *l, const report *r) {
    size_t count = 0;
    *l = (view_labels){0};
    for (size_t i = 0; i < r->profile_count; i++) {
        count += r->profiles[i].label_count;
        l->more |= r->profiles[i].labels_more;
    }
    if (count == 0)
        return true;
    profile_label *all = malloc(count * sizeof *all);
    l->list = calloc(count, sizeof *l->list);
    count = 0;
    for (size_t i = 0; i < r->profile_count && all; i++)
        for (uint32_t k = 0; k < r->profiles[i].label_count; k++)
            all[count++] = r->profiles[i].labels[k];
    bool done = all && l->list;
    if (done)
        qsort(all, count, sizeof *all, by_name);
    for (uint32_t i = 0, end; i < count && done; i = end) {
        for (end = i; end < count && bytes_equal(all[end].name, all[i].name); end++)
            continue;
        done = add_up(&l->list[l->count], &all[i], end - i);
        l->count += done;
    }
    free(all);
    return done;
}

void view_labels_clear(view_labels *l) {
    for (uint32_t i = 0; i < l->count; i++)
        free(l->list[i].of.values);
    free(l->list);
    *l = (view_labels){0};
}

bool view_label_is_own(const profile_label *l) {
    return bytes_equal(l->name, bytes_of("version", 7)) || bytes_equal(l->name, bytes_of("commit", 6));
}

void view_json_text(buffer *b, bytes s) {
    buffer_u8(b, '"');
    for (size_t at = 0; at < s.size;) {
        size_t plain = unicode_unquoted(s, at);
        buffer_append(b, s.data + at, plain);
        at += plain;
        if (at == s.size)
            break;
        char encoded[UNICODE_JSON];
        buffer_append(b, encoded, unicode_json(encoded, unicode_next(s, &at)));
    }
    buffer_u8(b, '"');
}

void view_labels_json(buffer *b, const profile *p) {
    buffer_u8(b, '{');
    for (uint32_t i = 0; i < p->label_count; i++) {
        const profile_label *l = &p->labels[i];
        buffer_string(b, i > 0 ? "," : "");
        view_json_text(b, l->name);
        buffer_string(b, ":[");
        for (uint32_t k = 0; k < l->of.count; k++) {
            buffer_string(b, k > 0 ? "," : "");
            view_json_text(b, l->of.values[k].value);
        }
        buffer_u8(b, ']');
    }
    buffer_u8(b, '}');
}
