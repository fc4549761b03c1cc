#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/labels.h"
#include "report/view/runs.h"

/* "release=1.41 (3), 1.42 (4)": of all runs where one value has no number. */
static void append_label(buffer *out, const profile_label *l, uint64_t runs) {
    enum { VALUES_SHOWN = 3 };
    const profile_facts *f = &l->of;
    buffer_append(out, l->name.data, l->name.size);
    buffer_u8(out, '=');
    uint32_t shown = f->count < VALUES_SHOWN ? f->count : VALUES_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        buffer_string(out, i > 0 ? ", " : "");
        buffer_append(out, f->values[i].value.data, f->values[i].value.size);
        if (f->count > 1 || f->others > 0 || f->values[i].runs < runs)
            buffer_printf(out, " (%s)", format_count(f->values[i].runs).text);
    }
    if (shown < f->count)
        buffer_printf(out, " and %s%s more", f->others > 0 ? "at least " : "", format_count(f->count - shown).text);
    else if (f->others > 0)
        buffer_string(out, " and more");
}

void head_add_labels(view_head *h, const report *r, bool own) {
    view_labels labels;
    bool merged, any = false;
    const uint64_t runs = view_count_runs(r, &merged);
    if (!view_labels_make(&labels, r))
        h->failed = true;
    buffer *out = head_begin(h, "Labels");
    for (uint32_t i = 0; i < labels.count && !h->failed; i++) {
        if (!own && view_label_is_own(&labels.list[i]))
            continue;
        buffer_string(out, any ? "; " : "");
        append_label(out, &labels.list[i], runs);
        any = true;
    }
    if (any && labels.more)
        buffer_string(out, "; and more");
    if (any)
        head_end(h, VIEW_LINE);
    else
        head_drop(h);
    view_labels_clear(&labels);
}
