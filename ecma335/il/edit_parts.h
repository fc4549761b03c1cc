/* edit_parts.h - what edit.c, layout.c and encode.c share of an il_edit. */
#ifndef ECMA335_IL_EDIT_PARTS_H
#define ECMA335_IL_EDIT_PARTS_H

#include "il/edit.h"
#include "il/grow.h"
#include "il/opcode.h"

/* A branch or switch of the old code, or a ret that a guard makes one. */
typedef struct il_branch {
    uint32_t offset;
    uint32_t target;    /* old offset; for a switch the index of its first arm in edit->arms */
    uint32_t arm_count; /* of a switch; else 0 */
    int32_t distance;   /* layout: the new distance of a branch that is still short */
    uint8_t opcode;     /* il_opcode */
    bool is_short;      /* as read */
    bool is_ret;        /* becomes a leave to the guard's exit; target is unused */
    bool stays_short;   /* layout: is short in the new code */
    bool is_near;       /* layout: so short that nothing makes it long; its distance is not known */
} il_branch;

typedef struct il_insertion {
    uint32_t offset;
    il_place place;
    bytes code;
    bool used;           /* IL_APART: something refers to it */
    uint32_t new_offset; /* IL_APART: of its copy */
} il_insertion;

static inline bool il_is_start(const il_edit *edit, uint32_t offset) {
    return edit->starts[offset >> 6] >> (offset & 63) & 1;
}

/* Size in the old code. */
static inline uint32_t il_branch_size(const il_branch *b) {
    return b->is_ret ? 1 : b->opcode == IL_switch ? 5 + 4 * b->arm_count : b->is_short ? 2 : 5;
}

/* How many clauses the guard adds to the last section, and the one at `index` of them. */
static inline uint32_t il_guard_clause_count(const il_edit *edit) {
    return !edit->guarded ? 0 : edit->guard.filter.size ? 2 : 1;
}
void il_guard_clause(const il_edit *edit, uint32_t index, il_clause *c);

/* The IL_APART insertion at an old offset, or NULL. */
const il_insertion *il_apart_at(const il_edit *edit, uint32_t offset);

/* Of the rewritten body, after the offsets are final: how many clauses a section has, and the clause at `index`, over
 * all sections. */
uint32_t il_section_clauses(const il_edit *edit, uint32_t section);
void il_new_clause(const il_edit *edit, uint32_t index, il_clause *c, uint32_t *near);

/* il_map_offset for many offsets, one near the other: *near, 0 at first, is where the last one was found. */
uint32_t il_map_offset_near(const il_edit *edit, uint32_t old_offset, uint32_t *near);

#endif
