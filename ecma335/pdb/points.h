/* points.h - a method's sequence points (Portable PDB, "Sequence Points Blob"), moved to its new code. */
#ifndef ECMA335_PDB_POINTS_H
#define ECMA335_PDB_POINTS_H

#include "pdb/moves.h"

/* Appends the moved blob to `out` (without its length): the new local signature, every old point at its new offset with
 * its lines, columns and document as they were. A first point at 0 stays there, before the injected head: a JIT
 * attributes to offset 0 the faults of a whole method (range checks, overflows, inlined callees).
 * `has_document`: the row names the method's document, so that the blob does not. false when the blob breaks its format
 * or an offset passes what can be encoded; `out` then holds a part. */
bool pdb_move_points(buffer *out, bytes blob, bool has_document, const pdb_moves *moves, const pdb_method *method);

#endif
