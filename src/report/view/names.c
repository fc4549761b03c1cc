#include "report/view/names.h"

#include <inttypes.h>

#include "report/view/runs.h"
#include "util/unicode.h"

static void append_text(buffer *b, bytes text) {
    for (size_t at = 0; at < text.size;) {
        size_t plain = unicode_plain(text, at);
        buffer_append(b, text.data + at, plain);
        at += plain;
        if (at == text.size)
            break;
        uint32_t c = unicode_next(text, &at);
        char encoded[4];
        c = c == '\t' || c == '\r' || c == '\n' ? ' ' : unicode_shown(c);
        buffer_append(b, encoded, unicode_encode(encoded, c));
    }
}

void view_text(buffer *b, bytes text) {
    b->size = 0;
    append_text(b, text);
    if (b->size == 0)
        buffer_string(b, "(no name)");
}

void view_module_name(buffer *b, const report_module *m) {
    view_text(b, m->module.size > 0 ? m->module : m->assembly);
}

void view_thread_name(buffer *b, const report *r, const report_thread *t) {
    b->size = 0;
    if (t->merged) { /* of all runs */
        buffer_printf(b, "Threads%s", t->name.size > 0 ? " " : " without a name");
        append_text(b, t->name);
        buffer_printf(b, " (%" PRIu64 ")", t->count);
    } else if (t->id == 0) {
        buffer_printf(b, "Ended threads (%" PRIu64 ")", t->count);
    } else {
        buffer_printf(b, "Thread %" PRIu64, t->id);
        if (t->name.size > 0)
            buffer_string(b, " ");
        append_text(b, t->name);
    }
    if (r->profile_count > 1 && !t->merged) {
        buffer_string(b, " of ");
        append_text(b, r->profiles[t->run].run.name);
        buffer_printf(b, ", process %" PRIu64, r->profiles[t->run].run.pid);
    }
}
