#include "ready_to_run/keep.h"

#include "ready_to_run/inlining.h"
#include "ready_to_run/signature.h"

/* From .NET 9 on. Before, the static fields of a module lay in one block after a byte for each of its types, so that
 * native code had the number of types in it. Versions that are not known may change anything. */
enum { FIRST_MAJOR = 10, LAST_MAJOR = 16 };

static const char *why_not_by_header(const r2r_image *r) {
    if (r->flags & R2R_FLAG_COMPONENT || r2r_section(r, R2R_COMPOSITE).size || r2r_section(r, R2R_COMPONENTS).size)
        return "it is a part of a composite image";
    if (r->flags & R2R_FLAG_UNRELATED)
        return "it holds code of other modules";
    if (r->major < FIRST_MAJOR || r->major > LAST_MAJOR)
        return "its format is of another version";
    if (r->unknown_sections)
        return "it has sections that are not known";
    if (r2r_section(r, R2R_ATTRIBUTES).size)
        return "it has a filter of attributes, as the core library has";
    if (r2r_section(r, R2R_MVIDS).size)
        return "it knows other modules by their identity";
    if (r2r_section(r, R2R_HOT_COLD).size)
        return "its methods are split";
    if (!r2r_has_inlining(r))
        return "it does not say which method was inlined where";
    return NULL;
}

static const char *why_not_by_signature(const r2r_signature *s) {
    if (s->names_modules)
        return "its code counts the assemblies that are referred to";
    if (s->checks_bodies)
        return "its code holds methods of other modules";
    if (s->unknown)
        return "its code has fixups of kinds that are not known";
    return s->reader.failed ? "the signature of a fixup is damaged" : NULL;
}

/* Slots may share signatures, but not any number of long ones. */
static const char *why_not_by_imports(const r2r_image *r) {
    enum { MOST_READ = 8 };
    r2r_signature s = {.reader = {.image = r->image}};
    uint64_t budget = (uint64_t)r->image->file.size * MOST_READ;
    for (uint32_t i = 0; i < r2r_imports_count(r); i++) {
        r2r_imports imports;
        if (!r2r_try_imports(r, i, &imports))
            return "its import sections are damaged";
        if (imports.type == R2R_IMPORTS_BODIES)
            return "its code holds methods of other modules";
        for (uint32_t slot = 0; imports.signatures && slot < imports.count; slot++) {
            uint32_t rva;
            if (!r2r_try_signature(r, &imports, slot, &rva))
                return "its import sections are damaged";
            if (rva == 0)
                continue;
            r2r_walk_fixup(&s, rva);
            const char *why = why_not_by_signature(&s);
            uint64_t read = (uint64_t)(s.reader.at - s.start) + 4;
            if (why)
                return why;
            if (read > budget)
                return "its import sections are damaged";
            budget -= read;
        }
    }
    return NULL;
}

/* The entries of a table begin with a method's signature. */
static const char *why_not_by_table(const r2r_image *r, const nf_table *table) {
    uint64_t budget = (uint64_t)r->image->file.size * 2;
    nf_walk walk;
    nf_entry entry;
    nf_table_walk(&walk, table, r->image);
    while (nf_table_next(&walk, &entry)) {
        r2r_signature s = {.reader = {.image = r->image, .hint = walk.reader.hint}};
        uint32_t flags, row;
        r2r_walk_method(&s, entry.rva, &flags, &row);
        const char *why = why_not_by_signature(&s);
        uint64_t read = s.reader.at - s.start;
        if (why)
            return why;
        if (read > budget)
            return "a table of its methods is damaged";
        budget -= read;
    }
    return walk.reader.failed ? "a table of its methods is damaged" : NULL;
}

static const char *why_not_by_entries(const r2r_image *r, uint32_t method_rows) {
    nf_reader reader = {.image = r->image};
    pe_directory profile = r2r_section(r, R2R_PGO);
    nf_table profiled;
    r2r_entry entry;
    const char *why = NULL;
    if (r->methods.count > method_rows)
        return "it has entries of methods that there are none of";
    for (uint32_t row = 1; row <= r->methods.count && !reader.failed; row++)
        r2r_try_method(r, &reader, row, &entry);
    if (reader.failed)
        return "the entry of a method is damaged";
    if (r->instances.buckets)
        why = why_not_by_table(r, &r->instances);
    r2r_instances walk;
    r2r_instance instance;
    r2r_instances_walk(&walk, r);
    while (!why && r2r_instances_next(&walk, &instance))
        continue;
    if (!why && walk.failed)
        return "the entry of an instantiation is damaged";
    if (why || profile.size == 0)
        return why;
    return nf_table_open(&profiled, r->image, profile) ? why_not_by_table(r, &profiled)
                                                       : "a table of its methods is damaged";
}

static const char *why_not_by_inlining(const r2r_image *r, uint32_t method_rows) {
    r2r_inlining walk;
    r2r_inlining_walk(&walk, r);
    while (r2r_inlining_next(&walk)) {
        uint32_t row = 0, module;
        if (walk.other_module || walk.module)
            return "it has inlined methods of other modules";
        if (walk.row == 0 || walk.row > method_rows)
            return "it has inlined methods that there are none of";
        while (r2r_inliner_next(&walk, &row, &module)) {
            if (module)
                return "it holds code of other modules";
            if (row == 0 || row > method_rows)
                return "it has inlined methods that there are none of";
        }
    }
    return walk.failed ? "its map of inlined methods is damaged" : NULL;
}

const char *r2r_why_not_kept(const r2r_image *r, uint32_t method_rows) {
    const char *why = why_not_by_header(r);
    if (!why)
        why = why_not_by_imports(r);
    if (!why)
        why = why_not_by_entries(r, method_rows);
    return why ? why : why_not_by_inlining(r, method_rows);
}

/* ---- Who has inlined ----------------------------------------------------------------------------------------------
 */

/* Counts them at first[row + 2] (`list` is NULL), or puts each at first[row + 1], which moves on. */
static bool gather(r2r_inliners *to, const r2r_image *r, uint32_t rows) {
    r2r_inlining walk;
    r2r_inlining_walk(&walk, r);
    while (r2r_inlining_next(&walk)) {
        uint32_t row = 0, module;
        while (r2r_inliner_next(&walk, &row, &module)) {
            if (walk.row > rows || row > rows)
                return false;
            if (to->list)
                to->list[to->first[walk.row + 1]++] = row;
            else
                to->first[walk.row + 2]++;
        }
    }
    return !walk.failed;
}

ecma_status r2r_inliners_read(r2r_inliners *found, const r2r_image *r, uint32_t rows, arena *a) {
    *found = (r2r_inliners){arena_alloc_array(a, rows + 3u, sizeof *found->first), NULL};
    if (!found->first)
        return ECMA_NO_MEMORY;
    if (!gather(found, r, rows))
        return ECMA_BAD_FILE;
    for (uint32_t row = 0; row <= rows; row++)
        found->first[row + 2] += found->first[row + 1];
    if (!(found->list = arena_alloc_array(a, found->first[rows + 2] + 1u, sizeof *found->list)))
        return ECMA_NO_MEMORY;
    gather(found, r, rows);
    return ECMA_OK;
}

ecma_status r2r_rows_with_code(r2r_rows *have, const r2r_image *r, uint32_t rows, arena *a) {
    nf_reader reader = {.image = r->image};
    r2r_instances walk;
    r2r_instance instance;
    r2r_entry entry;
    *have = (r2r_rows){arena_alloc(a, rows + 1u), rows};
    if (!have->in)
        return ECMA_NO_MEMORY;
    for (uint32_t row = 1; row <= rows; row++)
        have->in[row] = r2r_try_method(r, &reader, row, &entry);
    r2r_instances_walk(&walk, r);
    while (r2r_instances_next(&walk, &instance))
        if (instance.row <= rows)
            have->in[instance.row] = 1;
    return ECMA_OK;
}

ecma_status r2r_keep_close(r2r_rows *rows, const r2r_image *r, arena *a) {
    r2r_inliners found;
    ecma_status status = r2r_inliners_read(&found, r, rows->count, a);
    uint32_t *waiting = status ? NULL : arena_alloc_array(a, rows->count + 1u, sizeof *waiting), count = 0;
    if (!waiting)
        return status ? status : ECMA_NO_MEMORY;
    for (uint32_t row = 1; row <= rows->count; row++)
        if (rows->in[row])
            waiting[count++] = row;
    while (count) {
        uint32_t row = waiting[--count];
        for (uint32_t i = found.first[row]; i < found.first[row + 1]; i++)
            if (!rows->in[found.list[i]]) {
                rows->in[found.list[i]] = 1;
                waiting[count++] = found.list[i];
            }
    }
    return ECMA_OK;
}
