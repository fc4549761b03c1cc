/* walk.h - one walk over a body's code, from its first byte to its last, that follows no path. */
#ifndef ECMA335_IL_WALK_H
#define ECMA335_IL_WALK_H

#include "il/body.h"

/* The stack effect of a call of the token: twice the items that it takes, and one more when it returns a value;
 * a newobj is asked about like a call. Negative when it is not known. */
typedef int32_t il_token_effect(void *user, uint32_t token);

/* The effects of a module's calls: those already known, and a function that finds the others. `known` has for each
 * table the effects by row, from row 0 on, each in a byte: 1 and the effect, or 0; a table without effects has `count`
 * 0. */
enum { IL_TOKEN_TABLES = 64 };
typedef struct il_effects {
    il_token_effect *tell;
    void *user;
    struct {
        const uint8_t *by_row;
        uint32_t count;
    } known[IL_TOKEN_TABLES];
} il_effects;

/* 1 and the effect of a call of the token, or 0 when it is not known yet. */
static inline uint32_t il_known_effect(const il_effects *effects, uint32_t token) {
    const uint32_t table = token >> 24, row = token & 0xFFFFFF;
    return table < IL_TOKEN_TABLES && row < effects->known[table].count ? effects->known[table].by_row[row] : 0;
}

/* The effect of a call of the token, or a negative number. */
static inline int32_t il_effect_of(const il_effects *effects, uint32_t token) {
    const uint32_t known = il_known_effect(effects, token);
    return known ? (int32_t)known - 1 : effects->tell(effects->user, token);
}

/* True if no more than the result stands on the stack at each ret that control comes to. false: only il_stack_analyse
 * can decide. Takes a body that il_edit_begin understands; does not fail and allocates nothing.
 *
 * The walk takes the stack to be empty after an instruction that control does not go on after, unless it has seen a
 * branch to that place. Compilers write such code (III.1.7.5), and the walk notices code that is not. */
bool il_walk_over(const il_body *body, bool returns_value, const il_effects *effects);

#endif
