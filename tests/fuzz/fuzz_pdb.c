/* Rewrites any bytes as the symbols of a made assembly: portable PDB or .mdb, as they begin. The output reads
 * back; an .mdb is taken again when nothing has moved. */
#include "made_pdb.h"
#include "pdb/places.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing is renumbered (pdb/portable.h): heaps begin as they did, rows stay, and so do all their cells but for
 * sequence points, the bounds of scopes and what custom information says. */
static void judge_kept(const md_view *before, const md_view *after) {
    const bytes heaps[][2] = {
        {before->strings, after->strings}, {before->blobs, after->blobs}, {before->guids, after->guids}};
    for (unsigned i = 0; i < 3; i++)
        if (heaps[i][0].size > heaps[i][1].size ||
            (heaps[i][0].size && memcmp(heaps[i][0].data, heaps[i][1].data, heaps[i][0].size) != 0))
            abort();
    for (unsigned t = MD_PDB_FIRST_TABLE; t < MD_TABLE_SPACE; t++)
        for (unsigned c = 0; c < md_tables[t].column_count; c++) {
            md_column column = md_tables[t].first_column + c;
            if (column == MD_MethodDebugInformation_SequencePoints || column == MD_LocalScope_StartOffset ||
                column == MD_LocalScope_Length || column == MD_CustomDebugInformation_Value)
                continue;
            for (uint32_t row = 1; row <= md_row_count(before, (md_table_id)t); row++)
                if (md_cell(before, column, row) != md_cell(after, column, row))
                    abort();
        }
}

static void fuzz_portable(made_pair *p, bytes file) {
    diag d = {0};
    md_view before, after;
    buffer out = BUFFER_INIT;
    uint8_t id[PDB_ID_BYTES], checksum[SHA256_BYTES];
    if (md_view_open(&before, file, &p->arena, &d) == ECMA_OK &&
        pdb_rewrite(&out, id, checksum, &(pdb_source){&before, &p->edit, &p->moves}, &p->arena, &d) == ECMA_OK) {
        const uint8_t *written;
        if (md_view_open(&after, buffer_bytes(&out), &p->arena, &d) || !pdb_try_id(&after, &written) ||
            memcmp(written, id, sizeof id) != 0)
            abort();
        uint32_t rows = md_row_count(&before, MD_TABLE_MethodDebugInformation);
        if (md_row_count(&after, MD_TABLE_MethodDebugInformation) != (rows ? MADE_METHODS + 2 : 0))
            abort();
        judge_kept(&before, &after);
        for (unsigned t = 0; t < MD_PDB_FIRST_TABLE; t++)
            if (after.width_rows[t] && after.width_rows[t] != md_edit_row_count(&p->edit, (md_table_id)t))
                abort();
    }
    buffer_clear(&out);
}

static void fuzz_mdb(const made_pair *p, bytes file) {
    static const uint8_t mvid[16] = {1};
    static const pdb_moves none = {0};
    diag d = {0};
    buffer out = BUFFER_INIT, again = BUFFER_INIT;
    if (mdb_rewrite(&out, file, mvid, &p->moves, &d) == ECMA_OK &&
        (mdb_rewrite(&again, buffer_bytes(&out), mvid, &none, &d) != ECMA_OK || again.size != out.size ||
         memcmp(again.data, out.data, out.size) != 0))
        abort();
    buffer_clear(&out);
    buffer_clear(&again);
}

/* A line without a document, or a path with a zero byte, is a fault. */
static void judge_place(pdb_place place, const buffer *path) {
    if (!place.document != !place.line || (path->size && memchr(path->data, 0, path->size)))
        abort();
}

static void fuzz_places(bytes file, bool mdb) {
    arena memory = ARENA_INIT;
    diag d = {0};
    md_view pdb;
    pdb_place places[MADE_METHODS + 1] = {{0}};
    buffer path = BUFFER_INIT;
    bool opened = !mdb && md_view_open(&pdb, file, &memory, &d) == ECMA_OK;
    if (mdb)
        mdb_places(places, MADE_METHODS, file);
    for (uint32_t row = 1; row <= MADE_METHODS && (mdb || opened); row++) {
        pdb_place place = mdb ? places[row] : pdb_place_of(&pdb, row);
        path.size = 0;
        if (mdb)
            mdb_append_document(&path, file, place.document);
        else
            pdb_append_document(&path, &pdb, place.document);
        judge_place(place, &path);
    }
    pdb_spot spots[2 * MADE_METHODS] = {{0}};
    for (uint32_t i = 0; i < 2 * MADE_METHODS; i++)
        spots[i] = (pdb_spot){.row = i / 2 + 1, .offset = i % 2 ? UINT32_MAX : 0};
    if (mdb)
        mdb_find_spots(spots, 2 * MADE_METHODS, file);
    else if (opened)
        pdb_find_spots(&pdb, spots, 2 * MADE_METHODS);
    path.size = 0;
    for (uint32_t i = 0; i < 2 * MADE_METHODS; i++)
        judge_place(spots[i].place, &path);
    bytes link = opened ? pdb_source_link(&pdb) : (bytes){0};
    if (link.size && memchr(link.data, 0, link.size))
        abort();
    buffer_clear(&path);
    arena_clear(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    made_pair p;
    made_pair_init(&p);
    const uint8_t *mvid;
    fuzz_places(bytes_of(data, size), mdb_try_mvid(bytes_of(data, size), &mvid));
    if (mdb_try_mvid(bytes_of(data, size), &mvid))
        fuzz_mdb(&p, bytes_of(data, size));
    else
        fuzz_portable(&p, bytes_of(data, size));
    made_pair_clear(&p);
    return 0;
}
