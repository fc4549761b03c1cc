/* guess.h - which methods a just-in-time compiler would put into their callers, by flags and IL alone: the choice when
 * no profile says how often they are called. Such methods do less than the probes around them, and are called most.
 *
 * Both compilers refuse NoInlining, Synchronized and methods with handlers. CoreCLR takes AggressiveInlining in any
 * size, up to ALWAYS_INLINE_SIZE (16) bytes of IL always, and up to 100 bytes in at most MAX_BASIC_BLOCKS (5) blocks
 * where it pays (src/coreclr/jit/inline.h, inlinepolicy.cpp: DefaultPolicy::NoteInt). Mono takes less than
 * INLINE_LENGTH_LIMIT (20) bytes (mono/mini/method-to-ir.c: mono_method_check_inlining). */
#ifndef ILINJECT_CHOICE_GUESS_H
#define ILINJECT_CHOICE_GUESS_H

#include "il/body.h"

typedef enum guess {
    GUESS_STAYS,
    GUESS_FORCED,  /* AggressiveInlining */
    GUESS_SMALL,   /* at most GUESS_SMALL_IL bytes, without a loop */
    GUESS_WRAPPER, /* at most GUESS_WRAPPER_IL, without a branch, one call at most */
    GUESS_LEAF,    /* at most GUESS_LEAF_IL in at most GUESS_LEAF_BLOCKS blocks, without loop or call */
} guess;

enum { GUESS_SMALL_IL = 19, GUESS_WRAPPER_IL = 32, GUESS_LEAF_IL = 100, GUESS_LEAF_BLOCKS = 5 };

/* `impl_flags`: MethodDef.ImplFlags. A body with unreadable instructions stays. */
guess guess_of(uint32_t impl_flags, const il_body *body);

/* In a few words, for people: "one call, no branch". Empty for GUESS_STAYS. */
const char *guess_text(guess g);

#endif
