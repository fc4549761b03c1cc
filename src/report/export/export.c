#include "report/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/model/timeline.h"
#include "util/unicode.h"

bool export_frames_make(export_frames *f, const report *r) {
    const aggregate *a = r->sum;
    *f = (export_frames){.r = r};
    f->resumed = calloc((size_t)a->function_count + 1, sizeof *f->resumed);
    f->functions = calloc((size_t)a->function_count + 1, sizeof *f->functions);
    if (!f->resumed || !f->functions) {
        export_frames_clear(f);
        return false;
    }
    for (uint32_t i = 1; i < a->tree.node_count; i++) {
        uint32_t function = a->tree.nodes[i].function;
        if (a->tree.nodes[i].kind == NODE_RESUMED && f->resumed[function] == 0) {
            f->functions[f->resumed_count] = function;
            f->resumed[function] = a->function_count + f->resumed_count++;
        }
    }
    f->folded = a->function_count + f->resumed_count;
    f->deep = f->folded + 1;
    f->waiting = f->deep + 1;
    f->count = f->deep + (a->tree.nodes[0].waiting_ns > 0 ? 2 : 1);
    return true;
}

void export_frames_clear(export_frames *f) {
    free(f->resumed);
    free(f->functions);
    *f = (export_frames){0};
}

uint32_t export_frame_of(const export_frames *f, const report_node *n) {
    return n->kind == NODE_FOLDED    ? f->folded
           : n->kind == NODE_DEEP    ? f->deep
           : n->kind == NODE_WAITING ? f->waiting
           : n->kind == NODE_RESUMED ? f->resumed[n->function]
                                     : n->function;
}

const report_function *export_frame_function(const export_frames *f, uint32_t frame) {
    const aggregate *a = f->r->sum;
    if (frame >= f->folded)
        return NULL;
    return &a->functions[frame < a->function_count ? frame : f->functions[frame - a->function_count]];
}

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

void export_text(buffer *b, bytes text) {
    b->size = 0;
    append_text(b, text);
    if (b->size == 0)
        buffer_string(b, "(no name)");
}

void export_module_name(buffer *b, const report_module *m) {
    export_text(b, m->module.size > 0 ? m->module : m->assembly);
}

void export_frame_name(buffer *b, const export_frames *f, uint32_t frame) {
    const report_function *function = export_frame_function(f, frame);
    b->size = 0;
    if (!function) {
        buffer_string(b, frame == f->folded ? "(folded calls)" : frame == f->deep ? "(deeper calls)" : "(waiting)");
        return;
    }
    export_text(b, function->name);
    if (frame >= f->r->sum->function_count)
        buffer_string(b, " (resumed)");
}

void export_thread_name(buffer *b, const report *r, const report_thread *t) {
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

uint64_t export_timeline_end(const report *r, size_t profile) {
    const profile_run *run = &r->profiles[profile].run;
    uint64_t end = run->wall_ticks > run->stopped_ticks ? run->wall_ticks - run->stopped_ticks : 0;
    for (uint32_t i = 0; i < r->matched[profile].thread_count; i++) {
        uint64_t last = timeline_last(&r->matched[profile].threads[i].corrected.t);
        end = last > end ? last : end;
    }
    return end;
}
