#include "bodies.h"

#include "il/body.h"
#include "pe/writer.h"
#include "rules.h"
#include "select.h"

#include <stdlib.h>

bool bodies_bytes(const ilj_image *image, const method_body *body, bytes *from_header_on) {
    return pe_try_bytes_from(&image->pe, body->rva, from_header_on);
}

void bodies_leave_out(bodies *b, ilj_image *image, method_body *body, const char *what, uint32_t offset) {
    /* What is left out because that is wanted stays so. */
    if (body->reason >= ILJ_BAD_BODY)
        return;
    if (body->reason != ILJ_INSTRUMENT)
        b->left_out[body->reason]--;
    body->reason = ILJ_BAD_BODY;
    b->left_out[ILJ_BAD_BODY]++;
    if (b->left_out[ILJ_BAD_BODY] > BODIES_TOLD)
        return;
    diag_report(&image->diag, DIAG_BODY, "MethodDef 0x%08x: body at RVA 0x%x, offset %u: %s; copied as it is",
                md_token_of(MD_TABLE_MethodDef, body->row), body->rva, offset, what);
}

static void read_body(bodies *b, ilj_image *image, method_body *m, const chooser *c) {
    bytes from;
    il_body body;
    il_fault fault = {"RVA is not in the file part of a section", 0};
    if (bodies_bytes(image, m, &from) && il_body_try_read(&body, from, &fault)) {
        m->size = body.size;
        m->code_size = (uint32_t)body.code.size;
        if (!body.tiny && m->rva % 4 != 0) {
            m->size = 0;
            fault = (il_fault){"a fat header is not on a 4-byte boundary (II.25.4)", 0};
        }
    }
    if (m->reason != ILJ_INSTRUMENT)
        return;
    if (m->size == 0) {
        bodies_leave_out(b, image, m, fault.what, fault.offset);
        return;
    }
    m->reason = chooser_ask_code(c, m->row, body.code);
    if (m->reason != ILJ_INSTRUMENT) {
        b->left_out[m->reason]++;
        m->rule = RULE_NONE;
    }
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Positions by RVA, then row: they ascend in row. Most producers write bodies in row order, so that nothing has to be
 * sorted; else by digits, from the lowest on, each pass keeping the order of the one before. */
static ecma_status sort_by_rva(bodies *b, ilj_image *image) {
    enum { DIGIT = 11, VALUES = 1 << DIGIT, BITS = 32 };
    bool sorted = true;
    uint32_t all = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        b->by_rva[i] = i;
        sorted &= i == 0 || b->list[i - 1].rva <= b->list[i].rva;
        all |= b->list[i].rva;
    }
    if (sorted)
        return ECMA_OK;
    uint32_t *other = malloc(b->count * sizeof *other), *from = b->by_rva, *to = other, firsts[VALUES];
    if (!other)
        return diag_no_memory(&image->diag);
    for (unsigned shift = 0; shift < BITS && all >> shift; shift += DIGIT) {
        uint32_t sum = 0;
        memset(firsts, 0, sizeof firsts);
        for (uint32_t i = 0; i < b->count; i++)
            firsts[b->list[i].rva >> shift & (VALUES - 1)]++;
        for (uint32_t value = 0; value < VALUES; value++) {
            uint32_t here = firsts[value];
            firsts[value] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < b->count; i++)
            to[firsts[b->list[from[i]].rva >> shift & (VALUES - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from == other)
        memcpy(b->by_rva, other, b->count * sizeof *other);
    free(other);
    return ECMA_OK;
}

/* Field data and what the headers name; ascending. */
static uint32_t add_data_anchors(const ilj_image *image, uint32_t *anchors) {
    const md_view *v = &image->metadata;
    uint32_t count = (uint32_t)pe_header_anchors(&image->pe, anchors);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_FieldRVA); row++)
        anchors[count++] = md_cell(v, MD_FieldRVA_RVA, row);
    anchors[count++] = image->pe.cli.metadata.rva;
    qsort(anchors, count, sizeof *anchors, ascending);
    return count;
}

/* Leaves out what overlaps. */
static void check_overlaps(bodies *b, ilj_image *image) {
    uint32_t anchor = 0, last = 0; /* of the bodies that reach `end`, the first one */
    uint64_t end = 0;
    bool left_out = false; /* those at `last` */
    for (uint32_t i = 0; i < b->count; i++) {
        method_body *m = &b->list[b->by_rva[i]];
        method_body *before = &b->list[b->by_rva[last]];
        if (i != 0 && m->rva < end && m->rva != before->rva) {
            if (m->size != 0)
                bodies_leave_out(b, image, m, "overlaps another body", 0);
            for (uint32_t k = last; !left_out && k < i && b->list[b->by_rva[k]].rva == before->rva; k++)
                if (b->list[b->by_rva[k]].size != 0)
                    bodies_leave_out(b, image, &b->list[b->by_rva[k]], "overlaps another body", m->rva - before->rva);
            left_out = true;
        }
        while (anchor < b->anchor_count && b->anchors[anchor] < m->rva)
            anchor++;
        if (m->size != 0 && anchor < b->anchor_count && b->anchors[anchor] - m->rva < m->size)
            bodies_leave_out(b, image, m, "holds data that something else refers to", b->anchors[anchor] - m->rva);
        if (m->rva + (uint64_t)m->size > end) {
            end = m->rva + (uint64_t)m->size;
            last = i;
            left_out = false;
            while (last > 0 && b->list[b->by_rva[last - 1]].rva == m->rva)
                last--;
        }
    }
}

/* One method after the other: its reason from the tables, then from the rules, then from its body. */
static void choose_all(bodies *b, ilj_image *image, chooser *c) {
    const md_view *v = &image->metadata;
    uint32_t at = 0;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodDef); row++) {
        uint32_t rule;
        ilj_reason reason = select_method(image, row), chosen = chooser_ask(c, row, &rule);
        if (reason == ILJ_INSTRUMENT)
            reason = chosen;
        if (reason != ILJ_INSTRUMENT && reason != ILJ_EXCLUDED)
            rule = RULE_NONE;
        if (reason != ILJ_INSTRUMENT)
            b->left_out[reason]++;
        uint32_t rva = md_cell(v, MD_MethodDef_RVA, row);
        if (rva == 0)
            continue;
        method_body *m = &b->list[at++];
        *m = (method_body){.row = row, .rva = rva, .reason = reason, .rule = rule};
        read_body(b, image, m, c);
    }
}

ecma_status bodies_find(bodies *b, ilj_image *image, ilj_selection *selection) {
    const md_view *v = &image->metadata;
    *b = (bodies){0};
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodDef); row++)
        b->count += md_cell(v, MD_MethodDef_RVA, row) != 0;
    b->list = arena_alloc_array(&image->arena, b->count + 1u, sizeof *b->list);
    b->by_rva = arena_alloc_array(&image->arena, b->count + 1u, sizeof *b->by_rva);
    b->anchors = arena_alloc_array(
        &image->arena, (size_t)md_row_count(v, MD_TABLE_FieldRVA) + b->count + PE_ANCHOR_MAX + 1, sizeof *b->anchors);
    if (!b->list || !b->by_rva || !b->anchors)
        return diag_no_memory(&image->diag);
    chooser c;
    ecma_status status = chooser_begin(&c, selection, image);
    if (status == ECMA_OK)
        choose_all(b, image, &c);
    if (c.parameters.failed)
        status = diag_no_memory(&image->diag);
    chooser_end(&c);
    if (status)
        return status;
    status = sort_by_rva(b, image);
    if (status)
        return status;
    b->anchor_count = add_data_anchors(image, b->anchors);
    check_overlaps(b, image);
    return ECMA_OK;
}

void bodies_settle(bodies *b, ilj_image *image) {
    if (b->left_out[ILJ_BAD_BODY] > BODIES_TOLD)
        diag_report(&image->diag, DIAG_BODY, "%u more bodies cannot be understood; copied as they are; list shows them",
                    b->left_out[ILJ_BAD_BODY] - BODIES_TOLD);
    uint32_t count = b->anchor_count;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->list[i].reason != ILJ_INSTRUMENT)
            b->anchors[count++] = b->list[i].rva;
    if (count != b->anchor_count)
        qsort(b->anchors, count, sizeof *b->anchors, ascending);
    b->anchor_count = count;
}
