#include "report/unicode.h"

typedef struct width_row {
    uint32_t first, last;
    unsigned columns;
} width_row;

static const width_row widths[] = {
#define WIDTH(first, last, columns) {first, last, columns},
#include "report/unicode_width.def"
#undef WIDTH
};

uint32_t unicode_next(bytes s, size_t *at) {
    uint8_t first = s.data[(*at)++];
    if (first < 0x80)
        return first;
    /* The second byte's range excludes overlong forms, surrogates and what lies above 10FFFF. */
    unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4)
        return UNICODE_REPLACEMENT;
    uint32_t code_point = first & (0x3Fu >> more);
    for (; more > 0; more--, low = 0x80, high = 0xBF) {
        if (*at == s.size || s.data[*at] < low || s.data[*at] > high)
            return UNICODE_REPLACEMENT;
        code_point = code_point << 6 | (s.data[(*at)++] & 0x3F);
    }
    return code_point;
}

size_t unicode_encode(char out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00u >> size & 0xFF) | c);
    return size;
}

uint32_t unicode_shown(uint32_t c) {
    bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    bool steering = c == 0x2028 || c == 0x2029 || c == 0x061C || c == 0x200E || c == 0x200F ||
                    (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return control || steering ? UNICODE_REPLACEMENT : c;
}

unsigned unicode_columns(uint32_t c) {
    size_t low = 0, high = sizeof widths / sizeof widths[0];
    if (c < widths[0].first)
        return 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c > widths[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof widths / sizeof widths[0] && c >= widths[low].first ? widths[low].columns : 1;
}

size_t unicode_width(bytes s) {
    size_t width = 0;
    for (size_t at = 0; at < s.size;)
        width += unicode_columns(unicode_shown(unicode_next(s, &at)));
    return width;
}
