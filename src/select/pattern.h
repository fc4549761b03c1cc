/* pattern.h - the patterns of --include and --exclude (docs/configuration.md, "Selection"): compiled once, then matched
 * part by part without allocating.
 *
 * A name is fed in pieces, outermost first: the namespace, each enclosing type, the type, the method. Every piece is
 * cut into parts at its dots; a dot at the start of a part belongs to it (`.ctor`). The state is a set of places in the
 * pattern that the name can have reached, so that the work for a namespace or type is done once for all in it. */
#ifndef ILINJECT_SELECT_PATTERN_H
#define ILINJECT_SELECT_PATTERN_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"

/* One part of a name, or one parameter. */
typedef struct pattern_part {
    bytes text;
    bool any;     /* `**`: any number of parts, none too */
    bool literal; /* without wildcards */
} pattern_part;

enum { PATTERN_PARTS = 60, PATTERN_BYTES = 4096 };

typedef struct pattern {
    const char *text; /* as it was given, trimmed */
    bool has_assembly;
    bool attribute; /* `@`: the parts name an attribute's type */
    bool has_parameters;
    bytes assembly; /* `*` stands for any run of characters in it, dots too */
    pattern_part *parts;
    unsigned part_count; /* 0: everything in the assembly */
    pattern_part *parameters;
    unsigned parameter_count;
} pattern;

/* Compiles a copy of `text` into the arena. Returns ECMA_OK, ECMA_CONFIG (`fault` says what is wrong with it),
 * ECMA_NO_MEMORY. */
ecma_status pattern_compile(pattern *p, const char *text, arena *a, const char **fault);

/* True if it has no wildcard in its names, but for those that leave out an assembly. */
static inline bool pattern_is_literal(const pattern *p) {
    for (unsigned i = 0; i < p->part_count; i++)
        if (p->parts[i].any || !p->parts[i].literal)
            return false;
    return p->part_count > 0;
}

/* True if it is this text to the letter. A route, `GET /todos/{id}`, has characters that mean something else in a
 * pattern. */
static inline bool pattern_is_text(const pattern *p, bytes text) {
    return bytes_equal(text, bytes_of(p->text, strlen(p->text)));
}

bool pattern_matches_assembly(const pattern *p, bytes name);

/* A set of places, bit n: the first n parts are used up. 0: whatever follows, the pattern does not match. */
typedef uint64_t pattern_state;

pattern_state pattern_start(const pattern *p);
pattern_state pattern_feed(const pattern *p, pattern_state state, bytes name);

/* The end of the part of a name that starts at `at`: a dot at its start belongs to it. The next one starts after it.
 */
size_t pattern_part_end(bytes name, size_t at);

/* False if the pattern, which covers nothing, cannot name one that ends in this piece. Looks at a character or two,
 * before the pieces around it are fed; true says nothing. */
bool pattern_may_end_in(const pattern *p, bytes name);
/* The same of a text up to its zero. */
bool pattern_may_end_in_text(const pattern *p, const char *name);

/* True if the name that was fed so far matches. For a pattern that names no parameters and no attribute this stays so:
 * what it names stands for all that is in it. */
static inline bool pattern_accepts(const pattern *p, pattern_state state) {
    return state >> p->part_count & 1;
}
static inline bool pattern_covers(const pattern *p, pattern_state state) {
    return !p->has_parameters && !p->attribute && pattern_accepts(p, state);
}

/* A method's parameters, written as `list` shows them, without the spaces after commas, in place. Returns the size. */
size_t pattern_squeeze(uint8_t *text, size_t size);

/* True if a method's parameters, written as `list` shows them, match. `text` is squeezed. */
bool pattern_matches_parameters(const pattern *p, uint8_t *text, size_t size);

#endif
