/* selection.h - what was asked for: rules in their order, and what else leaves methods out. Built once, asked about any
 * number of images; remembers which patterns matched in none of them. */
#ifndef ILINJECT_SELECT_SELECTION_H
#define ILINJECT_SELECT_SELECTION_H

#include "input/context.h"
#include "select/capture_rules.h"
#include "select/leaf_patterns.h"
#include "select/selection_rule.h"

/* One of these has decided about a method, or RULE_LISTED + the position of a rule of the selection. */
enum {
    RULE_NONE,
    RULE_NOT_INCLUDED, /* the first rule is an include, and none names the method */
    RULE_PROFILE_ASSEMBLY,
    RULE_PROFILE_TYPE,
    RULE_PROFILE_METHOD,
    RULE_NO_PROFILE_ASSEMBLY,
    RULE_NO_PROFILE_TYPE,
    RULE_NO_PROFILE_METHOD,
    RULE_LISTED,
};

typedef struct name_tree name_tree;

struct ilj_selection {
    arena arena;           /* of all that is not said to be elsewhere */
    selection_rule *rules; /* owned */
    uint32_t rule_count, rule_capacity;
    /* For the first tree->rule_count rules; perhaps that of the selection that this is a copy of. */
    const name_tree *tree;
    uint32_t min_il_size;
    bool skip_trivial_accessors;
    bool leave_out_compiler_generated;
    ilj_exits exits; /* what a configuration file says */
    ilj_exceptions exceptions;
    bool counts, allocations, command_texts;
    bool asked;          /* about at least one image */
    struct price *price; /* what instrumenting may cost (select/price.h); NULL: anything */
    bool price_met;      /* its profiles know a method of some image */
    /* The methods that are captured with their values: patterns choose among the methods that are instrumented, the
     * last that matches decides; NULL: none. `capture` has as many rules as that has. */
    struct ilj_selection *captured;
    capture_rule *capture;
    struct ilj_selection *roots; /* names methods with trees of their own; NULL: none was asked for */
    const char **masks; /* of names; in the order given */
    uint32_t mask_count, mask_capacity;
    leaf_patterns leaves; /* calls of code that is not instrumented; copies share the list */
};

/* Adds a rule after those that are there. `file` is borrowed. Returns ECMA_OK, ECMA_CONFIG (reported to d),
 * ECMA_NO_MEMORY.
 */
ecma_status selection_add(ilj_selection *s, diag *d, bool include, const char *text, const char *file, unsigned line);

/* The tree of its rules, made again when there are more of them than it was made of; NULL when memory ran out. */
const name_tree *selection_tree(ilj_selection *s);

/* Adds a rule of --capture: `values` is what stands after the pattern's colon, NULL: the pattern has it in itself.
 * Returns what selection_add returns. */
ecma_status selection_add_capture(ilj_selection *s, diag *d, const char *text, const char *values, const char *file,
                                  unsigned line);

/* Adds a pattern of --root. Returns what selection_add returns. */
ecma_status selection_add_root(ilj_selection *s, diag *d, const char *text);

/* Adds a pattern of names; their values are masked or, with ! before it, shown. Returns what selection_add returns. */
ecma_status selection_add_mask(ilj_selection *s, diag *d, const char *text);

/* The shape for a method about which `rule` (rules.h) decided, when the run asks for `asked`. `s` may be NULL. */
ilj_exits selection_exits(const ilj_selection *s, uint32_t rule, ilj_exits asked);

/* True if calls are only to be counted. `s` may be NULL. */
bool selection_counts(const ilj_selection *s, bool asked);

/* True if objects are to be counted where they are allocated. `s` may be NULL. */
bool selection_allocations(const ilj_selection *s, bool asked);

/* True if leaves are to be distinguished by the texts of commands. `s` may be NULL. */
bool selection_command_texts(const ilj_selection *s, bool asked);

/* True if nothing was asked for that could leave a method out. `s` may be NULL. */
bool selection_takes_all(const ilj_selection *s);

/* True if any rule chooses a shape of its own. If not, it is the same for all methods. */
bool selection_has_exits(const ilj_selection *s);

/* A diag for what stands in a line of a file, reported as "rules.xml(7)", the form that MSBuild shows; line 0: the file
 * as a whole, no file: the command line. `place` has to outlive it. */
enum { SELECTION_PLACE = 1024 };
diag selection_diag(ilj_context *context, char place[SELECTION_PLACE], const char *file, unsigned line);

/* "include", "exclude", "capture" or "root". */
const char *selection_verb(const selection_rule *rule);

#endif
