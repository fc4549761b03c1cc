/* Startup profiles where memory runs out, at each allocation; and their bytes, which no address decides. */
#include "report_unit.h"

#include "made_assembly.h"
#include "report/mibc/file.h"

/* The file of all methods of an assembly; each calls the next one. */
static ecma_status make(buffer *file, bytes image) {
    diag d = {0};
    type_names names = TYPE_NAMES_INIT;
    source s = {.names = &names};
    instances x = {.names = &names, .sources = &s};
    const uint64_t calls[MADE_METHODS] = {1, 200, 70000, UINT64_MAX};
    const mibc_edge edges[] = {{0, 1, 5}, {1, 0, 1}, {1, 2, UINT64_MAX}};
    uint32_t records = 0;
    ecma_status status = source_open_bytes(&s, image, &d);
    for (uint32_t row = 1; row <= MADE_METHODS && !status; row++)
        instances_add(&x, 0, row);
    if (!status && !instances_find(&x))
        status = diag_no_memory(&d);
    const mibc_content content = {&x, calls, edges, 3};
    if (!status)
        status = mibc_file_make(file, &records, &content, &d);
    assert_true(status != ECMA_OK || records == MADE_METHODS);
    instances_clear(&x);
    sources_close(&s, 1);
    type_names_clear(&names);
    return status;
}

static void memory_that_runs_out_is_reported(void **state) {
    (void)state;
    buffer image = BUFFER_INIT;
    made_assembly(&image);
    for (int later = 0; later < 2; later++) {
        unsigned failures = 0;
        for (long n = 0;; n++) {
            buffer file = BUFFER_INIT;
            allocations_left = n;
            later_ones_fail = later;
            one_failed = false;
            ecma_status status = make(&file, buffer_bytes(&image));
            allocations_left = -1;
            buffer_clear(&file);
            assert_int_equal(status, one_failed ? ECMA_NO_MEMORY : ECMA_OK);
            if (!one_failed)
                break;
            failures++;
        }
        assert_true(failures > 20);
    }
    buffer_clear(&image);
}

static void equal_content_gives_equal_bytes(void **state) {
    (void)state;
    buffer image = BUFFER_INIT, one = BUFFER_INIT, other = BUFFER_INIT;
    made_assembly(&image);
    assert_int_equal(make(&one, buffer_bytes(&image)), ECMA_OK);
    buffer_append_zeros(&image, 0x10000); /* it lies elsewhere */
    assert_int_equal(make(&other, buffer_bytes(&image)), ECMA_OK);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.data, other.data, one.size);
    buffer_clear(&image);
    buffer_clear(&one);
    buffer_clear(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(equal_content_gives_equal_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
