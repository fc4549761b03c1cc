#include "dump/text_out.h"
#include "explain/explain.h"
#include "input/budget.h"
#include "metadata/names.h"
#include "output/rewrite.h"
#include "select/eligible.h"

/* The pieces of an output's layout as lines: what it is, where it lay, where it lies, its sizes. */
typedef struct planner {
    text_out out;
    buffer scratch;
    bytes input;
    bool told;
} planner;

static const char *const directory_names[PE_DIRECTORY_COUNT] = {
#define PE_DIRECTORY(index, name) [index] = #name,
#include "pe/directories.def"
#undef PE_DIRECTORY
};

/* Where in the old file an RVA lies; 0 where it does not. */
static uint32_t old_offset(const pe_image *image, uint32_t rva) {
    uint32_t offset;
    return pe_try_file_offset(image, rva, &offset) ? offset : 0;
}
static uint32_t new_offset(const pe_layout *layout, uint32_t rva) {
    uint32_t offset;
    return pe_layout_file_offset(layout, rva, &offset) ? offset : 0;
}

static bool is_in(const pe_piece *piece, uint32_t rva, uint32_t size) {
    return size && rva - piece->old_rva < piece->old_size;
}

/* The parts of an image with an address of their own that lie in a gap, and how many bodies. */
static void gap_content(planner *pl, const rewrite_input *in, const pe_piece *piece) {
    const pe_image *pe = &in->image->pe;
    buffer *b = &pl->out.b;
    const struct {
        const char *name;
        pe_directory at;
    } parts[] = {{"managed resources", pe->cli.resources},
                 {"strong name", pe->cli.strong_name},
                 {"vtable fixups", pe->cli.vtable_fixups},
                 {"entry point", {pe->entry_point_rva, 1}}};
    uint32_t bodies = 0, fields = 0;
    for (uint32_t i = 0; i < PE_DIRECTORY_COUNT && i < pe->directory_count; i++)
        if (is_in(piece, pe->directories[i].rva, pe->directories[i].size))
            buffer_printf(b, ", %s", directory_names[i]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_in(piece, parts[i].at.rva, parts[i].at.size))
            buffer_printf(b, ", %s", parts[i].name);
    for (uint32_t i = 0; i < in->bodies->count; i++)
        bodies += in->bodies->list[i].reason != ILJ_INSTRUMENT && is_in(piece, in->bodies->list[i].rva, 1);
    const md_view *v = &in->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_FieldRVA); row++)
        fields += is_in(piece, md_cell(v, MD_FieldRVA_RVA, row), 1);
    if (bodies)
        buffer_printf(b, ", bodies of %u methods", bodies);
    if (fields)
        buffer_printf(b, ", data of %u fields", fields);
}

static void addresses(buffer *b, uint32_t old_rva, uint32_t old_file, uint32_t new_rva, uint32_t new_file) {
    buffer_printf(b, "  0x%08x 0x%08x  0x%08x 0x%08x", old_rva, old_file, new_rva, new_file);
}

static void write_replacement(planner *pl, const rewrite_plan *plan, const pe_replacement *r, uint32_t old_rva,
                              uint32_t old_size) {
    const pe_layout *l = rewrite_plan_layout(plan);
    const rewrite_input *in = rewrite_plan_input(plan);
    buffer *b = &pl->out.b;
    uint32_t row;
    const char *part = rewrite_plan_part(plan, r, &row);
    addresses(b, old_rva, old_offset(l->image, old_rva), r->new_rva, new_offset(l, r->new_rva));
    buffer_printf(b, " %9u %9u  %s", old_size, r->size, part);
    if (row) {
        pl->scratch.size = 0;
        md_append_full_method_name(&pl->scratch, &in->image->metadata, &in->image->index, row);
        buffer_u8(b, ' ');
        text_plain(b, buffer_bytes(&pl->scratch));
    }
    buffer_u8(b, '\n');
}

static void write_piece(planner *pl, const rewrite_plan *plan, const pe_piece *piece) {
    const pe_layout *l = rewrite_plan_layout(plan);
    buffer *b = &pl->out.b;
    if (piece->replacement) {
        write_replacement(pl, plan, piece->replacement, piece->old_rva, piece->old_size);
        return;
    }
    bool kept = piece->new_size == piece->old_size;
    addresses(b, piece->old_rva, old_offset(l->image, piece->old_rva), piece->new_rva,
              kept ? new_offset(l, piece->new_rva) : 0);
    buffer_printf(b, " %9u %9u  %s", piece->old_size, piece->new_size, kept ? "kept" : "padding, dropped");
    if (kept)
        gap_content(pl, rewrite_plan_input(plan), piece);
    buffer_u8(b, '\n');
}

static void write_sections(planner *pl, const pe_layout *l) {
    buffer *b = &pl->out.b;
    const pe_image *old = l->image;
    buffer_string(b, "sections\n     old RVA  old offset     new RVA  new offset  old size  new size\n");
    for (uint32_t i = 0; i < l->section_count; i++) {
        const pe_new_section *s = &l->sections[i];
        bool has_old = i < old->section_count && !l->fresh;
        addresses(b, has_old ? old->sections[i].rva : 0, has_old ? old->sections[i].file_offset : 0, s->rva,
                  s->file_offset);
        buffer_printf(b, " %9u %9u  ", has_old ? old->sections[i].raw_size : 0, s->raw_size);
        text_plain(b, text_of(has_old ? old->sections[i].name : "added"));
        buffer_u8(b, '\n');
    }
    buffer_printf(b, "file %zu bytes, now %u\n", old->file.size, l->file_size);
}

static void write_plan(void *user, const rewrite_plan *plan) {
    planner *pl = user;
    const pe_layout *l = rewrite_plan_layout(plan);
    buffer *b = &pl->out.b;
    pl->told = true;
    buffer_printf(b, "layout %s\n", l->appended ? "append: what was there keeps its RVA" : "compact");
    if (l->image->file.data != pl->input.data)
        buffer_string(b, "old places are those in the image without its native code\n");
    write_sections(pl, l);
    buffer_string(b, "pieces\n     old RVA  old offset     new RVA  new offset  old size  new size\n");
    for (size_t i = 0; l->appended && i < l->replacement_count && text_out_flush(&pl->out); i++)
        write_replacement(pl, plan, l->replacements[i], l->replacements[i]->rva, l->replacements[i]->old_size);
    for (uint32_t s = 0; !l->appended && s < l->section_count; s++)
        for (size_t i = l->sections[s].first_piece; i < l->sections[s].end_piece && text_out_flush(&pl->out); i++)
            write_piece(pl, plan, &l->pieces[i]);
}

ilj_status ilj_image_plan(ilj_image *image, const ilj_instrument_options *options, ilj_write_fn *write, void *user) {
    ilj_instrument_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_instrument_options", image->context);
    if (!status)
        status = image_check_assembly(image);
    if (status)
        return status;
    planner pl = {.out = TEXT_OUT_INIT(write, user, budget_shown(image->pe.file.size)), .input = image->pe.file};
    layout_watch watch = {write_plan, &pl};
    buffer made = BUFFER_INIT;
    ilj_summary summary;
    image->context->watch = &watch;
    status = explain_make(&made, &summary, image, &own);
    image->context->watch = NULL;
    if (status == ILJ_OK && !pl.told)
        buffer_printf(&pl.out.b, "no layout: the file is copied through: %s\n", summary.skip_reason);
    ilj_status written = text_out_finish(&pl.out, &image->diag);
    if (status == ILJ_OK)
        status = pl.scratch.failed || written == ILJ_NO_MEMORY ? diag_no_memory(&image->diag) : written;
    buffer_clear(&pl.scratch);
    buffer_clear(&made);
    return status;
}
