/* The rules of loaders for headers: each rule by an image that obeys all of them but for one patch. */
#define _GNU_SOURCE
#include "unit.h"

#include "input/ready_to_run.h"
#include "instrument/instrument.h"
#include "made_ready_to_run.h"
#include "pe/loaders.h"

#include <stdio.h>

enum {
    SPARE = 2, /* a section of zeros after the two that the fresh layout makes */
    SPARE_BYTES = 0x200,
    OVERLAY = 0x2400, /* after it in the file */
};

#define NONE PE_RULE_COUNT

/* Where a patch counts from. */
typedef enum place {
    NOWHERE,
    COFF,
    OPTIONAL,
    TEXT,
    ZEROS,
    DIRECTORIES,
    CLI,
    IMPORT,
    BLOCK,
    STUB,
    STREAMS,
    PLACES
} place;

typedef struct sample {
    buffer file;
    size_t at[PLACES];
} sample;

typedef struct patch {
    place place;
    uint32_t offset, value; /* the value stands in 4 bytes */
} patch;

/* `rule` about `subject` is what the patches break; `also` breaks with it, as no image has the one
 * without the other. */
typedef struct breakage {
    pe_rule rule;
    uint32_t subject;
    patch patches[2];
    pe_rule also[3];
} breakage;

#define DIRECTORY(i) DIRECTORIES, (i)*8
static const breakage breakages[] = {
    {PE_RULE_SYSTEM_FILE, 0, {{COFF, 18, 0x010B3102}}, {NONE, NONE, NONE}},
    {PE_RULE_FILE_ALIGNMENT, 0, {{OPTIONAL, 36, 0x100}}, {NONE, NONE, NONE}},
    {PE_RULE_IMAGE_SIZE, 0, {{OPTIONAL, 56, 0x8200}}, {NONE, NONE, NONE}},
    {PE_RULE_HEADERS_SIZE, 0, {{OPTIONAL, 60, 0x1F8}}, {NONE, NONE, NONE}},
    {PE_RULE_HEADERS_FIT,
     0,
     {{OPTIONAL, 60, 0x10000}, {OPTIONAL, 56, 0x12000}},
     {PE_RULE_RAW_ORDER, PE_RULE_ASCENDING, PE_RULE_ADJACENT}},
    {PE_RULE_SECTION_TABLE, 0, {{OPTIONAL, 60, 0}}, {PE_RULE_ADJACENT, NONE, NONE}},
    {PE_RULE_IMAGE_BASE, 0, {{OPTIONAL, 28, 0x408000}}, {PE_RULE_ENTRY_STUB, NONE, NONE}},
    {PE_RULE_STACK_AND_HEAP, 0, {{OPTIONAL, 76, 0x7FFFFFFF}}, {NONE, NONE, NONE}},
    {PE_RULE_STACK_AND_HEAP, 0, {{OPTIONAL, 84, 0x7FFFFFFF}}, {NONE, NONE, NONE}},
    {PE_RULE_WIN32_VERSION, 0, {{COFF, 18, 0x010B0102}, {OPTIONAL, 52, 1}}, {NONE, NONE, NONE}},
    {PE_RULE_RAW_OFFSET, SPARE, {{ZEROS, 20, 0xA10}}, {NONE, NONE, NONE}},
    {PE_RULE_RAW_SIZE, SPARE, {{ZEROS, 16, 0x210}}, {NONE, NONE, NONE}},
    {PE_RULE_RAW_FITS, SPARE, {{ZEROS, 16, 0x2200}}, {NONE, NONE, NONE}},
    {PE_RULE_RAW_IN_FILE, SPARE, {{ZEROS, 20, 0x10000}}, {NONE, NONE, NONE}},
    {PE_RULE_RAW_ORDER, SPARE, {{ZEROS, 20, 0x200}}, {NONE, NONE, NONE}},
    {PE_RULE_ASCENDING, SPARE, {{ZEROS, 12, 0x4000}}, {PE_RULE_ADJACENT, NONE, NONE}},
    {PE_RULE_IN_IMAGE, SPARE, {{ZEROS, 8, 0x4000}}, {NONE, NONE, NONE}},
    {PE_RULE_RVA_ALIGNED, SPARE, {{ZEROS, 12, 0x6200}, {OPTIONAL, 56, 0xA000}}, {PE_RULE_ADJACENT, NONE, NONE}},
    {PE_RULE_ADJACENT, SPARE, {{ZEROS, 12, 0x8000}, {OPTIONAL, 56, 0xA000}}, {NONE, NONE, NONE}},
    {PE_RULE_NOT_EMPTY, SPARE, {{ZEROS, 8, 0}, {ZEROS, 16, 0}}, {NONE, NONE, NONE}},
    {PE_RULE_FLAT, SPARE, {{OPTIONAL, 32, 0x800}}, {PE_RULE_ADJACENT, NONE, NONE}},
    {PE_RULE_SECTION_ALIGNMENT, 0, {{OPTIONAL, 32, 0x100}}, {PE_RULE_ADJACENT, PE_RULE_FLAT, PE_RULE_RAW_FITS}},
    {PE_RULE_CHARACTERISTICS, SPARE, {{ZEROS, 36, 0x40000041}}, {NONE, NONE, NONE}},
    {PE_RULE_CODE_READ_ONLY, SPARE, {{ZEROS, 36, 0xE0000020}}, {NONE, NONE, NONE}},
    {PE_RULE_NOT_SHARED, SPARE, {{ZEROS, 36, 0x50000040}}, {NONE, NONE, NONE}},
    {PE_RULE_ACCESSIBLE, SPARE, {{ZEROS, 36, 0x40}}, {NONE, NONE, NONE}},
    {PE_RULE_DIRECTORY_ALLOWED, 9, {{DIRECTORY(9), 0x6000}}, {NONE, NONE, NONE}},
    {PE_RULE_DIRECTORY_FITS,
     6,
     {{DIRECTORY(6), 0x6000}, {DIRECTORIES, 6 * 8 + 4, SPARE_BYTES + 1}},
     {NONE, NONE, NONE}},
    {PE_RULE_DIRECTORY_FITS, 2, {{DIRECTORY(2), 0x5FFF}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_HEADER_SIZE, 0, {{DIRECTORIES, 14 * 8 + 4, 71}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_HEADER_SIZE, 0, {{CLI, 0, 71}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_HEADER_SECTION, 0, {{TEXT, 36, 0x20000020}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_VERSION, 0, {{CLI, 4, 0x00050003}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_FLAGS, 0, {{CLI, 16, 0x101}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_IL_ONLY, 0, {{CLI, 16, 0x11}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_IL_ONLY, 0, {{CLI, 48, 0x6000}, {CLI, 52, 8}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_SIGNED, 0, {{CLI, 16, 0x9}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_NATIVE_HEADER, 0, {{CLI, 64, 0x6000}, {CLI, 68, 8}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_PART_FITS, 1, {{CLI, 24, 0x6000}, {CLI, 28, SPARE_BYTES + 1}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_PART_FITS, 4, {{CLI, 48, 0xF000}}, {NONE, NONE, NONE}},
    {PE_RULE_CLI_PART_READ_ONLY, 1, {{CLI, 24, 0x6000}, {ZEROS, 36, 0xC0000040}}, {NONE, NONE, NONE}},
    {PE_RULE_METADATA_STREAMS, 0, {{STREAMS, 0, 0}}, {NONE, NONE, NONE}},
    {PE_RULE_METADATA_STREAMS, 0, {{STREAMS, 4, 0x100000}}, {NONE, NONE, NONE}},
    {PE_RULE_IMPORTS, 0, {{IMPORT, 20, 1}}, {NONE, NONE, NONE}},
    {PE_RULE_IMPORTS, 0, {{DIRECTORIES, 1 * 8 + 4, 20}}, {NONE, NONE, NONE}},
    {PE_RULE_RELOCATIONS, 0, {{BLOCK, 4, 10}}, {NONE, NONE, NONE}},
    {PE_RULE_RELOCATIONS, 0, {{COFF, 18, 0x010B2103}}, {NONE, NONE, NONE}},
    /* Without the directory: not in a DLL, though it says that there are none; not in a program that does not say so. */
    {PE_RULE_RELOCATIONS, 0, {{DIRECTORY(5), 0}, {COFF, 18, 0x010B2103}}, {NONE, NONE, NONE}},
    {PE_RULE_RELOCATIONS, 0, {{DIRECTORY(5), 0}, {COFF, 18, 0x010B0102}}, {NONE, NONE, NONE}},
    {PE_RULE_ENTRY_STUB, 0, {{STUB, 2, 0x402004}}, {NONE, NONE, NONE}},
};

static size_t offset_of(const pe_image *pe, uint32_t rva) {
    uint32_t offset;
    assert_true(pe_try_file_offset(pe, rva, &offset));
    return offset;
}

/* The image of made_ready_to_run.h made again, with one more section and room after it. */
static int make(void **state) {
    sample *s = calloc(1, sizeof *s);
    ilj_context *context;
    ilj_image *image;
    ready_to_run p;
    buffer input = BUFFER_INIT;
    uint32_t at;
    made_ready_to_run(&input, &at);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&input)), ILJ_OK);
    assert_int_equal(ready_to_run_take_out(&p, image), ECMA_OK);
    const pe_image *pe = &image->pe;
    bytes metadata;
    assert_true(pe_try_bytes(pe, pe->cli.metadata.rva, pe->cli.metadata.size, &metadata));
    size_t sections = pe->sections_offset;
    size_t root = offset_of(pe, pe->cli.metadata.rva);
    memcpy(s->at,
           (size_t[PLACES]){[COFF] = pe->pe_offset + 4,
                            [OPTIONAL] = pe->optional_offset,
                            [TEXT] = sections,
                            [ZEROS] = sections + SPARE * 40,
                            [DIRECTORIES] = pe->directories_offset,
                            [CLI] = pe->cli.file_offset,
                            [IMPORT] = offset_of(pe, pe->directories[PE_DIRECTORY_IMPORT].rva),
                            [BLOCK] = offset_of(pe, pe->directories[PE_DIRECTORY_RELOCATION].rva),
                            [STUB] = offset_of(pe, pe->entry_point_rva),
                            [STREAMS] = root + 16 + load_u32(metadata.data + 12) + 4},
           sizeof s->at);
    buffer_append(&s->file, pe->file.data, pe->file.size);
    uint32_t end = (uint32_t)s->file.size;
    buffer_append_zeros(&s->file, SPARE_BYTES + OVERLAY);
    uint8_t *coff = s->file.data + s->at[COFF], *header = s->file.data + s->at[ZEROS];
    assert_int_equal(load_u16(coff + 2), SPARE);
    store_u16(coff + 2, SPARE + 1);
    store_u32(header + 8, SPARE_BYTES);
    store_u32(header + 12, 0x6000);
    store_u32(header + 16, SPARE_BYTES);
    store_u32(header + 20, end);
    store_u32(header + 36, 0x40000040);
    store_u32(s->file.data + s->at[OPTIONAL] + 56, 0x8000);
    buffer_clear(&input);
    ilj_image_free(image);
    ilj_context_free(context);
    *state = s;
    return 0;
}

static int drop(void **state) {
    sample *s = *state;
    buffer_clear(&s->file);
    free(s);
    return 0;
}

static bool is_broken(const pe_verdict *v, pe_rule rule) {
    bool any = false;
    for (uint32_t i = 0; i < PE_RULE_SUBJECTS; i++)
        any |= v->broken[rule][i];
    return any;
}

static void the_sample_obeys_every_rule(void **state) {
    sample *s = *state;
    pe_verdict verdict;
    diag d = {0};
    pe_loaders_judge(&verdict, buffer_bytes(&s->file));
    for (unsigned r = 0; r < PE_RULE_COUNT; r++)
        if (is_broken(&verdict, r))
            fail_msg("rule %u is broken", r);
    assert_int_equal(pe_loaders_check(buffer_bytes(&s->file), buffer_bytes(&s->file), true, &d), ECMA_OK);
}

static void assert_only_broken(const pe_verdict *v, const breakage *b, size_t row) {
    if (!v->broken[b->rule][b->subject])
        fail_msg("row %zu: rule %d is not broken", row, b->rule);
    for (unsigned r = 0; r < PE_RULE_COUNT; r++)
        if (is_broken(v, r) != (r == b->rule || r == b->also[0] || r == b->also[1] || r == b->also[2]))
            fail_msg("row %zu, of rule %d: rule %u is%s broken", row, b->rule, r, is_broken(v, r) ? "" : " not");
}

static char said[600];

static void keep(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    snprintf(said, sizeof said, "%s", diagnostic->text);
}

static const char *const texts[PE_RULE_COUNT] = {
#define PE_RULE(name, subject, origin, text, source) text " (" source ")",
#include "pe/loaders.def"
#undef PE_RULE
};

/* The facts that headers which are made again have from the input all the same. */
static const bool handed_on[PE_RULE_COUNT] = {
#undef DIRECTORY
#define LAID_OUT                                     false
#define INHERITED                                    true
#define IMAGE                                        false
#define SECTION                                      false
#define DIRECTORY                                    true
#define CLI_PART                                     true
#define PE_RULE(name, subject, origin, text, source) (origin || subject),
#include "pe/loaders.def"
#undef PE_RULE
};

/* The rule is named; an input that broke it excuses the output, but for headers made again. */
static void assert_told(const sample *s, bytes broken, const breakage *b, size_t row) {
    ilj_context *context;
    assert_int_equal(ilj_context_new(&context, keep, NULL), ILJ_OK);
    diag d = context_diag(context, "made.dll");
    said[0] = 0;
    assert_int_equal(pe_loaders_check(broken, buffer_bytes(&s->file), false, &d), ECMA_BUG);
    bool named = strstr(said, texts[b->rule]) != NULL;
    for (int i = 0; i < 3; i++)
        named |= b->also[i] != NONE && strstr(said, texts[b->also[i]]);
    if (!named)
        fail_msg("row %zu: told: %s", row, said);
    assert_int_equal(pe_loaders_check(broken, broken, false, &d), ECMA_OK);
    bool excused = handed_on[b->rule];
    for (int i = 0; i < 3; i++)
        excused &= b->also[i] == NONE || handed_on[b->also[i]];
    assert_int_equal(pe_loaders_check(broken, broken, true, &d), excused ? ECMA_OK : ECMA_BUG);
    ilj_context_free(context);
}

static void each_rule_is_broken_alone_and_named(void **state) {
    const sample *s = *state;
    bool seen[PE_RULE_COUNT] = {0};
    for (size_t row = 0; row < sizeof breakages / sizeof *breakages; row++) {
        const breakage *b = &breakages[row];
        buffer file = BUFFER_INIT;
        pe_verdict verdict;
        buffer_append(&file, s->file.data, s->file.size);
        for (int i = 0; i < 2 && b->patches[i].place; i++)
            store_u32(file.data + s->at[b->patches[i].place] + b->patches[i].offset, b->patches[i].value);
        pe_loaders_judge(&verdict, buffer_bytes(&file));
        assert_only_broken(&verdict, b, row);
        assert_told(s, buffer_bytes(&file), b, row);
        seen[b->rule] = true;
        buffer_clear(&file);
    }
    /* Those two move or add section headers; they have tests of their own. */
    seen[PE_RULE_OPTIONAL_HEADER] = seen[PE_RULE_SECTION_COUNT] = true;
    for (unsigned r = 0; r < PE_RULE_COUNT; r++)
        if (!seen[r])
            fail_msg("rule %u has no row", r);
}

static void an_optional_header_of_another_size_is_named(void **state) {
    sample *s = *state;
    pe_verdict verdict;
    uint8_t *text = s->file.data + s->at[TEXT];
    memmove(text + 8, text, (SPARE + 1) * 40);
    store_u16(s->file.data + s->at[COFF] + 16, 232);
    pe_loaders_judge(&verdict, buffer_bytes(&s->file));
    assert_only_broken(&verdict, &(breakage){PE_RULE_OPTIONAL_HEADER, 0, {{0}}, {NONE, NONE, NONE}}, 0);
}

static void more_than_96_sections_are_named(void **state) {
    sample *s = *state;
    pe_verdict verdict;
    store_u16(s->file.data + s->at[COFF] + 2, 97);
    pe_loaders_judge(&verdict, buffer_bytes(&s->file));
    assert_true(verdict.broken[PE_RULE_SECTION_COUNT][0]);
    assert_true(verdict.broken[PE_RULE_SECTION_TABLE][0]);
}

/* Padding entries fill the block of the output as they filled the input's. */
static void a_block_with_more_padding_still_fills_its_directory(void **state) {
    sample *s = *state;
    enum { SIZE = 16, DIRECTORY_SIZE = PE_DIRECTORY_RELOCATION * 8 + 4 };
    store_u32(s->file.data + s->at[BLOCK] + 4, SIZE);
    store_u32(s->file.data + s->at[DIRECTORIES] + DIRECTORY_SIZE, SIZE);
    store_u32(s->file.data + s->at[OPTIONAL] + 224 + 40 + 8, SIZE); /* the section's virtual size */
    ilj_context *context;
    ilj_summary summary;
    buffer out = BUFFER_INIT;
    pe_verdict verdict;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    ilj_instrument_options options = {0};
    assert_int_equal(instrument_bytes(&out, &summary, context, "padded", buffer_bytes(&s->file), &options), ILJ_OK);
    pe_loaders_judge(&verdict, buffer_bytes(&out));
    assert_false(is_broken(&verdict, PE_RULE_RELOCATIONS));
    buffer_clear(&out);
    ilj_context_free(context);
}

/* Whatever stands in the headers, nothing outside the file is read; the tool that watches memory says. */
static void a_file_that_ends_anywhere_is_judged(void **state) {
    const sample *s = *state;
    pe_verdict verdict;
    for (size_t size = 0; size < s->file.size - OVERLAY; size += size < 0x400 ? 1 : 61) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, s->file.data, size);
        pe_loaders_judge(&verdict, bytes_of(copy, size));
        /* Once there are section headers, what they name is missed. */
        if (size >= 0x200)
            assert_true(is_broken(&verdict, PE_RULE_RAW_IN_FILE));
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_sample_obeys_every_rule, make, drop),
        cmocka_unit_test_setup_teardown(each_rule_is_broken_alone_and_named, make, drop),
        cmocka_unit_test_setup_teardown(an_optional_header_of_another_size_is_named, make, drop),
        cmocka_unit_test_setup_teardown(more_than_96_sections_are_named, make, drop),
        cmocka_unit_test_setup_teardown(a_block_with_more_padding_still_fills_its_directory, make, drop),
        cmocka_unit_test_setup_teardown(a_file_that_ends_anywhere_is_judged, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
