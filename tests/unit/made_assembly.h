/* made_assembly.h - a small assembly made by hand that can be instrumented: four methods on three bodies, one of them
 * shared, one with a clause and locals, and a field with data. Its heaps and tables can be filled up before it is
 * finished. */
#ifndef TESTS_MADE_ASSEMBLY_H
#define TESTS_MADE_ASSEMBLY_H

#include "made_image.h"

enum { MADE_METHODS = 4, MADE_DATA = MADE_BODIES + 48, MADE_DATA_BYTES = 8 };

/* made_init, this, whatever else, made_assembly_finish, made_clear. */
static inline void made_assembly_rows(made *m) {
    buffer_append_zeros(&m->guids, 16);
    uint32_t nothing = MADE_BLOB(m, 0, 0, 1), number = MADE_BLOB(m, 0, 1, 1, 8);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 1, 0, 0);
    MADE_ROW(m, TypeRef, 6, made_string(m, "Object"), made_string(m, "System"));
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 0x100001, made_string(m, "Class"), made_string(m, "Space"), 5, 1, 1);
    MADE_ROW(m, Field, 0x116, made_string(m, "data"), MADE_BLOB(m, 6, 0x0A));
    MADE_ROW(m, MethodDef, MADE_BODIES, 0, 0x96, made_string(m, "First"), nothing, 1);
    MADE_ROW(m, MethodDef, MADE_BODIES + 4, 0, 0x96, made_string(m, "Guarded"), nothing, 1);
    MADE_ROW(m, MethodDef, MADE_BODIES + 40, 0, 0x96, made_string(m, "Branches"), number, 1);
    MADE_ROW(m, MethodDef, MADE_BODIES, 0, 0x96, made_string(m, "Shared"), nothing, 2);
    MADE_ROW(m, Param, 0, 1, made_string(m, "n"));
    MADE_ROW(m, StandAloneSig, MADE_BLOB(m, 7, 1, 8));
    MADE_ROW(m, FieldRVA, MADE_DATA, 1);
    MADE_ROW(m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(m, "M"), 0);
    MADE_ROW(m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(m, "mscorlib"), 0, 0);
}

/* The bodies of those rows and the field's data, 56 bytes. */
static inline void made_assembly_bodies(buffer *out) {
    static const uint8_t bodies[] = {
        0x06, 0x2A, 0,    0,                                                    /* tiny: ret */
        0x1B, 0x30, 1,    0,    7,    0,    0,    0, 1, 0, 0, 0x11,             /* fat, with locals and a section */
        0x00, 0xDE, 3,    0x26, 0xDE, 0,    0x2A, 0,                            /* nop, leave; pop, leave; ret */
        0x01, 16,   0,    0,    0,    0,    0,    0, 3, 3, 0, 3,    1, 0, 0, 1, /* one small clause */
        0x16, 0x02, 0x2D, 1,    0x2A, 0x2A, 0,    0,                            /* tiny: two ways to a ret */
        1,    2,    3,    4,    5,    6,    7,    8,                            /* the field's data */
    };
    buffer_append(out, bodies, sizeof bodies);
}

static inline void made_assembly_finish(made *m, buffer *out) {
    buffer bodies = BUFFER_INIT;
    made_assembly_bodies(&bodies);
    made_image(out, made_finish(m), buffer_bytes(&bodies));
    buffer_clear(&bodies);
}

static inline void made_assembly(buffer *out) {
    made m;
    made_init(&m);
    made_assembly_rows(&m);
    made_assembly_finish(&m, out);
    made_clear(&m);
}

#endif
