#include "report/text/text.h"
#include "report/view/brief.h"

/* What dominates, a line each: with the head and the hot path twelve lines at most. */

bool brief_write(printer *out, const report *r) {
    enum { LABEL = 9 };
    const size_t width = r->options->width == 0 ? SIZE_MAX : r->options->width;
    view_brief found;
    buffer text = BUFFER_INIT, line = BUFFER_INIT;
    if (!view_brief_make(&found, r))
        return false;
    for (uint32_t i = 0; i < found.count; i++) {
        view_finding_describe(&text, r, &found.findings[i]);
        line.size = 0;
        buffer_printf(&line, "%-*s", (int)LABEL, view_finding_title(found.findings[i].kind));
        buffer_append(&line, text.data, text.size);
        print_line(out, buffer_bytes(&line), width);
        print_string(out, "\n");
    }
    bool done = !text.failed && !line.failed;
    buffer_clear(&text);
    buffer_clear(&line);
    return done;
}
