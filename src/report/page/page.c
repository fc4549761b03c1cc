#include "report/page/page.h"

#include "report/text/times.h"

/* files.S */
extern const char page_style_start[], page_style_end[], page_body_start[], page_body_end[];
extern const char page_scripts_start[], page_scripts_end[], page_licences_start[], page_licences_end[];

static void file(printer *out, const char *start, const char *end) {
    print_bytes(out, start, (size_t)(end - start));
}

/* The line of the text report's head that says what the times are. */
static bool times_text(printer *out, const report *r) {
    buffer text = BUFFER_INIT;
    times_describe(&text, r);
    bool done = !text.failed;
    if (done)
        page_string(out, buffer_bytes(&text));
    buffer_clear(&text);
    return done;
}

bool page_write(printer *out, const report *r) {
    print_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<title>Profile</title>\n<style>\n");
    file(out, page_style_start, page_style_end);
    print_string(out, "</style>\n</head>\n<body>\n");
    file(out, page_body_start, page_body_end);
    print_string(out, "<script type=\"application/json\" id=\"profile\">{\"profile\":");
    bool done = page_data_write(out, r);
    print_string(out, ",\n\"before\":");
    if (r->before)
        done = done && page_data_write(out, r->before);
    else
        print_string(out, "null");
    print_string(out, ",\n\"calls\":");
    done = done && page_calls_write(out, r);
    print_string(out, ",\n\"times\":");
    done = done && times_text(out, r);
    print_string(out, "}</script>\n<script type=\"text/plain\" id=\"licence-texts\">\n");
    file(out, page_licences_start, page_licences_end);
    print_string(out, "</script>\n<script>\n");
    file(out, page_scripts_start, page_scripts_end);
    print_string(out, "</script>\n</body>\n</html>\n");
    return done;
}
