#include "output/rewrite.h"

#include "il/body.h"
#include "metadata/emit.h"
#include "pe/append.h"
#include "pe/loaders.h"
#include "pe/writer.h"

#include <stdlib.h>

enum {
    RESOURCE_ALIGNMENT = 8,
    METADATA_ALIGNMENT = 4,
    BODY_ALIGNMENT = 4,
    DEBUG_ALIGNMENT = 4,
    TABLE_ALIGNMENT = 8, /* of native code */
};

typedef struct rewrite_plan {
    const rewrite_input *in;
    pe_replacement **list; /* ascending in RVA */
    size_t count;
    pe_replacement *of_body; /* by position in bodies->list; old_size and size 0 when the body stays */
    pe_replacement metadata, names;
    pe_replacement *helper; /* its methods */
    uint32_t helper_count;
    pe_replacement resources; /* the old ones, where they cannot grow in place */
    pe_replacement *debug;    /* by position in in->debug */
    pe_replacement native_methods, native_instances;
    md_plan md;
    pe_layout layout;
    uint32_t *method_rvas, *field_rvas;
} plan;

/* Adds a replacement after those at a lower RVA, and after those at the same RVA when it is to follow them. */
static void add(plan *p, pe_replacement *r, bool follows) {
    size_t at = p->count++;
    for (; at > 0 && (p->list[at - 1]->rva > r->rva || (!follows && p->list[at - 1]->rva == r->rva)); at--)
        p->list[at] = p->list[at - 1];
    p->list[at] = r;
}

static void add_body(plan *p, uint32_t position, uint32_t rva, uint32_t old_size) {
    const method_body *m = &p->in->bodies->list[position];
    pe_replacement *r = &p->of_body[position];
    *r = (pe_replacement){.rva = rva,
                          .old_size = old_size,
                          .size = m->new_size,
                          .alignment = m->new_is_fat ? BODY_ALIGNMENT : 1,
                          .movable = true,
                          .data = p->in->new_bodies.data + m->new_offset};
    if (p->count && p->list[p->count - 1]->rva > rva)
        add(p, r, true);
    else
        p->list[p->count++] = r;
}

/* A group of methods that share one body: the first new body replaces it when all are instrumented, the others follow
 * it. When one is not, the old body stays, and all new ones follow it. */
static void add_group(plan *p, const uint32_t *positions, uint32_t count) {
    const method_body *list = p->in->bodies->list;
    uint32_t rva = list[positions[0]].rva, old_size = list[positions[0]].size;
    bool stays = false;
    for (uint32_t i = 0; i < count; i++)
        stays |= list[positions[i]].reason != ILJ_INSTRUMENT;
    if (stays) {
        rva += old_size;
        old_size = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[positions[i]].reason != ILJ_INSTRUMENT)
            continue;
        add_body(p, positions[i], rva, old_size);
        rva += old_size;
        old_size = 0;
    }
}

static void add_bodies(plan *p) {
    const bodies *b = p->in->bodies;
    const uint32_t *positions = b->by_rva, *end = positions + b->count;
    while (positions < end) {
        const method_body *m = &b->list[*positions];
        const uint32_t *next = positions + 1;
        while (next < end && b->list[*next].rva == m->rva)
            next++;
        if (next - positions > 1)
            add_group(p, positions, (uint32_t)(next - positions));
        else if (m->reason == ILJ_INSTRUMENT)
            add_body(p, *positions, m->rva, m->size);
        positions = next;
    }
}

/* The tables of native code that are made again. The old ones stay, and nothing leads to them. */
static void add_native(plan *p) {
    const native_code *n = p->in->native;
    if (!n)
        return;
    p->native_methods =
        (pe_replacement){.rva = UINT32_MAX, .size = n->tables.method_bytes, .alignment = TABLE_ALIGNMENT};
    p->native_instances =
        (pe_replacement){.rva = UINT32_MAX, .size = n->tables.instance_bytes, .alignment = TABLE_ALIGNMENT};
    if (p->native_methods.size)
        add(p, &p->native_methods, true);
    if (p->native_instances.size)
        add(p, &p->native_instances, true);
}

static void write_native(const plan *p, uint8_t *out) {
    const pe_replacement *m = &p->native_methods, *i = &p->native_instances;
    if (p->in->native)
        native_code_write(p->in->native, m->new_rva, out + m->file_offset, i->new_rva, out + i->file_offset, out);
}

static ecma_status plan_replacements(plan *p) {
    const rewrite_input *in = p->in;
    arena *a = &in->image->arena;
    const pe_cli_header *cli = &in->image->pe.cli;
    p->helper_count = helper_method_count(&in->refs->helper);
    p->list = arena_alloc_open(a, (size_t)in->bodies->count + in->debug_count + 5u + p->helper_count, sizeof *p->list);
    p->helper = arena_alloc_array(a, p->helper_count + 1u, sizeof *p->helper);
    p->of_body = arena_alloc_open(a, in->bodies->count + 1u, sizeof *p->of_body);
    p->debug = arena_alloc_array(a, in->debug_count + 1u, sizeof *p->debug);
    if (!p->list || !p->of_body || !p->debug || !p->helper || helper_failed(&in->refs->helper))
        return diag_no_memory(&in->image->diag);
    add_bodies(p);
    p->metadata = (pe_replacement){
        .rva = cli->metadata.rva, .old_size = cli->metadata.size, .size = p->md.size, .alignment = METADATA_ALIGNMENT};
    add(p, &p->metadata, true);
    /* A piece at the metadata's own address stands before it; the last one put, nearest the front. */
    for (uint32_t i = p->helper_count; i-- > 0;) {
        bool is_fat;
        bytes body = helper_body(&in->refs->helper, i, &is_fat);
        p->helper[i] = (pe_replacement){.rva = cli->metadata.rva,
                                        .size = (uint32_t)body.size,
                                        .alignment = is_fat ? BODY_ALIGNMENT : 1,
                                        .data = body.data};
        add(p, &p->helper[i], false);
    }
    for (uint32_t i = 0; i < in->debug_count; i++) {
        const debug_change *c = &in->debug[i];
        if (!c->data.data)
            continue;
        p->debug[i] = (pe_replacement){.rva = c->data_rva,
                                       .old_size = c->old_size,
                                       .size = (uint32_t)c->data.size,
                                       .alignment = DEBUG_ALIGNMENT,
                                       .data = c->data.data};
        add(p, &p->debug[i], true);
    }
    /* The names go right after the managed resources, which count their offsets from their own start; without any,
     * before the metadata. */
    p->names =
        (pe_replacement){.rva = cli->resources.size ? cli->resources.rva + cli->resources.size : cli->metadata.rva,
                         .size = (uint32_t)in->names.size,
                         .alignment = RESOURCE_ALIGNMENT,
                         .data = in->names.data};
    if (in->names.size)
        add(p, &p->names, false);
    bytes old;
    if (pe_needs_append(&in->image->pe) && cli->resources.size &&
        pe_try_bytes(&in->image->pe, cli->resources.rva, cli->resources.size, &old)) {
        p->resources = (pe_replacement){.rva = cli->resources.rva,
                                        .old_size = cli->resources.size,
                                        .size = cli->resources.size,
                                        .alignment = RESOURCE_ALIGNMENT,
                                        .data = old.data};
        add(p, &p->resources, true);
    }
    add_native(p);
    return ECMA_OK;
}

/* The RVA of such a method has no meaning. */
static bool is_without_body(const method_body *m) {
    return m->reason == ILJ_ABSTRACT || m->reason == ILJ_EXTERN || m->reason == ILJ_RUNTIME ||
           m->reason == ILJ_INTERNAL_CALL;
}

/* The new RVA of a body that stays; false where bytes of it change, so that it would not be what it was. */
static bool body_stays(const plan *p, const method_body *m, uint32_t *new_rva) {
    uint32_t last, size = m->size ? m->size : 1;
    bool mapped = pe_layout_map(&p->layout, m->rva, new_rva);
    if (!mapped)
        *new_rva = m->rva; /* where it leads nowhere, it led nowhere before */
    if (p->layout.appended || is_without_body(m) || !pe_section_at(&p->in->image->pe, m->rva))
        return true;
    return mapped && m->rva != p->metadata.rva && pe_layout_map(&p->layout, m->rva + size - 1, &last) &&
           last - *new_rva == size - 1;
}

static bool in_metadata(const plan *p, const method_body *m) {
    pe_directory metadata = p->in->image->pe.cli.metadata;
    return m->rva < metadata.rva + (uint64_t)metadata.size && metadata.rva < m->rva + (m->size ? m->size : (uint64_t)1);
}

/* True if anything is put or replaced between the first and the last byte of what has to stay in one piece. */
static bool changes_among(const plan *p, pe_directory whole) {
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->list[middle]->rva < whole.rva)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < p->count && p->list[i]->rva < whole.rva + (uint64_t)whole.size; i++) {
        const pe_replacement *r = p->list[i];
        bool behind_start = r->old_size ? r->rva >= whole.rva : r->rva > whole.rva;
        if (r != &p->resources && behind_start)
            return true;
    }
    return false;
}

/* Data of fields that nothing is put into moves as one piece. */
static ecma_status check_data(const plan *p) {
    const data_extents *data = &p->in->bodies->data;
    for (uint32_t i = 0; i < data->count; i++) {
        const data_extent *e = &data->list[i];
        if (changes_among(p, (pe_directory){e->rva, e->size}))
            return diag_report(&p->in->image->diag, DIAG_LAYOUT,
                               "FieldRVA row %u: its data at RVA 0x%x, %u bytes, reaches into a part that changes",
                               e->row, e->rva, e->size);
    }
    return ECMA_OK;
}

static ecma_status plan_rvas(plan *p) {
    const rewrite_input *in = p->in;
    const md_view *v = &in->image->metadata;
    arena *a = &in->image->arena;
    diag *d = &in->image->diag;
    uint32_t fields = md_row_count(v, MD_TABLE_FieldRVA);
    p->method_rvas = arena_alloc_array(a, p->md.row_counts[MD_TABLE_MethodDef] + 1u, sizeof *p->method_rvas);
    p->field_rvas = arena_alloc_array(a, fields + 1u, sizeof *p->field_rvas);
    if (!p->method_rvas || !p->field_rvas)
        return diag_no_memory(d);
    for (uint32_t i = 0; i < in->bodies->count; i++) {
        const method_body *m = &in->bodies->list[i];
        if (m->reason == ILJ_INSTRUMENT)
            p->method_rvas[m->row - 1] = p->of_body[i].new_rva;
        else if (!body_stays(p, m, &p->method_rvas[m->row - 1]))
            return diag_report(d, DIAG_LAYOUT, "MethodDef 0x%08x: its body at RVA 0x%x, %u bytes, lies %s",
                               md_token_of(MD_TABLE_MethodDef, m->row), m->rva, m->size,
                               in_metadata(p, m) ? "in the metadata" : "inside a part that changes");
    }
    for (uint32_t i = 0; i < p->helper_count; i++)
        p->method_rvas[in->refs->helper.first_method - 1 + i] = p->helper[i].new_rva;
    for (uint32_t row = 1; row <= fields; row++) {
        uint32_t rva = md_cell(v, MD_FieldRVA_RVA, row);
        if (p->layout.appended)
            p->field_rvas[row - 1] = rva; /* the old bytes are there still, a replaced body's too */
        else if (!pe_layout_map(&p->layout, rva, &p->field_rvas[row - 1])) {
            if (pe_section_at(&in->image->pe, rva))
                return diag_report(d, DIAG_LAYOUT,
                                   "FieldRVA row %u: its data at RVA 0x%x lies inside a part that changes", row, rva);
            p->field_rvas[row - 1] = rva;
        }
    }
    in->edit->columns[MD_MethodDef_RVA] = p->method_rvas;
    in->edit->columns[MD_FieldRVA_RVA] = p->field_rvas;
    return p->layout.appended ? ECMA_OK : check_data(p);
}

/* Where the managed resources are now, with ours at their end; where there are none of ours, pe_layout_write knows. */
static ecma_status plan_resources(plan *p, pe_directory *resources) {
    const pe_cli_header *cli = &p->in->image->pe.cli;
    bool ours = p->in->names.size != 0;
    if (ours)
        resources->rva = p->names.new_rva;
    if (ours && cli->resources.size && !pe_layout_map(&p->layout, cli->resources.rva, &resources->rva))
        return diag_report(&p->in->image->diag, DIAG_LAYOUT,
                           "the managed resources at RVA 0x%x lie inside a part that changes", cli->resources.rva);
    if ((ours && p->names.new_rva < resources->rva) || changes_among(p, cli->resources))
        return diag_report(&p->in->image->diag, DIAG_LAYOUT,
                           "parts that change lie among the managed resources at RVA 0x%x", cli->resources.rva);
    if (!ours)
        return ECMA_OK;
    uint32_t offset = p->names.new_rva - resources->rva;
    resources->size = offset + p->names.size;
    md_edit_set_cell(p->in->edit, MD_ManifestResource_Offset, p->in->refs->names_row, offset);
    return ECMA_OK;
}

/* The new content of the debug directory's entries, where pe_layout_write left what they said of the old data. */
static void write_debug_entries(const plan *p, uint8_t *out) {
    enum { TIME_DATE_STAMP = 4, TYPE = 12, SIZE_OF_DATA = 16 };
    for (uint32_t i = 0; i < p->in->debug_count; i++) {
        const debug_change *c = &p->in->debug[i];
        uint32_t rva, offset;
        if (!pe_layout_map(&p->layout, c->entry_rva, &rva) || !pe_layout_file_offset(&p->layout, rva, &offset))
            continue; /* pe_layout_write refuses a directory that is not kept whole */
        if (c->data.data)
            store_u32(out + offset + SIZE_OF_DATA, (uint32_t)c->data.size);
        if (c->set_stamp)
            store_u32(out + offset + TIME_DATE_STAMP, c->stamp);
        if (c->set_type)
            store_u32(out + offset + TYPE, c->type);
    }
}

static ecma_status not_as_planned(diag *d, const char *what, uint32_t row) {
    return diag_report(d, DIAG_READ_BACK, "the output does not read back as planned: %s, row %u; please report this",
                       what, row);
}

/* The new body that the file has at `rva`, or will have there. */
static bytes body_at(const plan *p, const rewritten *r, uint32_t position, uint32_t rva, bytes from) {
    const pe_replacement *body = &p->of_body[position];
    if (r->whole)
        return from;
    return rva == body->new_rva ? bytes_of(body->data, body->size) : bytes_of(NULL, 0);
}

/* Reads the output with the same reader: every table has the rows it was to have, every instrumented method a body of
 * its new size. The headers obey what loaders ask for, where the input's did. */
static ecma_status check(const plan *p, const rewritten *r) {
    diag *d = &p->in->image->diag;
    const buffer *out = &r->out;
    arena a = ARENA_INIT;
    pe_image image;
    md_view view;
    bytes metadata;
    /* The reader's messages would be about a file that the user has not seen. */
    diag quiet = {.file = d->file};
    ecma_status status = pe_image_open(&image, buffer_bytes(out), &a, &quiet);
    if (!status && !pe_try_bytes(&image, image.cli.metadata.rva, image.cli.metadata.size, &metadata))
        status = ECMA_BUG;
    if (!status)
        status = md_view_open(&view, metadata, &a, &quiet);
    if (status)
        status = status == ECMA_NO_MEMORY ? diag_no_memory(d) : not_as_planned(d, "headers or metadata", 0);
    for (unsigned t = 0; !status && t < MD_TABLE_SPACE; t++)
        if (view.tables[t].row_count != p->md.row_counts[t])
            status = not_as_planned(d, md_tables[t].name, view.tables[t].row_count);
    pe_section_hint hint = {0};
    const method_body *m = p->in->bodies->list, *end = m + p->in->bodies->count;
    md_cells rvas = status ? (md_cells){0} : md_cells_of(&view, MD_MethodDef_RVA);
    for (uint32_t row = 1; !status && row <= rvas.row_count && m < end; row++) {
        bytes from;
        il_body body;
        il_fault fault;
        uint32_t rva = md_cells_take(&rvas);
        if (row != m->row)
            continue;
        if (m->reason == ILJ_INSTRUMENT &&
            (!pe_try_bytes_with_hint(&image, &hint, rva, &from) ||
             !il_body_read(&body, body_at(p, r, (uint32_t)(m - p->in->bodies->list), rva, from), &fault) ||
             body.size != m->new_size))
            status = not_as_planned(d, "MethodDef", row);
        m++;
    }
    if (!status && p->in->native && !native_code_reads_back(p->in->native, &image))
        status = not_as_planned(d, "native code", 0);
    if (!status)
        status = pe_loaders_check(buffer_bytes(out), p->in->image->pe.file, false, d);
    if (status && status != ECMA_NO_MEMORY)
        status = ECMA_BUG;
    arena_clear(&a);
    return status;
}

const pe_layout *rewrite_plan_layout(const rewrite_plan *p) {
    return &p->layout;
}

const rewrite_input *rewrite_plan_input(const rewrite_plan *p) {
    return p->in;
}

const char *rewrite_plan_part(const rewrite_plan *p, const pe_replacement *part, uint32_t *method_row) {
    uintptr_t at = (uintptr_t)part, bodies = (uintptr_t)p->of_body, helpers = (uintptr_t)p->helper;
    *method_row = 0;
    if (at - bodies < p->in->bodies->count * sizeof *part) {
        *method_row = p->in->bodies->list[part - p->of_body].row;
        return "body";
    }
    if (at - helpers < p->helper_count * sizeof *part)
        return "body of an added method";
    return part == &p->metadata                                         ? "metadata"
           : part == &p->names                                          ? "names resource"
           : part == &p->resources                                      ? "managed resources"
           : part == &p->native_methods || part == &p->native_instances ? "table of native code"
                                                                        : "debug data";
}

static ecma_status plan_layout(plan *p) {
    ilj_image *image = p->in->image;
    const bodies *b = p->in->bodies;
    const pe_layout_parts parts = {p->list, p->count, b->anchors, b->anchor_count};
    return pe_needs_append(&image->pe)
               ? pe_append_plan(&p->layout, &image->pe, p->list, p->count, &image->arena, &image->diag)
               : pe_layout_plan(&p->layout, &image->pe, &parts, &image->arena, &image->diag);
}

ecma_status rewrite(rewritten *r, const rewrite_input *in) {
    diag *d = &in->image->diag;
    /* The layout refers to what is in it as long as there is the image. */
    plan *p = arena_alloc(&in->image->arena, sizeof *p);
    pe_changes changes = {0};
    ecma_status status;
    if (!p)
        return diag_no_memory(d);
    *p = (plan){.in = in};
    if ((status = pe_check_movable(&in->image->pe, d)) || (status = md_emit_plan(&p->md, in->edit, d)) ||
        (status = plan_replacements(p)) || (status = plan_layout(p)) || (status = plan_rvas(p)) ||
        (status = plan_resources(p, &changes.resources)))
        return status;
    const layout_watch *watch = in->image->context->watch;
    if (watch)
        watch->planned(watch->user, p);
    changes.metadata = (pe_directory){p->metadata.new_rva, p->metadata.size};
    if (!r->out.data && (r->out.data = malloc(p->layout.file_size))) /* not a byte more: it stays so large */
        r->out.capacity = p->layout.file_size;
    uint8_t *bytes_out = buffer_extend(&r->out, p->layout.file_size);
    if (!p->layout.appended)
        p->layout.copied = arena_alloc_array(&in->image->arena, p->layout.piece_count + 1, 1);
    if (!bytes_out || (!p->layout.appended && !p->layout.copied))
        return diag_no_memory(d);
    r->layout = p->layout;
    r->new_bodies = in->new_bodies;
    r->whole = p->layout.appended;
    r->metadata.count = 0;
    md_emit_write(&p->md, in->edit, bytes_out + p->metadata.file_offset, r->whole ? NULL : &r->metadata);
    for (uint32_t i = 0; i < r->metadata.count; i++)
        r->metadata.runs[i].offset += p->metadata.file_offset;
    if ((status = pe_layout_write(&p->layout, &changes, bytes_out, d)))
        return status;
    write_debug_entries(p, bytes_out);
    write_native(p, bytes_out);
    return check(p, r);
}

/* ---- The output, as one file ---------------------------------------------------------------------------------------
 */

ecma_status rewritten_runs(const rewritten *r, runs_take_fn *take, void *user) {
    return r->whole ? take(user, r->out.data, r->out.size)
                    : pe_layout_runs(&r->layout, r->out.data, r->metadata.runs, r->metadata.count, take, user);
}

/* The memory of the new bodies is freed while they are copied: else it would be needed twice when the output is whole.
 * They are copied nearly, but not quite, in the order of their making: each block counts how much of it is still to be
 * copied. */

enum { BLOCK = 1 << 18 };

typedef struct completion {
    uint8_t *at;
    bytes bodies;
    uint32_t *left; /* by block of the bodies; NULL: nothing is given back, as all is within a few blocks */
} completion;

/* Where a run starts among the bodies; their size or more: it is none of theirs. */
static size_t place_of(const completion *c, const uint8_t *data) {
    return (size_t)((uintptr_t)data - (uintptr_t)c->bodies.data);
}

/* How much of a run from `at` to `end` lies in the block of `at`. */
static size_t block_part(size_t at, size_t end) {
    size_t room = BLOCK - at % BLOCK;
    return end - at < room ? end - at : room;
}

static void take_leftover(completion *c, const uint8_t *data, size_t size) {
    size_t at = place_of(c, data);
    if (at >= c->bodies.size)
        return;
    for (size_t end = at + size, part; at < end; at += part) {
        part = block_part(at, end);
        size_t start = at / BLOCK * BLOCK, rest = c->bodies.size - start;
        if ((c->left[at / BLOCK] -= (uint32_t)part) == 0)
            os_discard(c->bodies.data + start, rest < BLOCK ? rest : BLOCK);
    }
}

static ecma_status count_run(void *user, const uint8_t *data, size_t size) {
    completion *c = user;
    size_t at = place_of(c, data);
    for (size_t end = at + size, part; at < c->bodies.size && at < end; at += part) {
        part = block_part(at, end);
        c->left[at / BLOCK] += (uint32_t)part;
    }
    return ECMA_OK;
}

static ecma_status put_together(void *user, const uint8_t *data, size_t size) {
    completion *c = user;
    if (data != c->at) {
        memcpy(c->at, data, size);
        if (c->left)
            take_leftover(c, data, size);
    }
    c->at += size;
    return ECMA_OK;
}

ecma_status rewritten_complete(rewritten *r) {
    if (r->whole)
        return ECMA_OK;
    completion c = {.at = r->out.data, .bodies = r->new_bodies};
    if (c.bodies.size > 4 * BLOCK) {
        if (!(c.left = calloc(c.bodies.size / BLOCK + 1, sizeof *c.left)))
            return ECMA_NO_MEMORY;
        rewritten_runs(r, count_run, &c);
    }
    rewritten_runs(r, put_together, &c);
    r->whole = true;
    free(c.left);
    return ECMA_OK;
}
