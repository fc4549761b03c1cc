/* moves.h - where the code of rewritten methods went: for each MethodDef row the map from old IL offsets to new ones.
 *
 * A map is a list of moves at rising old offsets; before the first nothing moved. It is kept for as long as the symbols
 * need it, after the editor that made it has gone on to other methods. */
#ifndef ECMA335_PDB_MOVES_H
#define ECMA335_PDB_MOVES_H

#include "base/arena.h"
#include "base/buffer.h"

/* At and after this old offset. Each of the others is added to the old offset, modulo 2^32: where a range ends that
 * ends there, where one starts that starts there (or a reference leads), where the instruction stands, and for all
 * offsets after it up to the next move. An offset after this one stays after the instruction's first byte, also when
 * the instruction is a branch that became short. */
typedef struct pdb_move {
    uint32_t old, end, start, self, after;
} pdb_move;

typedef struct pdb_method {
    size_t first; /* in pdb_moves.list */
    uint32_t count;
    bool rewritten;
    uint32_t old_size, new_size; /* of the code, bytes */
    uint32_t tail; /* new offset of code that stands after all of the old; new_size for none */
    uint32_t local_signature;    /* StandAloneSig row of the new body; 0 for none */
} pdb_method;

typedef struct pdb_moves {
    pdb_method *methods;   /* by MethodDef row; row 0 is unused; in the arena */
    uint32_t method_count; /* the highest row */
    buffer list;           /* of pdb_move */
} pdb_moves;

/* Returns false when memory ran out. */
bool pdb_moves_init(pdb_moves *moves, uint32_t method_count, arena *a);
void pdb_moves_clear(pdb_moves *moves);

/* Starts a method's map; pdb_moves_add then appends to it. `moves->list.failed` when memory ran out. */
void pdb_moves_begin(pdb_moves *moves, uint32_t method_row, const pdb_method *facts);
void pdb_moves_add(pdb_moves *moves, uint32_t method_row, pdb_move move);

/* The method when it was rewritten, else NULL (also for rows there are not). */
const pdb_method *pdb_moves_of(const pdb_moves *moves, uint32_t method_row);

/* The new offset for an old one. Offsets past the old code's end stay as far past the new one's; the result is 64 bits
 * wide, so that it cannot wrap. */
uint64_t pdb_move_start(const pdb_moves *moves, const pdb_method *method, uint32_t old);
uint64_t pdb_move_end(const pdb_moves *moves, const pdb_method *method, uint32_t old);

#endif
