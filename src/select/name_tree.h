/* name_tree.h - the rules of a selection with names without wildcards, found by the parts of a
 * name: one look-up for each part, however many rules there are.
 *
 * A node stands for a part after all those above it, without the number of type parameters (`List`,
 * `List`1` and `List`2` share one), so what ends at a node may match: the caller lets the pattern
 * itself decide. Parameters without a wildcard are one more part, in a node below the method's.
 * Built once for a selection, read by all its copies; the texts are the patterns' own. */
#ifndef ILINJECT_SELECT_NAME_TREE_H
#define ILINJECT_SELECT_NAME_TREE_H

#include "select/pattern.h"

struct selection_rule;

enum { NAME_TREE_NONE = 0, NAME_TREE_ROOT = 1 };

typedef struct name_node {
    const uint8_t *text;
    uint32_t size;
    uint32_t parent;
    uint32_t hash;       /* of parent and text */
    uint32_t rules;      /* 1 + the position of the last rule that ends here; 0: none */
    uint32_t open_rules; /* the same of those with wildcards in their parameters */
    bool parameters;     /* the text is a list of parameters */
    bool overloads;      /* nodes with parameters are below */
} name_node;

typedef struct name_tree {
    name_node *nodes; /* from the root on; the first stands for none */
    uint32_t *slots;  /* hash table of nodes, open addressing */
    uint32_t *before; /* by position: 1 + the position of the rule before it that ends in the same way */
    uint32_t *others; /* ascending positions of the rules that the tree does not hold */
    uint32_t node_count, other_count, slot_mask, rule_count;
} name_tree;

/* NULL when memory ran out. It lives in the arena. */
name_tree *name_tree_build(const struct selection_rule *rules, uint32_t count, arena *a);

/* The node below `node` for a part of a name, or for parameters without spaces after commas;
 * NAME_TREE_NONE: there is none. */
uint32_t name_tree_part(const name_tree *t, uint32_t node, bytes part);
uint32_t name_tree_parameters(const name_tree *t, uint32_t node, bytes text);

#endif
