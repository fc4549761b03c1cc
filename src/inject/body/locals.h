/* locals.h - the bodies' local signatures (II.23.2.6) with locals of ours after their own. Equal signatures are one
 * StandAloneSig row, also when the module had it already. */
#ifndef ILINJECT_INJECT_BODY_LOCALS_H
#define ILINJECT_INJECT_BODY_LOCALS_H

#include "base/arena.h"
#include "il/body.h"
#include "metadata/edit.h"

enum { LOCALS_MAX = 65535 }; /* the highest index is 65,534 (III.3.43) */

/* An answer of locals_extend, for types of few bytes. */
typedef struct locals_answer {
    uint64_t types; /* the bytes, and their number in the highest one */
    md_token old, extended;
    uint32_t count;
} locals_answer;

/* The locals that a LocalVarSigTok names. */
typedef struct locals_own {
    md_token token; /* 0: none */
    uint32_t count;
    bytes types; /* one after another; borrowed from the view */
} locals_own;

typedef struct locals {
    md_edit *edit;
    arena *memory;             /* of the slots */
    uint32_t recent;           /* how many of these; a power of two */
    locals_own *read;          /* by their token's row */
    locals_answer *answers;    /* a few types and no locals of their own is what most have */
    struct locals_slot *slots; /* a hash table of StandAloneSig rows by their blob */
    uint32_t slot_count, used;
    buffer blob; /* scratch */
} locals;

/* With memory for as much as pays in a module with this number of methods; the table is made at the first use. Returns
 * ECMA_OK, ECMA_NO_MEMORY (not reported). */
ecma_status locals_begin(locals *l, md_edit *edit, arena *memory, uint32_t methods);
void locals_clear(locals *l);

/* The offset of the first instruction that names a local whose index is `count` or more; the code's size without one.
 */
uint32_t locals_first_missing(const il_body *body, uint32_t count);

/* Reads them; adds nothing. Returns ECMA_OK; ECMA_BAD_FILE when `token` names no signature of locals (`fault` says so).
 */
ecma_status locals_read(locals_own *own, const md_view *view, md_token token, il_fault *fault);

/* The same, of the module that is edited; bodies share signatures. */
ecma_status locals_recall(locals *l, locals_own *own, md_token token, il_fault *fault);

/* The token of a signature of these locals and `count` more, whose types stand one after another in `types`; all in all
 * there are at most LOCALS_MAX. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status locals_extend(locals *l, const locals_own *own, bytes types, uint32_t count, md_token *extended);

#endif
