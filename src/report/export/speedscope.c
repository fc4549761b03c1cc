/* speedscope's own format: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources, with the schema at
 * https://www.speedscope.app/file-format-schema.json.
 *
 * One evented profile a thread. Nobody knows when the calls of a node ran, so they are laid out one after another, in
 * the order of the first calls: a frame opens, its callees follow, then comes its own time, and it closes. That takes
 * two lines a node however deep it stands, and all places are sums of own times, so nothing is rounded. One more
 * profile, where async methods waited, has the logical call tree with the times between their slices; for each figure
 * that was counted one more of each thread has it. */
#include <inttypes.h>

#include "report/export/export.h"
#include "report/model/figures.h"

typedef struct speedscope {
    printer *out;
    const report *r;
    view_frames frames;
    buffer name;
    int figure;  /* that the profile is of which is written; FIGURES: it is of times */
    uint64_t at; /* where it stands */
    bool first;  /* no event of it has been written */
} speedscope;

static void text_field(speedscope *s, const char *key) {
    print_format(s->out, "\"%s\":", key);
    print_json(s->out, buffer_bytes(&s->name));
}

static void frames(speedscope *s) {
    for (uint32_t i = 0; i < s->frames.count; i++) {
        const report_function *f = view_frame_function(&s->frames, i);
        print_string(s->out, i == 0 ? "\n{" : ",\n{");
        view_frame_name(&s->name, &s->frames, i);
        text_field(s, "name");
        uint32_t line = f ? view_source(&s->name, s->r, f) : 0;
        if (line) {
            print_string(s->out, ",");
            text_field(s, "file");
            print_format(s->out, ",\"line\":%" PRIu32, line);
        } else if (f && f->module != NO_MODULE) {
            view_module_name(&s->name, &s->r->sum->list.modules[f->module]);
            print_string(s->out, ",");
            text_field(s, "file");
        }
        print_string(s->out, "}");
    }
}

static void event(speedscope *s, bool opens, uint32_t frame) {
    print_string(s->out, s->first ? "\n" : ",\n");
    print_string(s->out, opens ? "{\"type\":\"O\",\"frame\":" : "{\"type\":\"C\",\"frame\":");
    print_number(s->out, frame);
    print_string(s->out, ",\"at\":");
    print_number(s->out, s->at);
    print_string(s->out, "}");
    s->first = false;
}

static void begin(speedscope *s, const char *unit) {
    print_string(s->out, "{\"type\":\"evented\",");
    text_field(s, "name");
    print_format(s->out, ",\"unit\":\"%s\",\"startValue\":0,\"events\":[", unit);
    s->at = 0;
    s->first = true;
}

static void end(speedscope *s) {
    print_format(s->out, "\n],\"endValue\":%" PRIu64 "}", s->at);
}

static uint64_t weight_of(const speedscope *s, uint32_t node) {
    return s->figure < FIGURES ? node_number(&s->r->sum->tree, NODE_FIGURE + (unsigned)s->figure, node)
                               : view_node_weight(s->r, node);
}

/* The nodes below `top`, each closed after its last child. */
static void thread(speedscope *s, uint32_t top) {
    const fold_link *nodes = s->r->sum->tree.places.links;
    for (uint32_t node = nodes[top].first_child; node != 0;) {
        event(s, true, view_frame_of(&s->frames, &nodes[node]));
        if (nodes[node].first_child != 0) {
            node = nodes[node].first_child;
            continue;
        }
        for (;;) {
            s->at = profile_add(s->at, weight_of(s, node));
            event(s, false, view_frame_of(&s->frames, &nodes[node]));
            if (nodes[node].next_sibling != 0) {
                node = nodes[node].next_sibling;
                break;
            }
            node = nodes[node].parent;
            if (node == top)
                return;
        }
    }
}

static void awaiting(speedscope *s) {
    const async_node *nodes = s->r->sum->async.nodes;
    for (uint32_t node = nodes[0].first_child; node != 0;) {
        event(s, true, nodes[node].function);
        if (nodes[node].first_child != 0) {
            node = nodes[node].first_child;
            continue;
        }
        while (node != 0) {
            s->at = profile_add(s->at, nodes[node].figures.awaiting_ns);
            event(s, false, nodes[node].function);
            if (nodes[node].next_sibling != 0)
                break;
            node = nodes[node].parent;
        }
        node = nodes[node].next_sibling;
    }
}

static bool has_awaiting(const async_tree *tree) {
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (tree->nodes[i].figures.awaiting_ns > 0)
            return true;
    return false;
}

/* Writes a profile of each thread; returns the position of the one with the most time. */
static uint32_t threads(speedscope *s) {
    const aggregate *a = s->r->sum;
    const fold_link *nodes = a->tree.places.links;
    uint32_t count = 0, longest = 0;
    uint64_t most = 0;
    for (uint32_t top = nodes[0].first_child; top != 0; top = nodes[top].next_sibling, count++) {
        print_string(s->out, count == 0 ? "\n" : ",\n");
        view_thread_name(&s->name, s->r, &a->tree.threads[node_function(&nodes[top])]);
        if (s->figure < FIGURES) {
            buffer_string(&s->name, ": ");
            buffer_string(&s->name, figure_kinds[s->figure].profile[0]);
        }
        begin(s, s->figure < FIGURES   ? figure_kinds[s->figure].profile[1]
                 : view_has_time(s->r) ? "nanoseconds"
                                       : "none");
        thread(s, top);
        end(s);
        if (s->at > most) {
            most = s->at;
            longest = count;
        }
    }
    if (count == 0) {
        print_string(s->out, "\n");
        view_text(&s->name, bytes_of("(no threads)", 12));
        begin(s, "nanoseconds");
        end(s);
    }
    return longest;
}

/* The program's, and in parentheses the notes on the whole. There is no other place for them. */
static bool name_of_file(speedscope *s) {
    view_notes notes;
    buffer note = BUFFER_INIT;
    bool done = view_notes_make(&notes, s->r);
    view_text(&s->name, view_program_of(s->r, 0).name);
    for (uint32_t i = 0; done && i < notes.count - notes.named; i++) {
        view_note(&note, &notes, i);
        buffer_string(&s->name, i == 0 ? " (" : "; ");
        size_t size = note.size; /* without the names that would follow */
        for (size_t k = 0; k < size; k++)
            if (note.data[k] == ';')
                size = k;
        buffer_append(&s->name, note.data, size);
    }
    if (done && notes.count > notes.named)
        buffer_string(&s->name, ")");
    done = done && !note.failed;
    buffer_clear(&note);
    view_notes_clear(&notes);
    return done;
}

bool speedscope_write(printer *out, const report *r) {
    speedscope s = {.out = out, .r = r, .figure = FIGURES};
    if (!view_frames_make(&s.frames, r))
        return false;
    print_string(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
    print_string(out, "\"exporter\":\"ilinject " ILJ_VERSION "\",");
    bool noted = name_of_file(&s);
    text_field(&s, "name");
    print_string(out, ",\n\"shared\":{\"frames\":[");
    frames(&s);
    print_string(out, "\n]},\n\"profiles\":[");
    uint32_t active = threads(&s);
    if (has_awaiting(&r->sum->async)) {
        print_string(out, ",\n");
        view_text(&s.name, bytes_of("Async methods: awaiting", 23));
        begin(&s, "nanoseconds");
        awaiting(&s);
        end(&s);
    }
    for (s.figure = 0; s.figure < FIGURES; s.figure++)
        if (r->sum->counted.all[s.figure] > 0 && r->sum->tree.thread_count > 0) {
            print_string(out, ",");
            threads(&s);
        }
    print_format(out, "\n],\"activeProfileIndex\":%" PRIu32 "}\n", active);
    bool done = noted && !s.name.failed;
    buffer_clear(&s.name);
    view_frames_clear(&s.frames);
    return done;
}
