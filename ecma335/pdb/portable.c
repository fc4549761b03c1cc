#include "pdb/portable.h"

#include "metadata/emit.h"
#include "pdb/points.h"

enum {
    STREAM_HEADER_BYTES = 32, /* of #Pdb: id, entry point, mask of the tables with row counts, which follow */
    MASK_OFFSET = 24,
};

/* Kinds of CustomDebugInformation that hold IL offsets, as they lie in the #GUID heap. */
static const uint8_t hoisted_scopes_kind[16] = {0x1e, 0xa6, 0xa9, 0x6d, 0xc7, 0xf8, 0x74, 0x48,
                                                0xbe, 0x62, 0x68, 0xbc, 0x56, 0x30, 0xdf, 0x71};
static const uint8_t stepping_kind[16] = {0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9, 0x1a, 0x40,
                                          0x9c, 0x2a, 0xf9, 0x4f, 0x17, 0x10, 0x72, 0xf8};

typedef struct rewriter {
    const md_view *view;
    const md_edit *assembly;
    const pdb_moves *moves;
    arena *arena;
    diag *d;
    md_edit edit;
    buffer blob; /* scratch */
    buffer stream;
    uint32_t width_rows[MD_TABLE_SPACE];
} rewriter;

bool pdb_try_id(const md_view *pdb, const uint8_t **id) {
    if (pdb->pdb_stream.size < STREAM_HEADER_BYTES)
        return false;
    *id = pdb->pdb_stream.data;
    return true;
}

/* A PDB's faults are warnings to the caller's caller, but they end this. */
static ecma_status damaged(rewriter *w, const char *what, uint32_t row) {
    diag_report(w->d, DIAG_PDB_DAMAGED, "%s, row %u: damaged", what, row);
    return ECMA_BAD_FILE;
}

static ecma_status stale(rewriter *w, const char *table, uint32_t rows, uint32_t expected) {
    diag_report(w->d, DIAG_PDB_STALE, "it counts %u rows of %s, the assembly has %u", rows, table, expected);
    return ECMA_BAD_FILE;
}

/* A column's values, old ones first, for some to be changed. */
static uint32_t *take_column(rewriter *w, md_column column) {
    uint32_t rows = md_edit_row_count(&w->edit, md_columns[column].table);
    uint32_t *values = arena_alloc_array(w->arena, rows + 1u, sizeof *values);
    for (uint32_t row = 1; values && row <= rows; row++)
        values[row - 1] = md_cell(w->view, column, row);
    w->edit.columns[column] = values;
    return values;
}

/* The scratch blob as a heap entry. */
static uint32_t add_blob(rewriter *w) {
    w->edit.blobs.failed |= w->blob.failed;
    return md_edit_blob(&w->edit, buffer_bytes(&w->blob));
}

/* ---- Row counts of the type system tables --------------------------------------------------------------------------
 */

static ecma_status move_row_counts(rewriter *w) {
    const md_view *v = w->view, *assembly = w->assembly->view;
    uint64_t mask = load_u64(v->pdb_stream.data + MASK_OFFSET);
    for (unsigned t = 0; t < MD_PDB_FIRST_TABLE; t++) {
        uint32_t old = assembly->tables[t].row_count;
        if (v->tables[t].row_count != 0) {
            diag_report(w->d, DIAG_PDB_DAMAGED, "it holds rows of table 0x%02x, which belong into an assembly", t);
            return ECMA_BAD_FILE;
        }
        if (mask >> t & 1 && v->width_rows[t] != old)
            return stale(w, md_tables[t].name ? md_tables[t].name : "a table", v->width_rows[t], old);
        if (old == 0 && w->assembly->added[t] != 0)
            mask |= (uint64_t)1 << t;
        w->width_rows[t] = mask >> t & 1 ? md_edit_row_count(w->assembly, (md_table_id)t) : 0;
    }
    buffer_append(&w->stream, v->pdb_stream.data, STREAM_HEADER_BYTES);
    for (unsigned t = 0; t < MD_PDB_FIRST_TABLE; t++)
        if (mask >> t & 1)
            buffer_u32(&w->stream, w->width_rows[t]);
    if (w->stream.failed)
        return diag_no_memory(w->d);
    memset(w->stream.data, 0, PDB_ID_BYTES);
    store_u64(w->stream.data + MASK_OFFSET, mask);
    w->edit.pdb_stream = buffer_bytes(&w->stream);
    w->edit.type_system_rows = w->width_rows;
    return ECMA_OK;
}

/* ---- Methods -------------------------------------------------------------------------------------------------------
 */

static ecma_status move_methods(rewriter *w) {
    const md_view *v = w->view;
    uint32_t rows = md_row_count(v, MD_TABLE_MethodDebugInformation);
    uint32_t methods = md_row_count(w->assembly->view, MD_TABLE_MethodDef);
    if (rows == 0)
        return ECMA_OK;
    if (rows != methods)
        return stale(w, md_tables[MD_TABLE_MethodDebugInformation].name, rows, methods);
    for (uint32_t i = 0; i < w->assembly->added[MD_TABLE_MethodDef]; i++)
        md_edit_row(&w->edit, MD_TABLE_MethodDebugInformation, (const uint32_t[]){0, 0});
    uint32_t *points = take_column(w, MD_MethodDebugInformation_SequencePoints);
    if (!points)
        return diag_no_memory(w->d);
    for (uint32_t row = 1; row <= rows; row++) {
        const pdb_method *method = pdb_moves_of(w->moves, row);
        bytes old;
        if (!method || points[row - 1] == 0)
            continue;
        w->blob.size = 0;
        if (!md_try_blob(v, points[row - 1], &old) ||
            !pdb_move_points(&w->blob, old, md_cell(v, MD_MethodDebugInformation_Document, row) != 0, w->moves, method))
            return damaged(w, "the sequence points of MethodDebugInformation", row);
        points[row - 1] = add_blob(w);
    }
    return ECMA_OK;
}

/* A method's own scope takes in what was put before and after its code; others keep what they had. */
static bool move_scope(const rewriter *w, const pdb_method *method, uint32_t *start, uint32_t *length) {
    uint64_t old_end = (uint64_t)*start + *length;
    if (old_end > INT32_MAX)
        return false;
    uint64_t first = *start == 0 && old_end >= method->old_size ? 0 : pdb_move_start(w->moves, method, *start);
    uint64_t end = pdb_move_end(w->moves, method, (uint32_t)old_end);
    if (*length == 0)
        end = first;
    if (end < first || end > INT32_MAX)
        return false;
    *start = (uint32_t)first;
    *length = (uint32_t)(end - first);
    return true;
}

static ecma_status move_scopes(rewriter *w) {
    uint32_t rows = md_row_count(w->view, MD_TABLE_LocalScope);
    if (rows == 0)
        return ECMA_OK;
    uint32_t *starts = take_column(w, MD_LocalScope_StartOffset), *lengths = take_column(w, MD_LocalScope_Length);
    if (!starts || !lengths)
        return diag_no_memory(w->d);
    for (uint32_t row = 1; row <= rows; row++) {
        const pdb_method *method = pdb_moves_of(w->moves, md_cell(w->view, MD_LocalScope_Method, row));
        if (method && !move_scope(w, method, &starts[row - 1], &lengths[row - 1]))
            return damaged(w, "the bounds of LocalScope", row);
    }
    return ECMA_OK;
}

/* ---- Custom debug information --------------------------------------------------------------------------------------
 */

/* StateMachineHoistedLocalScopes: start and length of the scope of each hoisted local; both 0 for one that has none. */
static bool move_hoisted_scopes(rewriter *w, bytes old, const pdb_method *method) {
    reader r = reader_of(old);
    while (reader_left(&r) && !r.failed) {
        uint32_t start = reader_u32(&r), length = reader_u32(&r);
        if ((start || length) && !move_scope(w, method, &start, &length))
            return false;
        buffer_u32(&w->blob, start);
        buffer_u32(&w->blob, length);
    }
    return !r.failed;
}

static bool put_offset(rewriter *w, const pdb_method *method, uint32_t old, uint32_t more) {
    uint64_t now = method ? pdb_move_start(w->moves, method, old) : old;
    buffer_u32(&w->blob, (uint32_t)(now + more));
    return now + more <= UINT32_MAX;
}

/* MethodSteppingInformation: the catch handler's offset and 1, or 0; then for each await the offset where it yields,
 * the one where it goes on, and the method that it goes on in. */
static bool move_steps(rewriter *w, bytes old, const pdb_method *method) {
    reader r = reader_of(old);
    uint32_t handler = reader_u32(&r);
    bool fits = true;
    if (handler == 0)
        buffer_u32(&w->blob, 0);
    else
        fits = put_offset(w, method, handler - 1, 1);
    while (reader_left(&r) && !r.failed) {
        uint32_t yields = reader_u32(&r), resumes = reader_u32(&r), row = reader_compressed(&r);
        fits = fits && put_offset(w, method, yields, 0) && put_offset(w, pdb_moves_of(w->moves, row), resumes, 0);
        buffer_compressed(&w->blob, row);
    }
    return fits && !r.failed;
}

static ecma_status move_custom(rewriter *w) {
    const md_view *v = w->view;
    uint32_t rows = md_row_count(v, MD_TABLE_CustomDebugInformation);
    uint32_t *values = NULL;
    for (uint32_t row = 1; row <= rows; row++) {
        md_token parent = md_cell_token(v, MD_CustomDebugInformation_Parent, row);
        const pdb_method *method = NULL;
        bytes kind, old;
        if (md_token_table(parent) == MD_TABLE_MethodDef)
            method = pdb_moves_of(w->moves, md_token_row(parent));
        if (!method || !md_try_guid(v, md_cell(v, MD_CustomDebugInformation_Kind, row), &kind))
            continue;
        bool hoisted = memcmp(kind.data, hoisted_scopes_kind, sizeof hoisted_scopes_kind) == 0;
        if (!hoisted && memcmp(kind.data, stepping_kind, sizeof stepping_kind) != 0)
            continue;
        if (!values && !(values = take_column(w, MD_CustomDebugInformation_Value)))
            return diag_no_memory(w->d);
        w->blob.size = 0;
        if (!md_try_blob(v, values[row - 1], &old) ||
            !(hoisted ? move_hoisted_scopes(w, old, method) : move_steps(w, old, method)))
            return damaged(w, "the value of CustomDebugInformation", row);
        values[row - 1] = add_blob(w);
    }
    return ECMA_OK;
}

/* ---- All of it -----------------------------------------------------------------------------------------------------
 */

/* The new id is made from the content as Roslyn makes its own: a GUID of version 4, a stamp with the top bit set. */
static void make_id(uint8_t id[PDB_ID_BYTES], const uint8_t checksum[SHA256_BYTES]) {
    memcpy(id, checksum, PDB_ID_BYTES);
    id[7] = (uint8_t)((id[7] & 0x0F) | 0x40);
    id[8] = (uint8_t)((id[8] & 0x3F) | 0x80);
    id[19] |= 0x80;
}

static ecma_status emit(rewriter *w, buffer *out, uint8_t id[PDB_ID_BYTES], uint8_t checksum[SHA256_BYTES]) {
    md_plan plan;
    ecma_status status = md_emit_plan(&plan, &w->edit, w->d);
    if (status)
        return status;
    size_t start = out->size;
    uint8_t *p = buffer_extend(out, plan.size);
    if (!p)
        return diag_no_memory(w->d);
    md_emit_write(&plan, &w->edit, p, NULL);
    md_view written;
    bytes whole = {out->data + start, plan.size};
    if ((status = md_view_open(&written, whole, w->arena, w->d)))
        return status;
    sha256(whole, checksum);
    make_id(id, checksum);
    memcpy(p + (written.pdb_stream.data - whole.data), id, PDB_ID_BYTES);
    return ECMA_OK;
}

ecma_status pdb_rewrite(buffer *out, uint8_t id[PDB_ID_BYTES], uint8_t checksum[SHA256_BYTES], const pdb_source *from,
                        arena *a, diag *d) {
    const uint8_t *old_id;
    if (!pdb_try_id(from->pdb, &old_id)) {
        diag_report(d, DIAG_PDB_DAMAGED, "no #Pdb stream");
        return ECMA_BAD_FILE;
    }
    rewriter w = {.view = from->pdb, .assembly = from->assembly, .moves = from->moves, .arena = a, .d = d};
    md_edit_init(&w.edit, from->pdb);
    ecma_status status;
    if ((status = move_row_counts(&w)) == ECMA_OK && (status = move_methods(&w)) == ECMA_OK &&
        (status = move_scopes(&w)) == ECMA_OK && (status = move_custom(&w)) == ECMA_OK)
        status = emit(&w, out, id, checksum);
    buffer_clear(&w.blob);
    buffer_clear(&w.stream);
    md_edit_clear(&w.edit);
    return status;
}
