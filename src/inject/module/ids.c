#include "inject/module/ids.h"

#include "base/pages.h"

#include <stdlib.h>

uint32_t ids_of(const ids *i, uint32_t method_row) {
    uint32_t low = 0, high = i->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (i->methods[middle].row < method_row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < i->count && i->methods[low].row == method_row ? low : NO_ID;
}

ecma_status ids_deal(ids *i, const bodies *b, const state_machines *m, diag *d) {
    enum { MANY = PAGES_WORTH_ASKING / sizeof *i->methods };
    i->methods = malloc((b->count + 1u) * sizeof *i->methods);
    if (!i->methods)
        return diag_no_memory(d);
    if (b->count >= MANY)
        pages_use(i->methods, b->count * sizeof *i->methods);
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
