#include "insertions.h"

#include "il/grow.h"

#include <stdlib.h>

void insertions_clear(insertions *in) {
    free(in->list);
    buffer_clear(&in->code);
    *in = (insertions){0};
}

void insertions_begin(insertions *in) {
    in->count = 0;
    in->unsorted = false;
    in->code.size = 0;
}

/* By offset, at the same one IL_HEAD before the rest, else in the order in which they were added, as their code is. */
static int in_code_order(const void *a, const void *b) {
    const insertion *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if ((x->place == IL_HEAD) != (y->place == IL_HEAD))
        return x->place == IL_HEAD ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

void insertions_add(insertions *in, uint32_t offset, il_place place, bytes code) {
    size_t start = in->code.size;
    buffer_append(&in->code, code.data, code.size);
    if (!il_grow(&in->list, &in->capacity, (size_t)in->count + 1, sizeof *in->list))
        in->code.failed = true;
    if (in->code.failed)
        return;
    /* Nearly always the last one: methods are gone through from their start to their end. */
    insertion *added = &in->list[in->count++];
    *added = (insertion){offset, place, start, code.size};
    in->unsorted |= in->count > 1 && in_code_order(added - 1, added) > 0;
}

ecma_status insertions_apply(insertions *in, il_edit *il) {
    if (in->code.failed)
        return ECMA_NO_MEMORY;
    if (in->unsorted)
        qsort(in->list, in->count, sizeof *in->list, in_code_order);
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; i < in->count && status == ECMA_OK; i++)
        status = il_insert(il, in->list[i].offset, in->list[i].place,
                           bytes_of(in->code.data + in->list[i].start, in->list[i].size));
    return status;
}
