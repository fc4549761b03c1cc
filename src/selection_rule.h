/* selection_rule.h - one rule of a selection: a pattern, and what became of it. */
#ifndef ILINJECT_SELECTION_RULE_H
#define ILINJECT_SELECTION_RULE_H

#include "ilinject.h"
#include "pattern.h"

typedef struct selection_rule {
    pattern pattern;
    bool include;
    bool captures;    /* no selecting rule, but one of --capture */
    bool chosen;      /* an exclude of a choice for a price: behind all others, but for exact includes (rules.h) */
    ilj_exits exits;  /* of the methods that it decides about */
    const char *file; /* where it stands; NULL: on the command line */
    unsigned line;
    bool hit;            /* matched a method of some image */
    const char *near;    /* a name that was perhaps meant; NULL: none is known */
    unsigned near_score; /* of `near`: 0 would be the name itself */
} selection_rule;

#endif
