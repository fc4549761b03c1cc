#include <stdio.h>

#include "profile/calls.h"
#include "util/unicode.h"
#include "util/varuint.h"

/* Deeper values no tracker writes: depth is at most 10, and inner exceptions are few. */
enum { MAX_DEPTH = 64 };

/* The receiver of a value, as text or JSON; NULL: it is only passed over. */
typedef struct teller {
    buffer *b;
    bool json;
    size_t end; /* of the buffer: where it is reached, items that follow become an ellipsis */
} teller;

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

static void raw(const teller *t, const char *text) {
    if (t->b)
        buffer_string(t->b, text);
}

static void shown(const teller *t, bytes text) {
    if (!t->b)
        return;
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        uint32_t c = unicode_next(text, &at);
        if (unicode_shown(c) == c)
            buffer_append(t->b, text.data + from, at - from);
        else
            buffer_string(t->b, c == '\n' || c == '\r' || c == '\t' ? " " : "\xEF\xBF\xBD");
    }
}

/* A JSON string, in quotes. */
static void quoted_json(buffer *b, bytes text) {
    buffer_u8(b, '"');
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        uint32_t c = unicode_next(text, &at);
        if (c == '"' || c == '\\')
            buffer_printf(b, "\\%c", (char)c);
        else if (unicode_steers(c))
            buffer_printf(b, "\\u%04x", (unsigned)c);
        else if (c == 0xFFFD)
            buffer_string(b, "\\ufffd");
        else
            buffer_append(b, text.data + from, at - from);
    }
    buffer_u8(b, '"');
}

/* A bool, or a number that every reader of JSON keeps to the digit. */
static bool is_json(bytes text) {
    enum { MOST_DIGITS = 15 };
    if (bytes_equal(text, bytes_of("true", 4)) || bytes_equal(text, bytes_of("false", 5)))
        return true;
    size_t at = text.size && text.data[0] == '-', start = at, points = 0;
    for (; at < text.size; at++) {
        if (text.data[at] == '.' && at > start && at + 1 < text.size && ++points == 1)
            continue;
        if (text.data[at] < '0' || text.data[at] > '9')
            return false;
    }
    bool leading = at - start > 1 && text.data[start] == '0' && text.data[start + 1] != '.';
    return at > start && at - start <= MOST_DIGITS && !leading;
}

static void text_or_quoted(const teller *t, bytes text) {
    if (t->b && t->json)
        quoted_json(t->b, text);
    else
        shown(t, text);
}

/* The name without its namespaces, those of type arguments too. */
static void short_name(const teller *t, bytes name) {
    if (!t->b)
        return;
    size_t from = 0;
    for (size_t i = 0; i <= name.size; i++) {
        bool part = i < name.size && name.data[i] != '<' && name.data[i] != '>' && name.data[i] != ',' &&
                    name.data[i] != ' ' && name.data[i] != '[' && name.data[i] != ']';
        if (part && name.data[i] == '.') {
            if (i > 0 && name.data[i - 1] == '>') /* nested in a generic type */
                raw(t, ".");
            from = i + 1;
        }
        if (part)
            continue;
        shown(t, (bytes){name.data + from, i - from});
        if (i < name.size)
            shown(t, (bytes){name.data + i, 1});
        from = i + 1;
    }
}

static void type_member(const teller *t, const char *kind, bytes type) {
    if (t->b && t->json) {
        buffer_printf(t->b, "{\"kind\": \"%s\", \"type\": ", kind);
        quoted_json(t->b, type);
    }
}

static bool tell(const teller *t, reader *r, unsigned depth);

static bool is_full(const teller *t) {
    return t->b && t->b->size >= t->end;
}

/* The receiver of item `i`. Without room it is none, and the text says that more follows. */
static const teller *item_teller(const teller *t, uint64_t i) {
    static const teller nobody = {0};
    if (i == 0 || !is_full(t))
        return t;
    raw(t, ", \u2026");
    return &nobody;
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

static bool tell_string(const teller *t, reader *r) {
    uint64_t length = reader_varuint(r);
    bytes head = reader_counted(r);
    uint64_t units = 0; /* of UTF-16 */
    for (size_t at = 0; at < head.size;)
        units += unicode_next(head, &at) > 0xFFFF ? 2 : 1;
    if (t->b && t->json) {
        if (units >= length) {
            quoted_json(t->b, head);
        } else {
            raw(t, "{\"kind\": \"string\", \"value\": ");
            quoted_json(t->b, head);
            buffer_printf(t->b, ", \"length\": %llu}", (unsigned long long)length);
        }
        return !r->failed;
    }
    enum { LEAST = 16 }; /* bytes of a text that is cut */
    size_t room = !t->b || t->b->size + LEAST > t->end ? LEAST : t->end - t->b->size;
    if (t->b && head.size > room) {
        units = 0;
        while (room > 0 && (head.data[room] & 0xC0) == 0x80)
            room--;
        head.size = room;
    }
    raw(t, "\"");
    shown(t, head);
    raw(t, "\"");
    if (t->b && units < length)
        buffer_printf(t->b, "\u2026(%llu)", (unsigned long long)length);
    return !r->failed;
}

/* Returns false when the bytes are no fields. `*cut`: not all have found room. */
static bool tell_fields(const teller *t, reader *r, uint64_t count, unsigned depth, bool *cut) {
    const teller *all = t;
    for (uint64_t i = 0; i < count; i++) {
        t = item_teller(t, i);
        bytes name = reader_counted(r);
        raw(t, i ? ", " : t->json ? "" : " ");
        text_or_quoted(t, name);
        raw(t, t->json ? ": " : " = ");
        if (r->failed || !tell(t, r, depth + 1))
            return false;
    }
    *cut = t != all;
    return true;
}

static bool starts_with(bytes text, const char *part) {
    size_t size = strlen(part);
    return text.size >= size && memcmp(text.data, part, size) == 0;
}

static bool tell_items_of_tuple(const teller *t, reader *r, uint64_t count, unsigned depth, bool *cut) {
    const teller *all = t;
    for (uint64_t i = 0; i < count; i++) {
        t = item_teller(t, i);
        reader_counted(r);
        raw(t, i ? ", " : "");
        if (r->failed || !tell(t, r, depth + 1))
            return false;
    }
    *cut = t != all;
    return true;
}

static bool tell_object(const teller *t, reader *r, unsigned depth) {
    bytes type = reader_counted(r);
    uint64_t all = reader_varuint(r), count = reader_varuint(r);
    if (r->failed || count > all || count > reader_left(r))
        return false;
    type_member(t, "object", type);
    bool tuple = !t->json && (starts_with(type, "System.ValueTuple<") || starts_with(type, "System.Tuple<"));
    if (tuple) {
        raw(t, "(");
    } else if (t->json) {
        raw(t, ", \"fields\": {");
    } else {
        short_name(t, type);
        raw(t, " {");
    }
    bool cut;
    if (!(tuple ? tell_items_of_tuple(t, r, count, depth, &cut) : tell_fields(t, r, count, depth, &cut)))
        return false;
    if (tuple) {
        raw(t, count < all && !cut ? ", \u2026)" : ")");
    } else if (t->json) {
        raw(t, "}");
        if (t->b && count < all)
            buffer_printf(t->b, ", \"more\": %llu", (unsigned long long)(all - count));
        raw(t, "}");
    } else {
        raw(t, count < all && !cut ? ", \u2026 }" : count ? " }" : "}");
    }
    return true;
}

static bool tell_items(const teller *t, reader *r, bool map, unsigned depth) {
    bytes type = reader_counted(r);
    uint64_t length = reader_varuint(r), count = reader_varuint(r);
    if (r->failed || count > length || count > reader_left(r))
        return false;
    type_member(t, map ? "map" : "list", type);
    if (t->b && t->json) {
        buffer_printf(t->b, ", \"length\": %llu, \"items\": [", (unsigned long long)length);
    } else if (t->b) {
        /* int[] with its length where an array has it, List<string>(2). */
        bool array = type.size > 2 && type.data[type.size - 1] == ']' && type.data[type.size - 2] == '[';
        short_name(t, (bytes){type.data, array ? type.size - 2 : type.size});
        buffer_printf(t->b, array ? "[%llu] {" : "(%llu) {", (unsigned long long)length);
    }
    const teller *whole = t;
    for (uint64_t i = 0; i < count; i++) {
        t = item_teller(t, i);
        raw(t, i ? ", " : t->json ? "" : " ");
        raw(t, t->json && map ? "[" : "");
        if (!tell(t, r, depth + 1))
            return false;
        if (!map)
            continue;
        raw(t, t->json ? ", " : " = ");
        if (!tell(t, r, depth + 1))
            return false;
        raw(t, t->json ? "]" : "");
    }
    bool cut = t != whole;
    t = whole;
    raw(t, t->json ? "]}" : count < length && !cut ? (count ? ", \u2026 }" : " \u2026 }") : count ? " }" : "}");
    return true;
}

static bool tell_exception(const teller *t, reader *r, unsigned depth) {
    bytes type = reader_counted(r), message = reader_counted(r), stack = reader_counted(r);
    uint64_t count = reader_varuint(r);
    if (r->failed || count > reader_left(r))
        return false;
    type_member(t, "exception", type);
    if (t->b && t->json) {
        raw(t, ", \"message\": ");
        quoted_json(t->b, message);
        raw(t, ", \"stack\": ");
        quoted_json(t->b, stack);
        raw(t, ", \"fields\": {");
    } else {
        short_name(t, type);
        raw(t, ": ");
        shown(t, message);
        raw(t, count ? " {" : "");
    }
    bool cut;
    if (!tell_fields(t, r, count, depth, &cut))
        return false;
    raw(t, t->json ? "}, \"inner\": " : count ? " }" : "");
    if (!t->json && reader_left(r) && *r->at == 'n') {
        reader_skip(r, 1);
        return true;
    }
    raw(t, t->json ? "" : " \u2190 ");
    if (!tell(t, r, depth + 1))
        return false;
    raw(t, t->json ? "}" : "");
    return true;
}

/* One value. */
static bool tell(const teller *t, reader *r, unsigned depth) {
    if (depth > MAX_DEPTH)
        return false;
    bytes text;
    const char *kind = "cycle";
    switch (reader_u8(r)) {
    case 'n':
        raw(t, "null");
        break;
    case 'm':
        raw(t, t->json ? "{\"kind\": \"masked\"}" : "***");
        break;
    case '.':
        raw(t, t->json ? "{\"kind\": \"cut\"}" : "\u2026");
        break;
    case 'v':
        text = reader_counted(r);
        if (!t->b || !t->json || is_json(text)) {
            shown(t, text);
        } else {
            raw(t, "{\"kind\": \"literal\", \"text\": ");
            quoted_json(t->b, text);
            raw(t, "}");
        }
        break;
    case 's':
        return tell_string(t, r);
    case 't':
        kind = "type";
        /* fallthrough */
    case 'r':
        text = reader_counted(r);
        type_member(t, kind, text);
        if (t->json) {
            raw(t, "}");
        } else {
            raw(t, "{");
            short_name(t, text);
            raw(t, *kind == 'c' ? ", again}" : "}");
        }
        break;
    case 'o':
        return tell_object(t, r, depth);
    case 'a':
        return tell_items(t, r, false, depth);
    case 'd':
        return tell_items(t, r, true, depth);
    case 'x':
        return tell_exception(t, r, depth);
    default:
        return false;
    }
    return !r->failed;
}

/* ---- For others -------------------------------------------------------------------------------------------------- */

bool calls_skip_value(reader *r) {
    return tell(&(teller){0}, r, 0);
}

bool calls_next_value(reader *r, int64_t *position, bytes *value) {
    uint64_t folded = reader_varuint(r);
    const uint8_t *start = r->at;
    if (r->failed || folded > INT32_MAX || !calls_skip_value(r))
        return false;
    *position = folded & 1 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
    *value = bytes_of(start, (size_t)(r->at - start));
    return true;
}

bool calls_try_value(const calls_call *c, int64_t position, bytes *value) {
    reader r = reader_of(c->values);
    for (int64_t at; calls_next_value(&r, &at, value);)
        if (at == position)
            return true;
    return false;
}

bool calls_try_exception(bytes value, calls_exception *e) {
    reader r = reader_of(value);
    if (reader_u8(&r) != 'x')
        return false;
    e->type = reader_counted(&r);
    e->message = reader_counted(&r);
    e->stack = reader_counted(&r);
    for (uint64_t count = reader_varuint(&r); count > 0 && !r.failed; count--) {
        reader_counted(&r);
        if (!calls_skip_value(&r))
            return false;
    }
    e->inner = bytes_of(r.at, reader_left(&r));
    return !r.failed;
}

void calls_append_text(buffer *b, bytes value, size_t most) {
    reader r = reader_of(value);
    tell(&(teller){b, false, most > SIZE_MAX - b->size ? SIZE_MAX : b->size + most}, &r, 0);
}

void calls_append_json(buffer *b, bytes value) {
    reader r = reader_of(value);
    tell(&(teller){b, true, SIZE_MAX}, &r, 0);
}
