#include "input/ready_to_run.h"

#include "il/body.h"
#include "metadata/field_data.h"
#include "metadata/types.h"
#include "pe/append.h"
#include "pe/fresh.h"
#include "pe/loaders.h"
#include "ready_to_run/keep.h"

/* ---- Kept parts: bodies and field data ----------------------------------------------------------------------------
 */

static ecma_status add_bodies(pe_kept *kept, size_t *count, ilj_image *image) {
    const md_view *v = &image->metadata;
    md_cells rvas = md_cells_of(v, MD_MethodDef_RVA), impl_flags = md_cells_of(v, MD_MethodDef_ImplFlags),
             flags = md_cells_of(v, MD_MethodDef_Flags);
    pe_section_hint hint = {0};
    for (uint32_t row = 1; row <= rvas.row_count; row++) {
        uint32_t rva = md_cells_take(&rvas), impl = md_cells_take(&impl_flags), flag_bits = md_cells_take(&flags);
        bytes from;
        il_body body;
        il_fault fault = {"RVA is not in the file part of a section", 0};
        if (rva == 0)
            continue;
        if (!md_has_il(flag_bits, impl))
            return diag_report(&image->diag, DIAG_PRECOMPILED, "MethodDef 0x%08x has native code of its own",
                               md_token_of(MD_TABLE_MethodDef, row));
        if (!pe_try_bytes_with_hint(&image->pe, &hint, rva, &from) || !il_body_try_read(&body, from, &fault))
            return diag_report(&image->diag, DIAG_PRECOMPILED,
                               "MethodDef 0x%08x: body at RVA 0x%x, offset %u: %s; so its end is not known",
                               md_token_of(MD_TABLE_MethodDef, row), rva, fault.offset, fault.what);
        kept[(*count)++] = (pe_kept){rva, body.size};
    }
    return ECMA_OK;
}

/* Field data of one section stays together, from the first field to the end of the last: programs count on
 * neighbours. */
static ecma_status add_field_data(pe_kept *kept, size_t *count, ilj_image *image) {
    const md_view *v = &image->metadata;
    const pe_image *pe = &image->pe;
    const uint32_t *class_sizes = md_class_sizes(v, &image->arena);
    pe_kept *blocks = arena_alloc_array(&image->arena, pe->section_count, sizeof *blocks);
    if (!class_sizes || !blocks)
        return diag_no_memory(&image->diag);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_FieldRVA); row++) {
        uint32_t rva = md_cell(v, MD_FieldRVA_RVA, row);
        const pe_section *s = pe_section_at(pe, rva);
        bytes from;
        if (rva == 0)
            continue;
        uint32_t size = md_field_size(v, class_sizes, md_cell(v, MD_FieldRVA_Field, row));
        if (!s || !pe_try_bytes_from(pe, rva, &from) || size > from.size)
            return diag_report(&image->diag, DIAG_PRECOMPILED,
                               "FieldRVA row %u: its %u bytes at RVA 0x%x are not in the file part of a section", row,
                               size, rva);
        /* A size that is not known could be any. */
        uint32_t end = rva + (size ? size : (uint32_t)from.size);
        pe_kept *block = &blocks[s - pe->sections];
        uint32_t old_end = block->rva + block->size;
        if (block->size == 0 || rva < block->rva)
            block->rva = rva;
        block->size = (end > old_end ? end : old_end) - block->rva;
    }
    for (uint32_t i = 0; i < pe->section_count; i++)
        if (blocks[i].size)
            kept[(*count)++] = blocks[i];
    return ECMA_OK;
}

/* ---- The new image in place of the old ----------------------------------------------------------------------------
 */

/* Gives every row its new RVA, in the written metadata. Both columns are 4 bytes wide, whatever the tables' sizes. */
static void carry_column(const pe_layout *layout, const md_view *v, uint8_t *metadata, md_column column) {
    const md_table *t = &v->tables[md_columns[column].table];
    size_t first = (size_t)(t->rows - v->metadata.data) + v->column_offset[column], near = 0;
    for (uint32_t row = 0; row < t->row_count; row++) {
        uint8_t *cell = metadata + first + (size_t)row * t->row_bytes;
        uint32_t rva = load_u32(cell), new_rva;
        if (rva != 0 && pe_layout_map_near(layout, rva, &near, &new_rva))
            store_u32(cell, new_rva);
    }
}

static ecma_status write_image(bytes *written, const pe_layout *layout, ilj_image *image) {
    const md_view *v = &image->metadata;
    uint32_t new_rva, offset;
    uint8_t *out = arena_alloc(&image->arena, layout->file_size);
    if (!out)
        return diag_no_memory(&image->diag);
    ecma_status status = pe_fresh_write(layout, out, &image->diag);
    if (status)
        return status;
    if (!pe_layout_map(layout, image->pe.cli.metadata.rva, &new_rva) ||
        !pe_layout_file_offset(layout, new_rva, &offset))
        return diag_report(&image->diag, DIAG_LAYOUT, "the metadata cannot be carried along");
    carry_column(layout, v, out + offset, MD_MethodDef_RVA);
    carry_column(layout, v, out + offset, MD_FieldRVA_RVA);
    *written = (bytes){out, layout->file_size};
    return pe_loaders_check(*written, image->pe.file, true, &image->diag);
}

/* Methods with NonVersionableAttribute are inlined, also in other modules, and no map says where. */
static bool has_unmapped_inlining(const md_view *v) {
    static const char name[] = "NonVersionableAttribute";
    static const struct {
        md_table_id table;
        md_column name;
    } types[] = {{MD_TABLE_TypeDef, MD_TypeDef_TypeName}, {MD_TABLE_TypeRef, MD_TypeRef_TypeName}};
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        for (uint32_t row = 1; row <= md_row_count(v, types[i].table); row++)
            if (strcmp(md_name(v, types[i].name, row), name) == 0)
                return true;
    return false;
}

const char *ready_to_run_why_not(const r2r_image *code, const ilj_image *image) {
    const pe_cli_header *cli = &image->pe.cli;
    if (cli->flags & PE_CLI_NATIVE_ENTRYPOINT || cli->vtable_fixups.size)
        return "it is a mixed-mode image";
    const char *why = pe_why_not_growable(&image->pe);
    if (!why)
        why = r2r_why_not_kept(code, md_row_count(&image->metadata, MD_TABLE_MethodDef));
    if (!why && has_unmapped_inlining(&image->metadata))
        why = "it has methods whose inlining is in no map (NonVersionable)";
    return why;
}

void ready_to_run_keep(ready_to_run *p, ilj_image *image) {
    *p = (ready_to_run){0};
    if (image->pe.cli.managed_native.rva == 0 || r2r_open(&p->code, &image->pe))
        return; /* a damaged header is reported when it is taken out */
    p->why_not = ready_to_run_why_not(&p->code, image);
    p->kept = p->found = image->pe.keeps_ahead = !p->why_not;
}

void ready_to_run_give_up(ready_to_run *p, ilj_image *image) {
    p->kept = p->found = image->pe.keeps_ahead = false;
    p->why_not = "hardly a method would keep it";
}

ecma_status ready_to_run_take_out(ready_to_run *p, ilj_image *image) {
    const pe_cli_header *cli = &image->pe.cli;
    const md_view *v = &image->metadata;
    diag *d = &image->diag;
    pe_ready_to_run header;
    if (cli->managed_native.rva == 0 && cli->managed_native.size == 0)
        return ECMA_OK;
    if (!pe_try_ready_to_run(&image->pe, &header))
        return diag_report(d, DIAG_PRECOMPILED, "the managed native header at RVA 0x%x is not of ReadyToRun",
                           cli->managed_native.rva);
    if (cli->flags & PE_CLI_NATIVE_ENTRYPOINT || cli->vtable_fixups.size || cli->export_address_jumps.size)
        return diag_report(d, DIAG_MIXED_MODE, "a mixed-mode image (CLI flags 0x%x): its native code has to stay",
                           cli->flags);
    pe_kept *kept = arena_alloc_array(
        &image->arena, (size_t)md_row_count(v, MD_TABLE_MethodDef) + image->pe.section_count + 1, sizeof *kept);
    if (!kept)
        return diag_no_memory(d);
    size_t count = 0;
    pe_layout layout;
    bytes written;
    ecma_status status;
    if ((status = add_bodies(kept, &count, image)) || (status = add_field_data(kept, &count, image)) ||
        (status = pe_fresh_plan(&layout, &image->pe, kept, count, &image->arena, d)) ||
        (status = write_image(&written, &layout, image)))
        return status;
    p->found = true;
    p->component = header.component;
    p->machine = header.component ? 0 : image->pe.machine;
    return image_reopen(image, written);
}

void ready_to_run_report(const ready_to_run *p, ilj_image *image) {
    if (p->kept)
        return;
    if (p->found && p->why_not)
        diag_report(&image->diag, DIAG_READY_TO_RUN,
                    "a ReadyToRun image: written as IL only, without its precompiled code, which does not stay: %s",
                    p->why_not);
    else if (p->component)
        diag_report(&image->diag, DIAG_READY_TO_RUN,
                    "a component of a composite ReadyToRun image: written as IL only, with the MVID that the composite "
                    "knows it by; what was inlined into other components does not count");
    else if (p->found)
        diag_report(&image->diag, DIAG_READY_TO_RUN,
                    "a ReadyToRun image: written as IL only, without its precompiled code");
}
