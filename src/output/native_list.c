#include "output/native_list.h"

#include "input/ready_to_run.h"
#include "output/names_resource.h"

ecma_status native_list_read(native_list *l, ilj_image *image) {
    const uint32_t rows = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    ready_to_run could = {0};
    ready_to_run_keep(&could, image);
    if (!could.kept)
        return ECMA_OK;
    ecma_status status = r2r_inliners_read(&l->inliners, &could.code, rows, &image->arena);
    if (!status)
        status = r2r_rows_with_code(&l->have, &could.code, rows, &image->arena);
    if (status)
        *l = (native_list){0};
    ready_to_run_give_up(&could, image);
    return status == ECMA_NO_MEMORY ? diag_no_memory(&image->diag) : ECMA_OK;
}

/* In two maps rows do not rise throughout. */
static void append_method(buffer *data, const native_list *l, const ids *ids, uint32_t row) {
    const uint32_t first = l->inliners.first[row], end = l->inliners.first[row + 1];
    uint32_t count = 0, before = 0;
    for (uint32_t i = first; i < end; i++)
        count += ids_of(ids, l->inliners.list[i]) != NO_ID;
    buffer_varuint(data, 2ull * count + l->have.in[row]);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t id = ids_of(ids, l->inliners.list[i]);
        if (id == NO_ID)
            continue;
        buffer_varuint(data, id >= before ? 2ull * (id - before) : 2ull * (before - id) - 1);
        before = id;
    }
}

uint16_t native_list_append(buffer *data, const native_list *l, const ids *ids, uint32_t leaf_count, uint16_t flags) {
    if (!l->have.in)
        return flags;
    for (uint32_t i = 0; i < ids->count; i++)
        append_method(data, l, ids, ids->methods[i].row);
    for (uint32_t i = 0; i < leaf_count; i++)
        buffer_varuint(data, 0);
    return (uint16_t)(flags | NAMES_FILE_NATIVE);
}
