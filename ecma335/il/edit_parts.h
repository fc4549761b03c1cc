/* edit_parts.h - what edit.c, layout.c and encode.c share of an il_edit. */
#ifndef ECMA335_IL_EDIT_PARTS_H
#define ECMA335_IL_EDIT_PARTS_H

#include "il/edit.h"
#include "il/grow.h"
#include "il/opcode.h"

/* The form of a branch in the new code. */
enum {
    IL_FORM_LONG,
    IL_FORM_SHORT, /* as long as it reaches */
    IL_FORM_NEAR,  /* short, and nothing makes it long; its distance is not known */
};

enum {
    IL_RET_SIZE = 1, /* becomes a leave to the guard's exit; its target is unused */
    IL_SHORT_SIZE = 2,
    IL_LONG_SIZE = 5,
};

/* A branch or switch of the old code, or a ret that a guard makes one. */
typedef struct il_branch {
    uint32_t offset;
    uint32_t target; /* old offset; for a switch the index of its first arm in edit->arms */
    union {
        uint32_t arm_count; /* of a switch */
        int32_t distance;   /* of another, by the layout: the new one, of IL_FORM_SHORT */
    };
    uint8_t opcode; /* il_opcode, of its short form; or IL_switch */
    uint8_t size;   /* in the old code, IL_RET_SIZE and so on; 0 for a switch: its arms give the size */
    uint8_t form;   /* layout */
} il_branch;

typedef struct il_insertion {
    uint32_t offset;
    uint32_t start;      /* of its code, in edit->inserted */
    uint32_t size;       /* growth of the code in bytes; the inserted code has `replaced` bytes more */
    uint32_t new_offset; /* IL_APART: of its copy */
    uint8_t place;       /* il_place, or IL_REPLACEMENT */
    uint8_t replaced;    /* IL_REPLACEMENT: the old instruction's size; else 0 */
    bool used;           /* IL_APART: something refers to it */
} il_insertion;

/* Stands after all that is inserted at its offset. */
enum { IL_REPLACEMENT = IL_APART + 1 };

static inline bytes il_inserted_code(const il_edit *edit, const il_insertion *in) {
    return bytes_of(edit->inserted.data + in->start, (size_t)in->size + in->replaced);
}

/* Brings the insertions into code order. */
void il_sort_insertions(il_edit *edit);

static inline bool il_is_start(const il_edit *edit, uint32_t offset) {
    return edit->starts[offset >> 6] >> (offset & 63) & 1;
}

static inline bool il_is_switch(const il_branch *b) {
    return b->size == 0;
}
static inline bool il_is_ret(const il_branch *b) {
    return b->size == IL_RET_SIZE;
}

/* Size in the old code. */
static inline uint32_t il_branch_size(const il_branch *b) {
    return b->size ? b->size : 5 + 4 * b->arm_count;
}

/* Whether the instruction at `offset` has a prefix before it. */
bool il_is_inner(const il_edit *edit, uint32_t offset);

/* The scan of il_edit_begin. */
ecma_status il_scan(il_edit *edit, il_fault *fault);

/* How many clauses the guard adds to the last section, and the one at `index` of them. */
static inline uint32_t il_guard_clause_count(const il_edit *edit) {
    return !edit->guarded ? 0 : edit->guard.filter.size ? 2 : 1;
}
static inline void il_guard_clause(const il_edit *edit, uint32_t index, il_clause *c) {
    const uint32_t start = edit->guard_offset;
    uint32_t behind = edit->handler_offset + (uint32_t)edit->guard.fault.size;
    if (index == 0) {
        *c = (il_clause){.flags = IL_CLAUSE_FAULT,
                         .try_offset = start,
                         .try_length = edit->handler_offset - start,
                         .handler_offset = edit->handler_offset,
                         .handler_length = (uint32_t)edit->guard.fault.size};
        return;
    }
    *c = (il_clause){.flags = IL_CLAUSE_FILTER,
                     .try_offset = start,
                     .try_length = behind - start,
                     .class_token_or_filter_offset = behind,
                     .handler_offset = behind + (uint32_t)edit->guard.filter.size,
                     .handler_length = (uint32_t)edit->guard.filter_handler.size};
}

/* Has the rewritten body one section, with one clause, the guard's? Most guarded bodies do. */
static inline bool il_has_guard_alone(const il_edit *edit) {
    return edit->guarded && edit->adds_section && edit->guard.filter.size == 0;
}

/* The IL_APART insertion at an old offset, or NULL. */
const il_insertion *il_apart_at(const il_edit *edit, uint32_t offset);

/* The body's own clause at `index`, for the rewritten body, after the offsets are final. */
void il_moved_clause(const il_edit *edit, uint32_t index, il_clause *c);

/* For the rewritten body: how many clauses a section has, and the clause at `index`, over all sections. */
static inline uint32_t il_section_clauses(const il_edit *edit, uint32_t section) {
    bool last = section + 1 == edit->body.section_count;
    return edit->body.sections[section].clause_count + (last ? il_guard_clause_count(edit) : 0);
}
static inline void il_new_clause(const il_edit *edit, uint32_t index, il_clause *c) {
    if (index < edit->body.clause_count)
        il_moved_clause(edit, index, c);
    else
        il_guard_clause(edit, index - edit->body.clause_count, c);
}

/* A block has at most as many points as bytes, so none of them is far from where the block starts. */
enum { IL_POINT_BLOCK = 32 };

/* The last point at or before an old offset, after il_edit_layout has built the map. */
static inline const il_point *il_point_before(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = &edit->points[edit->blocks[old_offset / IL_POINT_BLOCK]];
    while (p->old <= old_offset)
        p++;
    return p - 1;
}

/* An old offset after the last point before it: not at or before the first byte of the instruction at the point, even
 * when it is amid a branch that was made short. */
static inline uint32_t il_behind_point(const il_point *p, uint32_t old_offset) {
    uint32_t moved = old_offset + p->after, least = p->old + p->self + 1;
    return (int32_t)(moved - least) < 0 ? least : moved;
}

/* il_map_offset, il_map_end. */
static inline uint32_t il_new_reference(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = il_point_before(edit, old_offset);
    return p->old == old_offset ? old_offset + p->reference : il_behind_point(p, old_offset);
}

static inline uint32_t il_new_end(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = il_point_before(edit, old_offset);
    return p->old == old_offset ? old_offset + p->end : il_behind_point(p, old_offset);
}

#endif
