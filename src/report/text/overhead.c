#include "report/text/overhead.h"

#include "report/print/format.h"
#include "report/view/overhead.h"

static void print_escaped(printer *out, bytes text) {
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        const char *entity = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
        if (entity)
            print_string(out, entity);
        else
            print_bytes(out, (const char *)&c, 1);
    }
}

void overhead_print_exclude(printer *out, bytes pattern) {
    if (pattern.size == 0) {
        print_string(out, "    <!-- No pattern can say the name of one of them. -->");
        return;
    }
    print_string(out, "    <exclude pattern=\"");
    print_escaped(out, pattern);
    print_string(out, "\"/>");
}

static void print_exclude(void *user, bytes pattern) {
    overhead_print_exclude(user, pattern);
    print_string(user, "\n");
}

bool suggestions_write(printer *out, const report *r) {
    overhead o = overhead_of(r->sum);
    print_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    print_format(out, "<!-- Methods with %s %% of %s. -->\n", format_percent(o.weight, o.whole).text,
                 o.by_calls ? "all calls; the cost of the probes was not measured" : "the cost of all probes");
    print_string(out, "<ilinject>\n  <selection>\n");
    buffer b = BUFFER_INIT;
    for (uint32_t i = 0; i < o.count; i++)
        overhead_patterns(o.functions[i], &b, print_exclude, out);
    print_string(out, "  </selection>\n</ilinject>\n");
    bool done = !b.failed;
    buffer_clear(&b);
    return done;
}
