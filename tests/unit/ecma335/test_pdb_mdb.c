/* Mono's symbol file goes along with its code. */
#include "unit.h"

#include "made_pdb.h"

static const uint8_t new_mvid[16] = {1, 2, 3};

typedef struct rewritten {
    made_pair pair;
    buffer old, now;
} rewritten;

static void begin(rewritten *r) {
    *r = (rewritten){.old = BUFFER_INIT};
    made_pair_init(&r->pair);
    made_mdb(&r->old);
}

static ecma_status rewrite_it(rewritten *r) {
    diag d = {.file = "x.mdb"};
    r->now.size = 0;
    return mdb_rewrite(&r->now, buffer_bytes(&r->old), new_mvid, &r->pair.moves, &d);
}

static void end(rewritten *r) {
    buffer_clear(&r->old);
    buffer_clear(&r->now);
    made_pair_clear(&r->pair);
}

static const uint8_t *entry(const buffer *file, unsigned n) {
    return file->data + load_u32(file->data + 72) + (size_t)n * 12;
}

static void a_first_row_at_0_stays_there(void **state) {
    (void)state;
    rewritten r;
    begin(&r);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    /* line 10 at 0, line 11 fifteen bytes on; the rest as before */
    static const uint8_t expected[] = {3, 9, 1, 9 + 15 * 8 + 2, 0,    1,    0x40, 2, 9, 1, 0, 1, 1, 4, 5,
                                       6, 0, 7, 0xFF,           0xFF, 0xFF, 7,    1, 8};
    assert_memory_equal(r.now.data + load_u32(entry(&r.now, 0) + 8), expected, sizeof expected);
    end(&r);
}

static void code_blocks_move(void **state) {
    (void)state;
    rewritten r;
    begin(&r);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    static const uint8_t expected[] = {1, 1, 0, 15, 24};
    const uint8_t *data = r.now.data + load_u32(entry(&r.now, 0) + 4);
    uint32_t blocks = (uint32_t)(data[3] & 0x7F) | (uint32_t)data[4] << 7;
    assert_memory_equal(r.now.data + blocks, expected, sizeof expected);
    end(&r);
}

static void the_header_says_the_new_module_and_size(void **state) {
    (void)state;
    rewritten r;
    begin(&r);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    const uint8_t *mvid;
    assert_true(mdb_try_mvid(buffer_bytes(&r.now), &mvid));
    assert_memory_equal(mvid, new_mvid, 16);
    assert_int_equal(load_u32(r.now.data + 32), r.now.size);
    end(&r);
}

static void methods_that_stay_keep_what_they_have(void **state) {
    (void)state;
    rewritten r;
    begin(&r);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    assert_memory_equal(entry(&r.now, 1), entry(&r.old, 1), 12);
    assert_memory_equal(r.now.data + 112, r.old.data + 112, (size_t)(entry(&r.old, 0) - r.old.data) - 112);
    end(&r);
}

static void damage_is_refused_or_does_no_harm(void **state) {
    (void)state;
    rewritten r;
    begin(&r);
    unsigned refused = 0;
    for (size_t at = 0; at < r.old.size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            r.old.data[at] ^= (uint8_t)(1 << bit);
            ecma_status status = rewrite_it(&r);
            assert_true(status == ECMA_OK || status == ECMA_BAD_FILE);
            refused += status != ECMA_OK;
            r.old.data[at] ^= (uint8_t)(1 << bit);
        }
    assert_true(refused > 100);
    size_t whole = r.old.size;
    for (r.old.size = 0; r.old.size < whole; r.old.size++)
        assert_int_equal(rewrite_it(&r), ECMA_BAD_FILE);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_row_at_0_stays_there),
        cmocka_unit_test(code_blocks_move),
        cmocka_unit_test(the_header_says_the_new_module_and_size),
        cmocka_unit_test(methods_that_stay_keep_what_they_have),
        cmocka_unit_test(damage_is_refused_or_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
