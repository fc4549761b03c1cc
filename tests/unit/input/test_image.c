/* Opening, listing and dumping an image: what the caller gets, and what he gets when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "input/image.h"
#include "made_image.h"

/* The n-th allocation from now fails; below 0 none does. */
static int allocations_left = -1;
static bool allocation_fails(void) {
    if (allocations_left < 0)
        return false;
    return allocations_left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size) {
    return allocation_fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return allocation_fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *p, size_t size) {
    return allocation_fails() ? NULL : __real_realloc(p, size);
}

typedef struct told {
    unsigned count;
    char line[300];
} told;

static void keep(void *user, const ilj_diagnostic *d) {
    told *t = user;
    t->count++;
    snprintf(t->line, sizeof t->line, "%s %s %s", d->file, d->code, d->text);
}

static int count_bytes(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return 0;
}

static int refuse(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    (void)length;
    return 1;
}

typedef ilj_status use(ilj_image *image);
static ilj_status list_text(ilj_image *image) {
    size_t size = 0;
    return ilj_image_list(image, ILJ_LIST_TEXT, NULL, count_bytes, &size);
}
static ilj_status list_json(ilj_image *image) {
    size_t size = 0;
    return ilj_image_list(image, ILJ_LIST_JSON, NULL, count_bytes, &size);
}
static ilj_status dump(ilj_image *image) {
    size_t size = 0;
    return ilj_image_dump(image, ILJ_DUMP_ALL, count_bytes, &size);
}
static use *const uses[] = {list_text, list_json, dump};
enum { USES = sizeof uses / sizeof uses[0] };

/* Opens and uses the sample with the n-th allocation failing; false when nothing failed any more. */
static bool one_allocation_fails(bytes file, use *what, int n) {
    told t = {0};
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    assert_int_equal(ilj_context_new(&context, keep, &t), ILJ_OK);
    allocations_left = n;
    ilj_status status = image_open_bytes(&image, context, "sample", file);
    if (status == ILJ_OK)
        status = what(image);
    bool failed = allocations_left < 0;
    allocations_left = -1;
    assert_int_equal(status, failed ? ILJ_NO_MEMORY : ILJ_OK);
    assert_int_equal(t.count, failed);
    ilj_image_free(image);
    ilj_context_free(context);
    return failed;
}

static void each_failing_allocation_ends_cleanly(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_sample(&b, 0);
    for (unsigned i = 0; i < USES; i++) {
        int n = 0;
        while (one_allocation_fails(buffer_bytes(&b), uses[i], n))
            n++;
        assert_true(n >= 3);
    }
    buffer_clear(&b);
}

static void caller_that_stops_gets_io(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    made_sample(&b, 0);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&b)), ILJ_OK);
    assert_int_equal(ilj_image_list(image, ILJ_LIST_TEXT, NULL, refuse, NULL), ILJ_IO);
    assert_int_equal(ilj_image_list(image, ILJ_LIST_JSON, NULL, refuse, NULL), ILJ_IO);
    assert_int_equal(ilj_image_dump(image, ILJ_DUMP_ALL, refuse, NULL), ILJ_IO);
    ilj_image_free(image);
    ilj_context_free(context);
    buffer_clear(&b);
}

static void keep_text(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)severity;
    (void)code;
    snprintf(user, 300, "%s", text);
}

static void broken_part_gives_bad_file_after_the_whole_dump(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    size_t size = 0, whole = 0;
    made_sample(&b, 0);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    for (int broken = 0; broken < 2; broken++) {
        if (broken)
            b.data[MADE_HEADERS + 72] = 0x01; /* the first body's header: neither tiny nor fat */
        size = 0;
        assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&b)), ILJ_OK);
        assert_int_equal(ilj_image_dump(image, ILJ_DUMP_ALL, count_bytes, &size), broken ? ILJ_BAD_FILE : ILJ_OK);
        if (!broken)
            whole = size;
        assert_true(size > whole - 100);
        ilj_image_free(image);
    }
    ilj_context_free(context);
    buffer_clear(&b);
}

static void file_that_is_not_there_is_told_by_name(void **state) {
    (void)state;
    told t = {0};
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    assert_int_equal(ilj_context_new(&context, keep, &t), ILJ_OK);
    assert_int_equal(ilj_image_open(&image, context, "no/such.dll"), ILJ_IO);
    assert_null(image);
    assert_int_equal(t.count, 1);
    assert_non_null(strstr(t.line, "no/such.dll ILJ0900 "));
    ilj_image_free(NULL);
    ilj_context_free(context);
}

/* II.25.2.3.2: both are powers of two, the section's not below the file's. */
static void alignments_are_powers_of_two_in_order(void **state) {
    (void)state;
    static const struct {
        uint32_t section, file;
        bool fine;
    } cases[] = {
        {0x2000, 0x200, true},   {0x1000, 0x1000, true}, {0x3000, 0x200, false}, {0x2100, 0x200, false},
        {0x2000, 0x300, false},  {0x100, 0x200, false},  {0, 0x200, false},      {0x2000, 0, false},
        {0x20000, 0x20000, false}, /* no file alignment is above 64 KB */
    };
    buffer b = BUFFER_INIT;
    made_sample(&b, 0);
    uint8_t *optional = b.data + load_u32(b.data + 0x3C) + 24;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arena memory = ARENA_INIT;
        pe_image pe;
        char said[300] = "";
        diag d = {.sink = keep_text, .user = said};
        store_u32(optional + 32, cases[i].section);
        store_u32(optional + 36, cases[i].file);
        ecma_status status = pe_image_open(&pe, buffer_bytes(&b), &memory, &d);
        bool refused = status != ECMA_OK && strstr(said, "are not powers of two in order");
        if (refused == cases[i].fine)
            fail_msg("0x%x, 0x%x: %s", cases[i].section, cases[i].file, said);
        arena_clear(&memory);
    }
    buffer_clear(&b);
}

static int gather(void *user, const char *text, size_t length) {
    buffer_append(user, text, length);
    return 0;
}

/* II.25.2.3.2 and 3: each field of a PE32 optional header at its offset. */
static void sizes_of_stack_and_heap_are_dumped_from_their_places(void **state) {
    (void)state;
    static const char *const lines[] = {"  StackReserveSize 0x11223344\n", "  StackCommitSize 0x12233445\n",
                                        "  HeapReserveSize 0x13243546\n", "  HeapCommitSize 0x14253647\n"};
    static const uint32_t values[] = {0x11223344, 0x12233445, 0x13243546, 0x14253647};
    buffer b = BUFFER_INIT, text = BUFFER_INIT;
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    made_sample(&b, 0);
    for (uint32_t i = 0; i < 4; i++)
        store_u32(b.data + load_u32(b.data + 0x3C) + 24 + 72 + 4 * i, values[i]);
    uint8_t *standard = b.data + load_u32(b.data + 0x3C) + 24;
    store_u32(standard + 12, 0x55000000); /* the size of what is not initialized, before the entry point */
    char entry[64];
    snprintf(entry, sizeof entry, "  EntryPointRVA 0x%x\n", load_u32(standard + 16));
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&b)), ILJ_OK);
    assert_int_equal(ilj_image_dump(image, ILJ_DUMP_ALL, gather, &text), ILJ_OK);
    buffer_u8(&text, 0);
    assert_non_null(strstr((const char *)text.data, entry));
    for (unsigned i = 0; i < 4; i++)
        if (!strstr((const char *)text.data, lines[i]))
            fail_msg("no '%s'", lines[i]);
    ilj_image_free(image);
    ilj_context_free(context);
    buffer_clear(&text);
    buffer_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_ends_cleanly),
        cmocka_unit_test(caller_that_stops_gets_io),
        cmocka_unit_test(broken_part_gives_bad_file_after_the_whole_dump),
        cmocka_unit_test(file_that_is_not_there_is_told_by_name),
        cmocka_unit_test(sizes_of_stack_and_heap_are_dumped_from_their_places),
        cmocka_unit_test(alignments_are_powers_of_two_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
