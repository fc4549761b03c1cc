#include "report/page/page.h"

#include "base/sha256.h"
#include "report/page/json.h"
#include "report/page/pack.h"
#include "report/page/timeline.h"
#include "report/page/trend.h"
#include "report/view/head.h"
#include "report/view/trust.h"

/* files.S */
extern const char page_style_start[], page_style_end[], page_body_start[], page_body_end[];
extern const char page_scripts_start[], page_scripts_end[], page_licences_start[], page_licences_end[];
extern const char page_timeline_start[], page_timeline_end[], page_timeline_scripts_start[],
    page_timeline_scripts_end[];
extern const char page_compare_scripts_start[], page_compare_scripts_end[];
extern const char page_trend_start[], page_trend_end[], page_trend_scripts_start[], page_trend_scripts_end[];
extern const char page_listing_start[], page_listing_end[], page_listing_scripts_start[], page_listing_scripts_end[];

static void file(printer *out, const char *start, const char *end) {
    print_bytes(out, start, (size_t)(end - start));
}

static void append(buffer *b, const char *start, const char *end) {
    buffer_append(b, start, (size_t)(end - start));
}

static bool has_timeline(const report *r) {
    return page_has_timeline(r) || (r->before && page_has_timeline(r->before));
}

/* The scripts of this page, those of views that only some pages have before the others. False: memory ran out. */
static bool scripts_of(buffer *scripts, const report *r) {
    buffer_string(scripts, "\n");
    if (r->before)
        append(scripts, page_compare_scripts_start, page_compare_scripts_end);
    if (has_timeline(r))
        append(scripts, page_timeline_scripts_start, page_timeline_scripts_end);
    if (page_has_trend(r))
        append(scripts, page_trend_scripts_start, page_trend_scripts_end);
    if (r->options->with_source)
        append(scripts, page_listing_scripts_start, page_listing_scripts_end);
    append(scripts, page_scripts_start, page_scripts_end);
    return !scripts->failed;
}

/* The page runs its own scripts, known by their hash, and no others; it loads nothing, and sends
 * nothing anywhere: whatever a name from the profile should manage to become, it is no code.
 * (https://www.w3.org/TR/CSP3/) */
static void policy(printer *out, const buffer *scripts) {
    uint8_t hash[SHA256_BYTES];
    sha256(buffer_bytes(scripts), hash);
    print_string(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
                      "default-src 'none'; script-src 'sha256-");
    page_base64(out, bytes_of(hash, sizeof hash));
    print_string(out, "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n");
}

/* The lines of the text report's whole head. */
static bool head_lines(printer *out, const report *r) {
    view_head head = {.text = BUFFER_INIT};
    buffer line = BUFFER_INIT;
    bool done = view_head_make(&head, r);
    print_string(out, "[");
    for (uint32_t i = 0; i < head.count && done; i++) {
        const view_line *l = &head.lines[i];
        bytes text = view_line_text(&head, l), after = view_line_after(&head, l);
        line.size = 0;
        buffer_append(&line, text.data, text.size);
        if (l->function)
            buffer_append(&line, l->function->name.data, l->function->name.size);
        buffer_append(&line, after.data, after.size);
        print_string(out, i > 0 ? ",\n" : "");
        page_string(out, buffer_bytes(&line));
    }
    print_string(out, "]");
    done = done && !line.failed;
    buffer_clear(&line);
    view_head_clear(&head);
    return done;
}

/* Why times are uncertain; empty: no time is. */
static bool why_text(printer *out, const report *r) {
    buffer why = BUFFER_INIT;
    view_why_open(&why, r);
    bool done = !why.failed;
    page_string(out, buffer_bytes(&why));
    buffer_clear(&why);
    return done;
}

static int gather(void *user, const char *text, size_t size) {
    buffer *to = user;
    buffer_append(to, text, size);
    return to->failed;
}

/* All that the scripts read, as one JSON object. */
static bool data_json(printer *out, const report *r) {
    print_string(out, "{\"profile\":");
    bool done = page_data_write(out, r, true);
    print_string(out, ",\n\"before\":");
    if (r->before)
        done = done && page_data_write(out, r->before, false);
    else
        print_string(out, "null");
    print_string(out, ",\n\"calls\":");
    done = done && page_calls_write(out, r);
    print_string(out, ",\n\"head\":");
    done = done && head_lines(out, r);
    print_string(out, ",\n\"why\":");
    done = done && why_text(out, r) && page_trend_write(out, r);
    if (r->before && done) {
        print_string(out, ",\n\"earlier\":{\"head\":");
        done = head_lines(out, r->before);
        print_string(out, ",\n\"calls\":");
        done = done && page_calls_write(out, r->before);
        print_string(out, "}");
    }
    print_string(out, "}");
    return done;
}

/* The same as the page's element. */
static bool data_element(printer *out, const report *r) {
    buffer json = BUFFER_INIT;
    printer inner = {.write = gather, .user = &json};
    bool done = data_json(&inner, r) && print_flush(&inner) && page_data_element(out, buffer_bytes(&json));
    out->no_memory = out->no_memory || inner.no_memory;
    buffer_clear(&json);
    return done;
}

bool page_write(printer *out, const report *r) {
    buffer scripts = BUFFER_INIT;
    bool done = scripts_of(&scripts, r);
    if (!done) {
        buffer_clear(&scripts);
        return false;
    }
    print_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    policy(out, &scripts);
    print_string(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<title>Profile</title>\n<style>\n");
    file(out, page_style_start, page_style_end);
    print_string(out, "</style>\n</head>\n<body>\n");
    file(out, page_body_start, page_body_end);
    if (has_timeline(r))
        file(out, page_timeline_start, page_timeline_end);
    if (page_has_trend(r))
        file(out, page_trend_start, page_trend_end);
    if (r->options->with_source)
        file(out, page_listing_start, page_listing_end);
    done = data_element(out, r);
    print_string(out, "<script type=\"text/plain\" id=\"licence-texts\">\n");
    file(out, page_licences_start, page_licences_end);
    print_string(out, "</script>\n<script>");
    print_bytes(out, (const char *)scripts.data, scripts.size);
    print_string(out, "</script>\n</body>\n</html>\n");
    buffer_clear(&scripts);
    return done;
}
