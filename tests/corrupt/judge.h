/* judge.h - instruments any bytes in memory and holds the result against what instrumenting promises: refused with one
 * error; or copied; or an output that reads back, with every old row, heap byte, field's data and body that was left
 * out as it was. A broken promise is printed and ends the program. */
#ifndef TESTS_CORRUPT_JUDGE_H
#define TESTS_CORRUPT_JUDGE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "instrument/instrument.h"
#include "metadata/validate.h"
#include "pe/append.h"
#include "pe/writer.h"
#include "select/bodies.h"
#include "tracker/references.h"

typedef enum verdict { REFUSED, COPIED, INSTRUMENTED } verdict;

/* The case being judged, for messages. */
static const char *judged = "";
/* The text of the last refusal. */
static char refusal[1200];

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "BROKEN: %s: %s (%s:%d)\n", judged, #condition, __FILE__, __LINE__);                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef struct told {
    unsigned errors;
    char last[1200];
} told;

static void tell(void *user, const ilj_diagnostic *diagnostic) {
    told *t = user;
    MUST(!strchr(diagnostic->text, '\n') && strlen(diagnostic->code) == 7);
    if (diagnostic->severity != ILJ_ERROR)
        return;
    t->errors++;
    snprintf(t->last, sizeof t->last, "%s: %s", diagnostic->code, diagnostic->text);
}

static bool heap_kept(bytes old, bytes new) {
    return old.size <= new.size && (old.size == 0 || memcmp(old.data, new.data, old.size) == 0);
}

static bool same_row(const md_view *old, uint32_t old_row, const md_view *new, uint32_t new_row, unsigned t) {
    bool same = true;
    for (unsigned c = 0; c < md_tables[t].column_count; c++)
        same &= md_cell(old, md_tables[t].first_column + c, old_row) ==
                md_cell(new, md_tables[t].first_column + c, new_row);
    return same;
}

/* Attributes of added types stand where the table's order wants them; all others are there, in their order. */
static void judge_attributes(const md_view *old, const md_view *new) {
    const md_table_id t = MD_TABLE_CustomAttribute;
    uint32_t row = 1, last = old->tables[t].row_count;
    for (uint32_t at = 1; at <= new->tables[t].row_count; at++) {
        md_token parent = md_cell_token(new, MD_CustomAttribute_Parent, at);
        if (row <= last && same_row(old, row, new, at, t))
            row++;
        else
            MUST(md_token_table(parent) == MD_TABLE_TypeDef &&
                 md_token_row(parent) > md_row_count(old, MD_TABLE_TypeDef));
    }
    MUST(row == last + 1);
}

static void judge_rows(const md_view *old, const md_view *new) {
    judge_attributes(old, new);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++) {
        MUST(new->tables[t].row_count >= old->tables[t].row_count);
        for (unsigned c = 0; c < md_tables[t].column_count; c++) {
            md_column column = md_tables[t].first_column + c;
            if (column == MD_MethodDef_RVA || column == MD_FieldRVA_RVA || t == MD_TABLE_CustomAttribute)
                continue;
            for (uint32_t row = 1; row <= old->tables[t].row_count; row++)
                MUST(md_cell(old, column, row) == md_cell(new, column, row));
        }
    }
}

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
    return a < (uint64_t)b + b_size && b < (uint64_t)a + a_size;
}

/* True if the headers name something in there with an RVA that is carried along. */
static bool named_by_headers(const pe_image *pe, uint32_t rva, uint32_t size) {
    uint32_t anchors[PE_ANCHOR_MAX];
    size_t count = pe_header_anchors(pe, anchors);
    for (size_t i = 0; i < count; i++)
        if (anchors[i] != pe->cli.resources.rva && overlap(rva, size, anchors[i], 8))
            return true;
    for (unsigned i = 0; i < PE_DIRECTORY_COUNT; i++)
        if (overlap(rva, size, pe->directories[i].rva, pe->directories[i].size))
            return true;
    /* The whole CLI header is written, whatever size its directory claims. */
    return overlap(rva, size, pe->directories[PE_DIRECTORY_CLI_HEADER].rva, PE_CLI_HEADER_BYTES) ||
           overlap(rva, size, pe->cli.metadata.rva, pe->cli.metadata.size);
}

/* The headers have to change. After a section's virtual size there is only the file's padding. */
static bool in_headers_or_padding(const pe_image *pe, uint32_t rva, uint32_t size) {
    const pe_section *s = pe_section_at(pe, rva);
    return !s || (s->virtual_size != 0 && rva - s->rva + (uint64_t)size > s->virtual_size);
}

/* The same bytes at the old and the new place. */
static void judge_bytes(const ilj_image *old, const ilj_image *new, uint32_t old_rva, uint32_t new_rva, uint32_t size) {
    const pe_cli_header *cli = &old->pe.cli;
    if (named_by_headers(&old->pe, old_rva, size) || in_headers_or_padding(&old->pe, old_rva, size) ||
        (cli->resources.size && overlap(old_rva, size, cli->resources.rva + cli->resources.size, 1)))
        return;
    bytes before, after;
    if (!pe_try_bytes(&old->pe, old_rva, size, &before))
        return;
    MUST(pe_try_bytes(&new->pe, new_rva, size, &after));
    if (!bytes_equal(before, after))
        fprintf(stderr, "%u bytes at RVA 0x%x, then at 0x%x, differ\n", size, old_rva, new_rva);
    MUST(bytes_equal(before, after));
}

/* All of a field's data, but what the file does not have. */
static void judge_data_of(const ilj_image *old, const ilj_image *new, const data_extent *data) {
    uint32_t size = data->size;
    bytes from;
    if (pe_try_bytes_from(&old->pe, data->rva, &from) && from.size < size)
        size = (uint32_t)from.size;
    judge_bytes(old, new, data->rva, md_cell(&new->metadata, MD_FieldRVA_RVA, data->row), size);
}

static void judge_data(ilj_image *old, ilj_image *new) {
    const md_view *w = &new->metadata;
    bodies found;
    MUST(bodies_find(&found, old, NULL) == ECMA_OK);
    for (uint32_t i = 0; i < found.count; i++) {
        const method_body *m = &found.list[i];
        const pe_directory *metadata = &old->pe.cli.metadata;
        if (m->reason == ILJ_BAD_BODY && !pe_needs_append(&old->pe))
            MUST(!overlap(m->rva, m->size ? m->size : 1, metadata->rva, metadata->size));
        if (m->size && m->reason != ILJ_INSTRUMENT)
            judge_bytes(old, new, m->rva, md_cell(w, MD_MethodDef_RVA, m->row), m->size);
    }
    data_extents data;
    MUST(data_extents_find(&data, old) == ECMA_OK);
    for (uint32_t i = 0; i < data.count; i++)
        judge_data_of(old, new, &data.list[i]);
    const pe_directory *before = &old->pe.cli.resources, *after = &new->pe.cli.resources;
    MUST(after->size >= before->size);
    judge_bytes(old, new, before->rva, after->rva, before->size);
}

static void judge_output(ilj_context *context, bytes input, const buffer *out, const ilj_summary *summary) {
    ilj_image *old = NULL, *new = NULL;
    MUST(image_open_bytes(&old, context, "input", input) == ILJ_OK);
    MUST(image_open_bytes(&new, context, "output", buffer_bytes(out)) == ILJ_OK);
    const md_view *v = &old->metadata, *w = &new->metadata;
    MUST(md_validate(w, &new->diag) == ECMA_OK);
    MUST(marker_instrumented_times(w) == marker_instrumented_times(v) + 1);
    MUST(summary->instrumented > 0 && summary->output_bytes == out->size);
    uint32_t left_out = 0;
    for (unsigned r = 0; r < ILJ_REASON_COUNT; r++)
        left_out += summary->left_out[r];
    MUST(summary->methods == md_row_count(v, MD_TABLE_MethodDef) &&
         summary->instrumented + left_out == summary->methods);
    judge_rows(v, w);
    MUST(heap_kept(v->strings, w->strings) && heap_kept(v->blobs, w->blobs) &&
         heap_kept(v->user_strings, w->user_strings));
    MUST(v->guids.size == w->guids.size);
    judge_data(old, new);
    ilj_image_free(new);
    ilj_image_free(old);
}

/* `tracker` is a path, or NULL. */
static verdict judge(bytes input, const char *tracker, bool again) {
    told t = {0};
    ilj_context *context = NULL;
    buffer out = BUFFER_INIT, second = BUFFER_INIT;
    ilj_summary summary;
    ilj_instrument_options options = {.tracker = tracker, .force = true};
    MUST(ilj_context_new(&context, tell, &t) == ILJ_OK);
    ilj_status status = instrument_bytes(&out, &summary, context, "case", input, &options);
    if (status == ILJ_BUG || t.errors != (status == ILJ_OK ? 0 : 1))
        fprintf(stderr, "%s\n", t.last);
    MUST(status != ILJ_BUG && status != ILJ_IO && status != ILJ_NO_MEMORY);
    MUST(t.errors == (status == ILJ_OK ? 0 : 1));
    MUST((status == ILJ_OK) == (summary.outcome != ILJ_OUTCOME_FAILED));
    MUST((summary.outcome == ILJ_OUTCOME_INSTRUMENTED) == (out.size != 0));
    verdict v = REFUSED;
    snprintf(refusal, sizeof refusal, "%s", t.last);
    if (status == ILJ_OK)
        v = summary.outcome == ILJ_OUTCOME_COPIED ? COPIED : INSTRUMENTED;
    if (v == INSTRUMENTED) {
        judge_output(context, input, &out, &summary);
        if (again) {
            /* An image that could be instrumented once can be again; only limits may be met. */
            ilj_summary twice;
            status = instrument_bytes(&second, &twice, context, "again", buffer_bytes(&out), &options);
            if (status != ILJ_OK && status != ILJ_UNSUPPORTED)
                fprintf(stderr, "%s\n", t.last);
            MUST(status == ILJ_OK || status == ILJ_UNSUPPORTED);
            /* A part that could not be read, and claimed more than there was, may read on into what is new; so no
             * count. */
            if (status == ILJ_OK && twice.outcome == ILJ_OUTCOME_INSTRUMENTED)
                judge_output(context, buffer_bytes(&out), &second, &twice);
        }
    }
    buffer_clear(&second);
    buffer_clear(&out);
    ilj_context_free(context);
    return v;
}

#endif
