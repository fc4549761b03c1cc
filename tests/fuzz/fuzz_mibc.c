/* Takes any bytes as an assembly, all its methods as called, makes a startup profile of it, and reads that again. */
#include <stdlib.h>

#include "il/decode.h"
#include "metadata/validate.h"
#include "mutate_image.h"
#include "pe/library.h"
#include "pe/loaders.h"
#include "report/mibc/file.h"

static void must(bool holds) {
    if (!holds)
        abort();
}

/* The code of each method has no more than the opcodes of such files, and their tokens name rows. */
static uint32_t judge_code(const pe_image *pe, const md_view *md, uint32_t row) {
    bytes from;
    il_body body;
    il_fault fault;
    il_instruction i;
    uint32_t pops = 0;
    must(pe_try_bytes_from(pe, md_cell(md, MD_MethodDef_RVA, row), &from) && il_body_try_read(&body, from, &fault));
    il_cursor at = il_cursor_of(body.code);
    while (il_next(&at, &i)) {
        pops += i.opcode == IL_pop;
        if (i.opcode == IL_ldtoken)
            must(md_row_exists(md, (md_table_id)md_token_table(i.token), md_token_row(i.token)));
        else
            must(i.opcode == IL_pop || i.opcode == IL_ldstr || i.opcode == IL_ret ||
                 (i.opcode >= IL_ldc_i4_m1 && i.opcode <= IL_ldc_i4));
    }
    must(!at.fault.what);
    return pops;
}

static void judge_file(bytes file, uint32_t records) {
    diag d = {0};
    arena a = ARENA_INIT;
    pe_image pe;
    md_view md;
    bytes metadata;
    must(pe_image_open(&pe, file, &a, &d) == ECMA_OK && pe_loaders_find_cli_header(file));
    must(pe_try_bytes(&pe, pe.cli.metadata.rva, pe.cli.metadata.size, &metadata));
    must(md_view_open(&md, metadata, &a, &d) == ECMA_OK && md_validate(&md, &d) == ECMA_OK);
    const uint32_t methods = md_row_count(&md, MD_TABLE_MethodDef);
    uint32_t pops = 0;
    for (uint32_t row = 1; row < methods; row++)
        pops += judge_code(&pe, &md, row);
    must(pops == 2 * records && judge_code(&pe, &md, methods) == methods - 1);
    must(md_name_is(&md, MD_MethodDef_Name, methods, "AssemblyDictionary"));
    arena_clear(&a);
}

/* Each method calls the one after it, and the first. */
static uint32_t make_edges(mibc_edge *edges, const instances *x) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->called_count; i++) {
        uint32_t callees[] = {0, i + 1};
        for (unsigned k = 0; k < 2; k++)
            if (callees[k] < x->called_count && x->called[callees[k]].count > 0)
                edges[count++] = (mibc_edge){i, callees[k], (uint64_t)i << 29};
    }
    return count;
}

static void make_and_judge(source *s, type_names *names) {
    instances x = {.names = names, .sources = s};
    diag d = {0};
    buffer file = BUFFER_INIT;
    uint32_t records = 0;
    for (uint32_t row = 1; row <= md_row_count(&s->md, MD_TABLE_MethodDef); row++)
        instances_add(&x, 0, row);
    must(instances_find(&x));
    uint64_t *calls = calloc((size_t)x.called_count + 1, sizeof *calls);
    mibc_edge *edges = calloc((size_t)x.called_count * 2 + 1, sizeof *edges);
    must(calls && edges);
    for (uint32_t i = 0; i < x.called_count; i++)
        calls[i] = (uint64_t)i * i * i;
    const mibc_content content = {&x, calls, edges, make_edges(edges, &x)};
    must(mibc_file_make(&file, &records, &content, &d) == ECMA_OK && records == x.count);
    judge_file(buffer_bytes(&file), records);
    buffer_clear(&file);
    free(calls);
    free(edges);
    instances_clear(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    diag d = {0};
    type_names names = TYPE_NAMES_INIT;
    source s = {.names = &names};
    if (source_open_bytes(&s, bytes_of(data, size), &d) == ECMA_OK)
        make_and_judge(&s, &names);
    sources_close(&s, 1);
    type_names_clear(&names);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(image_mutate, data, size, most, seed);
}
