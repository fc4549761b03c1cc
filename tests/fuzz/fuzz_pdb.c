/* Rewrites any bytes as the symbols of a made assembly: portable PDB or .mdb, as they begin. What is written reads
 * back; an .mdb is taken again when nothing has moved. */
#include "made_pdb.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_portable(made_pair *p, bytes file) {
    diag d = {0};
    md_view before, after;
    buffer out = BUFFER_INIT;
    uint8_t id[PDB_ID_BYTES], checksum[SHA256_BYTES];
    if (md_view_open(&before, file, &p->arena, &d) == ECMA_OK &&
        pdb_rewrite(&out, id, checksum, &before, &p->edit, &p->moves, &p->arena, &d) == ECMA_OK) {
        const uint8_t *written;
        if (md_view_open(&after, buffer_bytes(&out), &p->arena, &d) || !pdb_try_id(&after, &written) ||
            memcmp(written, id, sizeof id) != 0)
            abort();
        uint32_t rows = md_row_count(&before, MD_TABLE_MethodDebugInformation);
        if (md_row_count(&after, MD_TABLE_MethodDebugInformation) != (rows ? MADE_METHODS + 2 : 0))
            abort();
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
        (mdb_rewrite(&again, buffer_bytes(&out), mvid, &none, &d) != ECMA_OK || again.size != out.size))
        abort();
    buffer_clear(&out);
    buffer_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    made_pair p;
    made_pair_init(&p);
    const uint8_t *mvid;
    if (mdb_try_mvid(bytes_of(data, size), &mvid))
        fuzz_mdb(&p, bytes_of(data, size));
    else
        fuzz_portable(&p, bytes_of(data, size));
    made_pair_clear(&p);
    return 0;
}
