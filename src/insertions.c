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
    in->code.size = 0;
}

static bool stands_before(const insertion *a, uint32_t offset, il_place place) {
    return a->offset < offset || (a->offset == offset && (a->place == IL_HEAD || place != IL_HEAD));
}

void insertions_add(insertions *in, uint32_t offset, il_place place, bytes code) {
    size_t start = in->code.size;
    buffer_append(&in->code, code.data, code.size);
    if (!il_grow(&in->list, &in->capacity, (size_t)in->count + 1, sizeof *in->list))
        in->code.failed = true;
    if (in->code.failed)
        return;
    /* Nearly always the last one: methods are gone through from their start to their end. */
    uint32_t at = in->count++;
    for (; at > 0 && !stands_before(&in->list[at - 1], offset, place); at--)
        in->list[at] = in->list[at - 1];
    in->list[at] = (insertion){offset, place, start, code.size};
}

ecma_status insertions_apply(insertions *in, il_edit *il) {
    if (in->code.failed)
        return ECMA_NO_MEMORY;
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; i < in->count && status == ECMA_OK; i++)
        status = il_insert(il, in->list[i].offset, in->list[i].place,
                           bytes_of(in->code.data + in->list[i].start, in->list[i].size));
    return status;
}
