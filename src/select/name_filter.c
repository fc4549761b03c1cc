#include "select/name_filter.h"

#include "util/unicode.h"

ecma_status filter_compile(filter *f, const char *option, const char *const *patterns, size_t count, arena *a,
                           diag *d) {
    f->patterns = arena_alloc_array(a, count + 1, sizeof *f->patterns);
    if (!f->patterns)
        return diag_no_memory(d);
    for (f->count = 0; f->count < count; f->count++) {
        const char *fault = NULL, *text = patterns[f->count];
        ecma_status status = pattern_compile(&f->patterns[f->count], text, a, &fault);
        if (status == ECMA_OK && f->patterns[f->count].attribute) {
            fault = "a profile does not say which attributes there are";
            status = ECMA_CONFIG;
        }
        if (status == ECMA_CONFIG)
            return diag_report(d, DIAG_PATTERN, "%s '%.200s': %s", option, text, fault);
        if (status)
            return diag_no_memory(d);
    }
    return ECMA_OK;
}

/* From the inside to the outside, as far as the nesting is shown. */
static uint32_t types_around(uint32_t types[NAMES_MAX_NESTING], const names *n, uint32_t method) {
    uint32_t depth = 0, type = n->methods[method].type;
    types[depth++] = type;
    while (n->types[type].enclosing != 0 && depth < NAMES_MAX_NESTING) {
        type = n->types[type].enclosing - 1;
        types[depth++] = type;
    }
    return depth;
}

static bool parameters_match(const pattern *p, bytes parameters, buffer *scratch) {
    scratch->size = 0;
    buffer_append(scratch, parameters.data, parameters.size);
    return !scratch->failed && pattern_matches_parameters(p, scratch->data, scratch->size);
}

filter_match filter_match_method(const pattern *p, const names *n, uint32_t method, buffer *scratch) {
    uint32_t types[NAMES_MAX_NESTING], depth = types_around(types, n, method);
    const names_method *m = &n->methods[method];
    pattern_state state = pattern_start(p);
    bytes space = names_text(n, n->types[types[depth - 1]].space);
    if (space.size > 0)
        state = pattern_feed(p, state, space);
    while (depth-- > 0 && state != 0 && !pattern_covers(p, state))
        state = pattern_feed(p, state, names_text(n, n->types[types[depth]].name));
    if (pattern_covers(p, state))
        return FILTER_AROUND;
    state = pattern_feed(p, state, names_text(n, m->name));
    bool matches =
        pattern_accepts(p, state) && (!p->has_parameters || parameters_match(p, names_text(n, m->parameters), scratch));
    return matches ? FILTER_METHOD : FILTER_NOT;
}

/* The shown name up to its parameters, without those of generics. */
static bytes without_generics(buffer *b, bytes name) {
    size_t depth = 0;
    b->size = 0;
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.data[i];
        depth += c == '<';
        if (depth == 0)
            buffer_u8(b, c);
        depth -= c == '>' && depth > 0;
    }
    return b->failed ? (bytes){0} : buffer_bytes(b);
}

/* Part by part, as a pattern stands for all that is in what it names. */
static bool matches_shown(const pattern *p, bytes name, bytes parameters, buffer *scratch) {
    bytes plain = without_generics(scratch, name);
    pattern_state state = pattern_start(p);
    for (size_t at = 0; at < plain.size && state != 0;) {
        size_t end = at;
        while (end < plain.size && plain.data[end] != '.')
            end++;
        if (end > at)
            state = pattern_feed(p, state, (bytes){plain.data + at, end - at});
        if (pattern_covers(p, state))
            return true;
        at = end + 1;
    }
    return p->has_parameters && pattern_accepts(p, state) && parameters_match(p, parameters, scratch);
}

/* The name that an endpoint has in the source. */
static bool matches_place(const pattern *p, const filter_method *m, buffer *scratch) {
    buffer place = BUFFER_INIT;
    names_parts parts;
    names_of_place(&place, &parts, m->n, m->method);
    bytes parameters = {0};
    if (parts.suffix >= parts.parameters + 2)
        parameters = (bytes){place.data + parts.parameters + 1, parts.suffix - parts.parameters - 2};
    scratch->failed |= place.failed;
    bool matches = !place.failed && matches_shown(p, (bytes){place.data, parts.parameters}, parameters, scratch);
    buffer_clear(&place);
    return matches;
}

bool filter_wants(const filter *f, const filter_method *m, buffer *scratch) {
    const names_parts *parts = &m->parts;
    bytes inside = {m->shown.data, parts->suffix};
    bytes name = {m->shown.data, parts->parameters};
    bytes parameters = {m->shown.data + parts->parameters, parts->suffix - parts->parameters};
    if (parameters.size >= 2)
        parameters = (bytes){parameters.data + 1, parameters.size - 2};
    for (size_t i = 0; i < f->count; i++) {
        const pattern *p = &f->patterns[i];
        if (p->has_assembly && !pattern_matches_assembly(p, names_assembly_name(m->assembly)))
            continue;
        if (p->part_count == 0)
            return true;
        if ((m->n && filter_match_method(p, m->n, m->method, scratch) != FILTER_NOT) ||
            (inside.size > 0 && matches_shown(p, name, parameters, scratch)) || pattern_is_text(p, name) ||
            pattern_is_text(p, inside) || (m->n && names_is_route(m->n, m->method) && matches_place(p, m, scratch)))
            return true;
    }
    return f->count == 0;
}

/* The bytes at `at` that one `?` of a pattern stands for. */
static size_t character_size(bytes text, size_t at) {
    size_t end = at + 1;
    while (end < text.size && (text.data[end] & 0xC0) == 0x80)
        end++;
    return end - at;
}

/* Is it valid UTF-8 that a terminal shows and XML has (XML 1.0, 2.2)? */
static bool is_writable(bytes character) {
    size_t at = 0;
    char encoded[4];
    uint32_t c = unicode_next(character, &at);
    return at == character.size && unicode_shown(c) == c && c != 0xFFFE && c != 0xFFFF &&
           unicode_encode(encoded, c) == character.size && memcmp(encoded, character.data, character.size) == 0;
}

/* Appends a name of a program, with `?` for each character of it that cannot stand in a pattern: one that a terminal
 * obeys or XML has not, and each of `syntax`. */
static void append_named(buffer *b, bytes name, const char *syntax) {
    for (size_t at = 0; at < name.size;) {
        bytes character = {name.data + at, character_size(name, at)};
        bool means = strchr(syntax, character.data[0]) || (b->size == 0 && strchr("[@ ", character.data[0]));
        if (means || !is_writable(character))
            buffer_u8(b, '?');
        else
            buffer_append(b, character.data, character.size);
        at += character.size;
    }
}

/* Names may be empty, too long, or of too many parts. Without memory for the answer, the buffer has failed. */
static bool is_pattern(buffer *b) {
    arena memory = ARENA_INIT;
    pattern made;
    const char *fault;
    buffer_u8(b, 0);
    if (b->failed)
        return false;
    ecma_status status = pattern_compile(&made, (const char *)b->data, &memory, &fault);
    b->size--;
    b->failed = status == ECMA_NO_MEMORY;
    arena_clear(&memory);
    return status == ECMA_OK;
}

bool filter_pattern_of(buffer *b, const names *n, uint32_t method) {
    static const char name_syntax[] = "()*?/";
    uint32_t types[NAMES_MAX_NESTING], depth = types_around(types, n, method);
    const names_method *m = &n->methods[method];
    bytes space = names_text(n, n->types[types[depth - 1]].space), parameters = names_text(n, m->parameters);
    append_named(b, space, name_syntax);
    if (space.size > 0)
        buffer_u8(b, '.');
    while (depth-- > 0) {
        bytes name = names_text(n, n->types[types[depth]].name);
        append_named(b, name, name_syntax);
        buffer_u8(b, '.');
    }
    bytes name = names_text(n, m->name);
    append_named(b, name, name_syntax);
    buffer_u8(b, '(');
    append_named(b, parameters, "");
    buffer_u8(b, ')');
    return is_pattern(b);
}
