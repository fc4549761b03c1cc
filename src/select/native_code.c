#include "select/native_code.h"

#include "ready_to_run/keep.h"

/* Counts the methods that have code, as themselves or as instantiations, and those of them that keep it. */
static ecma_status count(native_code *n, arena *a) {
    r2r_rows have;
    ecma_status status = r2r_rows_with_code(&have, n->image, n->dropped.count, a);
    for (uint32_t row = 1; !status && row <= have.count; row++) {
        n->methods += have.in[row];
        n->kept += have.in[row] && !n->dropped.in[row];
    }
    return status;
}

static ecma_status reported(ecma_status status, diag *d) {
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(d);
    return status ? diag_report(d, DIAG_READ_BACK, "its native code cannot be read twice; please report this")
                  : ECMA_OK;
}

ecma_status native_code_find(native_code *n, const r2r_image *r, const bodies *b, ilj_image *image) {
    uint32_t rows = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    *n = (native_code){.image = r, .dropped = {arena_alloc(&image->arena, rows + 1u), rows}};
    if (!n->dropped.in)
        return diag_no_memory(&image->diag);
    for (uint32_t i = 0; i < b->count; i++)
        if (b->list[i].reason == ILJ_INSTRUMENT)
            n->dropped.in[b->list[i].row] = 1;
    ecma_status status = r2r_keep_close(&n->dropped, r, &image->arena);
    if (!status)
        status = count(n, &image->arena);
    return reported(status, &image->diag);
}

bool native_code_is_worth_it(const native_code *n) {
    enum { LEAST_PART = 20 };
    return n->kept && n->kept >= n->methods / LEAST_PART;
}

ecma_status native_code_plan(native_code *n, ilj_image *image) {
    return reported(r2r_tables_plan(&n->tables, n->image, &n->dropped, &image->arena), &image->diag);
}

static void write_section(const native_code *n, r2r_section_type type, uint32_t rva, uint32_t size, uint8_t *out) {
    uint32_t header = r2r_section_header(n->image, type), offset;
    if (!header || !pe_try_file_offset(n->image->image, header, &offset))
        return;
    store_u32(out + offset + 4, rva);
    store_u32(out + offset + 8, size);
}

void native_code_write(const native_code *n, uint32_t methods_rva, uint8_t *methods, uint32_t instances_rva,
                       uint8_t *instances, uint8_t *out) {
    if (methods_rva) {
        r2r_tables_write_methods(&n->tables, methods_rva, methods);
        write_section(n, R2R_METHODS, methods_rva, n->tables.method_bytes, out);
    }
    if (instances_rva) {
        r2r_tables_write_instances(&n->tables, instances_rva, instances);
        write_section(n, R2R_INSTANCES, instances_rva, n->tables.instance_bytes, out);
    }
}

static bool methods_read_back(const native_code *n, const r2r_image *now) {
    nf_reader old_reader = {.image = n->image->image}, new_reader = {.image = now->image};
    for (uint32_t row = 1; row <= n->image->methods.count; row++) {
        r2r_entry was = {0}, is = {0};
        bool had = r2r_try_method(n->image, &old_reader, row, &was), has = r2r_try_method(now, &new_reader, row, &is);
        if (new_reader.failed || has != (had && !r2r_rows_have(&n->dropped, row)))
            return false;
        if (has && (was.function != is.function || was.fixups != is.fixups))
            return false;
    }
    return now->methods.count == n->image->methods.count;
}

/* Those that are kept stand in the same order, in buckets of the same number. */
static bool instances_read_back(const native_code *n, const r2r_image *now) {
    r2r_instances walk;
    r2r_instance is;
    uint32_t at = 0;
    r2r_instances_walk(&walk, now);
    for (; r2r_instances_next(&walk, &is); at++) {
        if (at == n->tables.instance_count)
            return false;
        const r2r_instance *was = &n->tables.instances[at];
        if (is.place.rva != was->place.rva || is.place.bucket != was->place.bucket ||
            is.place.low_hash != was->place.low_hash || is.entry.function != was->entry.function ||
            r2r_rows_have(&n->dropped, is.row))
            return false;
    }
    return !walk.failed && at == n->tables.instance_count && now->instances.buckets == n->image->instances.buckets;
}

bool native_code_reads_back(const native_code *n, const pe_image *output) {
    r2r_image now;
    return !r2r_open(&now, output) && methods_read_back(n, &now) && instances_read_back(n, &now);
}
