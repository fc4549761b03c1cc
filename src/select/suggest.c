#include "select/suggest.h"

#include "base/buffer.h"

#include <stdlib.h>

/* LONGEST: the longest name that is compared with others; NAME_BYTES: the longest one that a runtime takes. */
enum { LONGEST = 64, MAX_ENCLOSING = 64, FAR = 100, NONE = 1000000, NAME_BYTES = 1023 };

/* ---- How far names are from each other ------------------------------------------------------------------------- */

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

/* Names within four of a distance have signatures that differ in at most four bits: a bit says whether a letter, in
 * either case, is there, another one whether it is there twice, so that an edit changes one, and a replacement two. */
static uint64_t signature(bytes name) {
    uint64_t once = 0, twice = 0;
    for (size_t i = 0; i < name.size; i++) {
        uint64_t letter = (uint64_t)1 << (lower(name.data[i]) & 31);
        twice |= once & letter;
        once |= letter;
    }
    return once | twice << 32;
}

static bool may_be_near(uint64_t a, uint64_t b) {
    uint64_t differ = a ^ b;
    for (unsigned i = 0; i < 4; i++)
        differ &= differ - (differ != 0);
    return differ == 0;
}

/* ---- The names of an image ------------------------------------------------------------------------------------- */

/* A part of a name, in any case. */
typedef struct word {
    bytes text;
    uint32_t hash;
    uint32_t round;  /* `wanted` is of this one */
    uint64_t wanted; /* the parts of the pattern that it is, by bits */
} word;

/* A name of types, methods or namespaces, with all that have it. */
typedef struct spelling {
    bytes text;
    uint32_t hash;
    uint32_t first, last;       /* candidates, in their order; 0: none */
    uint32_t words, word_count; /* where its parts stand in index.words */
    uint32_t round;             /* `found` is of this one */
    uint64_t found;             /* the parts of the pattern that are among its own */
    bool space;                 /* looked at as a namespace */
} spelling;

typedef enum candidate_kind { A_NAMESPACE, A_TYPE, A_METHOD } candidate_kind;

/* In this order the first of two equally near ones counts. */
typedef struct candidate {
    candidate_kind kind;
    uint32_t row;  /* of a method, or a type; of a namespace, a type that is in it */
    uint32_t size; /* of a namespace, in bytes of the type's */
    uint32_t next; /* of the same spelling; 0: the last */
} candidate;

typedef struct type_names {
    uint32_t name, space; /* spellings */
    uint32_t round;       /* `found` is of this one */
    uint64_t found;
} type_names;

/* Slots hold positions, 0 is nothing. A name for which a table has no room is not found: each has twice the room that
 * an image with ordinary names takes. */
typedef struct table {
    uint32_t *slots, mask, used;
} table;

typedef struct names {
    const ilj_image *image;
    table by_text, by_word;
    buffer spellings, words, candidates; /* arrays; their first item is unused */
    buffer parts;                        /* uint32_t: positions in `words` */
    type_names *types;                   /* by row */
    uint32_t first_of_length[LONGEST + 2];
    uint32_t *by_length;  /* spellings with candidates */
    uint64_t *signatures; /* of those */
    uint32_t round;       /* counts the patterns */
    bool failed;
} names;

static spelling *spelling_at(const names *n, uint32_t position) {
    return (spelling *)(void *)n->spellings.data + position;
}
static word *word_at(const names *n, uint32_t position) {
    return (word *)(void *)n->words.data + position;
}
static candidate *candidate_at(const names *n, uint32_t position) {
    return (candidate *)(void *)n->candidates.data + position;
}

static bool table_make(table *t, size_t most) {
    size_t slots = 1024;
    while (slots / 4 < most && slots < (size_t)1 << 30)
        slots *= 2;
    t->mask = (uint32_t)(slots - 1);
    return (t->slots = calloc(slots, sizeof *t->slots)) != NULL;
}

static bool table_full(const table *t) {
    return t->used > t->mask / 2;
}

static uint32_t hash_of(bytes text, bool any_case) {
    uint32_t hash = 0x811C9DC5u;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (any_case ? lower(text.data[i]) : text.data[i])) * 0x01000193u;
    return hash ^ hash >> 15;
}

static uint32_t *word_slot(const names *n, bytes text, uint32_t hash) {
    uint32_t at = hash & n->by_word.mask;
    for (; n->by_word.slots[at] != 0; at = (at + 1) & n->by_word.mask) {
        const word *w = word_at(n, n->by_word.slots[at]);
        if (w->hash == hash && same_but_for_case(w->text, text))
            break;
    }
    return &n->by_word.slots[at];
}

static uint32_t *spelling_slot(const names *n, bytes text, uint32_t hash) {
    uint32_t at = hash & n->by_text.mask;
    for (; n->by_text.slots[at] != 0; at = (at + 1) & n->by_text.mask) {
        const spelling *s = spelling_at(n, n->by_text.slots[at]);
        if (s->hash == hash && bytes_equal(s->text, text))
            break;
    }
    return &n->by_text.slots[at];
}

/* Adds an item to an array; returns its position, 0 when memory ran out. */
static uint32_t add_item(names *n, buffer *array, const void *item, size_t size) {
    size_t position = array->size / size;
    if (position == 0) {
        buffer_append_zeros(array, size);
        position = 1;
    }
    buffer_append(array, item, size);
    n->failed |= array->failed;
    return array->failed ? 0 : (uint32_t)position;
}

static void add_word(names *n, bytes text) {
    uint32_t hash = hash_of(text, true), *slot = word_slot(n, text, hash);
    if (*slot == 0) {
        if (table_full(&n->by_word))
            return;
        *slot = add_item(n, &n->words, &(word){.text = text, .hash = hash}, sizeof(word));
        n->by_word.used++;
    }
    buffer_append(&n->parts, slot, sizeof *slot);
    n->failed |= n->parts.failed;
}

/* The end of the part that starts at `at`, between dots; in names as they are shown, not in patterns. */
static size_t part_end(bytes text, size_t at) {
    while (at < text.size && text.data[at] != '.')
        at++;
    return at;
}

/* Its position; 0: there is no room. */
static uint32_t spell(names *n, bytes text) {
    if (text.size > NAME_BYTES || n->failed)
        return 0;
    uint32_t hash = hash_of(text, false), *slot = spelling_slot(n, text, hash);
    if (*slot != 0 || table_full(&n->by_text))
        return *slot;
    spelling made = {.text = text, .hash = hash, .words = (uint32_t)(n->parts.size / sizeof(uint32_t))};
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        end = part_end(text, at);
        if (end > at)
            add_word(n, (bytes){text.data + at, end - at});
    }
    made.word_count = (uint32_t)(n->parts.size / sizeof(uint32_t)) - made.words;
    n->by_text.used++;
    return *slot = add_item(n, &n->spellings, &made, sizeof made);
}

static void add_candidate(names *n, uint32_t spelled, candidate c) {
    uint32_t position = spelled && !n->failed ? add_item(n, &n->candidates, &c, sizeof c) : 0;
    if (position == 0)
        return;
    spelling *s = spelling_at(n, spelled);
    if (s->first == 0)
        s->first = position;
    else
        candidate_at(n, s->last)->next = position;
    s->last = position;
}

/* Each namespace and those around it, by their last parts. */
static void add_namespace(names *n, uint32_t row, bytes space) {
    for (size_t at = 0, end; at < space.size; at = end + 1) {
        end = part_end(space, at);
        uint32_t whole = spell(n, (bytes){space.data, end});
        if (whole == 0 || spelling_at(n, whole)->space)
            continue;
        spelling_at(n, whole)->space = true;
        add_candidate(n, spell(n, (bytes){space.data + at, end - at}),
                      (candidate){.kind = A_NAMESPACE, .row = row, .size = (uint32_t)end});
    }
}

static void add_names(names *n) {
    const md_view *view = &n->image->metadata;
    for (uint32_t row = 1, last_space = 0; row <= n->image->index.type_count; row++) {
        uint32_t space = md_cell(view, MD_TypeDef_TypeNamespace, row);
        bytes text = name_at(view, MD_TypeDef_TypeNamespace, row);
        if (space != last_space && text.size <= NAME_BYTES)
            add_namespace(n, row, text);
        last_space = space;
        uint32_t name = spell(n, without_arity(name_at(view, MD_TypeDef_TypeName, row)));
        n->types[row] = (type_names){.name = name, .space = spell(n, text)};
        add_candidate(n, name, (candidate){.kind = A_TYPE, .row = row});
    }
    for (uint32_t row = 1; row <= n->image->index.method_count; row++)
        add_candidate(n, spell(n, name_at(view, MD_MethodDef_Name, row)), (candidate){.kind = A_METHOD, .row = row});
}

/* Short spellings with candidates, by their lengths. */
static bool sort_by_length(names *n) {
    uint32_t count = (uint32_t)(n->spellings.size / sizeof(spelling)), next[LONGEST + 2] = {0};
    n->by_length = calloc(count + 1u, sizeof *n->by_length);
    n->signatures = calloc(count + 1u, sizeof *n->signatures);
    if (!n->by_length || !n->signatures)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if (spelling_at(n, i)->first && spelling_at(n, i)->text.size <= LONGEST)
            next[spelling_at(n, i)->text.size + 1]++;
    for (unsigned length = 1; length < LONGEST + 2; length++)
        next[length] += next[length - 1];
    memcpy(n->first_of_length, next, sizeof next);
    for (uint32_t i = 1; i < count; i++) {
        const spelling *s = spelling_at(n, i);
        if (!s->first || s->text.size > LONGEST)
            continue;
        uint32_t at = next[s->text.size]++;
        n->by_length[at] = i;
        n->signatures[at] = signature(s->text);
    }
    return true;
}

static void names_clear(names *n) {
    free(n->by_text.slots);
    free(n->by_word.slots);
    free(n->types);
    free(n->by_length);
    free(n->signatures);
    buffer_clear(&n->spellings);
    buffer_clear(&n->words);
    buffer_clear(&n->candidates);
    buffer_clear(&n->parts);
}

static bool names_make(names *n, const ilj_image *image) {
    *n = (names){.image = image};
    size_t types = image->index.type_count, methods = image->index.method_count;
    n->types = calloc(types + 1, sizeof *n->types);
    if (!n->types || !table_make(&n->by_text, 2 * types + methods) || !table_make(&n->by_word, 2 * types + methods))
        return false;
    add_names(n);
    return !n->failed && sort_by_length(n);
}

/* ---- One pattern ----------------------------------------------------------------------------------------------- */

typedef struct search {
    names *names;
    const pattern *pattern;
    bytes wanted;   /* the last part of the pattern without wildcards */
    unsigned parts; /* of the pattern, without wildcards */
    unsigned best;  /* score of what was found so far, in other images too */
    uint32_t found; /* the candidate; 0: none in this image */
} search;

/* Which parts of the pattern are among those of the spelling, by bits? */
static uint64_t found_in(names *n, uint32_t position) {
    if (position == 0)
        return 0;
    spelling *s = spelling_at(n, position);
    if (s->round == n->round)
        return s->found;
    s->round = n->round;
    s->found = 0;
    const uint32_t *parts = (const uint32_t *)(const void *)n->parts.data;
    for (uint32_t i = 0; i < s->word_count; i++) {
        const word *w = word_at(n, parts[s->words + i]);
        if (w->round == n->round)
            s->found |= w->wanted;
    }
    return s->found;
}

static uint64_t found_in_type(names *n, uint32_t row) {
    if (row == 0)
        return 0;
    type_names *of = &n->types[row];
    if (of->round == n->round)
        return of->found;
    of->round = n->round;
    of->found = 0;
    uint32_t outermost = row;
    unsigned depth = 0;
    for (uint32_t type = row; type != 0 && depth < MAX_ENCLOSING; type = md_enclosing_type(&n->image->index, type)) {
        of->found |= found_in(n, n->types[type].name);
        outermost = type;
        depth++;
    }
    of->found |= found_in(n, n->types[outermost].space);
    return of->found;
}

static void want_words(search *s) {
    names *n = s->names;
    n->round++;
    for (unsigned i = 0; i < s->pattern->part_count; i++) {
        const pattern_part *part = &s->pattern->parts[i];
        if (!part->literal)
            continue;
        s->parts++;
        uint32_t at = *word_slot(n, part->text, hash_of(part->text, true));
        if (at == 0)
            continue;
        word *w = word_at(n, at);
        if (w->round != n->round)
            w->wanted = 0;
        w->round = n->round;
        w->wanted |= (uint64_t)1 << i;
    }
}

/* The best of those that have the name, which is `edits` from what was wanted. */
static void look_at_spelling(search *s, uint32_t position, unsigned edits) {
    names *n = s->names;
    uint64_t own = found_in(n, position);
    for (uint32_t at = spelling_at(n, position)->first; at != 0; at = candidate_at(n, at)->next) {
        const candidate *c = candidate_at(n, at);
        uint64_t found;
        if (c->kind == A_NAMESPACE) {
            bytes space = name_at(&n->image->metadata, MD_TypeDef_TypeNamespace, c->row);
            bytes whole = {space.data, c->size};
            found = found_in(n, *spelling_slot(n, whole, hash_of(whole, false)));
        } else if (c->kind == A_TYPE) {
            found = found_in_type(n, c->row);
        } else {
            found = own | found_in_type(n, md_method_type(&n->image->index, c->row));
        }
        /* Parts that do not stand in its name count as well. */
        unsigned missing = s->parts - (unsigned)__builtin_popcountll(found);
        unsigned score = edits * PATTERN_PARTS + missing;
        if (score < s->best || (score == s->best && at < s->found)) {
            s->best = score;
            s->found = at;
        }
        if (missing == 0)
            return; /* those that follow are no nearer */
    }
}

static void look_at_names(search *s) {
    const names *n = s->names;
    want_words(s);
    uint32_t same = *spelling_slot(n, s->wanted, hash_of(s->wanted, false));
    if (same != 0)
        look_at_spelling(s, same, 0);
    if (s->best < PATTERN_PARTS || s->wanted.size > LONGEST)
        return; /* an edit costs as much */
    uint64_t wanted = signature(s->wanted);
    size_t first = s->wanted.size < 2 ? 0 : s->wanted.size - 2;
    size_t last = s->wanted.size + 2 > LONGEST ? LONGEST : s->wanted.size + 2;
    for (uint32_t i = n->first_of_length[first]; i < n->first_of_length[last + 1]; i++) {
        if (!may_be_near(n->signatures[i], wanted))
            continue;
        unsigned edits = distance(s->wanted, spelling_at(n, n->by_length[i])->text);
        if (edits < FAR && edits * PATTERN_PARTS <= s->best)
            look_at_spelling(s, n->by_length[i], edits);
    }
}

/* ---- The kept rows --------------------------------------------------------------------------------------------- */

static void keep(selection_rule *rule, arena *a, const char *prefix, const buffer *name, unsigned score) {
    size_t before = strlen(prefix);
    char *copy = name->failed ? NULL : arena_alloc(a, before + name->size + 1);
    if (!copy)
        return;
    memcpy(copy, prefix, before);
    if (name->size)
        memcpy(copy + before, name->data, name->size);
    rule->suggestion = copy;
    rule->suggestion_score = score;
}

static void add_part(buffer *name, bytes part) {
    if (name->size)
        buffer_u8(name, '.');
    buffer_append(name, part.data, part.size);
}

/* The name of a type without arities: namespace, enclosing types, itself. */
static void write_type(buffer *name, const ilj_image *image, uint32_t type) {
    const md_view *view = &image->metadata;
    uint32_t chain[MAX_ENCLOSING];
    unsigned depth = 0;
    for (; type != 0 && depth < MAX_ENCLOSING; type = md_enclosing_type(&image->index, type))
        chain[depth++] = type;
    add_part(name, name_at(view, MD_TypeDef_TypeNamespace, depth ? chain[depth - 1] : 0));
    while (depth-- > 0)
        add_part(name, without_arity(name_at(view, MD_TypeDef_TypeName, chain[depth])));
}

static void write_candidate(buffer *name, const ilj_image *image, const candidate *c) {
    const md_view *view = &image->metadata;
    if (c->kind == A_NAMESPACE) {
        buffer_append(name, name_at(view, MD_TypeDef_TypeNamespace, c->row).data, c->size);
        return;
    }
    write_type(name, image, c->kind == A_TYPE ? c->row : md_method_type(&image->index, c->row));
    if (c->kind == A_METHOD)
        add_part(name, name_at(view, MD_MethodDef_Name, c->row));
}

/* ---- Attributes ------------------------------------------------------------------------------------------------ */

/* How many parts of the pattern do not stand in the name. */
static unsigned missing_parts(const pattern *p, bytes name) {
    unsigned missing = 0;
    for (unsigned i = 0; i < p->part_count; i++) {
        bool found = !p->parts[i].literal;
        for (size_t at = 0, end; at < name.size && !found; at = end + 1) {
            end = part_end(name, at);
            found = same_but_for_case(p->parts[i].text, (bytes){name.data + at, end - at});
        }
        missing += !found;
    }
    return missing;
}

static void look_at_attributes(selection_rule *rule, arena *a, const ilj_image *image, bytes wanted) {
    static const char ending[] = "Attribute";
    const md_view *view = &image->metadata;
    buffer whole = BUFFER_INIT;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_TypeRef); row++) {
        bytes name = name_at(view, MD_TypeRef_TypeName, row);
        if (name.size < sizeof ending || memcmp(name.data + name.size - (sizeof ending - 1), ending, sizeof ending - 1))
            continue;
        unsigned edits =
            least(distance(wanted, name), distance(wanted, (bytes){name.data, name.size - (sizeof ending - 1)}));
        unsigned best = rule->suggestion ? rule->suggestion_score : NONE;
        if (edits >= FAR || edits * PATTERN_PARTS >= best)
            continue;
        whole.size = 0;
        add_part(&whole, name_at(view, MD_TypeRef_TypeNamespace, row));
        add_part(&whole, name);
        unsigned score = edits * PATTERN_PARTS + missing_parts(&rule->pattern, buffer_bytes(&whole));
        if (score < best)
            keep(rule, a, "@", &whole, score);
    }
    buffer_clear(&whole);
}

/* ---- All rules ------------------------------------------------------------------------------------------------- */

static bytes wanted_of(const pattern *p) {
    bytes wanted = {0};
    for (unsigned i = p->part_count; i-- > 0 && wanted.size == 0;)
        if (p->parts[i].literal)
            wanted = without_arity(p->parts[i].text);
    return wanted;
}

static void look(selection_rule *rule, arena *a, names *n, bytes wanted) {
    search s = {.names = n,
                .pattern = &rule->pattern,
                .wanted = wanted,
                .best = rule->suggestion ? rule->suggestion_score : NONE};
    buffer name = BUFFER_INIT;
    look_at_names(&s);
    if (s.found == 0)
        return;
    write_candidate(&name, n->image, candidate_at(n, s.found));
    keep(rule, a, "", &name, s.best);
    buffer_clear(&name);
}

static uint32_t count_unmatched(const ilj_selection *selection) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < selection->rule_count; i++)
        count += !selection->rules[i].hit;
    return count;
}

void suggest_names(ilj_selection *selection, const ilj_image *image) {
    names n;
    if (count_unmatched(selection) > SUGGEST_MOST_RULES)
        return;
    enum { NOT_YET, MADE, FAILED } state = NOT_YET; /* of n */
    for (uint32_t i = 0; i < selection->rule_count; i++) {
        selection_rule *rule = &selection->rules[i];
        bytes wanted = rule->hit ? (bytes){0} : wanted_of(&rule->pattern);
        if (wanted.size == 0)
            continue;
        if (rule->pattern.attribute) {
            look_at_attributes(rule, &selection->arena, image, wanted);
            continue;
        }
        if (state == NOT_YET)
            state = names_make(&n, image) ? MADE : FAILED;
        if (state == MADE)
            look(rule, &selection->arena, &n, wanted);
    }
    if (state != NOT_YET)
        names_clear(&n);
}
