/* selection_rule.h - one rule of a selection: a pattern, and what became of it. */
#ifndef ILINJECT_SELECT_SELECTION_RULE_H
#define ILINJECT_SELECT_SELECTION_RULE_H

#include "ilinject.h"
#include "select/pattern.h"

typedef struct selection_rule {
    pattern pattern;
    bool include;
    bool captures;    /* no selecting rule, but one of --capture */
    bool roots;       /* no selecting rule, but one of --root */
    bool chosen;      /* an exclude of a choice for a price: after all others, but for exact includes (rules.h) */
    ilj_exits exits;  /* of the methods that it decides about */
    const char *file; /* where it stands; NULL: on the command line */
    unsigned line;
    bool hit;                  /* matched a method of some image */
    const char *suggestion;    /* a name that was perhaps meant; NULL: none is known */
    unsigned suggestion_score; /* of `suggestion`: 0 would be the name itself */
} selection_rule;

#endif
