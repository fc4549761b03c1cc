/* mdb.h - Mono's .mdb symbol file, version 50 (what mcs -debug writes; Mono.CompilerServices.SymbolWriter describes it
 * in code): a header with the module's MVID, an offset table, and for each method a line number program and code
 * blocks.
 *
 * Line number programs and code blocks of rewritten methods go again to the end of the file, what pointed at the old
 * ones is changed; all else stays. */
#ifndef ECMA335_PDB_MDB_H
#define ECMA335_PDB_MDB_H

#include "base/diag.h"
#include "pdb/moves.h"

/* The MVID of the module that a .mdb file belongs to, 16 bytes; false when it is no such file. */
bool mdb_try_mvid(bytes file, const uint8_t **mvid);

/* Appends the new file. Returns ECMA_OK; ECMA_BAD_FILE (reported as DIAG_PDB_DAMAGED); ECMA_NO_MEMORY (reported). */
ecma_status mdb_rewrite(buffer *out, bytes file, const uint8_t mvid[16], const pdb_moves *moves, diag *d);

#endif
