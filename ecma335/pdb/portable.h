/* portable.h - a portable PDB that goes along with rewritten methods (Portable PDB v1.0, the format's specification in
 * dotnet/runtime).
 *
 * Nothing is renumbered: new blobs go to the end of the heap, rows stay where they are. Changed are the sequence
 * points of rewritten methods, the bounds of their local scopes, hoisted scopes and async steps, one
 * MethodDebugInformation row for each method that was added, the row counts of the #Pdb stream with the widths that
 * follow, and the id. */
#ifndef ECMA335_PDB_PORTABLE_H
#define ECMA335_PDB_PORTABLE_H

#include "base/sha256.h"
#include "metadata/edit.h"
#include "pdb/moves.h"

enum { PDB_ID_BYTES = 20 }; /* a GUID, and the stamp of the CodeView entry */

/* The id of an opened PDB; false when it has no #Pdb stream: it is no portable PDB. */
bool pdb_try_id(const md_view *pdb, const uint8_t **id);

typedef struct pdb_source {
    const md_view *pdb;      /* the input's */
    const md_edit *assembly; /* with all rows that the output's tables have */
    const pdb_moves *moves;
} pdb_source;

/* Appends the PDB of the output; scratch goes to the arena. `checksum` becomes the hash of the new PDB with its id
 * zeroed, `id` is made from it. Returns ECMA_OK; ECMA_BAD_FILE (reported): the PDB is damaged or not this assembly's;
 * ECMA_UNSUPPORTED (reported): a limit is passed; ECMA_NO_MEMORY. */
ecma_status pdb_rewrite(buffer *out, uint8_t id[PDB_ID_BYTES], uint8_t checksum[SHA256_BYTES], const pdb_source *from,
                        arena *a, diag *d);

#endif
