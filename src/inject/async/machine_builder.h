/* machine_builder.h - the builder of a state machine that is a struct, as an object. */
#ifndef ILINJECT_INJECT_ASYNC_MACHINE_BUILDER_H
#define ILINJECT_INJECT_ASYNC_MACHINE_BUILDER_H

#include "async/state_machine.h"
#include "il/emit.h"

/* Appends code that loads it, for a machine with state_machine_has_builder: the object that it is, or a copy of the
 * struct in a box. At most MOST_ADDRESS + 10 bytes; one item of stack. */
static inline void machine_load_builder(const state_machine *m, buffer *code) {
    buffer_append(code, m->address.data, m->address.size);
    if (m->by_value)
        return;
    il_emit_token(code, IL_OP_ldobj, m->builder_type);
    il_emit_token(code, IL_OP_box, m->builder_type);
}

#endif
