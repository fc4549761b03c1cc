#include "near.h"

#include "base/buffer.h"

enum { LONGEST = 64, MAX_ENCLOSING = 64, FAR = 100, NONE = 1000000 };

/* Where the names come from: one pattern, one image. */
typedef struct search {
    selection_rule *rule;
    arena *arena;
    const ilj_image *image;
    bytes wanted;  /* the last part of the pattern without wildcards */
    unsigned best; /* score of what was found so far */
    buffer name;   /* of the candidate */
} search;

static bytes name_at(const md_view *view, md_column column, uint32_t row) {
    bytes name;
    return md_try_string(view, md_cell(view, column, row), &name) ? name : (bytes){0};
}

static bytes without_arity(bytes name) {
    size_t length;
    md_name_arity(name, &length);
    return (bytes){name.data, length};
}

static uint8_t lower(uint8_t c) {
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static bool same_but_for_case(bytes a, bytes b) {
    bool same = a.size == b.size;
    for (size_t i = 0; same && i < a.size; i++)
        same = lower(a.data[i]) == lower(b.data[i]);
    return same;
}

/* Edits from one name to the other (insert, delete, replace, swap neighbours), twice as dear as another case; FAR when
 * they are not alike. */
static unsigned distance(bytes a, bytes b) {
    if (bytes_equal(a, b))
        return 0;
    size_t longer = a.size > b.size ? a.size : b.size, shorter = a.size + b.size - longer;
    unsigned limit = longer < 6 ? 2 : 4;
    if (longer > LONGEST || (longer - shorter) * 2 > limit)
        return FAR;
    unsigned rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = rows[1][j] = 2 * (unsigned)j;
    for (size_t i = 0; i < a.size; i++) {
        rows[2][0] = 2 * (unsigned)i + 2;
        for (size_t j = 0; j < b.size; j++) {
            unsigned differ = a.data[i] == b.data[j] ? 0 : lower(a.data[i]) == lower(b.data[j]) ? 1 : 2;
            unsigned best = least(rows[1][j] + differ, least(rows[1][j + 1], rows[2][j]) + 2);
            if (i > 0 && j > 0 && a.data[i] == b.data[j - 1] && a.data[i - 1] == b.data[j])
                best = least(best, rows[0][j - 1] + 2);
            rows[2][j + 1] = best;
        }
        memcpy(rows[0], rows[1], sizeof rows[0]);
        memcpy(rows[1], rows[2], sizeof rows[0]);
    }
    unsigned edits = rows[1][b.size];
    /* A name in another case throughout is near as well. */
    return same_but_for_case(a, b) ? 1 : edits <= limit ? edits : FAR;
}

/* The name of a type without arities: namespace, enclosing types, itself. */
static void write_type(search *s, uint32_t type) {
    const md_view *view = &s->image->metadata;
    uint32_t chain[MAX_ENCLOSING];
    unsigned depth = 0;
    for (; type != 0 && depth < MAX_ENCLOSING; type = md_enclosing_type(&s->image->index, type))
        chain[depth++] = type;
    s->name.size = 0;
    bytes space = name_at(view, MD_TypeDef_TypeNamespace, depth ? chain[depth - 1] : 0);
    buffer_append(&s->name, space.data, space.size);
    for (; depth-- > 0;) {
        bytes name = without_arity(name_at(view, MD_TypeDef_TypeName, chain[depth]));
        if (s->name.size)
            buffer_u8(&s->name, '.');
        buffer_append(&s->name, name.data, name.size);
    }
}

/* How many parts of the pattern do not stand in the candidate's name. */
static unsigned missing_parts(const search *s) {
    const pattern *p = &s->rule->pattern;
    unsigned missing = 0;
    for (unsigned i = 0; i < p->part_count; i++) {
        bytes part = p->parts[i].text;
        bool found = !p->parts[i].literal;
        for (size_t at = 0, end; at < s->name.size && !found; at = end + 1) {
            for (end = at; end < s->name.size && s->name.data[end] != '.';)
                end++;
            found = same_but_for_case(part, (bytes){s->name.data + at, end - at});
        }
        missing += !found;
    }
    return missing;
}

/* s->name has been written; it is `edits` from what was wanted. */
static void consider(search *s, unsigned edits, const char *prefix) {
    unsigned score = edits * PATTERN_PARTS + missing_parts(s);
    if (s->name.failed || score >= s->best)
        return;
    size_t before = strlen(prefix);
    char *copy = arena_alloc(s->arena, before + s->name.size + 1);
    if (!copy)
        return;
    memcpy(copy, prefix, before);
    memcpy(copy + before, s->name.data, s->name.size);
    s->best = score;
    s->rule->near = copy;
    s->rule->near_score = score;
}

/* Is a candidate so near that its whole name is worth a look? */
static bool worth(const search *s, unsigned edits) {
    return edits < FAR && edits * PATTERN_PARTS < s->best;
}

static void look_at_namespace(search *s, bytes space) {
    for (size_t at = 0, end; at < space.size; at = end + 1) {
        for (end = at; end < space.size && space.data[end] != '.';)
            end++;
        unsigned edits = distance(s->wanted, (bytes){space.data + at, end - at});
        if (!worth(s, edits))
            continue;
        s->name.size = 0;
        buffer_append(&s->name, space.data, end);
        consider(s, edits, "");
    }
}

static void look_at_names(search *s) {
    const md_view *view = &s->image->metadata;
    uint32_t last_space = 0;
    for (uint32_t row = 1; row <= s->image->index.type_count; row++) {
        uint32_t space = md_cell(view, MD_TypeDef_TypeNamespace, row);
        if (space != last_space)
            look_at_namespace(s, name_at(view, MD_TypeDef_TypeNamespace, row));
        last_space = space;
        unsigned edits = distance(s->wanted, without_arity(name_at(view, MD_TypeDef_TypeName, row)));
        if (worth(s, edits)) {
            write_type(s, row);
            consider(s, edits, "");
        }
    }
    for (uint32_t row = 1; row <= s->image->index.method_count; row++) {
        bytes name = name_at(view, MD_MethodDef_Name, row);
        unsigned edits = distance(s->wanted, name);
        if (worth(s, edits)) {
            write_type(s, md_method_type(&s->image->index, row));
            if (s->name.size)
                buffer_u8(&s->name, '.');
            buffer_append(&s->name, name.data, name.size);
            consider(s, edits, "");
        }
    }
}

static void look_at_attributes(search *s) {
    static const char ending[] = "Attribute";
    const md_view *view = &s->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_TypeRef); row++) {
        bytes name = name_at(view, MD_TypeRef_TypeName, row), space = name_at(view, MD_TypeRef_TypeNamespace, row);
        if (name.size < sizeof ending || memcmp(name.data + name.size - (sizeof ending - 1), ending, sizeof ending - 1))
            continue;
        unsigned edits =
            least(distance(s->wanted, name), distance(s->wanted, (bytes){name.data, name.size - (sizeof ending - 1)}));
        if (!worth(s, edits))
            continue;
        s->name.size = 0;
        buffer_append(&s->name, space.data, space.size);
        if (space.size)
            buffer_u8(&s->name, '.');
        buffer_append(&s->name, name.data, name.size);
        consider(s, edits, "@");
    }
}

void near_look(selection_rule *rule, arena *a, const ilj_image *image) {
    search s = {.rule = rule, .arena = a, .image = image, .best = rule->near ? rule->near_score : NONE};
    for (unsigned i = rule->pattern.part_count; i-- > 0 && s.wanted.size == 0;)
        if (rule->pattern.parts[i].literal)
            s.wanted = without_arity(rule->pattern.parts[i].text);
    if (s.wanted.size == 0)
        return;
    if (rule->pattern.attribute)
        look_at_attributes(&s);
    else
        look_at_names(&s);
    buffer_clear(&s.name);
}
