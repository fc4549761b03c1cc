#include "pdb/moves.h"

bool pdb_moves_init(pdb_moves *moves, uint32_t method_count, arena *a) {
    *moves = (pdb_moves){.method_count = method_count, .list = BUFFER_INIT};
    moves->methods = arena_alloc_array(a, (size_t)method_count + 1, sizeof *moves->methods);
    return moves->methods != NULL;
}

void pdb_moves_clear(pdb_moves *moves) {
    buffer_clear(&moves->list);
}

void pdb_moves_begin(pdb_moves *moves, uint32_t method_row, const pdb_method *facts) {
    pdb_method *m = &moves->methods[method_row];
    *m = *facts;
    m->rewritten = true;
    m->first = moves->list.size / sizeof(pdb_move);
    m->count = 0;
}

void pdb_moves_add(pdb_moves *moves, uint32_t method_row, pdb_move move) {
    buffer_append(&moves->list, &move, sizeof move);
    moves->methods[method_row].count++;
}

const pdb_method *pdb_moves_of(const pdb_moves *moves, uint32_t method_row) {
    if (method_row == 0 || method_row > moves->method_count || !moves->methods[method_row].rewritten)
        return NULL;
    return &moves->methods[method_row];
}

/* The last move at or before an old offset; false when there is none. */
static bool move_before(const pdb_moves *moves, const pdb_method *method, uint32_t old, pdb_move *found) {
    const uint8_t *list = moves->list.data + method->first * sizeof *found;
    uint32_t low = 0, high = method->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(found, list + middle * sizeof *found, sizeof *found);
        if (found->old <= old)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    memcpy(found, list + (low - 1) * sizeof *found, sizeof *found);
    return true;
}

static uint64_t moved(const pdb_moves *moves, const pdb_method *method, uint32_t old, bool is_end) {
    pdb_move m;
    if (old >= method->old_size)
        return (uint64_t)method->new_size + (old - method->old_size);
    if (!move_before(moves, method, old, &m))
        return old;
    if (m.old == old)
        return old + (is_end ? m.end : m.start);
    uint32_t now = old + m.after, least = m.old + m.self + 1;
    return (int32_t)(now - least) < 0 ? least : now;
}

uint64_t pdb_move_start(const pdb_moves *moves, const pdb_method *method, uint32_t old) {
    return moved(moves, method, old, false);
}

uint64_t pdb_move_end(const pdb_moves *moves, const pdb_method *method, uint32_t old) {
    return moved(moves, method, old, true);
}
