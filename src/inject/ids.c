#include "inject/ids.h"

#include <stdlib.h>

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = ((const named_method *)b)->row;
    return (x > y) - (x < y);
}

uint32_t ids_of(const ids *i, uint32_t method_row) {
    const named_method *m = i->count ? bsearch(&method_row, i->methods, i->count, sizeof *i->methods, by_row) : NULL;
    return m ? (uint32_t)(m - i->methods) : NO_ID;
}

ecma_status ids_deal(ids *i, const bodies *b, const state_machines *m, diag *d) {
    i->methods = calloc(b->count + 1u, sizeof *i->methods);
    if (!i->methods)
        return diag_no_memory(d);
    for (uint32_t n = 0; n < b->count; n++)
        if (b->list[n].reason == ILJ_INSTRUMENT)
            i->methods[i->count++] = (named_method){.row = b->list[n].row, .il_size = b->list[n].code_size};
    for (uint32_t n = 0; n < m->count; n++) {
        const state_machine *one = &m->list[n];
        uint32_t step = ids_of(i, one->method), owner = ids_of(i, one->owner);
        if (step == NO_ID)
            continue;
        i->methods[step].flags = (one->is_async ? NAME_ASYNC : 0u) | (one->is_iterator ? NAME_ITERATOR : 0u);
        i->methods[step].owner = owner == NO_ID ? 0 : owner + 1;
    }
    memcpy(i->left_out, b->left_out, sizeof i->left_out);
    return ECMA_OK;
}

void ids_clear(ids *i) {
    free(i->methods);
    *i = (ids){0};
}
