#include "il/arguments.h"

#include "il/edit_parts.h"

/* By the first byte; the second one says what a wide instruction is. */
static const uint8_t use_of_encoding[256] = {
    [IL_OP_ldarg_0] = IL_USE_LOADS,  [IL_OP_ldarg_1] = IL_USE_LOADS, [IL_OP_ldarg_2] = IL_USE_LOADS,
    [IL_OP_ldarg_3] = IL_USE_LOADS,  [IL_OP_ldarg_s] = IL_USE_LOADS, [IL_OP_ldarga_s] = IL_USE_LOADS_ADDRESS,
    [IL_OP_starg_s] = IL_USE_STORES, [IL_WIDE] = IL_USE_LOADS,
};

/* Is it one? Most are not. */
static bool read(const il_edit *edit, uint32_t at, il_argument *found) {
    const uint8_t *p = edit->body.code.data + at;
    *found = (il_argument){.offset = at, .size = 1, .use = (il_use)use_of_encoding[*p]};
    if (*p <= IL_OP_ldarg_3) {
        found->argument = *p - (uint32_t)IL_OP_ldarg_0;
    } else if (*p != IL_WIDE) {
        found->size = 2;
        found->argument = p[1];
    } else {
        switch (il_opcode_of_encoding[256 + p[1]]) {
        case IL_ldarg:
            break;
        case IL_ldarga:
            found->use = IL_USE_LOADS_ADDRESS;
            break;
        case IL_starg:
            found->use = IL_USE_STORES;
            break;
        default:
            return false;
        }
        found->size = 4;
        found->argument = load_u16(p + 2);
    }
    found->prefixed = edit->inner_count && il_is_inner(edit, at);
    return true;
}

bool il_next_argument(const il_edit *edit, uint32_t from, il_argument *found) {
    enum { BITS = 64 };
    const uint8_t *code = edit->body.code.data;
    const size_t size = edit->body.code.size;
    if (from >= size)
        return false;
    uint64_t left = edit->starts[from / BITS] & UINT64_MAX << from % BITS;
    for (uint32_t first = from / BITS * BITS;;) {
        for (; left; left &= left - 1) {
            uint32_t at = first + (uint32_t)__builtin_ctzll(left);
            if (use_of_encoding[code[at]] && read(edit, at, found))
                return true;
        }
        first += BITS;
        if (first >= size)
            return false;
        left = edit->starts[first / BITS];
    }
}
