#include "report/page/allocated.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/page/json.h"
#include "report/view/names.h"

uint64_t *page_sum_up(const aggregate *a, profile_figure kind) {
    uint64_t *sums = calloc((size_t)a->tree.node_count + 1, sizeof *sums);
    for (uint32_t i = a->tree.node_count; sums && i-- > 0;) { /* children stand after their parent */
        const uint32_t parent = a->tree.places.links[i].parent;
        sums[i] = profile_add(sums[i], figure_of_node(&a->tree, i, kind));
        if (i > 0)
            sums[parent] = profile_add(sums[parent], sums[i]);
    }
    return sums;
}

bool page_types_write(printer *out, const report_sites *s, buffer *scratch) {
    enum { MOST = 500 };
    const report_type **sorted = sites_types_sorted(s);
    if (!sorted)
        return false;
    print_string(out, ",\n\"types\":[");
    for (uint32_t i = 0; i < s->type_count && i < MOST; i++) {
        print_string(out, i == 0 ? "{\"name\":" : ",{\"name\":");
        view_text(scratch, sorted[i]->name);
        page_string(out, buffer_bytes(scratch));
        print_format(out, ",\"objects\":%" PRIu64 ",\"boxed\":%d}", sorted[i]->objects,
                     sorted[i]->kind == NAMES_SITE_BOX);
    }
    print_string(out, "]");
    free(sorted);
    return true;
}
