/* circles.h - methods of a module that call themselves, each directly or by way of others.
 *
 * What calls what is taken from the IL: a call of a method that the module has, or a delegate made of it. A virtual
 * call leads to the method that it names. So a circle by way of an override, or of another module, is not seen. */
#ifndef ILINJECT_INJECT_LEAVES_CIRCLES_H
#define ILINJECT_INJECT_LEAVES_CIRCLES_H

#include "input/image.h"
#include "select/bodies.h"

typedef struct circles {
    uint32_t
        *of_method; /* by MethodDef row: the number of its circle, 0: it calls itself nowhere; in the image's arena */
} circles;

/* Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status circles_find(circles *c, ilj_image *image, const bodies *b);

/* Does the call lead into a circle that the caller is no part of? Both are MethodDef rows. */
static inline bool circles_enters(const circles *c, uint32_t caller, uint32_t callee) {
    return c->of_method && c->of_method[callee] != 0 && c->of_method[caller] != c->of_method[callee];
}

#endif
