/* The fuzz target of images, driven plainly: made images, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../fuzz/fuzz_image.c"
#include "made_image.h"

enum { SAMPLES = 3 };

/* Something in most tables; sample 1 is uncompressed with Ptr tables, sample 2 has wide heaps. */
static void make_sample(buffer *out, unsigned n) {
    static const uint8_t bodies[] = {
        0x0E, 0x2A, 0,    0,                                         /* tiny: ret, then padding */
        0x13, 0x30, 2,    0, 26,   0,    0,  0, 1, 0,    0,    0x11, /* fat: 26 bytes, locals */
        0x72, 1,    0,    0, 0x70, 0x28, 1,  0, 0, 0x0A, 0x45, 1,    0, 0,  0,  0, 0, 0, 0, 0xDE, 3, 0x26, 0xDE,
        0,    0x2A, 0x2A, 0, 0,    1,    16, 0, 0, 0,    0,    0,    0, 21, 21, 0, 3, 1, 0, 0,    1, /* one small clause
                                                                                                      */
    };
    made m;
    made_init(&m);
    buffer_append_zeros(&m.guids, 16);
    buffer_append(&m.user_strings, "\5h\0i\0\0", 6);
    m.uncompressed = n == 1;
    m.heap_sizes = n == 2 ? MD_HEAP_STRINGS_WIDE | MD_HEAP_BLOB_WIDE | MD_HEAP_EXTRA_DATA : 0;
    uint32_t nothing = MADE_BLOB(&m, 0x20, 0, 1), generic = MADE_BLOB(&m, 0x30, 1, 2, 1, 0x1E, 0, 0x10, 0x13, 0);
    uint32_t list = MADE_BLOB(&m, 0x15, 0x12, 5, 1, 0x12, 6);
    MADE_ROW(&m, Module, 0, made_string(&m, "M.dll"), 1, 0, 0);
    MADE_ROW(&m, TypeRef, 6, made_string(&m, "List`1"), made_string(&m, "System.Collections.Generic"));
    MADE_ROW(&m, TypeDef, 0, made_string(&m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(&m, TypeDef, 0x100001, made_string(&m, "Outer`1"), made_string(&m, "Space"), 5, 1, 1);
    MADE_ROW(&m, TypeDef, 0x100002, made_string(&m, "<It>d__1"), 0, 6, 2, 3);
    MADE_ROW(&m, Field, 0x16, made_string(&m, "data"), MADE_BLOB(&m, 6, 0x11, 0x0C));
    MADE_ROW(&m, MethodDef, MADE_BODIES, 0, 0x1886, made_string(&m, ".ctor"), nothing, 1);
    MADE_ROW(&m, MethodDef, MADE_BODIES + 4, 0, 0x86, made_string(&m, "Mix"), generic, 1);
    MADE_ROW(&m, MethodDef, 0, 0, 0x5C6, made_string(&m, "MoveNext"), nothing, 2);
    if (n == 1) {
        for (uint32_t row = 1; row <= 3; row++)
            MADE_ROW(&m, MethodPtr, 4 - row);
        MADE_ROW(&m, ParamPtr, 1);
        MADE_ROW(&m, FieldPtr, 1);
    }
    MADE_ROW(&m, Param, 2, 2, made_string(&m, "p"));
    MADE_ROW(&m, InterfaceImpl, 3, 5);
    MADE_ROW(&m, MemberRef, 12, made_string(&m, "Add"), generic);
    MADE_ROW(&m, Constant, 8, 0, 4, nothing);
    MADE_ROW(&m, CustomAttribute, 46, 10, nothing);
    MADE_ROW(&m, ClassLayout, 1, 8, 3);
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 7, 2, 8, 0x1D, 0x14, 8, 2, 0, 0));
    MADE_ROW(&m, Property, 0, made_string(&m, "Size"), nothing);
    MADE_ROW(&m, MethodSemantics, 2, 2, 3);
    MADE_ROW(&m, MethodImpl, 3, 6, 3);
    MADE_ROW(&m, TypeSpec, list);
    MADE_ROW(&m, FieldRVA, MADE_BODIES, 1);
    MADE_ROW(&m, Assembly, 0x8004, 0x10001, 0, 0, 0, 0, 0, made_string(&m, "M"), 0);
    MADE_ROW(&m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(&m, "mscorlib"), 0, 0);
    MADE_ROW(&m, NestedClass, 3, 2);
    MADE_ROW(&m, GenericParam, 0, 0, 4, made_string(&m, "T"));
    MADE_ROW(&m, GenericParam, 0, 0, 5, made_string(&m, "U"));
    MADE_ROW(&m, MethodSpec, 4, MADE_BLOB(&m, 0x0A, 1, 8));
    made_image(out, made_finish(&m), bytes_of(bodies, sizeof bodies));
    made_clear(&m);
}

static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1); /* of its very size, so that a sanitizer sees each overrun */
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void samples_are_sound(void **state) {
    (void)state;
    for (unsigned n = 0; n < SAMPLES; n++) {
        buffer b = BUFFER_INIT;
        ilj_context *context = NULL;
        ilj_image *image = NULL;
        sink_state sink = {0};
        make_sample(&b, n);
        assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
        assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&b)), ILJ_OK);
        assert_int_equal(md_validate(&image->metadata, &image->diag), ECMA_OK);
        assert_int_equal(ilj_image_dump(image, ILJ_DUMP_ALL, swallow, &sink), ILJ_OK);
        assert_true(sink.written > 2000);
        ilj_image_free(image);
        ilj_context_free(context);
        buffer_clear(&b);
    }
}

static void changed_images_are_read_or_refused(void **state) {
    (void)state;
    enum { ROUNDS = 2000 };
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x1D, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    uint32_t random = 97;
    printf("seed %u, %d rounds for each of %d samples\n", random, ROUNDS, SAMPLES);
    for (unsigned n = 0; n < SAMPLES; n++) {
        buffer sample = BUFFER_INIT;
        make_sample(&sample, n);
        for (size_t size = 0; size <= sample.size; size += 7)
            run(sample.data, size);
        uint8_t *changed = malloc(sample.size);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(changed, sample.data, sample.size);
            /* The headers are mostly padding; what matters begins with the section. */
            size_t from = round % 4 ? MADE_HEADERS : 0x80;
            for (int i = 0; i < 4; i++) {
                random = random * 1664525u + 1013904223u;
                uint32_t value = random >> 8;
                changed[from + value % (sample.size - from)] =
                    value & 0x10000 ? edges[value / 7 % sizeof edges] : (uint8_t)(value >> 5);
            }
            run(changed, sample.size);
        }
        free(changed);
        buffer_clear(&sample);
    }
}

static int write_seeds(const char *folder) {
    for (unsigned n = 0; n < SAMPLES; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sample-%u", folder, n);
        buffer b = BUFFER_INIT;
        make_sample(&b, n);
        FILE *file = fopen(path, "wb");
        bool written = file && fwrite(b.data, 1, b.size, file) == b.size;
        if (file && fclose(file) != 0)
            written = false;
        buffer_clear(&b);
        if (!written)
            return 1;
    }
    return 0;
}

static int read_files(int count, char **paths) {
    for (int i = 0; i < count; i++) {
        diag d = {.file = paths[i]};
        os_map map = OS_MAP_INIT;
        if (os_map_file(&map, &d, paths[i]))
            return 1;
        run(map.content.data, map.content.size);
        os_unmap(&map);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "seeds") == 0)
        return write_seeds(argv[2]);
    if (argc > 1)
        return read_files(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_sound),
        cmocka_unit_test(changed_images_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
