/* ReadyToRun images made again without their native code: what the new image says, and what is refused. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../corrupt/judge.h"
#include "input/ready_to_run.h"
#include "made_ready_to_run.h"
#include "pe/loaders.h"

typedef struct sample {
    buffer file;
    uint32_t rva, at; /* of the second section; in memory, in the file */
} sample;

static int make(void **state) {
    sample *s = calloc(1, sizeof *s);
    s->rva = made_ready_to_run(&s->file, &s->at);
    *state = s;
    return 0;
}

static int drop(void **state) {
    sample *s = *state;
    buffer_clear(&s->file);
    free(s);
    return 0;
}

static uint8_t *in_data(sample *s, uint32_t offset) {
    return s->file.data + s->at + offset;
}

/* The sample after ready_to_run_take_out. */
typedef struct taken {
    ilj_context *context;
    ilj_image *image;
    ready_to_run p;
} taken;

static taken take_out(sample *s) {
    taken t = {0};
    assert_int_equal(ilj_context_new(&t.context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&t.image, t.context, "sample", buffer_bytes(&s->file)), ILJ_OK);
    assert_int_equal(ready_to_run_take_out(&t.p, t.image), ECMA_OK);
    return t;
}

static void taken_clear(taken *t) {
    ilj_image_free(t->image);
    ilj_context_free(t->context);
}

static bytes at(const taken *t, uint32_t rva, uint32_t size) {
    bytes b = {0};
    assert_true(pe_try_bytes(&t->image->pe, rva, size, &b));
    return b;
}

static void assert_refused(sample *s, const char *text) {
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, false), REFUSED);
    if (!strstr(refusal, text))
        fail_msg("refused with: %s", refusal);
}

static void the_image_is_for_IL_only(void **state) {
    sample *s = *state;
    taken t = take_out(s);
    const pe_image *pe = &t.image->pe;
    assert_true(t.p.found && !t.p.component);
    assert_int_equal(pe->machine, 0x14C);
    assert_int_equal(pe->cli.flags, PE_CLI_IL_ONLY);
    assert_int_equal(pe->cli.managed_native.rva, 0);
    assert_int_equal(pe->directories[PE_DIRECTORY_EXCEPTION].size, 0);
    assert_int_equal(pe->section_count, 2);
    assert_string_equal(pe->sections[1].name, ".reloc");
    assert_int_equal(pe->image_base, 0x400000);
    assert_int_equal(pe->file.size % 0x200, 0);
    assert_null(memmem(pe->file.data, pe->file.size, "\xCC\xCC\xCC\xCC", 4));
    taken_clear(&t);
}

/* A loader that asks for no size finds the header; the output names all of it. */
static void the_CLI_header_is_whole_where_the_directory_gave_it_no_size(void **state) {
    sample *s = *state;
    made_directory(&s->file, PE_DIRECTORY_CLI_HEADER, load_u32(s->file.data + MADE_R2R_DIRECTORIES + 14 * 8), 0);
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, false), INSTRUMENTED);
    taken t = take_out(s);
    assert_int_equal(t.image->pe.directories[PE_DIRECTORY_CLI_HEADER].size, PE_CLI_HEADER_BYTES);
    assert_true(pe_loaders_find_cli_header(t.image->pe.file));
    taken_clear(&t);
}

/* It was said to be signed, with a signature of no bytes. */
static void an_image_without_a_signature_does_not_say_that_it_is_signed(void **state) {
    sample *s = *state;
    uint8_t *cli = s->file.data + MADE_R2R_CLI;
    store_u32(cli + 16, load_u32(cli + 16) | PE_CLI_STRONG_NAME_SIGNED);
    store_u64(cli + 32, s->rva);
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, false), INSTRUMENTED);
    taken t = take_out(s);
    assert_int_equal(t.image->pe.cli.flags, PE_CLI_IL_ONLY);
    assert_int_equal(t.image->pe.cli.strong_name.rva, 0);
    taken_clear(&t);
}

/* An image of IL alone has no code manager table, vtable fixups or export address jumps (II.25.3.3). */
static void parts_of_native_code_are_not_named(void **state) {
    sample *s = *state;
    uint8_t *cli = s->file.data + MADE_R2R_CLI;
    store_u32(cli + 40, s->rva);
    store_u32(cli + 44, 8);
    store_u64(cli + 48, s->rva);
    store_u64(cli + 56, s->rva);
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, false), INSTRUMENTED);
    taken t = take_out(s);
    const pe_cli_header *now = &t.image->pe.cli;
    assert_int_equal(now->code_manager.rva, 0);
    assert_int_equal(now->code_manager.size, 0);
    assert_int_equal(now->vtable_fixups.rva, 0);
    assert_int_equal(now->export_address_jumps.rva, 0);
    taken_clear(&t);
}

/* The optional header's sizes of stack and heap and the section's sizes (II.25.2.3.1 and 2). */
static void sizes_in_the_headers_are_those_of_the_program_and_of_the_sections(void **state) {
    sample *s = *state;
    for (uint32_t i = 0; i < 4; i++)
        store_u32(s->file.data + MADE_R2R_OPTIONAL + 72 + i * 4, 0x10000 * (i + 1));
    store_u32(s->file.data + MADE_R2R_OPTIONAL + 72, 0x80000000);
    store_u32(s->file.data + MADE_R2R_OPTIONAL + 52, 0xDD);  /* reserved: 0 in a program of IL alone */
    store_u32(s->file.data + MADE_R2R_OPTIONAL + 60, 0x1F8); /* that of the old headers is not theirs */
    taken t = take_out(s);
    const pe_image *pe = &t.image->pe;
    const uint8_t *optional = pe->file.data + pe->optional_offset;
    assert_int_equal(load_u32(optional + 52), 0);
    assert_int_equal(load_u32(optional + 72), INT32_MAX);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(load_u32(optional + 72 + i * 4), 0x10000 * (i + 1));
    assert_string_equal(pe->sections[0].name, ".text");
    assert_int_equal(load_u32(optional + 4), pe->sections[0].raw_size);
    assert_int_equal(load_u32(optional + 8), pe->sections[1].raw_size);
    assert_int_equal(load_u32(optional + 20), pe->sections[0].rva);
    /* II.25.2.3.2: the header size is that of all headers, a multiple of the file alignment; sections begin there. */
    assert_int_equal(load_u32(optional + 36), 0x200);
    assert_int_equal(load_u32(optional + 60), 0x200);
    assert_int_equal(load_u32(optional + load_u16(optional - 4) + 20), 0x200);
    taken_clear(&t);
}

static void an_entry_stub_jumps_through_the_import_address_table(void **state) {
    sample *s = *state;
    taken t = take_out(s);
    const pe_image *pe = &t.image->pe;
    bytes stub = at(&t, pe->entry_point_rva, 6);
    assert_memory_equal(stub.data, "\xFF\x25", 2);
    assert_int_equal(load_u32(stub.data + 2), pe->image_base + pe->directories[PE_DIRECTORY_IAT].rva);
    bytes block = at(&t, pe->directories[PE_DIRECTORY_RELOCATION].rva, 12);
    assert_int_equal(load_u32(block.data) + (load_u16(block.data + 8) & 0xFFF), pe->entry_point_rva + 2);
    assert_int_equal(load_u16(block.data + 8) >> 12, 3);
    bytes descriptor = at(&t, pe->directories[PE_DIRECTORY_IMPORT].rva, 40);
    assert_string_equal(at(&t, load_u32(descriptor.data + 12), 12).data, "mscoree.dll");
    uint32_t lookup = load_u32(at(&t, load_u32(descriptor.data), 8).data);
    assert_int_equal(lookup, load_u32(at(&t, load_u32(descriptor.data + 16), 8).data));
    assert_string_equal(at(&t, lookup + 2, 12).data, "_CorDllMain");
    taken_clear(&t);
}

static void rows_lead_to_the_same_bodies_and_data(void **state) {
    sample *s = *state;
    ilj_context *context;
    ilj_image *old;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&old, context, "sample", buffer_bytes(&s->file)), ILJ_OK);
    taken t = take_out(s);
    const md_view *v = &old->metadata, *w = &t.image->metadata;
    for (uint32_t row = 1; row <= MADE_METHODS; row++) {
        bytes before, after;
        assert_true(pe_try_bytes_from(&old->pe, md_cell(v, MD_MethodDef_RVA, row), &before));
        assert_true(pe_try_bytes_from(&t.image->pe, md_cell(w, MD_MethodDef_RVA, row), &after));
        assert_memory_equal(before.data, after.data, 2);
    }
    uint32_t data = md_cell(w, MD_FieldRVA_RVA, 1);
    assert_int_equal(data % 16, MADE_DATA % 16);
    assert_memory_equal(at(&t, data, MADE_DATA_BYTES).data, "\1\2\3\4\5\6\7\10", MADE_DATA_BYTES);
    assert_true(bytes_equal(v->strings, w->strings) && bytes_equal(v->blobs, w->blobs));
    taken_clear(&t);
    ilj_image_free(old);
    ilj_context_free(context);
}

/* A field's bytes lie in the file part of a section as a whole (II.16.3.1). */
static void data_that_ends_behind_its_section_is_refused(void **state) {
    sample *s = *state;
    uint8_t row[6];
    store_u32(row, MADE_DATA);
    store_u16(row + 4, 1);
    uint8_t *cell = memmem(s->file.data, s->file.size, row, sizeof row);
    assert_non_null(cell);
    store_u32(cell, s->rva + MADE_R2R_BYTES - MADE_DATA_BYTES);
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, false), INSTRUMENTED);
    store_u32(cell, s->rva + MADE_R2R_BYTES - MADE_DATA_BYTES + 1);
    assert_refused(s, "are not in the file part of a section");
    store_u32(cell, s->rva + 0x10000);
    assert_refused(s, "are not in the file part of a section");
}

static void debug_data_and_native_resources_come_along(void **state) {
    sample *s = *state;
    taken t = take_out(s);
    const pe_image *pe = &t.image->pe;
    pe_directory debug = pe->directories[PE_DIRECTORY_DEBUG];
    assert_int_equal(debug.size, 28); /* the map of the native code is gone */
    bytes entry = at(&t, debug.rva, 28);
    assert_int_equal(load_u32(entry.data + 12), 2);
    assert_memory_equal(at(&t, load_u32(entry.data + 20), 4).data, "RSDS", 4);
    assert_memory_equal(pe->file.data + load_u32(entry.data + 24), "RSDS", 4);
    bytes tree = at(&t, pe->directories[PE_DIRECTORY_RESOURCE].rva, 48);
    assert_memory_equal(at(&t, load_u32(tree.data + 24), 8).data, "resource", 8);
    taken_clear(&t);
}

static void it_is_instrumented(void **state) {
    sample *s = *state;
    assert_int_equal(judge(buffer_bytes(&s->file), NULL, true), INSTRUMENTED);
}

static void the_processor_stays_when_the_source_had_one(void **state) {
    sample *s = *state;
    store_u16(s->file.data + MADE_R2R_PE + 4, 0x1C4 ^ 0x7B79);
    store_u32(in_data(s, MADE_R2R_FLAGS), 0);
    taken t = take_out(s);
    assert_int_equal(t.image->pe.machine, 0x1C4);
    assert_int_equal(t.image->pe.section_count, 1);
    assert_int_equal(t.image->pe.entry_point_rva, 0);
    taken_clear(&t);
    it_is_instrumented(state);
}

static void a_component_is_told_apart(void **state) {
    sample *s = *state;
    store_u32(in_data(s, MADE_R2R_FLAGS), 0x21);
    taken t = take_out(s);
    assert_true(t.p.component);
    taken_clear(&t);
}

static void an_image_without_native_code_is_left_alone(void **state) {
    (void)state;
    sample plain = {0};
    made_assembly(&plain.file);
    taken t = take_out(&plain);
    assert_false(t.p.found);
    assert_ptr_equal(t.image->pe.file.data, plain.file.data);
    taken_clear(&t);
    buffer_clear(&plain.file);
}

/* ---- Refusals -----------------------------------------------------------------------------------------------------
 */

static void another_managed_native_header_is_refused(void **state) {
    sample *s = *state;
    *in_data(s, 0) = 'N';
    assert_refused(s, "is not of ReadyToRun");
}

static void vtable_fixups_are_refused(void **state) {
    sample *s = *state;
    store_u32(s->file.data + MADE_R2R_CLI + 56 - 4, 8);
    store_u32(s->file.data + MADE_R2R_CLI + 48, s->rva);
    assert_refused(s, "mixed-mode");
}

static void a_body_without_an_end_is_refused(void **state) {
    sample *s = *state;
    s->file.data[MADE_HEADERS + (MADE_BODIES - MADE_RVA)] = 0x05; /* neither tiny nor fat */
    assert_refused(s, "so its end is not known");
}

static void a_debug_entry_outside_the_sections_is_refused(void **state) {
    sample *s = *state;
    store_u32(in_data(s, MADE_R2R_DEBUG + 28 + 20), 0);
    assert_refused(s, "debug entry 1");
    store_u32(in_data(s, MADE_R2R_DEBUG + 28 + 20), s->rva + MADE_R2R_BYTES - 8);
    assert_refused(s, "the data of a debug entry");
}

static void native_resources_outside_their_directory_are_refused(void **state) {
    sample *s = *state;
    store_u32(in_data(s, MADE_R2R_LEAF + 4), 9);
    assert_refused(s, "the native resource tree is damaged");
    store_u32(in_data(s, MADE_R2R_LEAF), s->rva + MADE_R2R_CODE);
    assert_refused(s, "the native resource tree is damaged");
}

static void a_directory_past_its_section_is_refused(void **state) {
    sample *s = *state;
    made_directory(&s->file, 6, s->rva + MADE_R2R_BYTES - 8, 28);
    assert_refused(s, "the debug directory, RVA");
}

static void a_composite_image_is_refused_by_name(void **state) {
    sample *s = *state;
    enum { EXPORTS = 0x180 };
    store_u32(in_data(s, EXPORTS + 24), 1);
    store_u32(in_data(s, EXPORTS + 32), s->rva + EXPORTS + 40);
    store_u32(in_data(s, EXPORTS + 40), s->rva + EXPORTS + 44);
    memcpy(in_data(s, EXPORTS + 44), "RTR_HEADER", 11);
    made_directory(&s->file, 0, s->rva + EXPORTS, 55);
    made_directory(&s->file, 14, 0, 0);
    assert_refused(s, "a composite ReadyToRun image");
    in_data(s, EXPORTS + 44)[0] = 'X';
    assert_refused(s, "a native PE image");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_image_is_for_IL_only, make, drop),
        cmocka_unit_test_setup_teardown(the_CLI_header_is_whole_where_the_directory_gave_it_no_size, make, drop),
        cmocka_unit_test_setup_teardown(an_image_without_a_signature_does_not_say_that_it_is_signed, make, drop),
        cmocka_unit_test_setup_teardown(parts_of_native_code_are_not_named, make, drop),
        cmocka_unit_test_setup_teardown(sizes_in_the_headers_are_those_of_the_program_and_of_the_sections, make, drop),
        cmocka_unit_test_setup_teardown(an_entry_stub_jumps_through_the_import_address_table, make, drop),
        cmocka_unit_test_setup_teardown(rows_lead_to_the_same_bodies_and_data, make, drop),
        cmocka_unit_test_setup_teardown(data_that_ends_behind_its_section_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(debug_data_and_native_resources_come_along, make, drop),
        cmocka_unit_test_setup_teardown(it_is_instrumented, make, drop),
        cmocka_unit_test_setup_teardown(the_processor_stays_when_the_source_had_one, make, drop),
        cmocka_unit_test_setup_teardown(a_component_is_told_apart, make, drop),
        cmocka_unit_test(an_image_without_native_code_is_left_alone),
        cmocka_unit_test_setup_teardown(another_managed_native_header_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(vtable_fixups_are_refused, make, drop),
        cmocka_unit_test_setup_teardown(a_body_without_an_end_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(a_debug_entry_outside_the_sections_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(native_resources_outside_their_directory_are_refused, make, drop),
        cmocka_unit_test_setup_teardown(a_directory_past_its_section_is_refused, make, drop),
        cmocka_unit_test_setup_teardown(a_composite_image_is_refused_by_name, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
