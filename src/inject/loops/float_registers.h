/* float_registers.h - the types whose values floating-point registers may hold. */
#ifndef ILINJECT_INJECT_LOOPS_FLOAT_REGISTERS_H
#define ILINJECT_INJECT_LOOPS_FLOAT_REGISTERS_H

#include "metadata/view.h"

/* Can floating-point registers hold a value of the type, as it stands in a signature, or parts of
 * it: a float, a double, a type parameter, a value type that has such a field? The view's own value
 * types are looked into. Those of other modules may have such fields, except what System and most
 * namespaces below it hold: enumerations, dates, spans. An empty type is none. */
bool float_registers_may_hold(const md_view *view, bytes type);

#endif
