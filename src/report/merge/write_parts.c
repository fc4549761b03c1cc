#include "report/merge/write.h"

#include <libdeflate.h>

#include "util/list.h"

/* Both parts of writing take these: ids, sections and places. */

uint32_t merge_id_of(const ids *s, uint32_t number) {
    if (number & MERGE_UNKNOWN)
        return number & ~MERGE_UNKNOWN;
    if (number < PROFILE_ID_FIRST)
        return number;                           /* a root */
    uint32_t low = 0, high = s->m->module_count; /* the last module that starts at or before the number, with methods */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->m->modules[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return s->bases[low - 1] + (number - s->m->modules[low - 1].first);
}

void merge_put_section(buffer *out, section_id id, buffer *payload) {
    if (payload->failed)
        out->failed = true;
    buffer_append(out, section_kind(id), 4);
    buffer_u32(out, libdeflate_crc32(0, payload->data, payload->size));
    uint8_t *size = buffer_extend(out, 8);
    if (size)
        store_u64(size, payload->size);
    buffer_append(out, payload->data, payload->size);
    payload->size = 0;
}
void merge_put_extra(buffer *out, section_id id, buffer *payload) {
    if (payload->size > 0)
        merge_put_section(out, id, payload);
}
int merge_by_place(const void *left, const void *right) {
    const place *a = left, *b = right;
    int order = list_compare(a->parent, b->parent);
    if (order == 0)
        order = list_compare(a->id, b->id);
    return order ? order : list_compare(a->slice, b->slice);
}
