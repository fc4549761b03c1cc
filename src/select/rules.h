/* rules.h - asks a selection, and the attributes [Profile] and [NoProfile], about the methods of one image.
 *
 * The last rule that matches decides; where it is an include, and where none matches, excludes of a choice for a price
 * (selection_rule.chosen) still leave out what they name, unless the include is the method's own name or the method
 * carries [Profile] itself.
 *
 * chooser_begin, chooser_ask for methods in any order (fastest in that of their rows, where all of a type follow each
 * other), chooser_end. Asking allocates nothing but once in a while a longer buffer for parameters. */
#ifndef ILINJECT_SELECT_RULES_H
#define ILINJECT_SELECT_RULES_H

#include "base/buffer.h"
#include "select/attributes.h"
#include "select/name_tree.h"
#include "select/selection.h"

/* Upper bound for the types around a type, itself included, that are matched by name. */
enum { CHOOSER_DEPTH = 64 };

/* A rule with wildcards, or for an attribute, that this image's methods can match. */
typedef struct active_rule {
    selection_rule *rule;
    uint32_t position; /* in the selection */
    attribute_marks marks;
    pattern_state in_namespace, in_type; /* after the name of the current one */
} active_rule;

typedef struct chooser {
    ilj_selection *selection; /* may be NULL: nothing is asked for, only attributes count */
    ilj_image *image;
    bytes assembly;      /* its name */
    active_rule *active; /* in the selection's order */
    uint32_t *open;      /* positions in `active`: their match depends on the methods of the current type */
    uint32_t active_count, open_count;
    const name_tree *tree; /* all other rules; NULL: there are none */
    attribute_marks profile, no_profile, generated;
    bool any;            /* something here can leave a method out, or include it */
    bool includes_first; /* the first rule is an include, choices apart: where none matches nothing is selected */
    bool any_code;       /* so can something that chooser_ask_code looks at */
    bool type_known;     /* what follows is about `type` */
    bool type_generated;
    uint32_t type;
    uint32_t type_rule[2]; /* 1 + the last position of a rule that covers all of it, of a choice the second; 0: none */
    uint32_t type_attribute; /* the rule by attributes, its own or the assembly's; RULE_NONE: none */
    bool namespace_known;
    uint32_t namespace_offset; /* in #Strings */
    /* The nodes of the tree for the parts of the type's name, from the root on, and how many of them, the root too, the
     * namespace has. NAME_TREE_NONE is the last where the tree ends before the name does. */
    uint32_t path[PATTERN_PARTS + 2];
    unsigned path_count, namespace_count;
    bytes names[CHOOSER_DEPTH + 1]; /* the namespace, the types from the outside to the inside */
    unsigned name_count;
    buffer parameters;
    uint32_t parameters_row; /* the method row with these parameters; 0: none */
} chooser;

/* Returns ECMA_OK, ECMA_NO_MEMORY (reported to the image's diag). chooser_end has to follow in any case. */
ecma_status chooser_begin(chooser *c, ilj_selection *selection, ilj_image *image);

/* ILJ_INSTRUMENT, ILJ_EXCLUDED or ILJ_COMPILER_GENERATED; `rule` is what decided. */
ilj_reason chooser_ask(chooser *c, uint32_t method_row, uint32_t *rule);

/* The same of its IL: ILJ_INSTRUMENT, ILJ_TOO_SMALL or ILJ_TRIVIAL_ACCESSOR. */
ilj_reason chooser_ask_code(const chooser *c, uint32_t method_row, bytes code);

/* Looks for names that patterns without a match may have meant; frees what the chooser owns. */
void chooser_end(chooser *c);

/* Appends what decided, for people: "--include 'App.**'", "rules.xml:7 exclude 'App.Log'", "[NoProfile] of the type".
 */
void rule_describe(buffer *b, const ilj_selection *selection, uint32_t rule);

#endif
