#include "select/pattern.h"

#include "metadata/index.h"

/* ---- One part -------------------------------------------------------------------------------------------------- */

static size_t character_bytes(bytes text, size_t at) {
    size_t end = at + 1;
    while (end < text.size && (text.data[end] & 0xC0) == 0x80)
        end++;
    return end - at;
}

/* `*` is any run of characters, `?` one character; everything else is itself. */
static bool glob(bytes wanted, bytes text) {
    size_t w = 0, t = 0, star = SIZE_MAX, resume = 0;
    while (t < text.size) {
        if (w < wanted.size && wanted.data[w] == '*') {
            star = ++w;
            resume = t;
        } else if (w < wanted.size && wanted.data[w] == '?') {
            w++;
            t += character_bytes(text, t);
        } else if (w < wanted.size && wanted.data[w] == text.data[t]) {
            w++;
            t++;
        } else if (star != SIZE_MAX) {
            w = star;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (w < wanted.size && wanted.data[w] == '*')
        w++;
    return w == wanted.size;
}

static bool part_is(const pattern_part *part, bytes text) {
    return part->literal ? bytes_equal(part->text, text) : glob(part->text, text);
}

/* `List` names `List`1` as well. */
static bool part_matches(const pattern_part *part, bytes text) {
    if (part->literal && (text.size < part->text.size || text.data[0] != part->text.data[0]))
        return false;
    if (part_is(part, text))
        return true;
    size_t length;
    return md_name_arity(text, &length) != 0 && part_is(part, (bytes){text.data, length});
}

bool pattern_matches_assembly(const pattern *p, bytes name) {
    return !p->has_assembly || glob(p->assembly, name);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

/* Place `at`, and those that follow without a part being used up. */
static pattern_state places(const pattern *p, unsigned at) {
    pattern_state state = (pattern_state)1 << at;
    while (at < p->part_count && p->parts[at].any)
        state |= (pattern_state)1 << ++at;
    return state;
}

pattern_state pattern_start(const pattern *p) {
    return places(p, 0);
}

static pattern_state step(const pattern *p, pattern_state state, bytes part) {
    pattern_state next = pattern_covers(p, state) ? (pattern_state)1 << p->part_count : 0;
    for (pattern_state left = state; left != 0; left &= left - 1) {
        unsigned at = (unsigned)__builtin_ctzll(left);
        if (at == p->part_count)
            break;
        if (p->parts[at].any)
            next |= places(p, at);
        else if (part_matches(&p->parts[at], part))
            next |= places(p, at + 1);
    }
    return next;
}

size_t pattern_part_end(bytes name, size_t at) {
    do
        at++;
    while (at < name.size && name.data[at] != '.');
    return at;
}

bool pattern_may_end_in(const pattern *p, bytes name) {
    const pattern_part *last = p->part_count ? &p->parts[p->part_count - 1] : NULL;
    return !last || !last->literal || name.size == 0 || name.data[0] == last->text.data[0] ||
           memchr(name.data, '.', name.size) != NULL;
}

bool pattern_may_end_in_text(const pattern *p, const char *name) {
    const pattern_part *last = p->part_count ? &p->parts[p->part_count - 1] : NULL;
    return !last || !last->literal || !*name || (uint8_t)*name == last->text.data[0] || strchr(name, '.');
}

pattern_state pattern_feed(const pattern *p, pattern_state state, bytes name) {
    for (size_t at = 0, end; at < name.size && state != 0; at = end + 1) {
        end = pattern_part_end(name, at);
        state = step(p, state, (bytes){name.data + at, end - at});
    }
    return state;
}

/* ---- Parameters ------------------------------------------------------------------------------------------------ */

/* The end of the parameter that starts at `at`: commas between brackets belong to it. */
static size_t parameter_end(bytes text, size_t at) {
    for (unsigned depth = 0; at < text.size; at++) {
        uint8_t c = text.data[at];
        if (c == '<' || c == '[' || c == '(')
            depth++;
        else if ((c == '>' || c == ']' || c == ')') && depth > 0)
            depth--;
        else if (c == ',' && depth == 0)
            break;
    }
    return at;
}

size_t pattern_squeeze(uint8_t *text, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' || (kept > 0 && text[kept - 1] != ','))
            text[kept++] = text[i];
    return kept;
}

bool pattern_matches_parameters(const pattern *p, uint8_t *text, size_t size) {
    bytes all = {text, pattern_squeeze(text, size)};
    const pattern whole = {.parts = p->parameters, .part_count = p->parameter_count};
    pattern_state state = places(&whole, 0);
    for (size_t at = 0; at < all.size && state != 0;) {
        size_t stop = parameter_end(all, at);
        pattern_state next = 0;
        for (unsigned i = 0; i < p->parameter_count; i++) {
            if (!(state >> i & 1))
                continue;
            if (p->parameters[i].any)
                next |= places(&whole, i);
            else if (part_is(&p->parameters[i], (bytes){all.data + at, stop - at}))
                next |= places(&whole, i + 1);
        }
        state = next;
        at = stop + 1;
    }
    return pattern_accepts(&whole, state);
}

/* ---- Compiling ------------------------------------------------------------------------------------------------- */

static const char *make_part(pattern_part *part, bytes text, bool of_name) {
    static const char stands_alone[] = "** stands for whole parts; within one write *";
    *part = (pattern_part){.text = text, .literal = true};
    if (text.size == 0 || (text.size == 1 && text.data[0] == '.'))
        return "a name is empty";
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '*' || text.data[i] == '?')
            part->literal = false;
        if (text.data[i] == '*' && i > 0 && text.data[i - 1] == '*') {
            if (of_name && text.size != 2)
                return stands_alone;
            part->any = text.size == 2; /* int** is a type */
        }
    }
    return NULL;
}

static const char *make_name(pattern *p, bytes name) {
    for (size_t at = 0; at <= name.size;) {
        if (p->part_count == PATTERN_PARTS)
            return "it has too many parts";
        size_t end = at < name.size ? pattern_part_end(name, at) : at;
        const char *fault = make_part(&p->parts[p->part_count++], (bytes){name.data + at, end - at}, true);
        if (fault)
            return fault;
        at = end + 1;
    }
    return NULL;
}

static const char *make_parameters(pattern *p, bytes text) {
    if (text.size == 0)
        return NULL;
    for (size_t at = 0; at <= text.size;) {
        if (p->parameter_count == PATTERN_PARTS)
            return "it has too many parameters";
        size_t end = parameter_end(text, at);
        if (make_part(&p->parameters[p->parameter_count++], (bytes){text.data + at, end - at}, false))
            return "a parameter is empty";
        at = end + 1;
    }
    return NULL;
}

/* The pattern between its trimmed ends; `text` is the arena's own. It is changed where changes_text says. */
static const char *compile(pattern *p, uint8_t *text, size_t size) {
    if (size > 0 && text[0] == '[') {
        const uint8_t *close = memchr(text, ']', size);
        if (!close)
            return "[ is not closed";
        size_t used = (size_t)(close - text) + 1;
        p->has_assembly = true;
        p->assembly = (bytes){text + 1, used - 2};
        if (p->assembly.size == 0)
            return "[] names no assembly";
        text += used;
        size -= used;
        if (size == 0)
            return NULL;
    }
    if (size > 0 && text[0] == '@') {
        p->attribute = true;
        text++;
        size--;
    }
    if (size == 0)
        return "it is empty";
    if (text[size - 1] == ')') {
        uint8_t *open = memchr(text, '(', size);
        if (!open || p->attribute)
            return p->attribute ? "an attribute has no parameters here" : ") closes nothing";
        p->has_parameters = true;
        size_t inner = pattern_squeeze(open + 1, size - (size_t)(open - text) - 2);
        const char *fault = make_parameters(p, (bytes){open + 1, inner});
        if (fault)
            return fault;
        size = (size_t)(open - text);
    }
    if (memchr(text, '(', size))
        return "( is not closed";
    /* A nested type stands after a slash or a dot. */
    for (size_t i = 0; i < size; i++)
        if (text[i] == '/')
            text[i] = '.';
    return make_name(p, (bytes){text, size});
}

static bool changes_text(const char *text, size_t size) {
    const char *open = memchr(text, '(', size);
    return memchr(text, '/', size) || (open && memchr(open, ' ', size - (size_t)(open - text)));
}

/* How many runs there are between these bytes, at most as many as a pattern has. */
static size_t runs(const char *text, size_t size, const char *between) {
    size_t count = 1;
    for (size_t i = 0; i < size && count < PATTERN_PARTS; i++)
        count += text[i] == between[0] || text[i] == between[1];
    return count;
}

ecma_status pattern_compile(pattern *p, const char *text, arena *a, const char **fault) {
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]))
        size--;
    while (size > 0 && strchr(" \t\r\n", *text)) {
        text++;
        size--;
    }
    if (size > PATTERN_BYTES) {
        *fault = "it is longer than 4096 bytes";
        return ECMA_CONFIG;
    }
    /* Rules come by the thousand: no more is taken than each needs. */
    bool parameters = size > 0 && text[size - 1] == ')';
    char *shown = arena_alloc(a, size + 1);
    uint8_t *copy = changes_text(text, size) ? arena_alloc(a, size + 1) : (uint8_t *)shown;
    pattern made = {.text = shown,
                    .parts = arena_alloc_array(a, runs(text, size, "./"), sizeof(pattern_part)),
                    .parameters =
                        parameters ? arena_alloc_array(a, runs(text, size, ",,"), sizeof(pattern_part)) : NULL};
    if (!shown || !copy || !made.parts || (parameters && !made.parameters))
        return ECMA_NO_MEMORY;
    memcpy(shown, text, size);
    memcpy(copy, text, size);
    const char *wrong = compile(&made, copy, size);
    if (wrong) {
        *fault = wrong;
        return ECMA_CONFIG;
    }
    *p = made;
    return ECMA_OK;
}
