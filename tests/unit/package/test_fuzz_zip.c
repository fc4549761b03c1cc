/* The fuzz target of zip archives, driven plainly: an archive with entries of all kinds, and changes to it from a
 * printed seed. With the arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_zip.c"

#include <libdeflate.h>

static void add_number(buffer *b, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        buffer_u8(b, i < 8 ? (uint8_t)(value >> 8 * i) : 0);
}

/* An entry that is deflated in one stored block, or stored; `wide`: its sizes stand in a zip64 field. */
static void add_entry(buffer *out, buffer *directory, const char *name, const char *content, bool deflated, bool wide,
                      bool descriptor) {
    size_t size = strlen(content), at = out->size;
    uint32_t crc = libdeflate_crc32(0, content, size);
    size_t packed = size + (deflated ? 5 : 0);
    uint16_t flags = descriptor ? 8 : 0, method = deflated ? 8 : 0;
    for (int pass = 0; pass < 2; pass++) {
        buffer *b = pass ? directory : out;
        bool told = pass || !descriptor;
        add_number(b, pass ? 0x02014b50 : 0x04034b50, 4);
        if (pass)
            add_number(b, 20, 2);
        add_number(b, 20, 2);
        add_number(b, flags, 2);
        add_number(b, method, 2);
        add_number(b, 0x3d3a6a20, 4);
        add_number(b, told ? crc : 0, 4);
        add_number(b, wide ? UINT32_MAX : told ? packed : 0, 4);
        add_number(b, wide ? UINT32_MAX : told ? size : 0, 4);
        add_number(b, strlen(name), 2);
        add_number(b, wide ? 20 : 0, 2);
        if (pass) {
            add_number(b, 0, 10);
            add_number(b, at, 4);
        }
        buffer_string(b, name);
        if (wide) {
            add_number(b, 1, 2);
            add_number(b, 16, 2);
            add_number(b, size, 8);
            add_number(b, packed, 8);
        }
        if (pass)
            break;
        if (deflated) {
            buffer_u8(b, 1);
            add_number(b, size, 2);
            add_number(b, ~size & 0xFFFF, 2);
        }
        buffer_string(b, content);
        if (descriptor)
            add_number(b, 0x08074b50, 4), add_number(b, crc, 4), add_number(b, packed, 4), add_number(b, size, 4);
    }
}

static void make_sample(buffer *out, unsigned zip64) {
    buffer directory = BUFFER_INIT;
    add_entry(out, &directory, "AppManifest.xaml", "<Deployment/>", true, false, false);
    add_entry(out, &directory, "a\\b.dll", "MZ", false, false, true);
    add_entry(out, &directory, "a/", "", false, false, false);
    add_entry(out, &directory, "./c.txt", "content", true, true, false);
    size_t at = out->size;
    buffer_append(out, directory.data, directory.size);
    if (zip64) {
        size_t end = out->size;
        add_number(out, 0x06064b50, 4);
        add_number(out, 44, 8);
        add_number(out, 0x2d002d, 4);
        add_number(out, 0, 8);
        add_number(out, 4, 8);
        add_number(out, 4, 8);
        add_number(out, directory.size, 8);
        add_number(out, at, 8);
        add_number(out, 0x07064b50, 4);
        add_number(out, 0, 4);
        add_number(out, end, 8);
        add_number(out, 1, 4);
    }
    add_number(out, 0x06054b50, 4);
    add_number(out, 0, 4);
    add_number(out, zip64 ? 0xFFFF : 4, 2);
    add_number(out, zip64 ? 0xFFFF : 4, 2);
    add_number(out, zip64 ? UINT32_MAX : directory.size, 4);
    add_number(out, zip64 ? UINT32_MAX : at, 4);
    add_number(out, 2, 2);
    buffer_string(out, "hi");
    buffer_clear(&directory);
    assert_false(out->failed);
}

static void samples_are_read_whole(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        buffer sample = BUFFER_INIT;
        zip_view z;
        diag silent = {0};
        make_sample(&sample, i);
        assert_int_equal(zip_read(&z, &silent, buffer_bytes(&sample)), ECMA_OK);
        assert_int_equal(z.count, 4);
        assert_string_equal(z.entries[1].path, "a/b.dll");
        assert_true(z.entries[2].is_folder);
        assert_string_equal(z.entries[3].path, "c.txt");
        uint64_t left = zip_most_unpacked(&z);
        buffer content = BUFFER_INIT;
        assert_int_equal(zip_unpack(&content, &silent, &z, zip_find(&z, "c.txt"), &left), ECMA_OK);
        assert_memory_equal(content.data, "content", 7);
        buffer_clear(&content);
        zip_clear(&z);
        buffer_clear(&sample);
    }
}

static void changed_archives_are_read_or_refused_with_a_word(void **state) {
    static const uint8_t edges[] = {0, 1, 8, 'P', 'K', 0x7F, 0x80, 0xFE, 0xFF};
    (void)state;
    fuzz_replay(make_sample, 0, 2,
                &(fuzz_plan){.seed = 5,
                             .rounds = 20000,
                             .step = 1,
                             .from = 0,
                             .seldom_from = 0,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

static void changes_to_the_structure_are_survived(void **state) {
    (void)state;
    fuzz_mutate(make_sample, 0, 2, 20000);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, 2);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read_whole),
        cmocka_unit_test(changed_archives_are_read_or_refused_with_a_word),
        cmocka_unit_test(changes_to_the_structure_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
