/* made_long.h - the assembly of made_assembly.h with a body that shrinks when its branches become short: `.text` loses
 * more than a step of its alignment in memory. */
#ifndef TESTS_MADE_LONG_H
#define TESTS_MADE_LONG_H

#include "made_ready_to_run.h"

enum { MADE_LONG_BRANCHES = 4000, MADE_LONG_METHODS = 5 };

static inline void made_long(buffer *out) {
    made m;
    buffer bodies = BUFFER_INIT;
    made_init(&m);
    made_assembly_rows(&m);
    MADE_ROW(&m, MethodDef, MADE_BODIES + 56, 0, 0x96, made_string(&m, "Long"), MADE_BLOB(&m, 0, 0, 1), 2);
    made_assembly_bodies(&bodies);
    buffer_u32(&bodies, 0x00083013); /* fat, init locals; a stack of 8 */
    buffer_u32(&bodies, MADE_LONG_BRANCHES * 5 + 1);
    buffer_u32(&bodies, 0x11000001);
    for (unsigned i = 0; i < MADE_LONG_BRANCHES; i++) {
        buffer_u8(&bodies, 0x38); /* br to what follows */
        buffer_u32(&bodies, 0);
    }
    buffer_u8(&bodies, 0x2A);
    made_image(out, made_finish(&m), buffer_bytes(&bodies));
    buffer_clear(&bodies);
    made_clear(&m);
}

#endif
