/* ids.h - the ids that injected code names methods by: positions in a list of them, in MethodDef order.
 *
 * ids_deal gives each method that is selected its id, once, before anything is injected: so code can
 * name a method that comes after its own. A body that turns out to be one that nothing can be put
 * into keeps its id, which no call names then. Life cycle: all zero, ids_deal, ids_clear. */
#ifndef ILINJECT_INJECT_IDS_H
#define ILINJECT_INJECT_IDS_H

#include "async/state_machines.h"
#include "select/bodies.h"

/* A method that has an id. */
typedef struct named_method {
    uint32_t row;     /* MethodDef */
    uint32_t il_size; /* of the original code, bytes */
    uint32_t owner;   /* 0, or 1 + the id of the method that the user wrote and that this one is a part of */
    uint32_t flags;   /* NAME_ASYNC, NAME_ITERATOR */
} named_method;

/* NAME_STATIC and so on: the kind of a method, as the names resource says it. */
enum {
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) NAME_##ID = value,
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
};

enum { NO_ID = UINT32_MAX };

typedef struct ids {
    named_method *methods; /* by id; owned */
    uint32_t count;
    uint32_t left_out[ILJ_REASON_COUNT]; /* methods without an id */
} ids;

/* Deals them, and says of each state machine's MoveNext what it is and whose: `m` may be empty.
 * Returns ECMA_OK, ECMA_NO_MEMORY (reported to d). */
ecma_status ids_deal(ids *i, const bodies *b, const state_machines *m, diag *d);
void ids_clear(ids *i);

/* The id of a MethodDef row, or NO_ID. */
uint32_t ids_of(const ids *i, uint32_t method_row);

#endif
