#include "report/print/print.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "report/print/format.h"
#include "util/unicode.h"

enum { LEAST_NAME = 8, MORE_COLUMNS = 2 }; /* for what is left of a name beside what stands after it; for `…)` */

bool print_flush(printer *p) {
    if (!p->failed && p->used > 0 && p->write(p->user, p->pending, p->used) != 0)
        p->failed = true;
    p->used = 0;
    return !p->failed;
}

void print_pieces(printer *p, const char *text, size_t size) {
    while (size > 0) {
        size_t part = size < sizeof p->pending - p->used ? size : sizeof p->pending - p->used;
        memcpy(p->pending + p->used, text, part);
        p->used += part;
        text += part;
        size -= part;
        if (p->used == sizeof p->pending)
            print_flush(p);
    }
}

void print_spaces(printer *p, size_t count) {
    static const char spaces[] = "                                ";
    for (; count >= sizeof spaces; count -= sizeof spaces - 1)
        print_bytes(p, spaces, sizeof spaces - 1);
    print_bytes(p, spaces, count);
}

void print_number(printer *p, uint64_t number) {
    char digits[FORMAT_DIGITS];
    print_bytes(p, digits, format_digits(digits, number));
}

void print_signed(printer *p, int64_t number) {
    if (number < 0)
        print_bytes(p, "-", 1);
    print_number(p, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void print_format(printer *p, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        print_bytes(p, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void print_shown(printer *p, bytes s) {
    for (size_t at = 0; at < s.size;) {
        size_t plain = unicode_plain(s, at);
        print_bytes(p, (const char *)s.data + at, plain);
        at += plain;
        if (at == s.size)
            break;
        char encoded[4];
        print_bytes(p, encoded, unicode_encode(encoded, unicode_shown(unicode_next(s, &at))));
    }
}

void print_json(printer *p, bytes s) {
    print_bytes(p, "\"", 1);
    for (size_t at = 0; at < s.size;) {
        size_t plain = unicode_unquoted(s, at);
        print_bytes(p, (const char *)s.data + at, plain);
        at += plain;
        if (at == s.size)
            break;
        char encoded[UNICODE_JSON];
        print_bytes(p, encoded, unicode_json(encoded, unicode_next(s, &at)));
    }
    print_bytes(p, "\"", 1);
}

/* The longest start of `s` that takes at most `columns`. */
static bytes head_of(bytes s, size_t columns) {
    size_t at = 0, taken = 0, end = 0;
    while (at < s.size) {
        taken += unicode_columns(unicode_shown(unicode_next(s, &at)));
        if (taken > columns)
            break;
        end = at;
    }
    return (bytes){s.data, end};
}

/* The longest end of `s` that takes at most `columns`. */
static bytes tail_of(bytes s, size_t columns) {
    size_t at = 0, left = unicode_width(s);
    while (at < s.size && left > columns)
        left -= unicode_columns(unicode_shown(unicode_next(s, &at)));
    /* A mark without what it combines with would combine with the ellipsis. */
    for (size_t after = at; at < s.size && unicode_columns(unicode_shown(unicode_next(s, &after))) == 0;)
        at = after;
    return (bytes){s.data + at, s.size - at};
}

static const bytes ellipsis = {(const uint8_t *)"\u2026", 3};
static const bytes any_parameters = {(const uint8_t *)"(\u2026)", 5};

static size_t print_parts(printer *p, bytes head, bytes middle, bytes tail, bytes end) {
    print_shown(p, head);
    print_shown(p, middle);
    print_shown(p, tail);
    print_shown(p, end);
    return unicode_width(head) + unicode_width(middle) + unicode_width(tail) + unicode_width(end);
}

/* The name without its outermost part, a namespace's or an outer type's; what has no more than two stays. */
static bytes without_outermost(bytes name) {
    size_t first = 0, dots = 0, depth = 0;
    for (size_t at = 1; at < name.size; at++) {
        uint8_t c = name.data[at];
        depth += c == '<' || c == '[';
        depth -= (c == '>' || c == ']') && depth > 0;
        if (c != '.' || depth > 0)
            continue;
        first = dots++ == 0 ? at + 1 : first;
    }
    return dots > 1 ? (bytes){name.data + first, name.size - first} : name;
}

/* The columns of the name's last part: of the method's own name. */
static size_t own_columns(bytes name) {
    bytes own = name;
    for (size_t at = 1, depth = 0; at + 1 < name.size; at++) {
        uint8_t c = name.data[at];
        depth += c == '<' || c == '[';
        depth -= (c == '>' || c == ']') && depth > 0;
        if (c == '.' && depth == 0)
            own = (bytes){name.data + at + 1, name.size - at - 1};
    }
    return unicode_width(own);
}

/* Its middle is left out, or, where there is room for the method's own name, the start alone. */
static size_t print_cut(printer *p, bytes name, bool method, bytes brackets, bytes end, size_t room) {
    size_t head = method && own_columns(name) <= room ? 0 : room / 3;
    size_t size = print_parts(p, head_of(name, head), ellipsis, tail_of(name, room - head), brackets);
    print_shown(p, end);
    return size + unicode_width(end);
}

bytes print_without_route(bytes end) {
    for (size_t at = end.size; at-- > 1;)
        if (end.data[at - 1] == ' ' && end.data[at] == '[') {
            bytes last = {end.data + at - 1, end.size - at + 1};
            return memchr(last.data, '/', last.size) ? (bytes){end.data + end.size, 0} : last;
        }
    return end;
}

/* The first parameters of a list, "(int, string, ", of at most that many columns; nothing where none fits. */
static bytes first_parameters(bytes list, size_t columns) {
    size_t end = 0;
    for (size_t at = 1, depth = 0; at + 1 < list.size; at++) {
        uint8_t c = list.data[at];
        depth += c == '<' || c == '[' || c == '(' || c == '{';
        depth -= (c == '>' || c == ']' || c == ')' || c == '}') && depth > 0;
        if (c != ',' || depth > 0)
            continue;
        if (unicode_width((bytes){list.data, at + 2}) > columns)
            break;
        end = at + 2;
    }
    return (bytes){list.data, end};
}

static const bytes more_parameters = {(const uint8_t *)"\u2026)", 4};

/* The name with its namespaces and outer types, or with fewer of them, as long as it fits, and with as many of its
 * first parameters as there is room for; 0: it does not fit. */
static size_t try_whole(printer *p, bytes name, bytes list, bytes end, size_t columns) {
    const bytes nothing = {name.data + name.size, 0}, brackets = list.size > 2 ? any_parameters : list;
    size_t marks = unicode_width(brackets), ends = unicode_width(end);
    for (bytes less = name;; less = without_outermost(less)) {
        bool last = without_outermost(less).size == less.size;
        const size_t taken = unicode_width(less) + ends;
        if (taken + marks <= columns) {
            const bytes first = first_parameters(list, columns - taken - (marks ? MORE_COLUMNS : 0));
            if (unicode_width(list) <= columns - taken)
                return print_parts(p, less, list, end, nothing);
            if (first.size == 0)
                return print_parts(p, less, brackets, end, nothing);
            print_shown(p, less);
            return unicode_width(less) + print_parts(p, first, more_parameters, end, nothing);
        }
        if (last)
            return unicode_width(less) + ends <= columns ? print_parts(p, less, end, nothing, nothing) : 0;
    }
}

static bool is_of_name(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
}

/* Appends the name with an ellipsis for each list of type arguments; what begins a name with `<` is none. */
static void append_folded(buffer *b, bytes name) {
    size_t kept = 0;
    for (size_t at = 1; at < name.size; at++) {
        if (name.data[at] != '<' || !is_of_name(name.data[at - 1]))
            continue;
        size_t end = at + 1;
        for (size_t depth = 1; end < name.size && depth > 0; end++) {
            depth += name.data[end] == '<';
            depth -= name.data[end] == '>';
        }
        buffer_append(b, name.data + kept, at + 1 - kept);
        buffer_append(b, ellipsis.data, ellipsis.size);
        at = kept = end - 1;
    }
    buffer_append(b, name.data + kept, name.size - kept);
}

/* What does not fit as a whole. */
static size_t print_rest(printer *p, bytes name, bool method, bytes list, bytes end, size_t columns) {
    bytes brackets = list.size > 2 ? any_parameters : list;
    size_t marks = unicode_width(brackets), ends = unicode_width(end);
    while (method && without_outermost(name).size < name.size)
        name = without_outermost(name);
    if (columns < LEAST_NAME + marks + ends) { /* not worth saying what it is any more, and then not the brackets */
        end.size = 0;
        ends = 0;
    }
    if (method || columns < LEAST_NAME + marks) {
        brackets.size = 0;
        marks = 0;
    }
    if (unicode_width(name) + marks + ends <= columns)
        return print_parts(p, name, brackets, end, (bytes){end.data, 0});
    return print_cut(p, name, method, brackets, end, columns - ends - marks - 1);
}

size_t print_name(printer *p, bytes name, size_t parameters, size_t suffix, size_t columns) {
    if (name.size == 0)
        return 0;
    const bytes nothing = {name.data + name.size, 0};
    bytes end = {name.data + suffix, name.size - suffix};
    if (unicode_width(name) <= columns)
        return print_parts(p, name, nothing, nothing, nothing);
    if (columns == 0)
        return 0;
    const bytes list = {name.data + parameters, suffix - parameters};
    name.size = parameters;
    if (suffix == parameters)
        return print_rest(p, name, false, list, end, columns);
    size_t printed = try_whole(p, name, list, end, columns);
    end = print_without_route(end);
    if (printed || (printed = try_whole(p, name, list, end, columns)) > 0)
        return printed;
    buffer folded = BUFFER_INIT;
    append_folded(&folded, name);
    if (!folded.failed)
        name = buffer_bytes(&folded);
    printed = try_whole(p, name, list, end, columns);
    if (!printed)
        printed = print_rest(p, name, true, list, end, columns);
    buffer_clear(&folded);
    return printed;
}

/* The next character to print: a tab or an end of line, of one or two characters, is a space. */
static uint32_t next_of_line(bytes text, size_t *at) {
    uint32_t c = unicode_next(text, at);
    if (c == '\r' && *at < text.size && text.data[*at] == '\n')
        ++*at;
    return c == '\r' || c == '\n' || c == '\t' ? ' ' : unicode_shown(c);
}

void print_line(printer *p, bytes text, size_t columns) {
    size_t width = 0, taken = 0;
    for (size_t at = 0; at < text.size && width <= columns;)
        width += unicode_columns(next_of_line(text, &at));
    size_t room = width <= columns ? columns : columns - 1;
    for (size_t at = 0; at < text.size;) {
        char encoded[4];
        uint32_t c = next_of_line(text, &at);
        taken += unicode_columns(c);
        if (taken > room)
            break;
        print_bytes(p, encoded, unicode_encode(encoded, c));
    }
    if (width > columns)
        print_shown(p, ellipsis);
}

void print_set_style(printer *p, print_style style) {
    static const char *const codes[] = {"\033[0m", "\033[2m", "\033[1m"};
    if (p->color)
        print_string(p, codes[style]);
}

void print_markdown(printer *out, bytes text, bool in_cell) {
    size_t most = 0, run = 0;
    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    if (text.size == 0)
        return;
    /* A space on each side is no part of the code, and keeps its own backticks apart. */
    uint8_t first = text.data[0], last = text.data[text.size - 1];
    bool apart = first == '`' || last == '`' || (first == ' ' && last == ' ');
    for (size_t i = 0; i <= most; i++)
        print_string(out, "`");
    print_string(out, apart ? " " : "");
    for (size_t from = 0; from < text.size;) {
        const uint8_t *line = in_cell ? memchr(text.data + from, '|', text.size - from) : NULL;
        size_t to = line ? (size_t)(line - text.data) : text.size;
        print_shown(out, (bytes){text.data + from, to - from});
        if (line)
            print_string(out, "\\|");
        from = to + (line != NULL);
    }
    print_string(out, apart ? " " : "");
    for (size_t i = 0; i <= most; i++)
        print_string(out, "`");
}
