/* Reads any bytes as a method body, rewrites it as an instrumenter would, and reads the result again.
 *
 * The first byte chooses what is inserted, the rest is the body. A body that was understood has to come out identical
 * when nothing is inserted, and has to be understood again, with as many instructions as there should be, when
 * something is.
 */
#include <stdlib.h>

#include "il/decode.h"
#include "il/edit.h"
#include "il/stack.h"

static void must(bool holds) {
    if (!holds)
        abort();
}

static bool some_effect(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    (void)user;
    *pops = call->token & 3;
    *pushes = call->token >> 2 & 1;
    return (call->token & 0x80) == 0;
}

static size_t count_instructions(bytes code) {
    il_cursor cursor = il_cursor_of(code);
    il_instruction i;
    size_t count = 0;
    while (il_next(&cursor, &i))
        count++;
    must(!cursor.fault.what);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t inserted[] = {0x20, 1, 2, 3, 4, 0x28, 5, 6, 7, 0x0A}; /* ldc.i4, call */
    static uint8_t nops[300];
    static il_edit edit;
    static il_stack stack;
    static buffer out;
    if (size == 0)
        return 0;
    uint8_t choice = data[0];
    bytes in = bytes_of(data + 1, size - 1);

    il_body body;
    il_fault fault = {NULL, 0};
    if (!il_body_try_read(&body, in, &fault)) {
        must(fault.what);
        return 0;
    }
    must(body.size <= in.size);
    il_cursor cursor = il_cursor_of(body.code);
    il_instruction instruction;
    while (il_next(&cursor, &instruction))
        ;
    if (il_stack_analyse(&stack, &body, choice & 1, some_effect, NULL) == ECMA_OK)
        must(il_stack_depth_at(&stack, 0) == 0);

    if (il_edit_begin(&edit, &body, &fault) != ECMA_OK) {
        must(fault.what);
        return 0;
    }
    must(!cursor.fault.what); /* what the edit understands, the cursor does */
    out.size = 0;
    must(il_edit_encode(&edit, &out, &fault) == ECMA_OK);
    must(out.size == body.size && memcmp(out.data, in.data, out.size) == 0);

    size_t count = count_instructions(body.code), added = 0;
    bytes code = bytes_of(inserted, choice & 2 ? 10 : 5);
    if (choice & 4)
        code = bytes_of(nops, sizeof nops);
    size_t each = choice & 4 ? sizeof nops : choice & 2 ? 2 : 1;
    if (il_insert(&edit, 0, IL_HEAD, code) == ECMA_OK)
        added += each;
    for (uint32_t i = 0; i < edit.exit_count; i++) {
        bool apart = edit.exits[i].kind == IL_EXIT_AFTER_TAIL_CALL;
        must(il_insert(&edit, edit.exits[i].offset, apart ? IL_APART : IL_BEFORE, code) == ECMA_OK);
        added += apart ? 0 : each;
    }
    static const uint8_t fault_code[] = {0xDC}, filter_code[] = {0x26, 0x16, 0xFE, 0x11},
                         handler_code[] = {0x26, 0xFE, 0x1A}, exit_code[] = {0x2A};
    uint32_t guards = 0;
    if (choice & 1 && il_can_guard(&edit, 0)) {
        il_guard guard = {.start = 0, .fault = bytes_of(fault_code, 1), .exit = bytes_of(exit_code, 1)};
        if (choice & 16) {
            guard.filter = bytes_of(filter_code, sizeof filter_code);
            guard.filter_handler = bytes_of(handler_code, sizeof handler_code);
        }
        guards = choice & 16 ? 2 : 1;
        added += choice & 16 ? 7 : 2;
        must(il_set_guard(&edit, &guard) == ECMA_OK);
    }
    edit.max_stack = (uint16_t)(edit.max_stack + (choice >> 4));
    edit.shorten = choice & 8;
    out.size = 0;
    ecma_status status = il_edit_encode(&edit, &out, &fault);
    must(status != ECMA_BUG);
    if (status != ECMA_OK)
        return 0;
    il_body again;
    must(il_body_try_read(&again, buffer_bytes(&out), &fault));
    must(again.size == out.size && again.clause_count == body.clause_count + guards);
    size_t least = count + added, now = count_instructions(again.code);
    must(now >= least && (edit.apart_used || now == least));
    must(il_edit_begin(&edit, &again, &fault) == ECMA_OK);
    return 0;
}
