/* Memory that runs out while symbols are rewritten: each allocation fails in turn, and that is what is reported. */
#include "unit.h"

#include <limits.h>
#include <stdlib.h>

#include "made_pdb.h"

static unsigned long allocations_left = ULONG_MAX;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool fails(void) {
    if (allocations_left == 0)
        return true;
    if (allocations_left != ULONG_MAX)
        allocations_left--;
    return false;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : __real_realloc(old, size);
}

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)severity;
    (void)text;
    *(diag_code *)user = code;
}

typedef ecma_status rewrite_fn(made_pair *p, bytes old, buffer *now, arena *a, diag *d);

static ecma_status portable(made_pair *p, bytes old, buffer *now, arena *a, diag *d) {
    md_view view;
    uint8_t id[PDB_ID_BYTES], checksum[SHA256_BYTES];
    ecma_status status = md_view_open(&view, old, a, d);
    return status ? status : pdb_rewrite(now, id, checksum, &(pdb_source){&view, &p->edit, &p->moves}, a, d);
}

static ecma_status mdb(made_pair *p, bytes old, buffer *now, arena *a, diag *d) {
    static const uint8_t mvid[16] = {1};
    (void)a;
    return mdb_rewrite(now, old, mvid, &p->moves, d);
}

static void each_allocation_fails(const buffer *old, rewrite_fn *rewrite) {
    unsigned long failed = 0;
    for (unsigned long n = 0;; n++) {
        assert_true(n < 10000);
        made_pair p;
        made_pair_init(&p);
        diag_code told = DIAG_NOT_PE;
        diag d = {.sink = keep, .user = &told};
        buffer now = BUFFER_INIT;
        arena a = {.one_by_one = true};
        allocations_left = n;
        ecma_status status = rewrite(&p, buffer_bytes(old), &now, &a, &d);
        bool reached = allocations_left == 0;
        allocations_left = ULONG_MAX;
        buffer_clear(&now);
        arena_clear(&a);
        made_pair_clear(&p);
        if (status == ECMA_OK) {
            assert_true(!reached || failed == n);
            break;
        }
        failed++;
        assert_int_equal(status, ECMA_NO_MEMORY);
        assert_int_equal(told, DIAG_NO_MEMORY);
    }
    assert_true(failed > 0);
}

static void a_portable_pdb_without_memory(void **state) {
    (void)state;
    buffer old = BUFFER_INIT;
    made_pdb(&old, 0);
    each_allocation_fails(&old, portable);
    buffer_clear(&old);
}

static void an_mdb_without_memory(void **state) {
    (void)state;
    buffer old = BUFFER_INIT;
    made_mdb(&old);
    each_allocation_fails(&old, mdb);
    buffer_clear(&old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_portable_pdb_without_memory),
        cmocka_unit_test(an_mdb_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
