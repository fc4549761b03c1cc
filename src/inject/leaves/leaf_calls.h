/* leaf_calls.h - calls of methods that are not instrumented, which stand in the tree as leaves (docs/leaves.md).
 *
 * A leaf is a frame like a method's: it has an id, and is entered and left by the same two calls of the tracker,
 *
 *     ldc.i4 ID; call Enter; stloc LEAF; the call with its prefixes; ldloc LEAF; call WhenLeavingMethod
 *
 * in front of which every branch to the call leads, and after which none does that leads after the call. One local is
 * enough for a method, since its leaves never overlap: its filters alone run during a call of its own, and a call
 * during which they run does not return. A leaf that an exception leaves is closed with its method or at the head of
 * the handler, like every frame above that (docs/decisions/05-leaves.md).
 *
 * A method that calls itself and costs too much to record has a leaf, too: its calls from outside of the circle are
 * its outermost ones, and all those within cost nothing. Where calls are only counted, each caller of such a method has
 * a leaf for it, so that a choice can say what its outermost calls will cost; nothing is called after the call then.
 *
 * Life cycle: all zero but for image, patterns, tracker, bodies and commands, leaves_begin, leaves_look for each body,
 * leaves_number, leaves_insert for each body, and until the names are made the lists can be read; leaves_clear. */
#ifndef ILINJECT_INJECT_LEAVES_LEAF_CALLS_H
#define ILINJECT_INJECT_LEAVES_LEAF_CALLS_H

#include "async/state_machine.h"
#include "il/edit.h"
#include "inject/leaves/circles.h"
#include "inject/leaves/command_calls.h"
#include "inject/module/type_table.h"
#include "input/image.h"
#include "select/leaf_patterns.h"
#include "tracker/references.h"

/* A type that has leaves, by its names in the metadata. */
typedef struct leaf_type {
    uint32_t enclosing; /* 0: none, else 1 + the position of one before it */
    const char *space;  /* empty for a nested type */
    const char *name;
    uint32_t generic_count; /* of its own */
} leaf_type;

typedef struct leaf {
    uint32_t type; /* position */
    const char *name;
    uint32_t generic_count;
    size_t parameters; /* offset in leaves.texts: a strz, as `list` shows them, VAR and MVAR by the names below */
    size_t result;     /* likewise of what it returns; for conversions alone, which differ by it */
    unsigned flags;    /* NAME_… of ids.h */
    uint32_t callee;   /* MethodDef row of the method, where its outermost calls are meant; else 0 */
    uint32_t caller;   /* MethodDef row of the one that calls it; 0: all that do */
} leaf;

/* A call of one, of those that patterns ask for. */
typedef struct leaf_call {
    uint32_t row, offset; /* of the calling method in MethodDef, and in its code as the input has it */
    uint32_t leaf;        /* position in leaves.list */
} leaf_call;

typedef struct leaves {
    ilj_image *image;
    const leaf_patterns *patterns; /* NULL or empty: there are no leaves */
    const tracker *tracker;        /* calls of which are none */
    const bodies *bodies;          /* the module's methods */
    leaf *list;                    /* their ids are first_id + the position */
    leaf_type *types;
    uint32_t count, type_count, first_id;
    buffer texts;
    buffer calls;            /* leaf_call, in the order of methods and of their code; leaves_insert adds them */
    bool awaited;            /* an async method awaits what one of them gives */
    command_types *commands; /* of those that are calls of commands; borrowed */
    /* Not for the owner. */
    circles circles;
    uint32_t *of_method, *of_member; /* by row: 0 not asked about, LEAF_NONE, or 1 + position */
    uint32_t capacity, type_capacity;
    type_table known, known_types; /* by name: several rows name one method */
    buffer key, scratch;
    bool failed; /* memory ran out */
} leaves;

/* Can any call be a leaf, by patterns, by a price, or since calls are counted? */
bool leaves_are_asked(const leaves *l);

/* Returns ECMA_OK, ECMA_NO_MEMORY (reported). Where none can be nothing is done, here and below. */
ecma_status leaves_begin(leaves *l);
void leaves_clear(leaves *l);

/* A method's body, the MethodDef row that it is of, and the machine that it is the MoveNext of, or NULL. */
typedef struct leaf_caller {
    uint32_t row;
    const il_body *body;
    const state_machine *machine;
} leaf_caller;

/* Gives each method that the body calls as a leaf its place. */
void leaves_look(leaves *l, const leaf_caller *caller);

/* After the last one: the first id. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status leaves_number(leaves *l, uint32_t first_id);

/* Does the body call any? It has to have been looked at. `spills`: the arguments of commands' calls. */
bool leaves_in(leaves *l, const leaf_caller *caller, command_spills *spills);

/* The locals for a body's leaves. */
typedef struct leaf_locals {
    uint32_t token;               /* what enter returned */
    uint32_t spilled;             /* the first of those for spills */
    const command_spills *spills; /* from leaves_in */
} leaf_locals;

/* Puts the calls of the tracker into the body that `to` has, after all other insertions. Returns the stack that they
 * need. il_edit_layout says what fails. */
uint32_t leaves_insert(leaves *l, il_edit *to, const leaf_caller *caller, const references *refs,
                       const leaf_locals *locals);

/* Tells, in an async method's MoveNext, which suspensions await what a leaf's call has given: before
 * machine_insert_calls, so that it comes first at such a call. `token` keeps the frame. Returns the stack that it
 * needs. */
uint32_t leaves_insert_awaits(leaves *l, il_edit *to, const leaf_caller *caller, const references *refs,
                              uint32_t token);

#endif
