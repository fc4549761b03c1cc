/* .cpuprofile, what Chrome's profiler writes (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/, type
 * Profile): DevTools, speedscope and VS Code read it, which shows own and total times above the methods in the source.
 *
 * A node for each node of the trees; threads stand below the root. Each node with own time is one sample, which takes
 * that long. A reader gives a sample the time until the next one, so its delta stands one further on, and a sample of
 * the root ends the list. Times are microseconds, lines start at 0, and paths are plain ones, without a scheme, since
 * VS Code takes them as they are. */
#include <inttypes.h>

#include "report/export/export.h"

static void call_frame(printer *out, bytes name, bytes path, uint32_t line) {
    print_string(out, "\"callFrame\":{\"functionName\":");
    print_json(out, name);
    print_string(out, ",\"scriptId\":\"0\",\"url\":");
    print_json(out, path);
    print_format(out, ",\"lineNumber\":%" PRId64 ",\"columnNumber\":%d}", (int64_t)line - 1, line ? 0 : -1);
}

static void children(printer *out, const fold_link *nodes, uint32_t node) {
    print_string(out, ",\"children\":[");
    for (uint32_t child = nodes[node].first_child; child != 0; child = nodes[child].next_sibling) {
        print_string(out, child == nodes[node].first_child ? "" : ",");
        print_number(out, child + 1);
    }
    print_string(out, "]");
}

static bool is_sample(const report *r, uint32_t node) {
    return node_kind(&r->sum->tree.places.links[node]) != NODE_THREAD && view_node_weight(r, node) > 0;
}

static void nodes_of(printer *out, const report *r, const view_frames *frames, buffer *name, buffer *path) {
    const fold_link *nodes = r->sum->tree.places.links;
    print_string(out, "{\"id\":1,");
    call_frame(out, bytes_of("(root)", 6), (bytes){0}, 0);
    print_string(out, ",\"hitCount\":0");
    children(out, nodes, 0);
    print_string(out, "}");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node)) {
        uint32_t line = 0;
        path->size = 0;
        if (node_kind(&nodes[node]) == NODE_THREAD) {
            view_thread_name(name, r, &r->sum->tree.threads[node_function(&nodes[node])]);
        } else {
            uint32_t frame = view_frame_of(frames, &nodes[node]);
            const report_function *f = view_frame_function(frames, frame);
            view_frame_name(name, frames, frame);
            const fold_link *above = &nodes[nodes[node].parent];
            line = f ? view_source(path, r, f) : 0;
            if (f && line == 0 && link_is_call(above)) /* a leaf's is that of its call */
                line = view_call_source(path, r, node_function(above), (uint32_t)(f - r->sum->list.functions));
        }
        print_string(out, ",\n{\"id\":");
        print_number(out, node + 1);
        print_string(out, ",");
        call_frame(out, buffer_bytes(name), buffer_bytes(path), line);
        print_format(out, ",\"hitCount\":%d", is_sample(r, node));
        children(out, nodes, node);
        print_string(out, "}");
    }
}

/* Fractions keep the nanoseconds. */
static void print_us(printer *out, uint64_t ns) {
    print_format(out, ns % 1000 ? "%" PRIu64 ".%03" PRIu64 : "%" PRIu64, ns / 1000, ns % 1000);
}

bool cpuprofile_write(printer *out, const report *r) {
    const fold_link *nodes = r->sum->tree.places.links;
    view_frames frames;
    buffer name = BUFFER_INIT, path = BUFFER_INIT;
    uint64_t all = 0;
    if (!view_frames_make(&frames, r))
        return false;
    print_string(out, "{\"nodes\":[\n");
    nodes_of(out, r, &frames, &name, &path);
    print_string(out, "],\n\"startTime\":0,\"samples\":[");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node))
        if (is_sample(r, node)) {
            print_number(out, node + 1);
            print_string(out, ",");
        }
    print_string(out, "1],\n\"timeDeltas\":[0");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node))
        if (is_sample(r, node)) {
            uint64_t weight = view_node_weight(r, node);
            all = profile_add(all, weight);
            print_string(out, ",");
            print_us(out, weight);
        }
    print_string(out, "],\"endTime\":");
    print_us(out, all);
    print_string(out, "}\n");
    bool done = !name.failed && !path.failed;
    buffer_clear(&name);
    buffer_clear(&path);
    view_frames_clear(&frames);
    return done;
}
