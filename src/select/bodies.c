#include "select/bodies.h"

#include "base/pages.h"
#include "input/budget.h"
#include "pe/writer.h"
#include "select/eligible.h"
#include "select/price.h"
#include "select/referrers.h"
#include "select/rules.h"

#include <stdio.h>
#include <stdlib.h>

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = ((const method_body *)b)->row;
    return (x > y) - (x < y);
}

const method_body *bodies_of(const bodies *b, uint32_t method_row) {
    return bsearch(&method_row, b->list, b->count, sizeof *b->list, by_row);
}

bool bodies_read(const bodies *b, const ilj_image *image, uint32_t method_row, il_body *body) {
    const method_body *m = bodies_of(b, method_row);
    bytes from;
    il_fault fault;
    return m && m->reason == ILJ_INSTRUMENT && pe_try_bytes_from(&image->pe, m->rva, &from) &&
           il_body_try_read(body, from, &fault);
}

void bodies_leave_out(bodies *b, ilj_image *image, method_body *body, const char *what, uint32_t offset) {
    /* A method that is left out because that is wanted stays so. */
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

static void read_body(bodies *b, ilj_image *image, pe_section_hint *hint, method_body *m, const chooser *c,
                      price_asker *price) {
    bytes from;
    il_body body;
    il_fault fault = {"RVA is not in the file part of a section", 0};
    bool there = pe_try_bytes_with_hint(&image->pe, hint, m->rva, &from), readable = false;
    if (there && il_body_read(&body, from, &fault)) {
        readable = body.tiny || m->rva % 4 == 0;
        m->size = body.size;
        if (readable)
            m->code_size = (uint32_t)body.code.size;
        else
            fault = (il_fault){"a fat header is not on a 4-byte boundary (II.25.4)", 0};
    } else if (there) {
        m->size = il_body_claimed(from);
    }
    if (m->reason != ILJ_INSTRUMENT)
        return;
    if (!readable) {
        bodies_leave_out(b, image, m, fault.what, fault.offset);
        return;
    }
    if (c->any_code)
        m->reason = chooser_ask_code(c, m->row, body.code);
    if (m->reason == ILJ_INSTRUMENT && price->selection)
        m->reason = price_ask(price, m->row, m->rule, &body, &m->outermost);
    if (m->reason != ILJ_INSTRUMENT) {
        b->left_out[m->reason]++;
        m->rule = RULE_NONE;
    }
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

enum { RVA_AT = 32 }; /* of an item that is sorted by RVA; in the low half it has its position */

/* Sorts by digits, from the lowest on, each pass keeping the order of the one before. `all`: the bits that any RVA has.
 * Returns which of the two has the result. */
static __attribute__((noinline)) const uint64_t *sort_by_digits(uint64_t *from, uint64_t *to, uint32_t count,
                                                                uint32_t all) {
    enum { DIGIT = 12, VALUES = 1 << DIGIT };
    uint32_t firsts[VALUES];
    for (unsigned at = 0; at < RVA_AT && all >> at; at += DIGIT) {
        const unsigned shift = RVA_AT + at;
        memset(firsts, 0, sizeof firsts);
        for (uint32_t i = 0; i < count; i++)
            firsts[from[i] >> shift & (VALUES - 1)]++;
        for (uint32_t value = 0, sum = 0; value < VALUES; value++) {
            const uint32_t here = firsts[value];
            firsts[value] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++)
            to[firsts[from[i] >> shift & (VALUES - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Positions by RVA, then row: they ascend in row. Most producers write nearly all bodies in row order: only those that
 * come after one with a higher RVA have to be sorted, and go between the others then. */
static ecma_status sort_by_rva(bodies *b, ilj_image *image) {
    const uint32_t count = b->count;
    uint32_t at = 0, before = 0, all = 0;
    for (; at < count && before <= b->list[at].rva; at++) {
        before = b->list[at].rva;
        b->by_rva[at] = at;
    }
    if (at == count)
        return ECMA_OK;
    uint64_t *const ordered = malloc(2 * (size_t)count * sizeof *ordered), *const others = ordered + count;
    if (!ordered)
        return diag_no_memory(&image->diag);
    if (count >= PAGES_WORTH_ASKING / sizeof *ordered)
        pages_use(ordered, 2 * (size_t)count * sizeof *ordered);
    uint32_t first = 0, other = 0;
    before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rva = b->list[i].rva;
        const uint64_t item = (uint64_t)rva << RVA_AT | i;
        if (rva >= before) {
            ordered[first++] = item;
            before = rva;
        } else {
            others[other++] = item;
            all |= rva;
        }
    }
    const uint64_t *one = ordered, *const end = one + first,
                   *two = sort_by_digits(others, ordered + first, other, all), *const end_of_two = two + other;
    for (uint32_t i = 0; i < count; i++)
        b->by_rva[i] = (uint32_t)(two == end_of_two || (one < end && *one < *two) ? *one++ : *two++);
    free(ordered);
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

static void leave_out_overlapping(bodies *b, ilj_image *image, method_body *m, const method_body *other,
                                  uint32_t offset) {
    char what[64];
    if (m->size == 0)
        return;
    snprintf(what, sizeof what, "overlaps the body of MethodDef 0x%08x", md_token_of(MD_TABLE_MethodDef, other->row));
    bodies_leave_out(b, image, m, what, offset);
}

/* Leaves out bodies that reach into each other, and those that something refers into. Native code
 * counts for neither: an image that has some is laid out without moving it. */
static void check_overlaps(bodies *b, ilj_image *image, referrers *r) {
    uint32_t last = 0; /* of the bodies that reach `end`, the first one; all of one RVA are as large */
    uint64_t end = 0;
    bool left_out = false; /* those at `last` */
    for (uint32_t i = 0; i < b->count; i++) {
        method_body *m = &b->list[b->by_rva[i]];
        uint32_t rva = m->rva, offset;
        char text[REFERRER_TEXT];
        if (m->native)
            continue;
        if (rva < end && i != 0 && rva != b->list[b->by_rva[last]].rva) {
            uint32_t before = b->list[b->by_rva[last]].rva;
            leave_out_overlapping(b, image, m, &b->list[b->by_rva[last]], 0);
            for (uint32_t k = last; !left_out && k < i && b->list[b->by_rva[k]].rva == before; k++)
                leave_out_overlapping(b, image, &b->list[b->by_rva[k]], m, rva - before);
            left_out = true;
        }
        if (referrers_may(r, rva, m->size) && referrers_ask(r, rva, m->size, &offset, text))
            bodies_leave_out(b, image, m, text, offset);
        if (rva + (uint64_t)m->size > end) {
            end = rva + (uint64_t)m->size;
            last = i;
            left_out = false;
        }
    }
}

static ecma_status check_all(bodies *b, ilj_image *image) {
    uint32_t from = UINT32_MAX, to = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const method_body *m = &b->list[i];
        if (m->size && m->rva < from)
            from = m->rva;
        if (m->size && m->rva + (uint64_t)m->size > to)
            to = m->rva + m->size;
    }
    referrers r;
    ecma_status status = referrers_find(&r, image, b->anchors, b->anchor_count, from, to);
    if (status)
        return status;
    r.data = r.first_byte ? NULL : &b->data;
    check_overlaps(b, image, &r);
    return ECMA_OK;
}

/* One method after the other: its reason from the tables, then from the rules, then from its body. */
static void choose_all(bodies *b, ilj_image *image, chooser *c, price_asker *price) {
    const md_view *v = &image->metadata;
    md_cells rvas = md_cells_of(v, MD_MethodDef_RVA), flags = md_cells_of(v, MD_MethodDef_Flags),
             impl_flags = md_cells_of(v, MD_MethodDef_ImplFlags);
    pe_section_hint hint = {0};
    const uint64_t most = budget_added(image->pe.file.size);
    uint32_t type = 0, any_impl_flags = 0;
    bool in_helper = false;
    for (uint32_t row = 1; row <= rvas.row_count; row++) {
        uint32_t rva = md_cells_take(&rvas), impl = md_cells_take(&impl_flags), rule = RULE_NONE;
        uint32_t in_type = md_method_type(&image->index, row);
        if (in_type != type) {
            type = in_type;
            in_helper = marker_is_helper_type(v, type);
        }
        any_impl_flags |= impl;
        uint32_t flag_bits = md_cells_take(&flags);
        ilj_reason reason = in_helper ? ILJ_HELPER : select_by_flags(flag_bits, impl, rva);
        if (c->any) {
            ilj_reason chosen = chooser_ask(c, row, &rule);
            if (reason == ILJ_INSTRUMENT)
                reason = chosen;
            if (reason != ILJ_INSTRUMENT && reason != ILJ_EXCLUDED)
                rule = RULE_NONE;
        }
        if (reason == ILJ_INSTRUMENT && resolvers_have(&b->resolvers, row)) {
            reason = ILJ_RESOLVER;
            rule = RULE_NONE;
        }
        if (reason != ILJ_INSTRUMENT)
            b->left_out[reason]++;
        if (rva == 0)
            continue;
        method_body *m = &b->list[b->count++];
        *m = (method_body){.row = row, .rva = rva, .reason = reason, .rule = rule};
        if (md_has_il(flag_bits, impl))
            read_body(b, image, &hint, m, c, price);
        else
            m->native = md_has_native_code(flag_bits, impl);
        if (m->native)
            image->pe.native_methods = true;
        if (m->reason == ILJ_INSTRUMENT)
            b->selected_bytes += m->size;
        if (b->selected_bytes > most)
            break; /* bodies_check_budget reports it */
    }
    b->any_impl_flags = any_impl_flags;
}

ecma_status bodies_find(bodies *b, ilj_image *image, ilj_selection *selection) {
    const md_view *v = &image->metadata;
    *b = (bodies){0};
    uint32_t most = md_row_count(v, MD_TABLE_MethodDef);
    b->list = arena_alloc_open(&image->arena, most + 1u, sizeof *b->list);
    b->by_rva = arena_alloc_open(&image->arena, most + 1u, sizeof *b->by_rva);
    b->anchors = arena_alloc_open(&image->arena, (size_t)md_row_count(v, MD_TABLE_FieldRVA) + most + PE_ANCHOR_MAX + 1,
                                  sizeof *b->anchors);
    if (!b->list || !b->by_rva || !b->anchors)
        return diag_no_memory(&image->diag);
    ecma_status status = resolvers_find(&b->resolvers, image);
    if (status)
        return status;
    chooser c;
    status = chooser_begin(&c, selection, image);
    price_asker price = price_begin(selection, image);
    if (status == ECMA_OK)
        choose_all(b, image, &c, &price);
    if (c.parameters.failed || price.key.failed)
        status = diag_no_memory(&image->diag);
    chooser_end(&c);
    price_end(&price);
    if (status)
        return status;
    if ((status = sort_by_rva(b, image)) || (status = data_extents_find(&b->data, image)))
        return status;
    b->anchor_count = add_data_anchors(image, b->anchors);
    return check_all(b, image);
}

ecma_status bodies_check_budget(const bodies *b, ilj_image *image) {
    const uint64_t most = budget_added(image->pe.file.size);
    if (b->selected_bytes <= most)
        return ECMA_OK;
    return diag_report(&image->diag, DIAG_ADDED_LIMIT,
                       "its methods share bodies, which come to more than %llu bytes when each has its own",
                       (unsigned long long)most);
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
