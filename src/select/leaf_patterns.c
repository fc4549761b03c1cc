#include "select/leaf_patterns.h"

static const struct {
    const char *pattern, *reason;
} defaults[] = {
#define LEAF(part, pattern, reason) {pattern, reason},
#include "select/leaves.def"
};

enum { MOST_LEAF_PATTERNS = 10000 };

static bool is_word(bytes text, const char *word) {
    return bytes_equal(text, bytes_of(word, strlen(word)));
}

static bytes trimmed(bytes text) {
    while (text.size && memchr(" \t\r\n", text.data[0], 4)) {
        text.data++;
        text.size--;
    }
    while (text.size && memchr(" \t\r\n", text.data[text.size - 1], 4))
        text.size--;
    return text;
}

static leaf_pattern *one_more(leaf_patterns *l, arena *a) {
    if (l->count == l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity * 2 : 32;
        leaf_pattern *grown = arena_alloc_array(a, capacity, sizeof *grown);
        if (!grown)
            return NULL;
        if (l->count)
            memcpy(grown, l->list, l->count * sizeof *grown);
        l->list = grown;
        l->capacity = capacity;
    }
    return &l->list[l->count++];
}

static ecma_status add_pattern(leaf_patterns *l, arena *a, diag *d, bytes text, leaf_pattern made) {
    const char *fault = "it is empty";
    made.wanted = text.size == 0 || text.data[0] != '!';
    if (!made.wanted)
        text = trimmed((bytes){text.data + 1, text.size - 1});
    made.native = is_word(text, "native");
    int shown = (int)(text.size < 200 ? text.size : 200);
    if (l->count == MOST_LEAF_PATTERNS)
        return diag_report(d, DIAG_PATTERN, "there are more than %d patterns of leaves", MOST_LEAF_PATTERNS);
    ecma_status status = ECMA_OK;
    if (!made.native) {
        char *copy = arena_alloc(a, text.size + 1);
        if (!copy)
            return diag_no_memory(d);
        memcpy(copy, text.data, text.size);
        copy[text.size] = 0;
        status = pattern_compile(&made.pattern, copy, a, &fault);
    }
    if (!status && made.pattern.attribute) {
        fault = "a method that is not instrumented is not chosen by an attribute";
        status = ECMA_CONFIG;
    }
    if (status == ECMA_CONFIG)
        return diag_report(d, DIAG_PATTERN, "leaves '%.*s': %s", shown, (const char *)text.data, fault);
    leaf_pattern *to = status ? NULL : one_more(l, a);
    if (!to)
        return diag_no_memory(d);
    *to = made;
    return ECMA_OK;
}

static ecma_status add_defaults(leaf_patterns *l, arena *a, diag *d) {
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && !status; i++)
        status = add_pattern(l, a, d, bytes_of(defaults[i].pattern, strlen(defaults[i].pattern)),
                             (leaf_pattern){.listed = true, .reason = defaults[i].reason});
    return status;
}

ecma_status leaf_patterns_add(leaf_patterns *l, arena *a, diag *d, const char *text, const char *file, unsigned line) {
    bytes all = bytes_of(text, strlen(text));
    if (trimmed(all).size == 0)
        return add_defaults(l, a, d);
    ecma_status status = ECMA_OK;
    for (size_t at = 0, end; at <= all.size && !status; at = end + 1) {
        unsigned depth = 0;
        for (end = at; end < all.size && (depth || all.data[end] != ','); end++) {
            depth += all.data[end] == '(' || all.data[end] == '<';
            depth -= depth && (all.data[end] == ')' || all.data[end] == '>');
        }
        bytes one = trimmed((bytes){all.data + at, end - at});
        status = is_word(one, "default") ? add_defaults(l, a, d)
                                         : add_pattern(l, a, d, one, (leaf_pattern){.file = file, .line = line});
    }
    return status;
}

static bool names_it(const leaf_pattern *p, const leaf_name *name, buffer *scratch) {
    if (p->native)
        return name->native;
    if (!pattern_matches_assembly(&p->pattern, name->assembly))
        return false;
    pattern_state state = pattern_start(&p->pattern);
    for (unsigned i = 0; i < name->count && state; i++)
        state = pattern_feed(&p->pattern, state, name->names[i]);
    if (!pattern_accepts(&p->pattern, state))
        return false;
    if (!p->pattern.has_parameters)
        return true;
    scratch->size = 0;
    buffer_append(scratch, name->parameters.data, name->parameters.size);
    return !scratch->failed && pattern_matches_parameters(&p->pattern, scratch->data, scratch->size);
}

bool leaf_patterns_watch(leaf_patterns *l, arena *a) {
    l->asked = false;
    l->hits = arena_alloc_array(a, l->count + 1u, sizeof *l->hits);
    if (l->hits)
        memset(l->hits, 0, l->count * sizeof *l->hits);
    return l->hits != NULL;
}

bool leaf_patterns_match(const leaf_patterns *l, const leaf_name *name, buffer *scratch) {
    bool decided = false, wanted = false;
    for (uint32_t i = l->count; i-- > 0;) {
        bool watched = l->hits && !l->list[i].listed && !l->hits[i];
        if ((decided && !watched) || !names_it(&l->list[i], name, scratch))
            continue;
        if (!decided)
            wanted = l->list[i].wanted;
        decided = true;
        if (watched)
            l->hits[i] = true;
    }
    return wanted;
}

uint32_t leaf_patterns_find(const leaf_patterns *l, const leaf_name *name, buffer *scratch) {
    for (uint32_t i = l->count; i-- > 0;)
        if (names_it(&l->list[i], name, scratch))
            return i;
    return LEAF_PATTERN_NONE;
}

void leaf_patterns_describe(buffer *b, const leaf_patterns *l, uint32_t position) {
    const leaf_pattern *p = &l->list[position];
    if (p->listed)
        buffer_string(b, "default");
    else if (p->file)
        buffer_printf(b, "%s:%u leaf", p->file, p->line);
    else
        buffer_string(b, "--leaves");
    buffer_printf(b, " '%s%s'", p->wanted ? "" : "!", p->native ? "native" : p->pattern.text);
    if (p->reason)
        buffer_printf(b, " (%s)", p->reason);
}
