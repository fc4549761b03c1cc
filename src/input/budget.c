#include "input/budget.h"

ecma_status budget_failed(const buffer *b, diag *d) {
    if (!b->over)
        return diag_no_memory(d);
    return diag_report(d, DIAG_ADDED_LIMIT, "more than %zu bytes of names and calls would be added to it", b->most);
}
