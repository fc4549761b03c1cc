/* made_large - writes programs of any size, each large in one way.
 *
 *   made_large methods N OUT     N small methods of four kinds
 *   made_large bodies N OUT      N methods of about 2,000 bytes each
 *   made_large code N OUT        one method of about N bytes
 *   made_large switch N OUT      one method, a switch of N arms that return
 *   made_large branches N OUT    one method, N short branches that reach no further: each becomes
 *                                long because another does
 *   made_large clauses N OUT     one method, N try blocks, each with a finally of its own
 *
 * OUT is an executable for any runtime, which refers to nothing but System.Object: Main calls the first, the middle and
 * the last method, and its exit code is what they give, which the same code instrumented must give as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_image.h"

enum {
    NOP = 0x00,
    LDARG_0 = 0x02,
    LDLOC_0 = 0x06,
    STLOC_0 = 0x0A,
    LDC_I4_M1 = 0x15,
    LDC_I4_0 = 0x16,
    LDC_I4_1 = 0x17,
    LDC_I4 = 0x20,
    CALL = 0x28,
    RET = 0x2A,
    BRFALSE_S = 0x2C,
    BRTRUE_S = 0x2D,
    SWITCH = 0x45,
    ADD = 0x58,
    MUL = 0x5A,
    AND = 0x5F,
    XOR = 0x61,
    ENDFINALLY = 0xDC,
    LEAVE_S = 0xDE,
};

static const uint32_t locals_token = 0x11000001; /* one int32 */

/* ---- Bodies, int32 (int32) -------------------------------------------------------------------------------------- */

#define PUT(b, ...) buffer_append(b, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static void put_number(buffer *b, uint32_t value) {
    buffer_u8(b, LDC_I4);
    buffer_u32(b, value);
}

static void put_call(buffer *b, uint32_t row) {
    buffer_u8(b, CALL);
    buffer_u32(b, 0x06000000 | row);
}

/* A tiny body: header, code. */
static void put_tiny(buffer *b, const buffer *code) {
    buffer_u8(b, (uint8_t)(code->size << 2 | 2));
    buffer_append(b, code->data, code->size);
}

static size_t begin_fat(buffer *b, bool clauses) {
    buffer_align(b, 4);
    buffer_u16(b, (uint16_t)(0x3013 | (clauses ? 8 : 0)));
    buffer_u16(b, 8);
    buffer_u32(b, 0);
    buffer_u32(b, locals_token);
    return b->size;
}

static void end_fat(buffer *b, size_t start) {
    store_u32(b->data + start - 8, (uint32_t)(b->size - start));
}

/* Twelve bytes of work on the local. */
static void put_work(buffer *b, uint32_t n) {
    PUT(b, LDLOC_0);
    put_number(b, n * 2654435761u);
    PUT(b, XOR, STLOC_0, LDLOC_0, BRFALSE_S, 1, NOP);
}

static void put_worker(buffer *b, uint32_t n, size_t bytes) {
    size_t start = begin_fat(b, false);
    PUT(b, LDARG_0, STLOC_0);
    while (b->size - start + 14 < bytes)
        put_work(b, n++);
    PUT(b, LDLOC_0, RET);
    end_fat(b, start);
}

static void put_small(buffer *b, uint32_t n) {
    buffer code = BUFFER_INIT;
    if (n % 4 == 3) {
        put_worker(b, n, 60);
        return;
    }
    PUT(&code, LDARG_0);
    if (n % 4 == 1) {
        put_number(&code, n);
        PUT(&code, ADD);
    } else if (n % 4 == 2) {
        PUT(&code, BRFALSE_S, 2, LDARG_0, RET, LDC_I4_M1);
    }
    PUT(&code, RET);
    put_tiny(b, &code);
    buffer_clear(&code);
}

static void put_switch(buffer *b, uint32_t arms) {
    size_t start = begin_fat(b, false);
    PUT(b, LDARG_0, SWITCH);
    buffer_u32(b, arms);
    for (uint32_t i = 0; i < arms; i++)
        buffer_u32(b, 2 + i * 6); /* after the way out for what has no arm */
    PUT(b, LDC_I4_M1, RET);
    for (uint32_t i = 0; i < arms; i++) {
        put_number(b, i * 7);
        PUT(b, RET);
    }
    end_fat(b, start);
}

/* Each branch leads 126 bytes on, over 42 others; what is put before the ret is in the way of the last, which grow and
 * are in the way of those before. */
static void put_branches(buffer *b, uint32_t count) {
    enum { OVER = 126 };
    size_t start = begin_fat(b, false);
    for (uint32_t i = 0; i < count; i++)
        PUT(b, LDARG_0, BRTRUE_S, OVER);
    PUT(b, LDC_I4_0, RET);
    for (uint32_t i = 0; i < OVER; i++)
        PUT(b, NOP);
    PUT(b, LDC_I4_1, RET);
    end_fat(b, start);
}

static void put_clauses(buffer *b, uint32_t count) {
    enum { BLOCK_BYTES = 13, TRY = 8, HANDLER = 5 };
    size_t start = begin_fat(b, true);
    PUT(b, LDARG_0, STLOC_0);
    for (uint32_t i = 0; i < count; i++)
        PUT(b, LDLOC_0, LDARG_0, ADD, STLOC_0, NOP, NOP, LEAVE_S, HANDLER, LDLOC_0, LDC_I4_1, ADD, STLOC_0, ENDFINALLY);
    PUT(b, LDLOC_0, RET);
    end_fat(b, start);
    buffer_align(b, 4);
    buffer_u32(b, 0x41u | (count * 24 + 4) << 8);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 2 + i * BLOCK_BYTES;
        const uint32_t fields[] = {2, at, TRY, at + TRY, HANDLER, 0};
        for (unsigned f = 0; f < 6; f++)
            buffer_u32(b, fields[f]);
    }
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

enum { OF_ONE_TYPE = 1000, MAIN_ARGUMENT = 5 };

static bool put_method(buffer *b, const char *shape, uint32_t number, uint32_t n) {
    if (strcmp(shape, "methods") == 0)
        put_small(b, n);
    else if (strcmp(shape, "bodies") == 0)
        put_worker(b, n, 2000);
    else if (strcmp(shape, "code") == 0)
        put_worker(b, n, number);
    else if (strcmp(shape, "switch") == 0)
        put_switch(b, number);
    else if (strcmp(shape, "branches") == 0)
        put_branches(b, number);
    else if (strcmp(shape, "clauses") == 0)
        put_clauses(b, number);
    else
        return false;
    return true;
}

static void put_main(buffer *b, uint32_t methods) {
    buffer code = BUFFER_INIT;
    put_number(&code, MAIN_ARGUMENT);
    put_call(&code, 1);
    put_call(&code, methods / 2 + 1);
    put_call(&code, methods);
    put_number(&code, 63);
    PUT(&code, AND, RET);
    put_tiny(b, &code);
    buffer_clear(&code);
}

static bool write_file(const char *path, const buffer *b) {
    FILE *f = b->failed ? NULL : fopen(path, "wb");
    if (!f)
        return false;
    bool whole = fwrite(b->data, 1, b->size, f) == b->size;
    return fclose(f) == 0 && whole;
}

int main(int argc, char **argv) {
    uint32_t number = argc == 4 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (number == 0) {
        fputs("usage: made_large methods|bodies|code|switch|branches|clauses N OUT\n", stderr);
        return 2;
    }
    bool many = strcmp(argv[1], "methods") == 0 || strcmp(argv[1], "bodies") == 0;
    uint32_t methods = many ? number : 1;
    made m;
    buffer bodies = BUFFER_INIT, out = BUFFER_INIT;
    char name[32];
    made_init(&m);
    m.heap_sizes = MD_HEAP_STRINGS_WIDE;
    buffer_append(&m.guids, "made_large's own", 16);
    uint32_t shape = MADE_BLOB(&m, 0, 1, 8, 8), no_parameter = MADE_BLOB(&m, 0, 0, 8);
    MADE_ROW(&m, Module, 0, made_string(&m, "large.exe"), 1, 0, 0);
    MADE_ROW(&m, TypeRef, 6, made_string(&m, "Object"), made_string(&m, "System"));
    MADE_ROW(&m, TypeDef, 0, made_string(&m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 7, 1, 8));
    /* Version 2.0.0.0 with the key of ECMA, which every runtime takes for its core library's. */
    MADE_ROW(&m, AssemblyRef, 2, 0, 0, 0, 0, MADE_BLOB(&m, 0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89),
             made_string(&m, "mscorlib"), 0, 0);
    MADE_ROW(&m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(&m, "large"), 0);
    for (uint32_t i = 0; i <= methods; i++) { /* the last one is Main */
        if (i % OF_ONE_TYPE == 0) {
            snprintf(name, sizeof name, "Type%u", i / OF_ONE_TYPE);
            MADE_ROW(&m, TypeDef, 0x100001, made_string(&m, name), made_string(&m, "Large"), 5, 1, i + 1);
        }
        size_t at = bodies.size;
        if (i == methods) {
            put_main(&bodies, methods);
            snprintf(name, sizeof name, "Main");
        } else {
            if (!many || strcmp(argv[1], "bodies") == 0 || i % 4 == 3) /* fat ones */
                buffer_align(&bodies, 4);
            at = bodies.size;
            if (!put_method(&bodies, argv[1], number, i))
                return 2;
            snprintf(name, sizeof name, "Method%u", i);
        }
        MADE_ROW(&m, MethodDef, (uint32_t)(MADE_BODIES + at), 0, 0x96, made_string(&m, name),
                 i == methods ? no_parameter : shape, 1);
    }
    made_image(&out, made_finish(&m), buffer_bytes(&bodies));
    if (!out.failed) {
        enum { CHARACTERISTICS = 0x96, EXECUTABLE = 0x0102, SUBSYSTEM_CONSOLE = 3, ENTRY_POINT = MADE_HEADERS + 20 };
        store_u16(out.data + CHARACTERISTICS, EXECUTABLE);
        store_u32(out.data + ENTRY_POINT, 0x06000000 | (methods + 1));
    }
    bool written = write_file(argv[3], &out);
    if (!written)
        fprintf(stderr, "made_large: %s cannot be written\n", argv[3]);
    buffer_clear(&bodies);
    buffer_clear(&out);
    made_clear(&m);
    return written ? 0 : 1;
}
