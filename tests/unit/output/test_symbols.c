/* Symbols beside an input and in it: which file is taken for them, what is said of those that cannot be used, what goes
 * along with an input that is copied through. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_ready_to_run.h"
#include "output/symbols.h"
#include "select/bodies.h"

static char folder[64], told[2048];

static const char *in_folder(const char *name) {
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *data, size_t size) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The text of a file, or "none". */
static const char *content(const char *name) {
    static char text[256];
    FILE *file = fopen(in_folder(name), "rb");
    if (!file)
        return "none";
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/symbols.XXXXXX", base && strlen(base) < 40 ? base : "/tmp");
    return mkdtemp(folder) ? 0 : 1;
}

static int drop_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.dll",     "a.dll.mdb", "a.pdb", "M.pdb",   "b.dll",
                                        "b.dll.mdb", "b.pdb",     ".dll",  ".dll.pdb"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (unlink(in_folder(names[i])))
            rmdir(in_folder(names[i]));
    return rmdir(folder);
}

/* ---- Copied through --------------------------------------------------------------------------------------------- */

static ecma_status copy(const char *input, const char *output) {
    diag d = {.file = "a"};
    char from[256];
    snprintf(from, sizeof from, "%s", in_folder(input));
    return symbols_copy(&d, from, in_folder(output));
}

static void symbols_that_are_there_go_along_with_a_copy(void **state) {
    (void)state;
    write_file("a.dll", "dll", 3);
    assert_int_equal(copy("a.dll", "b.dll"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "none");
    assert_string_equal(content("b.dll.mdb"), "none");
    write_file("a.dll.mdb", "mdb", 3);
    assert_int_equal(copy("a.dll", "b.dll"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "none");
    assert_string_equal(content("b.dll.mdb"), "mdb");
    assert_int_equal(unlink(in_folder("b.dll.mdb")), 0);
    assert_int_equal(unlink(in_folder("a.dll.mdb")), 0);
    write_file("a.pdb", "pdb", 3);
    assert_int_equal(copy("a.dll", "b.dll"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "pdb");
    assert_string_equal(content("b.dll.mdb"), "none");
}

static void what_is_no_file_of_symbols_does_not(void **state) {
    (void)state;
    /* The input and the output themselves may be called so; a folder may be, too. */
    write_file("a.pdb", "input", 5);
    assert_int_equal(copy("a.pdb", "b.dll"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "none");
    write_file("a.dll", "dll", 3);
    assert_int_equal(copy("a.dll", "b.pdb"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "none");
    assert_int_equal(copy("a.dll", "a.dll"), ECMA_OK);
    assert_string_equal(content("a.pdb"), "input");
    assert_int_equal(unlink(in_folder("a.pdb")), 0);
    assert_int_equal(mkdir(in_folder("a.pdb"), 0700), 0);
    assert_int_equal(copy("a.dll", "b.dll"), ECMA_OK);
    assert_string_equal(content("b.pdb"), "none");
}

/* ---- Found beside the input, or in it --------------------------------------------------------------------------- */

typedef struct sample {
    buffer file;
    ilj_context *context;
    ilj_image *image;
    bodies found;
    uint32_t at; /* of the second section, in the file */
} sample;

static void note(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s\n", diagnostic->code, diagnostic->text);
}

/* An assembly that names M.pdb; its first debug entry is of `type`, with these data. */
static void open_sample(sample *s, uint32_t type, const void *data, uint32_t size) {
    *s = (sample){.file = BUFFER_INIT};
    uint32_t rva = made_ready_to_run(&s->file, &s->at);
    uint8_t *b = s->file.data;
    store_u16(b + MADE_R2R_PE + 4, 0x14C);
    store_u32(b + MADE_R2R_CLI + 16, 1);
    store_u64(b + MADE_R2R_CLI + 64, 0);
    if (type) {
        enum { DATA = 0x180 };
        memcpy(b + s->at + DATA, data, size);
        made_debug_entry(b + s->at + MADE_R2R_DEBUG, type, size, rva + DATA, s->at + DATA);
    }
    told[0] = 0;
    assert_int_equal(ilj_context_new(&s->context, note, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&s->image, s->context, "a.dll", buffer_bytes(&s->file)), ILJ_OK);
    assert_int_equal(bodies_find(&s->found, s->image, NULL), ECMA_OK);
}

static void close_sample(sample *s) {
    ilj_image_free(s->image);
    ilj_context_free(s->context);
    buffer_clear(&s->file);
}

static void the_debug_directory_has_as_many_entries_as_its_size_says(void **state) {
    (void)state;
    sample s;
    pe_debug_entry entry;
    open_sample(&s, 0, NULL, 0);
    assert_true(pe_try_debug_entry(&s.image->pe, 0, &entry));
    assert_int_equal(entry.type, 21);
    assert_true(pe_try_debug_entry(&s.image->pe, 1, &entry));
    assert_int_equal(entry.type, PE_DEBUG_CODEVIEW);
    assert_memory_equal(entry.data.data, "RSDS", 4);
    assert_int_equal(entry.data.size, 32);
    assert_false(pe_try_debug_entry(&s.image->pe, 2, &entry));
    assert_false(pe_try_debug_entry(&s.image->pe, UINT32_MAX / PE_DEBUG_ENTRY_BYTES + 1, &entry));
    close_sample(&s);
}

/* The name that is taken, without its folder; "none". */
static const char *taken(const sample *s, const char *input) {
    const char *path = "";
    char from[256];
    snprintf(from, sizeof from, "%s", in_folder(input));
    assert_int_equal(symbols_name_beside(&path, s->image, from), ECMA_OK);
    return path ? strrchr(path, '/') + 1 : "none";
}

static void a_PDB_is_found_by_the_input_s_name_and_then_by_the_assembly_s(void **state) {
    (void)state;
    sample s;
    open_sample(&s, 0, NULL, 0);
    write_file("a.dll", "dll", 3);
    assert_string_equal(taken(&s, "a.dll"), "none");
    write_file("M.pdb", "x", 1);
    assert_string_equal(taken(&s, "a.dll"), "M.pdb");
    write_file("a.pdb", "x", 1);
    assert_string_equal(taken(&s, "a.dll"), "a.pdb");
    assert_string_equal(taken(&s, "a.pdb"), "none"); /* the input itself */
    assert_int_equal(unlink(in_folder("a.pdb")), 0);
    assert_int_equal(mkdir(in_folder("a.pdb"), 0700), 0);
    assert_string_equal(taken(&s, "a.dll"), "M.pdb");
    /* A name that begins with its dot has no other end. */
    write_file(".dll", "x", 1);
    write_file(".dll.pdb", "x", 1);
    assert_string_equal(taken(&s, ".dll"), ".dll.pdb");
    close_sample(&s);
}

/* Finds the symbols of a.dll for the output b.dll. True if there are any that can be used. */
static bool usable(sample *s) {
    symbols found = {0};
    char input[256];
    snprintf(input, sizeof input, "%s", in_folder("a.dll"));
    assert_int_equal(symbols_find(&found, s->image, &s->found, input, in_folder("b.dll")), ECMA_OK);
    bool is_usable = found.has_pdb;
    symbols_clear(&found);
    return is_usable;
}

static void a_PDB_beside_that_cannot_be_used_is_a_warning_that_says_why(void **state) {
    (void)state;
    static const struct {
        const char *content;
        size_t size;
        const char *code, *said;
    } rows[] = {
        {"Microsoft C/C++ MSF 7.00\r\n\032DS", 29, "ILJ0421 ", "a Windows PDB"},
        {"Microsoft C/C++ MSF 7.0", 23, "ILJ0420 ", "a.pdb: "},
        {"", 0, "ILJ0420 ", "a.pdb: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sample s;
        open_sample(&s, 0, NULL, 0);
        write_file("a.pdb", rows[i].content, rows[i].size);
        assert_false(usable(&s));
        if (strncmp(told, rows[i].code, 8) != 0 || !strstr(told, rows[i].said) ||
            !strstr(told, "line numbers of the output will be wrong or missing"))
            fail_msg("row %zu: %s", i, told);
        close_sample(&s);
    }
}

static void embedded_symbols_are_refused_by_what_they_claim(void **state) {
    (void)state;
    static const struct {
        const char *data;
        uint32_t size;
        const char *said; /* NULL: they inflate, and are no PDB then */
    } rows[] = {
        {"MPDB\0\0\0", 7, "the embedded PDB: no MPDB header"},
        {"MPDX\3\0\0\0\1\3\0\374\377abc", 16, "the embedded PDB: no MPDB header"},
        {"MPDB\xFF\xFF\xFF\x3F\1\3\0\374\377abc", 16, "the embedded PDB: 1073741823 bytes cannot be in 8 packed ones"},
        {"MPDB\1\0\0\x40\1\3\0\374\377abc", 16, "the embedded PDB: 1073741825 bytes cannot be in 8 packed ones"},
        {"MPDB\4\0\0\0\1\3\0\374\377abc", 16, "the embedded PDB: it does not inflate to its 4 bytes"},
        {"MPDB\2\0\0\0\1\3\0\374\377abc", 16, "the embedded PDB: it does not inflate to its 2 bytes"},
        {"MPDB\0\0\0\0\1\3\0\374\377abc", 16, "the embedded PDB: it does not inflate to its 0 bytes"},
        {"MPDB\0\0\0\0\1\0\0\377\377", 13, NULL}, /* nothing, deflated */
        {"MPDB\3\0\0\0\1\3\0\374\377abc", 16, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sample s;
        open_sample(&s, PE_DEBUG_EMBEDDED_PORTABLE_PDB, rows[i].data, rows[i].size);
        write_file("a.pdb", "x", 1); /* which is not looked at */
        assert_false(usable(&s));
        if (!strstr(told, rows[i].said ? rows[i].said : "the embedded PDB: ") || strstr(told, "a.pdb") ||
            (!rows[i].said && strstr(told, "inflate")))
            fail_msg("row %zu: %s", i, told);
        close_sample(&s);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)
    const struct CMUnitTest tests[] = {
        TEST(symbols_that_are_there_go_along_with_a_copy),
        TEST(what_is_no_file_of_symbols_does_not),
        TEST(the_debug_directory_has_as_many_entries_as_its_size_says),
        TEST(a_PDB_is_found_by_the_input_s_name_and_then_by_the_assembly_s),
        TEST(a_PDB_beside_that_cannot_be_used_is_a_warning_that_says_why),
        TEST(embedded_symbols_are_refused_by_what_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
