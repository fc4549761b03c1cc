/* order.h - the order in which a report shows functions and the nodes of its tree. */
#ifndef ILINJECT_REPORT_MODEL_ORDER_H
#define ILINJECT_REPORT_MODEL_ORDER_H

#include "report/model/aggregate.h"

/* Gives each function its rank: by name, then by module and number. False when memory ran out. */
bool order_functions(aggregate *a);

/* Orders each node's children: most inclusive time first as far as it is certain (trust.h), then calls, then name; or
 * by their first calls (as_called). The functions have their ranks. False when memory ran out. */
bool order_children(aggregate *a);

#endif
