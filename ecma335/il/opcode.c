#include "il/opcode.h"

_Static_assert(IL_OPCODE_END - 1 == 219, "VI.C.2 has 219 instructions and prefixes");

/* The counts that X-rows name, reachable by pasting a row's behaviour. */
enum {
#define X(kind, size) operand_size_##kind = size,
    IL_OPERANDS(X)
#undef X
#define X(behaviour, items) items_##behaviour = items,
        IL_POPS(X) IL_PUSHES(X)
#undef X
};

const il_opcode_facts il_opcodes[IL_OPCODE_END] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [IL_##identifier] = {name,                                                                                         \
                         encoding,                                                                                     \
                         (encoding) > 0xFF ? 2 : 1,                                                                    \
                         operand_size_##operand,                                                                       \
                         IL_##operand,                                                                                 \
                         IL_FLOW_##flow,                                                                               \
                         IL_##pop,                                                                                     \
                         IL_##push,                                                                                    \
                         items_##pop,                                                                                  \
                         items_##push,                                                                                 \
                         IL_##long_form},
#include "il/opcodes.def"
#undef OPCODE
};

const uint8_t il_opcode_of_encoding[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [IL_INDEX_OF(encoding)] = IL_##identifier,
#include "il/opcodes.def"
#undef OPCODE
};

/* Rows that are no short branches say so after the last opcode, each in a place of its own. */
const uint8_t il_short_forms[2 * IL_OPCODE_END] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [(int)IL_##long_form != IL_none ? (int)IL_##long_form : (int)IL_OPCODE_END + (int)IL_##identifier] =               \
        (int)IL_##long_form != IL_none ? (int)IL_##identifier : (int)IL_none,
#include "il/opcodes.def"
#undef OPCODE
};

const char *const il_operand_names[] = {
#define X(kind, size) #kind,
    IL_OPERANDS(X)
#undef X
};

const char *const il_stack_behaviour_names[] = {
#define X(behaviour, items) #behaviour,
    IL_POPS(X) IL_PUSHES(X)
#undef X
};

const char *const il_flow_names[] = {
#define X(flow) #flow,
    IL_FLOWS(X)
#undef X
};
