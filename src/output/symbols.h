/* symbols.h - the debugging symbols that belong to an input, and what becomes of them: a portable PDB beside it or
 * embedded in it, Mono's .mdb.
 *
 *     symbols_find       which there are, and whether they are this assembly's
 *     symbols_record     each method's map from old offsets to new ones
 *     symbols_rewrite    the new PDB, and what the debug directory says of it
 *     symbols_rewrite_mdb  when the MVID is known
 *     symbols_prepare, symbols_settle  beside the output
 *     symbols_clear
 *
 * Symbols that are stale, damaged or of a kind that is not rewritten are a warning; the output goes on without, and no
 * longer names or holds a PDB: it would only fit the original's code. */
#ifndef ILINJECT_OUTPUT_SYMBOLS_H
#define ILINJECT_OUTPUT_SYMBOLS_H

#include "il/edit.h"
#include "output/rewrite.h"
#include "pdb/portable.h"
#include "pe/debug.h"

enum { SYMBOLS_MAX_DEBUG_ENTRIES = 64 };

typedef struct symbols {
    const ilj_image *image; /* borrowed, with its arena */
    bool active;            /* there is a PDB or .mdb to go along: methods are to be recorded */
    bool has_pdb, is_embedded, has_mdb;
    const char *pdb_path, *pdb_output; /* beside; in the arena */
    const char *mdb_path, *mdb_output;
    os_map pdb_file, mdb_file;
    buffer inflated; /* the embedded PDB */
    md_view pdb;
    pe_debug_entry codeview, checksum, embedded; /* entry_rva 0: there is none */
    pdb_moves moves;
    buffer new_pdb, new_mdb;
    uint8_t mvid[16];                                /* the output's */
    uint8_t id[PDB_ID_BYTES];                        /* of the new PDB */
    buffer data;                                     /* of the changed entries */
    debug_change changes[SYMBOLS_MAX_DEBUG_ENTRIES]; /* one an entry at most */
    uint32_t change_count;
} symbols;

/* Looks beside `input` (NULL: only in the image). `output` decides the names beside it. Returns ECMA_OK,
 * ECMA_NO_MEMORY (reported). */
ecma_status symbols_find(symbols *s, ilj_image *image, const bodies *b, const char *input, const char *output);

/* *pdb: the path of the PDB beside `input` that symbols_find would read, in the image's arena; NULL: there is none.
 * Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status symbols_name_beside(const char **pdb, ilj_image *image, const char *input);

/* Keeps the map of a method that il_edit_layout just laid out. */
void symbols_record_map(symbols *s, uint32_t method_row, uint32_t old_code_size, il_edit *il);
static inline void symbols_record(symbols *s, uint32_t method_row, uint32_t old_code_size, il_edit *il) {
    if (s->active)
        symbols_record_map(s, method_row, old_code_size, il);
}

/* Makes the new PDB and the changes to the debug directory, once every row is added. Entries that speak of a PDB but
 * not of the new one become entries of no known type, except in mixed-mode images: there the old PDB still fits the
 * native code. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status symbols_rewrite(symbols *s, const md_edit *edit, diag *d);

/* Makes the new .mdb; `mvid` is the output's. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status symbols_rewrite_mdb(symbols *s, const uint8_t mvid[16], diag *d);

/* Writes what was made beside the output, in two steps: symbols fit one assembly alone, and so take their places
 * (`keep`) when the output has taken its own, or go when it could not. The second step warns of an .mdb there that Mono
 * would take for the output's. Return ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status symbols_prepare(const symbols *s, diag *d);
ecma_status symbols_settle(const symbols *s, bool keep, diag *d);

/* For an image at `path` that is instrumented already: finishes what a process that was killed between the two steps
 * has left. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status symbols_resume(ilj_image *image, const char *path);

/* For an input that is copied through: its .pdb and .mdb as they are, when they stand beside it. Returns ECMA_OK,
 * ECMA_IO, ECMA_NO_MEMORY. */
ecma_status symbols_copy(diag *d, const char *input, const char *output);

void symbols_clear(symbols *s);

#endif
