/* edit.h - rewriting a body: instructions inserted, every branch, clause and header made right again.
 *
 *     il_edit edit;
 *     il_edit_init(&edit);
 *     for each method:
 *         il_edit_begin(&edit, &body, &fault)     one scan: checks the code, finds branches and exits
 *         il_insert(&edit, offset, place, code)   any number, in any order
 *         edit.max_stack = ...                    and the other header facts, when they change
 *         il_edit_layout(&edit, &fault)           fixes every size and new offset
 *         il_edit_write(&edit, to)                the il_edit_size(&edit) bytes
 *     il_edit_clear(&edit);
 *
 * One il_edit is meant to be used for all methods in turn: its arrays are kept, so that nothing is allocated once they
 * have grown. It borrows the body's bytes until il_edit_write.
 *
 * All branches, arms, clauses and headers are written from what was decoded. Without insertions the output is the
 * body's own bytes: short branches stay short and long ones long. With them, a short branch becomes long exactly when
 * its new distance does not fit, a tiny header fat and a small section fat exactly when they must. With `shorten`, a
 * long branch becomes short exactly when its new distance fits. */
#ifndef ECMA335_IL_EDIT_H
#define ECMA335_IL_EDIT_H

#include "base/buffer.h"
#include "base/status.h"
#include "il/body.h"

/* Where inserted code stands, and who comes through it. "References" are branches, switch arms and leaves to the
 * instruction at the offset. */
typedef enum il_place {
    /* Before the instruction; reached by falling into it alone. References and clauses that start at the offset go to
     * the old instruction. At offset 0 this is code that runs once, outside every protected region. */
    IL_HEAD,
    /* Before the instruction and in its place: references go to the inserted code. A clause's range that starts at the
     * offset takes it in, one that ends there ends before it. */
    IL_BEFORE,
    /* For a `ret` after a tail call, which nothing may part from its call: references go to a copy at the end of the
     * code, the inserted code and a `ret`; falling into the old `ret` runs no inserted code. Nothing is added when
     * there are no references. */
    IL_APART,
} il_place;

/* The ways out of a method by its own code (not by exceptions), in code order. */
typedef enum il_exit_kind {
    IL_EXIT_RET,       /* code to run on the way out goes IL_BEFORE it */
    IL_EXIT_TAIL_CALL, /* a call with the prefix tail. that a ret follows; IL_BEFORE, the offset is its first prefix's
                        */
    IL_EXIT_AFTER_TAIL_CALL, /* the ret that follows; IL_APART */
    IL_EXIT_JMP,             /* IL_BEFORE */
} il_exit_kind;

typedef struct il_exit {
    uint32_t offset;
    il_exit_kind kind;
} il_exit;

/* A protected region from an old offset to the end of the code, with what stands after it:
 *
 *     .try { ...; each ret, instead: leave EXIT } fault { fault }
 *     with a filter, around both: filter { filter } { filter_handler }
 *     EXIT: exit
 *
 * Each block is whole code without branches: `fault` ends in endfault, `filter` in endfilter, `filter_handler` in
 * rethrow or throw, `exit` in ret; what the leave drops from the stack, code inserted before the ret has put by. */
typedef struct il_guard {
    uint32_t start;
    bytes fault;
    bytes filter, filter_handler; /* both or none */
    bytes exit;                   /* may be empty in a method without ret */
} il_guard;

/* How far code moves from this old offset on. Three values are for the offset itself and one for all after it: where a
 * range ends, where a reference goes, where the instruction stands, how far what follows has moved. To be added to an
 * old offset, modulo 2^32, since a branch that is made short moves what follows to the front; what is after the offset
 * stays after the instruction's first byte all the same. */
typedef struct il_point {
    uint32_t old;
    uint32_t end, reference, self, after;
} il_point;

/* The scan's findings. A tail. that no call or no ret follows is not an exit: control goes on after it. */
typedef struct il_flow {
    uint32_t ret_count; /* all, those after tail calls too */
    uint32_t tail_call_count;
    uint32_t jmp_count;
    uint32_t branch_count; /* branches and switches */
    uint32_t pushed;       /* items that all instructions push together: of an understood body without handlers, no more
                            * ever stand on the stack, since no path comes by one a second time with more */
    uint32_t local_count;  /* the highest local that an instruction names, and 1 */
    bool loads_local;      /* an instruction loads a local or its address */
    bool calls;            /* an instruction is a call, a newobj or a jmp */
    bool loops;            /* a branch or switch leads backwards, or to itself */
    bool rethrows;
    bool has_localloc;
    bool runs_off_end; /* the last instruction goes on to what is not there: invalid, but dead code may do it */
} il_flow;

typedef struct il_edit {
    /* For the caller: read after il_edit_begin; the header facts may be set until il_edit_layout. A tiny body's
     * max_stack is 8; it stays tiny while that is not exceeded and there is no local. */
    uint16_t max_stack;
    bool init_locals;
    uint32_t local_var_sig_token;
    bool shorten; /* make long branches short where they fit; false after il_edit_begin */
    il_flow flow;
    il_exit *exits; /* to be read */
    uint32_t exit_count;

    /* Not for the caller. */
    il_body body;
    uint64_t *starts; /* a bit for each code byte that starts an instruction */
    size_t starts_capacity;
    struct il_branch *branches; /* in code order; after the last one, one at UINT32_MAX */
    uint32_t branch_count;
    size_t branches_capacity;
    uint32_t *arms; /* targets of all switches */
    uint32_t arm_count;
    size_t arms_capacity;
    uint32_t *inner; /* instructions that have a prefix: no place for an insertion */
    uint32_t inner_count;
    size_t inner_capacity;
    size_t exits_capacity;
    struct il_insertion *insertions; /* in code order, unless `unsorted` */
    uint32_t insertion_count;
    size_t insertions_capacity;
    buffer inserted;   /* their code, as it was added */
    uint32_t replaced; /* bytes of old code that some of it replaces */
    bool unsorted;
    bool inserts_too_much; /* 2 GiB; not all of them are there */
    bool has_apart;        /* one of them is IL_APART */
    ecma_status refused;   /* by il_insert */
    il_point
        *points; /* the map from old to new offsets; the first is at 0, after the last one stands one at UINT32_MAX */
    uint32_t point_count; /* 0: the map is built at the first request */
    size_t points_capacity;
    uint32_t *blocks; /* of each IL_POINT_BLOCK bytes of old code, the first point that is not before them */
    size_t blocks_capacity;
    uint32_t *queue; /* branches that turned out too long to be short; their neighbours are still to be looked at */
    size_t queue_capacity;
    il_guard guard;
    bool guarded;
    bool adds_section;       /* guarded: the body has no section of its own */
    uint32_t guard_offset;   /* guarded: new offset of the guard's start */
    uint32_t handler_offset; /* guarded: new offset of the fault handler, where the old code ends */
    uint32_t exit_offset;    /* guarded: of the exit block */
    uint32_t code_size;      /* of the result */
    uint32_t size;
    bool tiny;
    bool apart_used;
    bool straight; /* the layout: nothing else changes than is inserted, and one ret at the end becomes a leave */
    bool fat_section[IL_MAX_SECTIONS];
} il_edit;

/* Does not fail and allocates nothing. */
void il_edit_init(il_edit *edit);
void il_edit_clear(il_edit *edit);

/* Starts on a body, which may be a temporary; its bytes may not. Returns ECMA_OK; ECMA_BAD_FILE when it cannot be
 * understood and `fault` says why: an undefined opcode, a branch or a clause's bound outside the code or within an
 * instruction, a branch between tail. and its call, a handler after a prefix, a prefix before nothing or before a ret
 * or branch, a clause of an unknown kind; ECMA_NO_MEMORY. */
ecma_status il_edit_begin(il_edit *edit, const il_body *body, il_fault *fault);

/* Inserts `code`, which must not branch and is copied, at the old instruction at `offset`. At the same offset IL_HEAD
 * comes first, and code inserted first stands first. An instruction's offset is that of its first prefix. Returns
 * ECMA_OK, ECMA_NO_MEMORY, ECMA_BUG (there is no such place); il_edit_layout returns that, too, so the caller may
 * ignore it here. */
ecma_status il_insert(il_edit *edit, uint32_t offset, il_place place, bytes code);

/* The same, of a buffer that may have run out of memory: then ECMA_NO_MEMORY. */
static inline ecma_status il_insert_buffer(il_edit *edit, uint32_t offset, il_place place, const buffer *code) {
    return code->failed ? (edit->refused = ECMA_NO_MEMORY) : il_insert(edit, offset, place, buffer_bytes(code));
}

/* Puts `code`, which must not branch and is copied, in the place of the old instruction at `offset`:
 * a plain one, which neither branches nor calls nor ends a method, has no prefix, and is no bigger
 * than the code. An instruction is replaced once at most. Insertions at the offset stand before
 * the code. Returns what il_insert returns. */
ecma_status il_replace(il_edit *edit, uint32_t offset, bytes code);

/* True if the code from `start` on, an instruction's offset, can be put into a guard. It cannot when it has tail calls
 * or jmp (their frame is gone before the callee returns), when a branch or a clause crosses the start, when there is a
 * ret before it or within a clause's blocks, where none may be, or when the code runs off its end. */
bool il_can_part(const il_edit *edit, uint32_t start); /* as far as branches, rets and clauses say */
static inline bool il_can_guard(const il_edit *edit, uint32_t start) {
    if (edit->flow.tail_call_count || edit->flow.jmp_count || edit->flow.runs_off_end)
        return false;
    return (start == 0 && edit->body.clause_count == 0) || il_can_part(edit, start);
}

/* After il_edit_begin: flow.loops. Then all branches and switches that lead backwards lie, with what
 * they lead to, from *start up to *end, the offset of the last of them; so does the code of each
 * loop that stands in one piece. */
bool il_edit_loops(const il_edit *edit, uint32_t *start, uint32_t *end);

/* Puts the guard around the code that il_can_guard allows, once, before or after insertions. The result is fat. Returns
 * ECMA_OK, ECMA_NO_MEMORY. */
ecma_status il_set_guard(il_edit *edit, const il_guard *guard);

/* Fixes sizes and offsets. Returns ECMA_OK; what an il_insert returned; ECMA_UNSUPPORTED, with `fault`: the result
 * would exceed 2 GiB, or code had to go to the end of code that runs off its end; ECMA_NO_MEMORY. */
ecma_status il_edit_layout(il_edit *edit, il_fault *fault);

/* After il_edit_layout: the size of the new body in bytes, and whether it must stand on a 4-byte boundary. */
static inline uint32_t il_edit_size(const il_edit *edit) {
    return edit->size;
}
static inline bool il_edit_is_fat(const il_edit *edit) {
    return !edit->tiny;
}

/* Writes the new body, il_edit_size bytes. Returns ECMA_OK; ECMA_BUG when a branch does not reach its target, which the
 * layout excludes. */
ecma_status il_edit_write(const il_edit *edit, uint8_t *to);

/* il_edit_layout and il_edit_write in one: appends to `out`, unaligned. Returns what they return. */
ecma_status il_edit_encode(il_edit *edit, buffer *out, il_fault *fault);

/* After il_edit_layout: the new offset for an old one, at most the size of the old code. il_map_offset: where a
 * reference to it leads, or a range that starts there starts (IL_APART concerns branches only). il_map_end: where a
 * range that ends there ends. */
uint32_t il_map_offset(il_edit *edit, uint32_t old_offset);
uint32_t il_map_end(il_edit *edit, uint32_t old_offset);

/* The map itself, for those who need it longer than the edit has it: points at rising old offsets. */
const il_point *il_map_points(il_edit *edit, uint32_t *count);

/* After il_edit_layout: where the guard's code starts, after all that was there before; the new code's size without
 * one. */
static inline uint32_t il_edit_tail_offset(const il_edit *edit) {
    return edit->guarded ? edit->handler_offset : edit->code_size;
}

/* The size of the new code, without header and clauses. */
static inline uint32_t il_edit_code_size(const il_edit *edit) {
    return edit->code_size;
}

#endif
