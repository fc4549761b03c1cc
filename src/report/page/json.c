#include "report/page/json.h"

#include "util/unicode.h"

void page_string(printer *out, bytes s) {
    print_bytes(out, "\"", 1);
    for (size_t at = 0; at < s.size;) {
        uint32_t c = unicode_next(s, &at);
        char encoded[4];
        if (c == '"' || c == '\\' || c == '<' || unicode_steers(c))
            print_format(out, "\\u%04x", (unsigned)c);
        else
            print_bytes(out, encoded, unicode_encode(encoded, c));
    }
    print_bytes(out, "\"", 1);
}

void page_text_field(printer *out, const char *name, bytes s) {
    print_format(out, ",\"%s\":", name);
    page_string(out, s);
}

void page_field(printer *out, const char *name, uint64_t value) {
    print_string(out, ",\"");
    print_string(out, name);
    print_string(out, "\":");
    print_number(out, value);
}

void page_element(printer *out, uint32_t i, uint64_t value) {
    print_string(out, i == 0 ? "" : ",");
    print_number(out, value);
}

const view_style page_facts = {VIEW_PAGE, ",", ":", page_string};
