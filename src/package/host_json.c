#include "package/host_json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes the letter at `at` has, 0 when they are no UTF-8 (RFC 3629). */
static size_t letter_size(const uint8_t *at, size_t left) {
    uint8_t first = at[0];
    size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if (size > 2) {
        bool too_long = (first == 0xE0 && at[1] < 0xA0) || (first == 0xF0 && at[1] < 0x90);
        bool beyond = (first == 0xED && at[1] >= 0xA0) || (first == 0xF4 && at[1] >= 0x90);
        return too_long || beyond ? 0 : size;
    }
    return size;
}

/* Where a string's text, after its first quote, ends: after the last one. */
static size_t string_end(uint8_t *text, size_t at, size_t size) {
    while (at < size && text[at] != '"') {
        if (text[at] == '\\' && at + 1 < size && text[at + 1] < 0x80) {
            at += 2;
            continue;
        }
        size_t letter = letter_size(text + at, size - at);
        if (letter == 0)
            text[at] = '?';
        at += letter ? letter : 1;
    }
    return at < size ? at + 1 : size;
}

/* Where a comment that may begin at `at` ends; `at` when none does. */
static size_t comment_end(const uint8_t *text, size_t at, size_t size) {
    if (size - at < 2 || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
        return at;
    bool line = text[at + 1] == '/';
    for (size_t i = at + 2; i < size; i++) {
        if (line && text[i] == '\n')
            return i;
        if (!line && i + 1 < size && text[i] == '*' && text[i + 1] == '/')
            return i + 2;
    }
    return line ? size : at; /* one without an end is an error */
}

uint8_t *host_json_copy(bytes text) {
    uint8_t *copy = malloc(text.size + 1);
    if (!copy)
        return NULL;
    if (text.size)
        memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    size_t depth = 0, at = 0;
    if (text.size >= 3 && memcmp(copy, "\xEF\xBB\xBF", 3) == 0) {
        memset(copy, ' ', 3);
        at = 3;
    }
    while (at < text.size) {
        size_t end = comment_end(copy, at, text.size);
        if (end > at) {
            memset(copy + at, ' ', end - at);
            at = end;
            continue;
        }
        uint8_t c = copy[at++];
        if (c == '/')
            break; /* an error, and what follows is not searched again for an end of it */
        if (c == '"') {
            at = string_end(copy, at, text.size);
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
            memset(copy + at, ' ', text.size - at);
            break;
        }
    }
    return copy;
}
