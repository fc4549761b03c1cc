#include "output/symbols.h"

#include "output/companions.h"
#include "pdb/mdb.h"
#include "pe/append.h"
#include "platform/path.h"

#include <libdeflate.h>
#include <stdio.h>
#include <strings.h>

enum {
    EMBEDDED_HEADER_BYTES = 8, /* "MPDB", the size inflated */
    MAX_RATIO = 1032,          /* of deflate */
    MAX_INFLATED_BYTES = 1 << 30,
    DEFLATE_LEVEL = 6,
};

static const char windows_pdb[] = "Microsoft C/C++ MSF 7.00";

/* ---- Telling -------------------------------------------------------------------------------------------------------
 */

typedef struct teller {
    diag *to; /* the input's */
    const char *name;
} teller;

/* A fault of symbols is a warning about the input; only memory that ran out is more. */
static void tell(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    teller *t = user;
    (void)file;
    (void)severity;
    if (code == DIAG_NO_MEMORY)
        diag_no_memory(t->to);
    else
        diag_report(t->to, code == DIAG_PDB_STALE || code == DIAG_PDB_WINDOWS ? code : DIAG_PDB_DAMAGED,
                    "%s: %s; line numbers of the output will be wrong or missing", t->name, text);
}

static diag diag_of(teller *t) {
    return (diag){.sink = tell, .user = t, .file = t->name};
}

static const char *name_of(const symbols *s) {
    return s->is_embedded ? "the embedded PDB" : s->pdb_path;
}

/* ---- Names ---------------------------------------------------------------------------------------------------------
 */

static size_t folder_length(const char *path) {
    const char *slash = path_last_separator(path);
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static size_t stem_length(const char *path) {
    size_t folder = folder_length(path);
    const char *dot = strrchr(path + folder, '.');
    return dot && dot != path + folder ? (size_t)(dot - path) : strlen(path);
}

/* The first `length` bytes of one text and `size` of another; NULL when memory ran out. */
static char *join(arena *a, const char *first, size_t length, const char *second, size_t size) {
    char *joined = arena_alloc(a, length + size + 1);
    if (joined) {
        memcpy(joined, first, length);
        memcpy(joined + length, second, size);
        joined[length + size] = 0;
    }
    return joined;
}

/* The last component of a path of any system. */
static bytes file_name(bytes path) {
    size_t at = path.size;
    while (at > 0 && path.data[at - 1] != '/' && path.data[at - 1] != '\\')
        at--;
    return (bytes){path.data + at, path.size - at};
}

static bool is_file(const char *path) {
    return os_exists(path) && !os_is_directory(path);
}

/* ---- Finding -------------------------------------------------------------------------------------------------------
 */

static void find_entries(symbols *s) {
    pe_debug_entry entry;
    pe_codeview codeview;
    for (uint32_t i = 0; i < SYMBOLS_MAX_DEBUG_ENTRIES && pe_try_debug_entry(&s->image->pe, i, &entry); i++) {
        if (entry.type == PE_DEBUG_EMBEDDED_PORTABLE_PDB && !s->embedded.entry_rva)
            s->embedded = entry;
        else if (entry.type == PE_DEBUG_PDB_CHECKSUM && !s->checksum.entry_rva)
            s->checksum = entry;
        else if (pe_try_codeview(&entry, &codeview) &&
                 (!s->codeview.entry_rva ||
                  (entry.minor == PE_DEBUG_PORTABLE && s->codeview.minor != PE_DEBUG_PORTABLE)))
            s->codeview = entry;
    }
}

static ecma_status inflate_embedded(symbols *s, bytes *pdb, diag *d) {
    bytes data = s->embedded.data;
    if (data.size < EMBEDDED_HEADER_BYTES || memcmp(data.data, "MPDB", 4) != 0) {
        diag_report(d, DIAG_PDB_DAMAGED, "no MPDB header");
        return ECMA_BAD_FILE;
    }
    size_t size = load_u32(data.data + 4), packed = data.size - EMBEDDED_HEADER_BYTES;
    if (size > MAX_INFLATED_BYTES || size / MAX_RATIO > packed) {
        diag_report(d, DIAG_PDB_DAMAGED, "%zu bytes cannot be in %zu packed ones", size, packed);
        return ECMA_BAD_FILE;
    }
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    ecma_status status = ECMA_OK;
    if (!decompressor || !buffer_extend(&s->inflated, size)) {
        status = diag_no_memory(d);
    } else if (libdeflate_deflate_decompress(decompressor, data.data + EMBEDDED_HEADER_BYTES, packed, s->inflated.data,
                                             size, NULL) != LIBDEFLATE_SUCCESS) {
        diag_report(d, DIAG_PDB_DAMAGED, "it does not inflate to its %zu bytes", size);
        status = ECMA_BAD_FILE;
    }
    libdeflate_free_decompressor(decompressor);
    *pdb = buffer_bytes(&s->inflated);
    return status;
}

static ecma_status open_pdb(symbols *s, bytes file, arena *a, diag *d) {
    if (file.size >= sizeof windows_pdb && memcmp(file.data, windows_pdb, sizeof windows_pdb - 1) == 0) {
        diag_report(d, DIAG_PDB_WINDOWS,
                    "a Windows PDB, which only fits the original code: build with DebugType portable, or convert it "
                    "with Pdb2Pdb");
        return ECMA_UNSUPPORTED;
    }
    ecma_status status = md_view_open(&s->pdb, file, a, d);
    const uint8_t *id;
    pe_codeview codeview;
    if (status)
        return status;
    if (!pdb_try_id(&s->pdb, &id)) {
        diag_report(d, DIAG_PDB_DAMAGED, "no #Pdb stream");
        return ECMA_BAD_FILE;
    }
    if (!pe_try_codeview(&s->codeview, &codeview)) {
        diag_report(d, DIAG_PDB_STALE, "the assembly names no PDB");
        return ECMA_BAD_FILE;
    }
    if (memcmp(codeview.guid, id, 16) != 0 || s->codeview.stamp != load_u32(id + 16)) {
        diag_report(d, DIAG_PDB_STALE, "of another build: its id is not the one that the assembly names");
        return ECMA_BAD_FILE;
    }
    return ECMA_OK;
}

static bool overlap(uint32_t rva, size_t size, uint32_t other, uint32_t other_size) {
    return rva < (uint64_t)other + other_size && other < (uint64_t)rva + size;
}

/* True if the data of a debug entry may be replaced: it is mapped, and nothing else uses it. */
static bool is_free(const symbols *s, const bodies *b, const pe_debug_entry *e) {
    const pe_image *pe = &s->image->pe;
    const pe_directory others[] = {pe->cli.metadata, pe->cli.resources, pe->cli.strong_name};
    if (e->entry_rva == 0)
        return true;
    if (e->data.size == 0)
        return false;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (overlap(e->rva, e->data.size, others[i].rva, others[i].size))
            return false;
    for (unsigned i = 0; i < PE_DIRECTORY_COUNT; i++)
        if (i != PE_DIRECTORY_CERTIFICATE &&
            overlap(e->rva, e->data.size, pe->directories[i].rva, pe->directories[i].size))
            return false;
    pe_debug_entry other;
    for (uint32_t i = 0; pe_try_debug_entry(pe, i, &other); i++)
        if (i >= SYMBOLS_MAX_DEBUG_ENTRIES ||
            (other.entry_rva != e->entry_rva && overlap(e->rva, e->data.size, other.rva, (uint32_t)other.data.size)))
            return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (overlap(e->rva, e->data.size, b->list[i].rva, b->list[i].size))
            return false;
    for (uint32_t i = 0; i < b->anchor_count; i++)
        if (b->anchors[i] != e->rva && overlap(e->rva, e->data.size, b->anchors[i], 1))
            return false;
    return true;
}

/* The PDB beside the input: by its own name, else by the name that the assembly gives. NULL path: there is none. */
static bool find_beside(symbols *s, arena *a, const char *input, const char *output) {
    pe_codeview codeview;
    s->pdb_path = join(a, input, stem_length(input), ".pdb", 4);
    s->pdb_output = join(a, output, stem_length(output), ".pdb", 4);
    if (!s->pdb_path || !s->pdb_output)
        return false;
    if (!is_file(s->pdb_path) && pe_try_codeview(&s->codeview, &codeview)) {
        bytes name = file_name(codeview.path);
        s->pdb_path = join(a, input, folder_length(input), (const char *)name.data, name.size);
        if (!s->pdb_path)
            return false;
    }
    if (!is_file(s->pdb_path) || os_same_file(s->pdb_path, input) || path_compare(s->pdb_output, output) == 0)
        s->pdb_path = NULL;
    return true;
}

ecma_status symbols_name_beside(const char **pdb, ilj_image *image, const char *input) {
    symbols s = {.image = image};
    find_entries(&s);
    if (s.embedded.entry_rva == 0 && !find_beside(&s, &image->arena, input, ""))
        return ECMA_NO_MEMORY;
    *pdb = s.pdb_path;
    return ECMA_OK;
}

/* Status of a step that may fail without ending the run. */
static ecma_status only_memory(ecma_status status) {
    return status == ECMA_NO_MEMORY ? status : ECMA_OK;
}

static ecma_status find_pdb(symbols *s, ilj_image *image, const bodies *b, const char *input, const char *output) {
    bytes file = {0};
    s->is_embedded = s->embedded.entry_rva != 0;
    if (!s->is_embedded && input && !find_beside(s, &image->arena, input, output))
        return diag_no_memory(&image->diag);
    if (!s->is_embedded && !s->pdb_path)
        return ECMA_OK;
    teller t = {&image->diag, name_of(s)};
    diag d = diag_of(&t);
    ecma_status status;
    if (s->is_embedded) {
        status = inflate_embedded(s, &file, &d);
    } else {
        status = os_read_file(&s->pdb_file, &d, s->pdb_path);
        file = s->pdb_file.content;
    }
    if (status == ECMA_OK)
        status = open_pdb(s, file, &image->arena, &d);
    if (status == ECMA_OK &&
        (!is_free(s, b, &s->codeview) || !is_free(s, b, &s->checksum) || !is_free(s, b, &s->embedded))) {
        diag_report(&d, DIAG_PDB_DAMAGED, "the debug directory's data cannot be replaced");
        status = ECMA_UNSUPPORTED;
    }
    s->has_pdb = status == ECMA_OK;
    return only_memory(status);
}

static ecma_status find_mdb(symbols *s, ilj_image *image, const char *input, const char *output) {
    s->mdb_path = join(&image->arena, input, strlen(input), ".mdb", 4);
    s->mdb_output = join(&image->arena, output, strlen(output), ".mdb", 4);
    if (!s->mdb_path || !s->mdb_output)
        return diag_no_memory(&image->diag);
    if (!is_file(s->mdb_path))
        return ECMA_OK;
    teller t = {&image->diag, s->mdb_path};
    diag d = diag_of(&t);
    ecma_status status = os_read_file(&s->mdb_file, &d, s->mdb_path);
    const uint8_t *mvid;
    bytes own;
    if (status)
        return only_memory(status);
    if (!mdb_try_mvid(s->mdb_file.content, &mvid))
        diag_report(&d, DIAG_PDB_DAMAGED, "not a Mono symbol file of version 50");
    else if (!md_try_guid(&image->metadata, md_cell(&image->metadata, MD_Module_Mvid, 1), &own) ||
             memcmp(own.data, mvid, 16) != 0)
        diag_report(&d, DIAG_PDB_STALE, "of another build: its MVID is not the assembly's");
    else
        s->has_mdb = true;
    return ECMA_OK;
}

ecma_status symbols_find(symbols *s, ilj_image *image, const bodies *b, const char *input, const char *output) {
    ecma_status status;
    s->image = image;
    find_entries(s);
    if ((status = find_pdb(s, image, b, input, output)) || (input && (status = find_mdb(s, image, input, output))))
        return status;
    s->active = s->has_pdb || s->has_mdb;
    if (s->active && !pdb_moves_init(&s->moves, md_row_count(&image->metadata, MD_TABLE_MethodDef), &image->arena))
        return diag_no_memory(&image->diag);
    return ECMA_OK;
}

void symbols_record_map(symbols *s, uint32_t method_row, uint32_t old_code_size, il_edit *il) {
    uint32_t count;
    const il_point *points = il_map_points(il, &count);
    const pdb_method facts = {.old_size = old_code_size,
                              .new_size = il_edit_code_size(il),
                              .tail = il_edit_tail_offset(il),
                              .local_signature = md_token_row(il->local_var_sig_token)};
    pdb_moves_begin(&s->moves, method_row, &facts);
    for (uint32_t i = 0; i < count; i++)
        pdb_moves_add(&s->moves, method_row,
                      (pdb_move){points[i].old, points[i].end, points[i].reference, points[i].self, points[i].after});
}

/* ---- Rewriting -----------------------------------------------------------------------------------------------------
 */

static void change(symbols *s, const pe_debug_entry *e, size_t start) {
    s->changes[s->change_count++] = (debug_change){.entry_rva = e->entry_rva,
                                                   .data_rva = e->rva,
                                                   .old_size = (uint32_t)e->data.size,
                                                   .data = {NULL, s->data.size - start}};
}

/* "RSDS", the id's GUID, age 1 and the path, with the output PDB's file name. */
static void change_codeview(symbols *s) {
    pe_codeview codeview = {0};
    size_t start = s->data.size;
    (void)pe_try_codeview(&s->codeview, &codeview);
    bytes name = file_name(codeview.path);
    buffer_append(&s->data, "RSDS", 4);
    buffer_append(&s->data, s->id, 16);
    buffer_u32(&s->data, 1);
    const char *wanted = s->is_embedded ? NULL : s->pdb_output + folder_length(s->pdb_output);
    if (!wanted || (strlen(wanted) == name.size && strncasecmp(wanted, (const char *)name.data, name.size) == 0)) {
        buffer_append(&s->data, codeview.path.data, codeview.path.size);
    } else {
        buffer_append(&s->data, codeview.path.data, codeview.path.size - name.size);
        buffer_string(&s->data, wanted);
    }
    buffer_u8(&s->data, 0);
    change(s, &s->codeview, start);
    s->changes[s->change_count - 1].set_stamp = true;
    s->changes[s->change_count - 1].stamp = load_u32(s->id + 16);
}

static ecma_status change_embedded(symbols *s, diag *d) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    size_t start = s->data.size, packed = 0;
    buffer_append(&s->data, "MPDB", 4);
    buffer_u32(&s->data, (uint32_t)s->new_pdb.size);
    size_t bound = compressor ? libdeflate_deflate_compress_bound(compressor, s->new_pdb.size) : 0;
    size_t at = s->data.size;
    uint8_t *p = buffer_extend(&s->data, bound);
    if (compressor && p)
        packed = libdeflate_deflate_compress(compressor, s->new_pdb.data, s->new_pdb.size, p, bound);
    libdeflate_free_compressor(compressor);
    if (packed == 0)
        return diag_no_memory(d);
    s->data.size = at + packed;
    change(s, &s->embedded, start);
    return ECMA_OK;
}

static ecma_status change_entries(symbols *s, const uint8_t checksum[SHA256_BYTES], diag *d) {
    static const char algorithm[] = "SHA256";
    ecma_status status = ECMA_OK;
    change_codeview(s);
    if (s->checksum.entry_rva) {
        size_t start = s->data.size;
        buffer_append(&s->data, algorithm, sizeof algorithm);
        buffer_append(&s->data, checksum, SHA256_BYTES);
        change(s, &s->checksum, start);
    }
    if (s->is_embedded)
        status = change_embedded(s, d);
    if (status == ECMA_OK && s->data.failed)
        status = diag_no_memory(d);
    /* The buffer has stopped moving. */
    size_t at = 0;
    for (uint32_t i = 0; status == ECMA_OK && i < s->change_count; i++) {
        s->changes[i].data.data = s->data.data + at;
        at += s->changes[i].data.size;
    }
    return status;
}

static bool is_changed(const symbols *s, const pe_debug_entry *e) {
    for (uint32_t i = 0; i < s->change_count; i++)
        if (s->changes[i].entry_rva == e->entry_rva)
            return true;
    return false;
}

/* A debugger would find the PDB that an entry names, beside the output or on a symbol server, and show lines of code
 * that is elsewhere now; an embedded one is not even asked for its id. */
static void retire_entries(symbols *s) {
    pe_debug_entry e;
    if (pe_needs_append(&s->image->pe) && !s->image->pe.keeps_ahead)
        return; /* it is that of the native code, too */
    for (uint32_t i = 0; i < SYMBOLS_MAX_DEBUG_ENTRIES && pe_try_debug_entry(&s->image->pe, i, &e); i++)
        if ((e.type == PE_DEBUG_CODEVIEW || e.type == PE_DEBUG_EMBEDDED_PORTABLE_PDB ||
             e.type == PE_DEBUG_PDB_CHECKSUM) &&
            !is_changed(s, &e))
            s->changes[s->change_count++] =
                (debug_change){.entry_rva = e.entry_rva, .set_type = true, .type = PE_DEBUG_UNKNOWN};
}

static ecma_status rewrite_pdb(symbols *s, const md_edit *edit, diag *d) {
    uint8_t checksum[SHA256_BYTES];
    teller t = {d, name_of(s)};
    diag own = diag_of(&t);
    arena scratch = ARENA_INIT;
    ecma_status status = pdb_rewrite(&s->new_pdb, s->id, checksum, &(pdb_source){&s->pdb, edit, &s->moves}, &scratch, &own);
    arena_clear(&scratch);
    s->has_pdb = status == ECMA_OK;
    return s->has_pdb ? change_entries(s, checksum, d) : only_memory(status);
}

ecma_status symbols_rewrite(symbols *s, const md_edit *edit, diag *d) {
    ecma_status status = ECMA_OK;
    if (s->moves.list.failed)
        return diag_no_memory(d);
    if (s->has_pdb)
        status = rewrite_pdb(s, edit, d);
    retire_entries(s);
    return status;
}

ecma_status symbols_rewrite_mdb(symbols *s, const uint8_t mvid[16], diag *d) {
    memcpy(s->mvid, mvid, sizeof s->mvid);
    if (!s->has_mdb)
        return ECMA_OK;
    teller t = {d, s->mdb_path};
    diag own = diag_of(&t);
    ecma_status status = mdb_rewrite(&s->new_mdb, s->mdb_file.content, mvid, &s->moves, &own);
    s->has_mdb = status == ECMA_OK;
    return only_memory(status);
}

/* An .mdb where the output's would be, though it has none: Mono goes by the MVID, which may be an earlier run's. */
static ecma_status tell_leftover(const symbols *s, diag *d) {
    if (s->has_mdb || !s->mdb_output || !is_file(s->mdb_output))
        return ECMA_OK;
    teller t = {d, s->mdb_output};
    diag own = diag_of(&t);
    os_map map = OS_MAP_INIT;
    const uint8_t *mvid;
    ecma_status status = os_map_file(&map, &own, s->mdb_output);
    if (status == ECMA_OK && mdb_try_mvid(map.content, &mvid) && memcmp(mvid, s->mvid, sizeof s->mvid) == 0)
        diag_report(&own, DIAG_PDB_STALE, "of an earlier run, but with this MVID: remove it");
    os_unmap(&map);
    return only_memory(status);
}

ecma_status symbols_prepare(const symbols *s, diag *d) {
    ecma_status status = ECMA_OK;
    if (s->has_pdb && !s->is_embedded)
        status = companions_prepare(d, s->pdb_output, buffer_bytes(&s->new_pdb), s->pdb_path);
    if (status == ECMA_OK && s->has_mdb)
        status = companions_prepare(d, s->mdb_output, buffer_bytes(&s->new_mdb), s->mdb_path);
    return status;
}

ecma_status symbols_settle(const symbols *s, bool keep, diag *d) {
    ecma_status status = ECMA_OK;
    if (s->has_pdb && !s->is_embedded)
        status = companions_settle(d, s->pdb_output, keep);
    if (status == ECMA_OK && s->has_mdb)
        status = companions_settle(d, s->mdb_output, keep);
    return status || !keep ? status : tell_leftover(s, d);
}

ecma_status symbols_resume(ilj_image *image, const char *path) {
    symbols s = {.image = image};
    diag silent = {0};
    const char *pdb = join(&image->arena, path, stem_length(path), ".pdb", 4);
    const char *mdb = join(&image->arena, path, strlen(path), ".mdb", 4);
    os_map map = OS_MAP_INIT;
    bool found = false;
    const uint8_t *mvid;
    bytes own;
    ecma_status status = pdb && mdb ? ECMA_OK : diag_no_memory(&image->diag);
    find_entries(&s);
    if (!status && (status = os_map_prepared(&map, &found, &image->diag, pdb)) == ECMA_OK && found)
        status = companions_settle(&image->diag, pdb, open_pdb(&s, map.content, &image->arena, &silent) == ECMA_OK);
    os_unmap(&map);
    if (!status && (status = os_map_prepared(&map, &found, &image->diag, mdb)) == ECMA_OK && found)
        status =
            companions_settle(&image->diag, mdb,
                              mdb_try_mvid(map.content, &mvid) &&
                                  md_try_guid(&image->metadata, md_cell(&image->metadata, MD_Module_Mvid, 1), &own) &&
                                  memcmp(own.data, mvid, 16) == 0);
    os_unmap(&map);
    return status;
}

ecma_status symbols_copy(diag *d, const char *input, const char *output) {
    arena a = ARENA_INIT;
    const char *from[2] = {join(&a, input, stem_length(input), ".pdb", 4), join(&a, input, strlen(input), ".mdb", 4)};
    const char *to[2] = {join(&a, output, stem_length(output), ".pdb", 4), join(&a, output, strlen(output), ".mdb", 4)};
    ecma_status status = from[0] && from[1] && to[0] && to[1] ? ECMA_OK : diag_no_memory(d);
    for (unsigned i = 0; i < 2 && status == ECMA_OK; i++) {
        os_map map = OS_MAP_INIT;
        if (!is_file(from[i]) || os_same_file(from[i], to[i]) || os_same_file(from[i], input) ||
            path_compare(to[i], output) == 0)
            continue;
        if ((status = os_map_file(&map, d, from[i])) == ECMA_OK)
            status = companions_put(d, to[i], map.content, from[i]);
        os_unmap(&map);
    }
    arena_clear(&a);
    return status;
}

void symbols_clear(symbols *s) {
    pdb_moves_clear(&s->moves);
    buffer_clear(&s->inflated);
    buffer_clear(&s->new_pdb);
    buffer_clear(&s->new_mdb);
    buffer_clear(&s->data);
    os_unmap(&s->pdb_file);
    os_unmap(&s->mdb_file);
}
