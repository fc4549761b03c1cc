/* A portable PDB goes along with its code. */
#include "unit.h"

#include "made_pdb.h"

typedef struct rewritten {
    made_pair pair;
    buffer old, now;
    md_view before, after;
    uint8_t id[PDB_ID_BYTES], checksum[SHA256_BYTES];
    char said[200];
} rewritten;

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    rewritten *r = user;
    (void)file;
    (void)severity;
    snprintf(r->said, sizeof r->said, "%d %s", (int)code, text);
}

static diag teller(rewritten *r) {
    return (diag){.sink = keep, .user = r, .file = "x.pdb"};
}

static void begin(rewritten *r, size_t blob_padding) {
    *r = (rewritten){.old = BUFFER_INIT};
    made_pair_init(&r->pair);
    made_pdb(&r->old, blob_padding);
}

static ecma_status rewrite_it(rewritten *r) {
    diag d = teller(r);
    ecma_status status;
    r->now.size = 0;
    if ((status = md_view_open(&r->before, buffer_bytes(&r->old), &r->pair.arena, &d)))
        return status;
    status = pdb_rewrite(&r->now, r->id, r->checksum, &(pdb_source){&r->before, &r->pair.edit, &r->pair.moves},
                         &r->pair.arena, &d);
    if (status == ECMA_OK)
        assert_int_equal(md_view_open(&r->after, buffer_bytes(&r->now), &r->pair.arena, &d), ECMA_OK);
    return status;
}

static void end(rewritten *r) {
    buffer_clear(&r->old);
    buffer_clear(&r->now);
    made_pair_clear(&r->pair);
}

#define ASSERT_BLOB(r, column, row, ...)                                                                               \
    assert_blob(r, MD_##column, row, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})
static void assert_blob(const rewritten *r, md_column column, uint32_t row, const uint8_t *expected, size_t size) {
    bytes blob;
    assert_true(md_try_blob(&r->after, md_cell(&r->after, column, row), &blob));
    assert_int_equal(blob.size, size);
    assert_memory_equal(blob.data, expected, size);
}

static void a_first_point_at_0_stays_there(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    ASSERT_BLOB(&r, MethodDebugInformation_SequencePoints, 1, 2, 0, 0, 4, 10, 5, 15, 0, 0, 9, 1, 0x7B, 0x7F, 2);
    ASSERT_BLOB(&r, MethodDebugInformation_SequencePoints, 2, 2, 1, 7, 0, 4, 7, 1, 0, 2, 10, 0, 3, 4, 0);
    end(&r);
}

static void methods_that_stay_keep_their_blobs(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    for (uint32_t row = 3; row <= 4; row++)
        assert_int_equal(md_cell(&r.after, MD_MethodDebugInformation_SequencePoints, row),
                         md_cell(&r.before, MD_MethodDebugInformation_SequencePoints, row));
    assert_memory_equal(r.after.blobs.data, r.before.blobs.data, r.before.blobs.size);
    end(&r);
}

static void there_are_as_many_rows_as_methods(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    assert_int_equal(md_row_count(&r.after, MD_TABLE_MethodDebugInformation), MADE_METHODS + 2);
    assert_int_equal(r.after.width_rows[MD_TABLE_MethodDef], MADE_METHODS + 2);
    assert_int_equal(r.after.width_rows[MD_TABLE_StandAloneSig], 2);
    assert_int_equal(r.after.width_rows[MD_TABLE_ManifestResource], 1); /* a table that there was not */
    assert_int_equal(md_cell(&r.after, MD_MethodDebugInformation_SequencePoints, MADE_METHODS + 2), 0);
    end(&r);
}

static void assert_scope(const rewritten *r, uint32_t row, uint32_t start, uint32_t length) {
    assert_int_equal(md_cell(&r->after, MD_LocalScope_StartOffset, row), start);
    assert_int_equal(md_cell(&r->after, MD_LocalScope_Length, row), length);
}

static void scopes_move_and_the_whole_stays_whole(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    assert_scope(&r, 1, 0, MADE_NEW_SIZE);
    assert_scope(&r, 2, MADE_HEAD, MADE_EXIT); /* ends before the code that is put in there */
    assert_scope(&r, 3, 4 + MADE_HEAD, 6);
    assert_scope(&r, 4, 0, 2);
    end(&r);
}

static void hoisted_scopes_and_steps_move(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    ASSERT_BLOB(&r, CustomDebugInformation_Value, 1, 1, 2, 3);
    ASSERT_BLOB(&r, CustomDebugInformation_Value, 2, 9, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    /* what goes on in a method that was not moved goes on where it did */
    ASSERT_BLOB(&r, CustomDebugInformation_Value, 3, 24, 0, 0, 0, 11, 0, 0, 0, 13, 0, 0, 0, 2, 15, 0, 0, 0, 12, 0, 0, 0,
                3);
    end(&r);
}

static void the_id_comes_from_the_content(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    const uint8_t *id;
    uint8_t hash[SHA256_BYTES], first[PDB_ID_BYTES];
    assert_true(pdb_try_id(&r.after, &id));
    assert_memory_equal(id, r.id, PDB_ID_BYTES);
    assert_int_equal(id[7] >> 4, 4);
    assert_int_equal(id[19] >> 7, 1);
    memcpy(first, id, sizeof first);
    memset(r.now.data + (id - r.now.data), 0, PDB_ID_BYTES);
    sha256(buffer_bytes(&r.now), hash);
    assert_memory_equal(hash, r.checksum, SHA256_BYTES);
    assert_memory_equal(hash, first, 7);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    assert_memory_equal(first, r.id, PDB_ID_BYTES);
    end(&r);
}

static void a_heap_that_passes_64_KiB_widens_its_columns(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0xFFFF - 150);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    assert_int_equal(r.before.column_width[MD_LocalConstant_Signature], 2);
    assert_int_equal(r.after.column_width[MD_LocalConstant_Signature], 4);
    ASSERT_BLOB(&r, MethodDebugInformation_SequencePoints, 2, 2, 1, 7, 0, 4, 7, 1, 0, 2, 10, 0, 3, 4, 0);
    end(&r);
}

static void rows_of_another_assembly_are_stale(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    diag d = teller(&r);
    md_view view;
    assert_int_equal(md_view_open(&view, buffer_bytes(&r.old), &r.pair.arena, &d), ECMA_OK);
    uint8_t *counts = r.old.data + (view.pdb_stream.data - r.old.data) + 32;
    store_u32(counts, load_u32(counts) + 1);
    assert_int_equal(rewrite_it(&r), ECMA_BAD_FILE);
    assert_string_equal(r.said, "411 it counts 2 rows of Module, the assembly has 1");
    end(&r);
}

/* Each byte of each blob that is read, changed: it is rewritten or refused, reported as damaged. */
static void damage_is_told_or_does_no_harm(void **state) {
    (void)state;
    rewritten r;
    begin(&r, 0);
    assert_int_equal(rewrite_it(&r), ECMA_OK);
    size_t first = (size_t)(r.before.blobs.data - r.old.data), size = r.before.blobs.size;
    unsigned refused = 0;
    for (size_t at = 0; at < size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            r.old.data[first + at] ^= (uint8_t)(1 << bit);
            r.said[0] = 0;
            ecma_status status = rewrite_it(&r);
            assert_true(status == ECMA_OK || (status == ECMA_BAD_FILE && strncmp(r.said, "420 ", 4) == 0));
            refused += status != ECMA_OK;
            r.old.data[first + at] ^= (uint8_t)(1 << bit);
        }
    assert_true(refused > 20);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_point_at_0_stays_there),
        cmocka_unit_test(methods_that_stay_keep_their_blobs),
        cmocka_unit_test(there_are_as_many_rows_as_methods),
        cmocka_unit_test(scopes_move_and_the_whole_stays_whole),
        cmocka_unit_test(hoisted_scopes_and_steps_move),
        cmocka_unit_test(the_id_comes_from_the_content),
        cmocka_unit_test(a_heap_that_passes_64_KiB_widens_its_columns),
        cmocka_unit_test(rows_of_another_assembly_are_stale),
        cmocka_unit_test(damage_is_told_or_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
