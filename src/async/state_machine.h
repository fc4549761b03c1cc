/* state_machine.h - one state machine: what is known of it when it was found, and its calls that report events. */
#ifndef ILINJECT_ASYNC_STATE_MACHINE_H
#define ILINJECT_ASYNC_STATE_MACHINE_H

#include "metadata/view.h"

typedef enum machine_builder {
    MACHINE_BUILDER_OTHER, /* none of those below, or one without access to its task */
    MACHINE_BUILDER_TASK,
    MACHINE_BUILDER_VALUE_TASK,
} machine_builder;

typedef enum machine_event { MACHINE_SUSPENDS, MACHINE_COMPLETES, MACHINE_FAILS } machine_event;

/* A call in a MoveNext that reports an event of its machine. */
typedef struct machine_site {
    uint32_t offset; /* of the call with its prefixes, in the method's code */
    uint32_t behind; /* of the instruction that follows it; 0: nothing may stand there */
    uint32_t depth;  /* items on the stack before the call */
    md_token member; /* that is called: MethodDef or MemberRef */
    machine_event event;
} machine_site;

typedef struct state_machine {
    uint32_t method; /* MethodDef row of its MoveNext */
    uint32_t owner;  /* MethodDef row of the method that the user wrote */
    bool is_async, is_iterator;
    /* For async machines. */
    uint32_t starter; /* MethodDef row; 0: none was found */
    bool is_class;
    machine_builder builder;
    bytes address; /* the instructions that give the builder's address; empty when it never suspends */
    bool by_value; /* or the builder itself, which then is an object */
    md_token
        builder_type; /* as the calls of its members name it: TypeDef, TypeRef, TypeSpec; 0 when it never suspends */
    const machine_site *sites; /* at rising offsets */
    uint32_t site_count;
    /* Added by machine_tasks_find: how the task of a struct is asked for; get_task is 0 when it cannot be. */
    md_token get_task;
    md_token as_task; /* of the ValueTask that get_task gives; 0: it gives a Task */
    bytes value_task; /* that ValueTask's type, in a signature of MoveNext's locals; in the image's arena */
    bool by_builder;  /* a struct without such a task: its builder, as an object, says which call it is */
} state_machine;

enum { MOST_ADDRESS = 64 }; /* bytes of code that lead to a builder */

/* True if its builder can be handed over, as an object. */
static inline bool state_machine_has_builder(const state_machine *m) {
    return !m->is_class && m->builder_type && m->address.size && m->address.size <= MOST_ADDRESS;
}

/* True if the machine reports events: it is async, and its starter and its end are known. */
static inline bool state_machine_has_events(const state_machine *m) {
    return m->starter && m->site_count;
}

#endif
