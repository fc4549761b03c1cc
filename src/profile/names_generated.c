#include "profile/names_generated.h"

#include <stdbool.h>

/* The rest of a name while it is read. */
typedef bytes rest;

static bool try_text(rest *r, const char *text) {
    size_t size = strlen(text);
    if (r->size < size || memcmp(r->data, text, size) != 0)
        return false;
    *r = (bytes){r->data + size, r->size - size};
    return true;
}

static uint32_t digit_of(uint8_t c, uint32_t base) {
    uint32_t value = c >= '0' && c <= '9'   ? c - 48u
                     : c >= 'a' && c <= 'f' ? c - 87u
                     : c >= 'A' && c <= 'F' ? c - 55u
                                            : UINT32_MAX;
    return value < base ? value : UINT32_MAX;
}

static bool try_number_of(rest *r, uint32_t *number, uint32_t base) {
    uint32_t value = 0;
    size_t size = 0;
    while (size < r->size && size < 6 && digit_of(r->data[size], base) != UINT32_MAX)
        value = value * base + digit_of(r->data[size++], base);
    if (size == 0)
        return false;
    *r = (bytes){r->data + size, r->size - size};
    *number = value;
    return true;
}

static bool try_number(rest *r, uint32_t *number) {
    return try_number_of(r, number, 10);
}

/* `<…>` with the brackets in it. */
static bool try_brackets(rest *r, bytes *inside) {
    size_t depth = 0;
    for (size_t i = 0; i < r->size; i++) {
        depth += r->data[i] == '<';
        depth -= r->data[i] == '>';
        if (depth == 0) {
            if (i == 0)
                return false;
            *inside = (bytes){r->data + 1, i - 1};
            *r = (bytes){r->data + i + 1, r->size - i - 1};
            return true;
        }
    }
    return false;
}

/* `0_1` or `0-1`: group and number; `1`: the number alone, of the compiler before Roslyn in hexadecimal. The rest,
 * as the generation that a debugger's edit adds, tells nothing. */
static bool try_ordinals(rest r, generated_method *m) {
    rest start = r;
    uint32_t first;
    m->group = GENERATED_NO_NUMBER;
    if (try_number(&r, &first) && (try_text(&r, "_") || try_text(&r, "-")) && try_number(&r, &m->number)) {
        m->group = first;
        return true;
    }
    return try_number_of(&start, &m->number, 16);
}

static generated_method in_brackets(rest r) {
    generated_method plain = {.kind = GENERATED_PLAIN}, m = plain;
    rest whole = r;
    if (!try_brackets(&r, &m.owner))
        return plain;
    if (r.size == 0 && bytes_equal(m.owner, bytes_of("Main", 4)))
        m.kind = GENERATED_ENTRY;
    else if (bytes_equal(r, bytes_of("$", 1)))
        m.kind = bytes_equal(whole, bytes_of("<Clone>$", 8)) ? GENERATED_CLONE : GENERATED_TOP_LEVEL;
    else if (m.owner.size == 0 && try_text(&r, "n__") && try_number(&r, &m.number))
        m.kind = GENERATED_BASE_CALL;
    else if (try_text(&r, "m__Finally") && try_number(&r, &m.number))
        m.kind = GENERATED_FINALLY;
    else if (try_text(&r, "__Finally") && try_number(&r, &m.number)) /* mcs counts from 0 */
        m.kind = GENERATED_FINALLY, m.number++;
    else if (try_text(&r, "__BaseCallProxy") && try_number(&r, &m.number))
        m.kind = GENERATED_BASE_CALL, m.name = m.owner;
    else if ((try_text(&r, "b__") || try_text(&r, "m__")) && try_ordinals(r, &m))
        m.kind = GENERATED_LAMBDA;
    else if (try_text(&r, "g__")) {
        size_t end = r.size;
        while (end > 0 && r.data[end - 1] != '|')
            end--;
        m.name = (bytes){r.data, end > 0 ? end - 1 : 0};
        m.kind = m.name.size > 0 && try_ordinals((bytes){r.data + end, r.size - end}, &m) ? GENERATED_LOCAL_FUNCTION
                                                                                          : GENERATED_PLAIN;
    }
    return m.kind == GENERATED_PLAIN ? plain : m;
}

/* The text before the last `_`, which has to be there. */
static bytes without_last_part(bytes name) {
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] != '_')
        end--;
    return (bytes){name.data, end > 0 ? end - 1 : 0};
}

generated_method generated_method_of(bytes name) {
    generated_method m = {.kind = GENERATED_PLAIN, .group = GENERATED_NO_NUMBER};
    rest r = name;
    if (name.size > 0 && name.data[0] == '<')
        return in_brackets(name);
    if (try_text(&r, "_Lambda$__")) {
        try_text(&r, "R"); /* fits another delegate's signature */
        if (try_ordinals(r, &m))
            m.kind = GENERATED_LAMBDA;
    } else if (try_text(&r, "$VB$ClosureStub_")) {
        m.name = without_last_part(r);
        m.kind = m.name.size > 0 ? GENERATED_BASE_CALL : GENERATED_PLAIN;
    }
    return m;
}

static bool all_hexadecimal(const uint8_t *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'A' && text[i] <= 'F'))
            return false;
    return true;
}

static generated_type type_in_brackets(rest r) {
    enum { HASH = 64 }; /* digits of SHA-256 */
    generated_type plain = {.kind = GENERATED_TYPE_PLAIN, .group = GENERATED_NO_NUMBER}, t = plain;
    if (!try_brackets(&r, &t.owner))
        return plain;
    if (try_text(&r, "c__DisplayClass")) {
        rest ordinals = r;
        uint32_t group;
        t.kind = GENERATED_CLOSURE;
        if (try_number(&ordinals, &group) && try_text(&ordinals, "_"))
            t.group = group;
    } else if (try_text(&r, "c__AnonStorey")) {
        t.kind = GENERATED_CLOSURE;
    } else if (try_text(&r, "c__Iterator")) {
        t.kind = GENERATED_MACHINE;
        t.noun = "iterator";
    } else if (try_text(&r, "c__async")) {
        t.kind = GENERATED_MACHINE;
        t.noun = "async";
    } else if (bytes_equal(r, bytes_of("c", 1)) || (try_text(&r, "c__") && r.size > 0)) {
        t.kind = GENERATED_CLOSURE;
    } else if (bytes_equal(r, bytes_of("d", 1)) || try_text(&r, "d__")) {
        t.kind = GENERATED_MACHINE;
    } else if (try_text(&r, "f__Anonymous") || try_text(&r, "__AnonType")) {
        t.kind = GENERATED_ANONYMOUS;
    } else if (r.size > HASH + 3 && try_text(&r, "F") && all_hexadecimal(r.data, HASH) && r.data[HASH] == '_' &&
               r.data[HASH + 1] == '_') {
        t.kind = GENERATED_FILE_LOCAL;
        t.name = (bytes){r.data + HASH + 2, r.size - HASH - 2};
    }
    return t.kind == GENERATED_TYPE_PLAIN ? plain : t;
}

generated_type generated_type_of(bytes name) {
    generated_type t = {.kind = GENERATED_TYPE_PLAIN, .group = GENERATED_NO_NUMBER};
    rest r = name;
    uint32_t number;
    if (name.size > 0 && name.data[0] == '<')
        return type_in_brackets(name);
    if (try_text(&r, "_Closure$__")) {
        t.kind = GENERATED_CLOSURE;
    } else if (try_text(&r, "VB$StateMachine_")) {
        try_number(&r, &number); /* a lambda's has none */
        if (try_text(&r, "_"))
            t.owner = r;
        t.kind = GENERATED_MACHINE;
    } else if (try_text(&r, "VB$AnonymousType_")) {
        t.kind = GENERATED_ANONYMOUS;
    } else {
        for (size_t at = 1; at + 1 < name.size; at++)
            if (name.data[at] == '@' && digit_of(name.data[at + 1], 10) != UINT32_MAX) {
                t.kind = GENERATED_FUNCTION;
                t.name = name;
                break;
            }
    }
    return t;
}

bytes generated_property_of(bytes generic) {
    rest r = generic;
    bytes inside;
    return try_brackets(&r, &inside) && inside.size > 0 ? inside : generic;
}
