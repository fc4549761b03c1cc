#include "dump/text_out.h"

enum { PIECE_BYTES = 32 << 10, REPLACEMENT = 0xFFFD };

static void hand_over(text_out *out) {
    size_t size = out->b.size;
    out->b.size = 0;
    if (out->stopped || size == 0)
        return;
    if (size > out->most - out->passed) {
        size = (size_t)(out->most - out->passed);
        out->over = true;
    }
    out->passed += size;
    out->stopped = out->write(out->user, (const char *)out->b.data, size) != 0;
    out->over &= !out->stopped;
    out->stopped |= out->over;
}

bool text_out_flush(text_out *out) {
    if (out->b.size >= PIECE_BYTES)
        hand_over(out);
    return !out->stopped && !out->b.failed;
}

ilj_status text_out_finish(text_out *out, diag *d) {
    bool failed = out->b.failed;
    if (!failed)
        hand_over(out);
    buffer_clear(&out->b);
    if (out->over && !failed)
        return diag_report(d, DIAG_ADDED_LIMIT, "the text ends here, after %llu bytes: there is more of it",
                           (unsigned long long)out->passed);
    return failed ? ILJ_NO_MEMORY : out->stopped ? ILJ_IO : ILJ_OK;
}

/* The length of the well-formed UTF-8 sequence at `at`, 0 when there is none; *c is its code point. */
static size_t utf8_length(bytes text, size_t at, uint32_t *c) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = text.data[at];
    size_t length = first < 0x80 ? 1 : first >> 5 == 0x6 ? 2 : first >> 4 == 0xE ? 3 : first >> 3 == 0x1E ? 4 : 0;
    if (length == 0 || length > text.size - at)
        return 0;
    *c = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text.data[at + i] & 0xC0) != 0x80)
            return 0;
        *c = *c << 6 | (text.data[at + i] & 0x3F);
    }
    return *c < least[length] || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000) ? 0 : length;
}

/* C1 controls and the bidirectional overrides change what a terminal shows as much as C0 controls do. */
static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
           c == 0x2028 || c == 0x2029 || c == 0x200E || c == 0x200F || c == 0x061C;
}

static void append_escaped(buffer *b, bytes text, bool quoted) {
    for (size_t at = 0; at < text.size;) {
        uint32_t c;
        size_t length = utf8_length(text, at, &c);
        if (length == 0 || is_control(c)) {
            size_t stop = at + (length ? length : 1);
            for (; at < stop; at++)
                buffer_printf(b, "\\x%02x", text.data[at]);
            continue;
        }
        if (quoted && (c == '"' || c == '\\'))
            buffer_u8(b, '\\');
        buffer_append(b, text.data + at, length);
        at += length;
    }
}

void text_plain(buffer *b, bytes text) {
    append_escaped(b, text, false);
}

void text_quoted(buffer *b, bytes text) {
    buffer_u8(b, '"');
    append_escaped(b, text, true);
    buffer_u8(b, '"');
}

static void append_utf8(buffer *b, uint32_t c) {
    if (c < 0x80) {
        buffer_u8(b, (uint8_t)c);
        return;
    }
    if (c < 0x800) {
        buffer_u8(b, (uint8_t)(0xC0 | c >> 6));
    } else {
        if (c < 0x10000) {
            buffer_u8(b, (uint8_t)(0xE0 | c >> 12));
        } else {
            buffer_u8(b, (uint8_t)(0xF0 | c >> 18));
            buffer_u8(b, (uint8_t)(0x80 | (c >> 12 & 0x3F)));
        }
        buffer_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3F)));
    }
    buffer_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
}

void text_quoted_utf16(buffer *b, bytes utf16) {
    buffer_u8(b, '"');
    for (size_t at = 0; at + 1 < utf16.size; at += 2) {
        uint32_t c = load_u16(utf16.data + at);
        if (c >= 0xD800 && c < 0xDC00 && at + 3 < utf16.size) {
            uint32_t low = load_u16(utf16.data + at + 2);
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                at += 2;
            }
        }
        if (c == '\n')
            buffer_string(b, "\\n");
        else if (c == '\t')
            buffer_string(b, "\\t");
        else if (c == '\r')
            buffer_string(b, "\\r");
        else if (is_control(c) || (c >= 0xD800 && c < 0xE000))
            buffer_printf(b, "\\u%04x", (unsigned)c);
        else {
            if (c == '"' || c == '\\')
                buffer_u8(b, '\\');
            append_utf8(b, c);
        }
    }
    buffer_u8(b, '"');
}

void text_json(buffer *b, bytes text) {
    buffer_u8(b, '"');
    for (size_t at = 0; at < text.size;) {
        uint32_t c;
        size_t length = utf8_length(text, at, &c);
        if (length == 0) {
            append_utf8(b, REPLACEMENT);
            at++;
            continue;
        }
        if (is_control(c))
            buffer_printf(b, "\\u%04x", (unsigned)c);
        else {
            if (c == '"' || c == '\\')
                buffer_u8(b, '\\');
            buffer_append(b, text.data + at, length);
        }
        at += length;
    }
    buffer_u8(b, '"');
}
