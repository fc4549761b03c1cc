#include "input/data_extents.h"

#include "metadata/field_data.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const data_extent *x = a, *y = b;
    return x->rva != y->rva ? (x->rva > y->rva) - (x->rva < y->rva) : (x->row > y->row) - (x->row < y->row);
}

ecma_status data_extents_find(data_extents *found, ilj_image *image) {
    const md_view *v = &image->metadata;
    uint32_t rows = md_row_count(v, MD_TABLE_FieldRVA);
    *found = (data_extents){0};
    if (rows == 0)
        return ECMA_OK;
    const uint32_t *class_sizes = md_class_sizes(v, &image->arena);
    found->list = arena_alloc_array(&image->arena, rows, sizeof *found->list);
    if (!class_sizes || !found->list)
        return diag_no_memory(&image->diag);
    for (uint32_t row = 1; row <= rows; row++) {
        uint32_t rva = md_cell(v, MD_FieldRVA_RVA, row);
        const pe_section *s = pe_section_at(&image->pe, rva);
        if (!s)
            continue;
        uint32_t size = md_field_size(v, class_sizes, md_cell(v, MD_FieldRVA_Field, row));
        uint32_t room = (s->virtual_size > s->raw_size ? s->virtual_size : s->raw_size) - (rva - s->rva);
        if (size == 0)
            size = 1;
        found->list[found->count++] = (data_extent){row, rva, size < room ? size : room};
    }
    qsort(found->list, found->count, sizeof *found->list, ascending);
    return ECMA_OK;
}

const data_extent *data_extents_at(const data_extents *data, uint32_t rva) {
    uint32_t low = 0, high = data->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (data->list[middle].rva < rva)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->count && data->list[low].rva == rva ? &data->list[low] : NULL;
}
