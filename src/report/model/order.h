/* order.h - the order in which a report shows functions and the nodes of its tree. */
#ifndef ILINJECT_REPORT_MODEL_ORDER_H
#define ILINJECT_REPORT_MODEL_ORDER_H

#include "report/model/call_tree.h"
#include "report/model/function.h"

/* Gives each function its rank: by name, then by module and number. False when memory ran out. */
bool order_functions(function_list *list);

/* Orders each node's children: most inclusive time first as it is estimated, then calls, then name; or by their first
 * calls (as_called). The functions have their ranks. False when memory ran out. */
bool order_children(call_tree *tree, const report_function *functions);

#endif
