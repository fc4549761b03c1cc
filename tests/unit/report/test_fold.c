/* Folding trees by path, and that no stage of a report or merge writes to the profile that was read. Places were worked
 * out by hand. */
#include "profile_events.h"
#include "profile_times.h"
#include "report/merge/merge.h"
#include "report/model/aggregate.h"
#include "report_unit.h"

/* ---- The engine ------------------------------------------------------------------------------------------------- */

/* A node of a tree that is folded. */
typedef struct made_link {
    uint32_t parent, key;
} made_link;

static void folds_to(fold *f, uint32_t top, const made_link *nodes, const uint32_t *expected, uint32_t count) {
    uint32_t keys[8], places[8];
    for (uint32_t i = 0; i < count; i++)
        keys[i] = nodes[i].key;
    assert_true(fold_tree(f, top, &(fold_source){nodes, sizeof *nodes, count, keys}, places));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(places[i], expected[i]);
}

static void links_are(const fold *f, const made_link *expected, uint32_t count) {
    assert_int_equal(f->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(f->links[i].parent, expected[i].parent);
        assert_int_equal(f->links[i].key, expected[i].key);
    }
}

static void the_same_path_is_the_same_place(void **state) {
    (void)state;
    fold f = FOLD_INIT;
    assert_true(fold_start(&f));
    folds_to(&f, 0, (const made_link[]){{0, 0}, {0, 7}, {1, 9}, {0, 9}}, (const uint32_t[]){0, 1, 2, 3}, 4);
    /* The same siblings in another order, one of them twice, and a path that is new. */
    folds_to(&f, 0, (const made_link[]){{0, 0}, {0, 9}, {0, 7}, {2, 9}, {2, 8}, {0, 7}, {5, 8}},
             (const uint32_t[]){0, 3, 1, 2, 4, 1, 4}, 7);
    links_are(&f, (const made_link[]){{0, 0}, {0, 7}, {1, 9}, {0, 9}, {1, 8}}, 5);
    assert_true(fold_start(&f)); /* does nothing more */
    assert_int_equal(f.count, 5);
    fold_clear(&f);
}

static void a_part_of_its_parent_has_its_place(void **state) {
    (void)state;
    fold f = FOLD_INIT;
    assert_true(fold_start(&f));
    folds_to(&f, 0, (const made_link[]){{0, 0}, {0, 5}, {1, FOLD_PARENT}, {2, 6}, {2, FOLD_PARENT}, {4, 6}},
             (const uint32_t[]){0, 1, 1, 2, 1, 2}, 6);
    links_are(&f, (const made_link[]){{0, 0}, {0, 5}, {1, 6}}, 3);
    fold_clear(&f);
}

static void trees_may_hang_below_any_place(void **state) {
    (void)state;
    fold f = FOLD_INIT;
    assert_true(fold_start(&f));
    assert_int_equal(fold_child(&f, 0, 100), 1);
    folds_to(&f, 1, (const made_link[]){{0, 0}, {0, 5}, {1, UINT32_MAX}}, (const uint32_t[]){1, 2, 3}, 3);
    assert_int_equal(fold_child(&f, 0, 200), 4);
    folds_to(&f, 4, (const made_link[]){{0, 0}, {0, 5}, {1, UINT32_MAX}}, (const uint32_t[]){4, 5, 6}, 3);
    assert_int_equal(fold_child(&f, 5, UINT32_MAX), 6);
    assert_int_equal(fold_child(&f, 0, 100), 1);
    fold_clear(&f);
}

static void many_places_are_found_again(void **state) {
    (void)state;
    enum { MANY = 20000 };
    fold f = FOLD_INIT;
    assert_true(fold_start(&f));
    for (uint32_t i = 1; i < MANY; i++)
        assert_int_equal(fold_child(&f, i / 3, i % 5 + 1 + (i % 3) * 5), i);
    for (uint32_t i = MANY - 1; i > 0; i--) {
        assert_int_equal(fold_find(&f, i / 3, i % 5 + 1 + (i % 3) * 5), i);
        assert_int_equal(fold_child(&f, i / 3, i % 5 + 1 + (i % 3) * 5), i);
        assert_int_equal(fold_find(&f, i, 100), FOLD_NONE);
    }
    assert_int_equal(f.count, MANY);
    fold_clear(&f);
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    static const made_link nodes[] = {{0, 0}, {0, 5}, {1, 6}};
    static const uint32_t keys[] = {0, 5, 6};
    for (long n = 0;; n++) {
        fold f = FOLD_INIT;
        uint32_t places[3];
        one_failed = false;
        allocations_left = n;
        bool done = fold_start(&f) && fold_tree(&f, 0, &(fold_source){nodes, sizeof *nodes, 3, keys}, places);
        allocations_left = -1;
        assert_int_equal(done, !one_failed);
        fold_clear(&f);
        if (!one_failed) {
            assert_int_equal(n, 2); /* the links and the map */
            return;
        }
    }
}

/* ---- The stages ------------------------------------------------------------------------------------------------- */

static void note(buffer *b, const void *elements, size_t count, size_t size) {
    buffer_append(b, elements, elements ? count * size : 0);
}

/* All that the profile holds. */
static void note_profile(buffer *b, const profile *p) {
    note(b, p, 1, sizeof *p);
    note(b, p->modules, p->module_count, sizeof *p->modules);
    note(b, p->threads, p->thread_count, sizeof *p->threads);
    note(b, p->switches, p->switch_count, sizeof *p->switches);
    note(b, p->calls.methods, p->calls.method_count, sizeof *p->calls.methods);
    note(b, p->calls.list, p->calls.count, sizeof *p->calls.list);
    for (size_t i = 0; i < p->thread_count; i++) {
        const profile_thread *t = &p->threads[i];
        note(b, t->parents, t->node_count, sizeof *t->parents);
        note(b, t->ids, t->node_count, sizeof *t->ids);
        note(b, t->depths, t->depths ? t->node_count : 0, sizeof *t->depths);
        for (unsigned k = 0; k < COLUMNS_MOST; k++)
            for (uint32_t i = 0; i < t->node_count; i++) {
                const uint64_t numbers[] = {columns_at(&t->nodes, k, i), columns_at(&t->timings, k, i)};
                note(b, numbers, 2, sizeof numbers[0]);
            }
        note(b, t->histograms, t->histogram_count, sizeof *t->histograms);
        note(b, t->exception_types, t->exception_type_count, sizeof *t->exception_types);
        note(b, t->paths, t->path_count, sizeof *t->paths);
        note(b, t->async, t->async_count, sizeof *t->async);
        note(b, t->streams, t->stream_count, sizeof *t->streams);
        for (uint32_t k = 0; k < t->stream_count; k++) {
            note(b, t->streams[k].events, t->streams[k].event_count, sizeof *t->streams[k].events);
            note(b, t->streams[k].open, t->streams[k].open_count, sizeof *t->streams[k].open);
        }
    }
}

/* The governor has switched off the second and the third method of a whole profile. */
static void switch_two_off(buffer *file) {
    enum { END_BYTES = 16 };
    buffer b = BUFFER_INIT;
    file->size -= END_BYTES;
    buffer_varuint(&b, 2);
    for (uint64_t id = SAMPLE_BASE + 1; id <= SAMPLE_BASE + 2; id++) {
        buffer_varuint(&b, id);
        buffer_varuint(&b, PROFILE_BY_GOVERNOR);
        buffer_varuint(&b, 1000);
        buffer_varuint(&b, 10);
    }
    maker_section(file, "SWCH", &b);
    maker_end(file);
    buffer_clear(&b);
}

static void is_left_alone(const buffer *file) {
    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    p.memory.one_by_one = true;
    assert_int_equal(profile_read(&p, buffer_bytes(file), &d), ECMA_OK);
    buffer before = BUFFER_INIT, after = BUFFER_INIT;
    note_profile(&before, &p);
    for (int offset = ILJ_OFFSET_CALIBRATED; offset <= ILJ_OFFSET_ARTICLE; offset++) {
        aggregate sum = AGGREGATE_INIT;
        sum.offset = (ilj_offset)offset;
        assert_int_equal(aggregate_profile(&sum, &p, 0, NULL, &d), ECMA_OK);
        assert_int_equal(aggregate_finish(&sum, &d), ECMA_OK);
        aggregate_clear(&sum);
    }
    merge *m = calloc(1, sizeof *m);
    assert_int_equal(merge_add(m, &p, &d), ECMA_OK);
    merge_clear(m);
    free(m);
    note_profile(&after, &p);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    buffer_clear(&before);
    buffer_clear(&after);
    profile_clear(&p);
}

static void no_stage_writes_to_a_profile(void **state) {
    (void)state;
    void (*const make[])(buffer *) = {sample_profile, events_profile, times_profile};
    for (size_t i = 0; i < sizeof make / sizeof make[0]; i++) {
        buffer file = BUFFER_INIT, merged = BUFFER_INIT;
        make[i](&file);
        is_left_alone(&file);
        switch_two_off(&file);
        is_left_alone(&file);

        diag d = {.file = "x"};
        profile p = PROFILE_INIT;
        merge *m = calloc(1, sizeof *m);
        assert_int_equal(profile_read(&p, buffer_bytes(&file), &d), ECMA_OK);
        assert_int_equal(merge_add(m, &p, &d), ECMA_OK);
        assert_int_equal(merge_write(&merged, m, &d), ECMA_OK);
        merge_clear(m);
        free(m);
        profile_clear(&p);
        is_left_alone(&merged);
        buffer_clear(&file);
        buffer_clear(&merged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_path_is_the_same_place), cmocka_unit_test(a_part_of_its_parent_has_its_place),
        cmocka_unit_test(trees_may_hang_below_any_place),  cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(many_places_are_found_again),     cmocka_unit_test(no_stage_writes_to_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
