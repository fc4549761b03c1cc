/* leaf_patterns.h - which calls of code that is not instrumented stand in the tree as leaves (docs/leaves.md).
 *
 * A list of patterns of names, as those of --include; the last one that matches a method decides, and one with `!`
 * before it says no. Two words are no patterns: `default` is the list of leaves.def, `native` the methods that are
 * native code (P/Invoke). Starts all zero; all memory is the arena's. */
#ifndef ILINJECT_SELECT_LEAF_PATTERNS_H
#define ILINJECT_SELECT_LEAF_PATTERNS_H

#include "base/buffer.h"
#include "base/diag.h"
#include "select/pattern.h"

typedef struct leaf_pattern {
    pattern pattern;
    bool native; /* every method that is native code; there is no pattern */
    bool wanted;
    bool listed;        /* one of `default` */
    const char *reason; /* why it is one; NULL: it is not */
    const char *file;   /* where it stands; NULL: on the command line */
    unsigned line;
} leaf_pattern;

typedef struct leaf_patterns {
    leaf_pattern *list;
    uint32_t count, capacity; /* 0: there are no leaves */
    bool asked;               /* about the calls of at least one image */
    bool *hits;               /* by pattern: it names a method that is called; NULL: not requested */
} leaf_patterns;

/* Adds the patterns of a list that commas part, in order; commas between brackets part a pattern's parameters. An empty
 * text is `default`. `file`, which is borrowed, and `line`: where the text stands. Returns ECMA_OK, ECMA_CONFIG
 * (reported to d), ECMA_NO_MEMORY (reported). */
ecma_status leaf_patterns_add(leaf_patterns *l, arena *a, diag *d, const char *text, const char *file, unsigned line);

enum { LEAF_NAMES = 32 };

/* A method that may be a leaf. */
typedef struct leaf_name {
    bytes assembly;          /* that has its type */
    bytes names[LEAF_NAMES]; /* the namespace, the types from the outermost on, the method */
    unsigned count;
    bytes parameters; /* as `list` shows them */
    bool native;
} leaf_name;

/* Begins to remember which of them name a method that is called, in memory of the arena. False: memory ran out. */
bool leaf_patterns_watch(leaf_patterns *l, arena *a);

/* True if it is a leaf. `scratch` is for a copy of the parameters; memory that runs out is remembered in it. */
bool leaf_patterns_match(const leaf_patterns *l, const leaf_name *name, buffer *scratch);

enum { LEAF_PATTERN_NONE = UINT32_MAX };

/* The position of the pattern that decides, or LEAF_PATTERN_NONE; it counts as no match. `scratch` as above. */
uint32_t leaf_patterns_find(const leaf_patterns *l, const leaf_name *name, buffer *scratch);

/* Appends where the pattern stands and what it is, a default one with its reason: `rules.xml:3 leaf '!System.IO'`. */
void leaf_patterns_describe(buffer *b, const leaf_patterns *l, uint32_t position);

#endif
