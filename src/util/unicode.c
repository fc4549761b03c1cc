#include "util/unicode.h"

typedef struct width_row {
    uint32_t first, last;
    unsigned columns;
} width_row;

static const width_row widths[] = {
#define WIDTH(first, last, columns) {first, last, columns},
#include "util/unicode_width.def"
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

/* Bytes in a word, each tested at once: its upper bit becomes that of a result which is 0 when none is meant. A bit
 * that is carried from one byte to the next comes from a byte that is meant. */
#define EACH(byte) (0x0101010101010101u * (byte))

static uint64_t not_plain(uint64_t word) {
    return ((word - EACH(0x20)) | word | (word + EACH(1))) & EACH(0x80);
}

static uint64_t equals(uint64_t word, uint8_t byte) {
    uint64_t other = word ^ EACH(byte);
    return (other - EACH(1)) & ~other & EACH(0x80);
}

size_t unicode_plain(bytes s, size_t at) {
    size_t end = at;
    while (s.size - end >= 8 && not_plain(load_u64(s.data + end)) == 0)
        end += 8;
    while (end < s.size && s.data[end] >= 0x20 && s.data[end] < 0x7F)
        end++;
    return end - at;
}

size_t unicode_unquoted(bytes s, size_t at) {
    size_t end = at;
    for (; s.size - end >= 8; end += 8) {
        uint64_t word = load_u64(s.data + end);
        if ((not_plain(word) | equals(word, '"') | equals(word, '\\')) != 0)
            break;
    }
    while (end < s.size && s.data[end] >= 0x20 && s.data[end] < 0x7F && s.data[end] != '"' && s.data[end] != '\\')
        end++;
    return end - at;
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

size_t unicode_json(char out[UNICODE_JSON], uint32_t c) {
    static const char hex[] = "0123456789abcdef";
    if (unicode_steers(c)) {
        out[0] = '\\';
        out[1] = 'u';
        for (int i = 0; i < 4; i++)
            out[2 + i] = hex[c >> 4 * (3 - i) & 15];
        return 6;
    }
    size_t escape = c == '"' || c == '\\';
    out[0] = '\\';
    return escape + unicode_encode(out + escape, c);
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
    for (size_t at = 0; at < s.size;) {
        size_t plain = unicode_plain(s, at);
        width += plain;
        at += plain;
        if (at < s.size)
            width += unicode_columns(unicode_shown(unicode_next(s, &at)));
    }
    return width;
}
