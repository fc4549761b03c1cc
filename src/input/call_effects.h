/* call_effects.h - what the calls of a module do to the stack, by their signatures; each signature is read once. */
#ifndef ILINJECT_INPUT_CALL_EFFECTS_H
#define ILINJECT_INPUT_CALL_EFFECTS_H

#include "il/stack.h"
#include "il/walk.h"
#include "metadata/view.h"

enum { EFFECTS_SIGNATURES = 256 };

typedef struct effects {
    il_effects il; /* for il_walk_over */
    const md_view *view;
    uint8_t *known[IL_TOKEN_TABLES]; /* what `il` has of the tables that are remembered */
    /* Effects by the signature's place in the blob heap, of those read last: many methods share one. */
    struct {
        uint32_t blob; /* 0: none */
        int32_t effect;
    } recent[EFFECTS_SIGNATURES];
} effects;

struct ilj_image;

/* Those of the image, which are made when they are first asked for, in its arena. NULL: memory ran out. */
effects *effects_of_image(struct ilj_image *image);

/* il_call_effect; `user` is the effects. */
bool effects_of_call(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes);

#endif
