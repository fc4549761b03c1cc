/* float_registers.h - the types whose values floating-point registers may hold. */
#ifndef ILINJECT_INJECT_LOOPS_FLOAT_REGISTERS_H
#define ILINJECT_INJECT_LOOPS_FLOAT_REGISTERS_H

#include "metadata/view.h"

/* Can floating-point registers hold a value of the type, as it stands in a signature, or parts of
 * it: a float, a double, a type parameter, a value type that has such a field? The view's own value
 * types are looked into. Those of other modules may have such fields, except what System and most
 * namespaces below it hold: enumerations, dates, spans. An empty type is none. */
bool float_registers_may_hold(const md_view *view, bytes type);

/* The same, kept for recent types of few bytes: parameters of loops are of a few types. Starts all zero. */
enum { FLOAT_TYPES = 64 };
typedef struct float_types {
    struct {
        uint64_t type; /* its bytes, and their number in the highest one */
        bool may;
    } recent[FLOAT_TYPES];
} float_types;
bool float_types_may_hold(float_types *t, const md_view *view, bytes type);

#endif
