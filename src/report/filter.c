#include "report/filter.h"

ecma_status filter_compile(filter *f, const char *const *patterns, size_t count, arena *a, diag *d) {
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
            return diag_report(d, DIAG_PATTERN, "--filter '%.200s': %s", text, fault);
        if (status)
            return diag_no_memory(d);
    }
    return ECMA_OK;
}

static bytes simple_name(bytes assembly) {
    const uint8_t *comma = assembly.size ? memchr(assembly.data, ',', assembly.size) : NULL;
    return comma ? (bytes){assembly.data, (size_t)(comma - assembly.data)} : assembly;
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

static bool matches_metadata(const pattern *p, const names *n, uint32_t method, buffer *scratch) {
    uint32_t types[NAMES_MAX_NESTING], depth = types_around(types, n, method);
    const names_method *m = &n->methods[method];
    pattern_state state = pattern_start(p);
    bytes space = names_text(n, n->types[types[depth - 1]].space);
    if (space.size > 0)
        state = pattern_feed(p, state, space);
    while (depth-- > 0 && state != 0 && !pattern_covers(p, state))
        state = pattern_feed(p, state, names_text(n, n->types[types[depth]].name));
    if (pattern_covers(p, state))
        return true;
    state = pattern_feed(p, state, names_text(n, m->name));
    return pattern_accepts(p, state) &&
           (!p->has_parameters || parameters_match(p, names_text(n, m->parameters), scratch));
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

bool filter_wants(const filter *f, bytes assembly, const names *n, uint32_t method, bytes shown,
                  const names_parts *parts, buffer *scratch) {
    bytes inside = {shown.data, parts->suffix};
    bytes name = {shown.data, parts->parameters};
    bytes parameters = {shown.data + parts->parameters, parts->suffix - parts->parameters};
    if (parameters.size >= 2)
        parameters = (bytes){parameters.data + 1, parameters.size - 2};
    for (size_t i = 0; i < f->count; i++) {
        const pattern *p = &f->patterns[i];
        if (p->has_assembly && !pattern_matches_assembly(p, simple_name(assembly)))
            continue;
        if (p->part_count == 0)
            return true;
        if ((n && matches_metadata(p, n, method, scratch)) ||
            (inside.size > 0 && matches_shown(p, name, parameters, scratch)))
            return true;
    }
    return f->count == 0;
}

void filter_pattern_of(buffer *b, const names *n, uint32_t method) {
    uint32_t types[NAMES_MAX_NESTING], depth = types_around(types, n, method);
    const names_method *m = &n->methods[method];
    bytes space = names_text(n, n->types[types[depth - 1]].space), parameters = names_text(n, m->parameters);
    buffer_append(b, space.data, space.size);
    if (space.size > 0)
        buffer_u8(b, '.');
    while (depth-- > 0) {
        bytes name = names_text(n, n->types[types[depth]].name);
        buffer_append(b, name.data, name.size);
        buffer_u8(b, '.');
    }
    bytes name = names_text(n, m->name);
    buffer_append(b, name.data, name.size);
    buffer_u8(b, '(');
    buffer_append(b, parameters.data, parameters.size);
    buffer_u8(b, ')');
}
