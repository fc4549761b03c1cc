#include "report/page/page.h"

#include "base/sha256.h"
#include "report/page/json.h"
#include "report/view/head.h"

/* files.S */
extern const char page_style_start[], page_style_end[], page_body_start[], page_body_end[];
extern const char page_scripts_start[], page_scripts_end[], page_licences_start[], page_licences_end[];

static void file(printer *out, const char *start, const char *end) {
    print_bytes(out, start, (size_t)(end - start));
}

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* RFC 4648, section 4. */
static void print_base64(printer *out, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size; at += 3) {
        uint32_t three = (uint32_t)data[at] << 16;
        char four[4] = {'=', '=', '=', '='};
        for (size_t i = 1; i < 3 && at + i < size; i++)
            three |= (uint32_t)data[at + i] << (16 - 8 * i);
        for (size_t i = 0; i < 4 && at + i <= size; i++)
            four[i] = digits64[three >> (18 - 6 * i) & 63];
        print_bytes(out, four, sizeof four);
    }
}

/* The page runs its own scripts, known by their hash, and no others; it loads nothing, and sends
 * nothing anywhere: whatever a name from the profile should manage to become, it is no code.
 * (https://www.w3.org/TR/CSP3/) False: memory ran out. */
static bool policy(printer *out) {
    buffer scripts = BUFFER_INIT;
    uint8_t hash[SHA256_BYTES];
    buffer_string(&scripts, "\n");
    buffer_append(&scripts, page_scripts_start, (size_t)(page_scripts_end - page_scripts_start));
    bool done = !scripts.failed;
    if (done) {
        sha256(buffer_bytes(&scripts), hash);
        print_string(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
                          "default-src 'none'; script-src 'sha256-");
        print_base64(out, hash, sizeof hash);
        print_string(out, "'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n");
    }
    buffer_clear(&scripts);
    return done;
}

/* The line of the text report's head that says what the times are. */
static bool times_text(printer *out, const report *r) {
    buffer text = BUFFER_INIT;
    buffer_string(&text, "Times    ");
    view_describe_times(&text, r);
    bool done = !text.failed;
    if (done)
        page_string(out, buffer_bytes(&text));
    buffer_clear(&text);
    return done;
}

bool page_write(printer *out, const report *r) {
    print_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    bool done = policy(out);
    print_string(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<title>Profile</title>\n<style>\n");
    file(out, page_style_start, page_style_end);
    print_string(out, "</style>\n</head>\n<body>\n");
    file(out, page_body_start, page_body_end);
    print_string(out, "<script type=\"application/json\" id=\"profile\">{\"profile\":");
    done = done && page_data_write(out, r);
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
