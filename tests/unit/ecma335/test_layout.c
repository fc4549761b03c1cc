/* The compact layout over random images: sections, things to replace, things referred to, from a printed seed. No bytes
 * are written; the plan itself has to hold. */
#include "unit.h"

#include "pe/layout.h"

#include <stdlib.h>

enum { MOST_SECTIONS = 4, MOST_PARTS = 24, ROUNDS = 3000, FILE_ALIGNMENT = 0x200, SECTION_ALIGNMENT = 0x2000 };

typedef struct sample {
    pe_image image;
    pe_section sections[MOST_SECTIONS];
    uint8_t *file;
    pe_replacement parts[MOST_PARTS];
    pe_replacement *list[MOST_PARTS];
    size_t part_count;
    uint32_t anchors[MOST_PARTS];
    size_t anchor_count;
    arena arena;
} sample;

static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static uint32_t up(uint32_t value, uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static void make_sections(sample *s) {
    s->image = (pe_image){.sections = s->sections,
                          .section_count = 1 + random_below(MOST_SECTIONS),
                          .section_alignment = SECTION_ALIGNMENT,
                          .file_alignment = FILE_ALIGNMENT,
                          .sections_offset = 0x178,
                          .size_of_headers = 0x400};
    uint32_t rva = SECTION_ALIGNMENT, offset = 0x400;
    for (uint32_t i = 0; i < s->image.section_count; i++) {
        uint32_t content = 1 + random_below(3 * SECTION_ALIGNMENT);
        s->sections[i] = (pe_section){.virtual_size = content + (random_below(4) ? 0 : random_below(SECTION_ALIGNMENT)),
                                      .rva = rva,
                                      .raw_size = up(content, FILE_ALIGNMENT),
                                      .file_offset = offset};
        /* Most often on its alignment; damaged files have what no linker writes. */
        rva = up(rva + (s->sections[i].virtual_size > s->sections[i].raw_size ? s->sections[i].virtual_size
                                                                              : s->sections[i].raw_size),
                 random_below(4) ? SECTION_ALIGNMENT : FILE_ALIGNMENT);
        offset += s->sections[i].raw_size + (random_below(4) ? 0 : FILE_ALIGNMENT);
    }
    size_t size = offset + random_below(100); /* an overlay */
    s->file = calloc(1, size);
    assert_non_null(s->file);
    for (size_t i = 0; i < size; i++) /* runs of zeros, so that there is padding to drop */
        s->file[i] = i / 24 % 3 ? (uint8_t)(1 + random_below(255)) : 0;
    for (uint32_t i = 0; i < s->image.section_count; i++)
        memset(s->file + s->sections[i].file_offset + s->sections[i].raw_size - 1, 0, 1);
    s->image.file = bytes_of(s->file, size);
}

/* Parts at ascending places without overlap; anchors outside of them. */
static void make_parts(sample *s) {
    s->part_count = s->anchor_count = 0;
    for (uint32_t i = 0; i < s->image.section_count; i++) {
        const pe_section *section = &s->sections[i];
        uint32_t content = section->virtual_size < section->raw_size ? section->virtual_size : section->raw_size;
        uint32_t at = random_below(40);
        while (s->part_count < MOST_PARTS && at < content && random_below(8)) {
            uint32_t old = random_below(4) ? random_below(content - at > 200 ? 200 : content - at) : 0;
            if (old && random_below(2) && s->anchor_count < MOST_PARTS) {
                s->anchors[s->anchor_count++] = section->rva + at;
                at += 1 + random_below(20);
                if (at + old > content)
                    break;
            }
            s->parts[s->part_count] =
                (pe_replacement){.rva = section->rva + at,
                                 .old_size = old,
                                 .size = random_below(3) ? random_below(600) : 0,
                                 .alignment = (uint8_t)(random_below(2) ? 1 : 1u << random_below(5)),
                                 .movable = random_below(4) != 0};
            s->list[s->part_count] = &s->parts[s->part_count];
            s->part_count++;
            at += old + (random_below(3) ? random_below(60) : 0);
        }
    }
}

static bool zeros(const uint8_t *p, size_t size) {
    while (size && *p == 0)
        p++, size--;
    return size == 0;
}

static void assert_pieces(const sample *s, const pe_layout *layout, uint32_t i) {
    const pe_section *old = &s->sections[i];
    const pe_new_section *new = &layout->sections[i];
    uint32_t old_at = old->rva, new_at = new->rva;
    for (size_t p = new->first_piece; p < new->end_piece; p++) {
        const pe_piece *piece = &layout->pieces[p];
        assert_int_equal(piece->old_rva, old_at);
        old_at += piece->old_size;
        if (!piece->replacement && piece->new_size == 0) { /* dropped: padding that nothing refers to */
            assert_true(new->changed && piece->old_size < PE_GAP_ALIGNMENT);
            assert_true(zeros(s->file + old->file_offset + (piece->old_rva - old->rva), piece->old_size));
            for (size_t a = 0; a < s->anchor_count; a++)
                assert_false(s->anchors[a] >= piece->old_rva && s->anchors[a] < old_at);
            continue;
        }
        assert_true(piece->new_rva >= new_at && piece->new_rva - new_at < PE_GAP_ALIGNMENT);
        new_at = piece->new_rva + piece->new_size;
        if (piece->replacement) {
            const pe_replacement *r = piece->replacement;
            assert_int_equal(r->new_rva, piece->new_rva);
            assert_int_equal(r->new_rva % r->alignment, 0);
            if (r->size) /* nothing may also stand at the start of a section that touches this one */
                assert_int_equal(r->file_offset - new->file_offset, r->new_rva - new->rva);
        } else {
            assert_int_equal(piece->new_size, piece->old_size);
            assert_int_equal(piece->new_rva % PE_GAP_ALIGNMENT, piece->old_rva % PE_GAP_ALIGNMENT);
            uint32_t first, last;
            assert_true(pe_layout_map(layout, piece->old_rva, &first));
            assert_true(pe_layout_map(layout, old_at - 1, &last));
            assert_int_equal(first, piece->new_rva);
            assert_int_equal(last, new_at - 1);
        }
    }
    assert_int_equal(old_at - old->rva, new->old_content);
    assert_int_equal(new_at - new->rva, new->new_content);
    assert_true(new->new_content <= new->raw_size);
}

static void assert_plan(const sample *s, const pe_layout *layout) {
    uint32_t end = 0, file_end = s->image.size_of_headers, old_file_end = file_end;
    for (uint32_t i = 0; i < s->image.section_count; i++) {
        const pe_section *old = &s->sections[i];
        const pe_new_section *new = &layout->sections[i];
        assert_pieces(s, layout, i);
        assert_true(new->rva >= end && (new->rva - old->rva) % SECTION_ALIGNMENT == 0);
        /* One that began where the one before ended still does. */
        if (i > 0 && old->rva == up(old[-1].rva + old[-1].virtual_size, SECTION_ALIGNMENT))
            assert_int_equal(new->rva, up(new[-1].rva + new[-1].virtual_size, SECTION_ALIGNMENT));
        end = new->rva + (new->virtual_size > new->raw_size ? new->virtual_size : new->raw_size);
        /* A gap between sections in the file keeps its size. */
        assert_int_equal(new->file_offset - file_end, old->file_offset - old_file_end);
        if (new->changed)
            assert_int_equal(new->raw_size, up(new->new_content, FILE_ALIGNMENT));
        assert_true(new->raw_size <= up(new->virtual_size, SECTION_ALIGNMENT));
        file_end = new->file_offset + new->raw_size;
        old_file_end = old->file_offset + old->raw_size;
        if (!new->changed)
            assert_true(new->virtual_size == old->virtual_size &&new->raw_size == old->raw_size);
    }
    assert_int_equal(layout->size_of_image, up(end, SECTION_ALIGNMENT));
    assert_int_equal(layout->file_size - file_end, s->image.file.size - old_file_end);
    for (size_t a = 0; a < s->anchor_count; a++) {
        uint32_t rva;
        assert_true(pe_layout_map(layout, s->anchors[a], &rva));
    }
}

/* Every place is taken once, by the part that was there or, among movable ones, by another; none passes one that is not
 * movable. */
static void assert_order(const sample *s, const pe_replacement *before) {
    size_t run = 0; /* where the movable ones around the current place start */
    for (size_t i = 0; i < s->part_count; i++) {
        const pe_replacement *now = s->list[i];
        size_t was = (size_t)(now - s->parts);
        assert_int_equal(now->rva, before[i].rva);
        assert_int_equal(now->old_size, before[i].old_size);
        assert_int_equal(now->size, before[was].size);
        if (!before[i].movable) {
            assert_int_equal(was, i);
            run = i + 1;
            continue;
        }
        assert_true(now->movable && was >= run);
        for (size_t k = run; k <= was; k++)
            assert_true(before[k].movable);
        for (size_t k = run; k < i; k++)
            assert_ptr_not_equal(s->list[k], now);
    }
}

static void random_plans_hold(void **state) {
    (void)state;
    static sample s;
    random_state = 11;
    size_t parts = 0, others = 0;
    printf("seed %u, %d images\n", random_state, ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
        diag d = {0};
        pe_layout layout;
        make_sections(&s);
        make_parts(&s);
        parts += s.part_count;
        pe_replacement before[MOST_PARTS];
        memcpy(before, s.parts, sizeof before);
        assert_int_equal(pe_layout_plan(&layout, &s.image,
                                        &(pe_layout_parts){s.list, s.part_count, s.anchors, s.anchor_count}, &s.arena,
                                        &d),
                         ECMA_OK);
        assert_plan(&s, &layout);
        assert_order(&s, before);
        for (size_t i = 0; i < s.part_count; i++)
            others += s.list[i] != &s.parts[i];
        arena_clear(&s.arena);
        free(s.file);
    }
    assert_true(parts > ROUNDS * 5);
    assert_true(others > ROUNDS / 10);
}

/* Sizes 13, 16, 8, 3: the last fills up what the second's alignment leaves open after the first. */
static void padding_is_filled_with_a_movable_part(void **state) {
    (void)state;
    static uint8_t file[0x1000];
    pe_section text = {.virtual_size = 0x800, .rva = 0x2000, .raw_size = 0x800, .file_offset = 0x400};
    pe_image image = {.file = bytes_of(file, sizeof file),
                      .sections = &text,
                      .section_count = 1,
                      .section_alignment = SECTION_ALIGNMENT,
                      .file_alignment = FILE_ALIGNMENT,
                      .sections_offset = 0x178,
                      .size_of_headers = 0x400};
    static const struct {
        bool movable[4];
        uint32_t new_rva[4]; /* of the parts as given */
    } cases[] = {
        {{true, true, true, true}, {0x2000, 0x2010, 0x2020, 0x200D}},
        {{false, true, true, true}, {0x2000, 0x2010, 0x2020, 0x200D}},
        {{true, false, true, true}, {0x2000, 0x2010, 0x2020, 0x2028}},
        {{true, true, false, true}, {0x2000, 0x2010, 0x2020, 0x2028}},
        {{true, true, true, false}, {0x2000, 0x2010, 0x2020, 0x2028}},
    };
    static const uint32_t sizes[4] = {13, 16, 8, 3};
    static const uint8_t alignments[4] = {1, 4, 4, 1};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        pe_replacement parts[4], *list[4];
        for (uint32_t i = 0; i < 4; i++) {
            parts[i] = (pe_replacement){.rva = 0x2000 + i * 8,
                                        .old_size = 8,
                                        .size = sizes[i],
                                        .alignment = alignments[i],
                                        .movable = cases[n].movable[i]};
            list[i] = &parts[i];
        }
        arena a = ARENA_INIT;
        diag d = {0};
        pe_layout layout;
        assert_int_equal(pe_layout_plan(&layout, &image, &(pe_layout_parts){list, 4, NULL, 0}, &a, &d), ECMA_OK);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(parts[i].new_rva, cases[n].new_rva[i]);
            assert_int_equal(parts[i].file_offset, parts[i].new_rva - 0x2000 + 0x400);
            assert_int_equal(list[i]->rva, 0x2000 + i * 8);
        }
        arena_clear(&a);
    }
}

/* One section of 0x800 bytes and one after it; what cannot be laid out is refused, whole. */
static ecma_status plan_two(const pe_section sections[2], const pe_replacement *parts, size_t count) {
    static uint8_t file[0x1000];
    pe_image image = {.file = bytes_of(file, sizeof file),
                      .sections = (pe_section[]){sections[0], sections[1]},
                      .section_count = 2,
                      .section_alignment = SECTION_ALIGNMENT,
                      .file_alignment = FILE_ALIGNMENT,
                      .sections_offset = 0x178,
                      .size_of_headers = 0x400};
    pe_replacement copies[4], *list[4];
    for (size_t i = 0; i < count; i++) {
        copies[i] = parts[i];
        list[i] = &copies[i];
    }
    arena a = ARENA_INIT;
    diag d = {0};
    pe_layout layout;
    ecma_status status = pe_layout_plan(&layout, &image, &(pe_layout_parts){list, count, NULL, 0}, &a, &d);
    assert_int_equal(d.errors, status == ECMA_OK ? 0 : 1);
    arena_clear(&a);
    return status;
}

static void what_cannot_be_laid_out_is_refused(void **state) {
    (void)state;
    const pe_section text = {.virtual_size = 0x800, .rva = 0x2000, .raw_size = 0x800, .file_offset = 0x400};
    const pe_section data = {.virtual_size = 0x200, .rva = 0x4000, .raw_size = 0x200, .file_offset = 0xC00};
    const pe_replacement one = {.rva = 0x2100, .old_size = 0x100, .size = 0x200, .alignment = 4};
    assert_int_equal(plan_two((pe_section[]){text, data}, &one, 1), ECMA_OK);
    pe_replacement two[] = {one, one};
    two[1].rva += 0x80;
    assert_int_equal(plan_two((pe_section[]){text, data}, two, 2), ECMA_UNSUPPORTED); /* overlap */
    two[1].rva = 0x2780;
    assert_int_equal(plan_two((pe_section[]){text, data}, two, 2), ECMA_UNSUPPORTED); /* past the section's end */
    two[1].rva = 0x3800;
    assert_int_equal(plan_two((pe_section[]){text, data}, two, 2), ECMA_UNSUPPORTED); /* between sections */
    pe_section shared = data;
    shared.file_offset = 0xA00;
    assert_int_equal(plan_two((pe_section[]){text, shared}, &one, 1), ECMA_UNSUPPORTED); /* of the same file bytes */
    shared.file_offset = 0x200;
    assert_int_equal(plan_two((pe_section[]){text, shared}, &one, 1), ECMA_UNSUPPORTED); /* in the headers */
    pe_replacement huge = one;
    huge.size = INT32_MAX;
    assert_int_equal(plan_two((pe_section[]){text, data}, &huge, 1), ECMA_UNSUPPORTED); /* more than 2 GiB */
    pe_section wide = text, far = data;
    wide.virtual_size = 0x7FFFF000;
    far.rva = 0x80002000;
    assert_int_equal(plan_two((pe_section[]){wide, far}, &one, 1), ECMA_UNSUPPORTED);
}

typedef struct shrinking {
    pe_section text, data;
    uint32_t alignment, new_size;         /* of 0x1000 bytes at the start of text */
    uint32_t raw_size, data_rva, data_at; /* 0: refused */
} shrinking;

/* Raw sizes and the sections after follow; a gap in memory stays one, and so does a raw size that is on no file
 * alignment. */
static void what_shrinks_is_laid_out_nearer(void **state) {
    (void)state;
    static const shrinking cases[] = {
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x6000, 0x200, 0x2600, 0},
         0x2000,
         0x800,
         0x1A00,
         0x4000,
         0x1E00},
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x6000, 0x200, 0x2600, 0},
         0x2000,
         0xF00,
         0x2000,
         0x4000,
         0x2400},
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x6000, 0x200, 0x2600, 0},
         0x2000,
         0xF01,
         0x2200,
         0x6000,
         0x2600},
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x8000, 0x200, 0x2600, 0},
         0x2000,
         0x800,
         0x1A00,
         0x8000,
         0x1E00},
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x8000, 0x200, 0x2600, 0},
         0x2000,
         0x4F00,
         0x6000,
         0x8000,
         0x6400},
        {{"", 0x2100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x8000, 0x200, 0x2600, 0},
         0x2000,
         0x4F01,
         0x6200,
         0xA000,
         0x6600},
        {{"", 0x2100, 0x2000, 0x2110, 0x400, 0},
         {"", 8, 0x6000, 0x200, 0x2600, 0},
         0x2000,
         0x800,
         0x1910,
         0x4000,
         0x1E00},
        {{"", 0x3100, 0x2000, 0x2200, 0x400, 0},
         {"", 8, 0x6000, 0x200, 0x2600, 0},
         0x2000,
         0x800,
         0x1A00,
         0x6000,
         0x1E00},
        /* Where sections lie in memory as in the file, they move together, or not at all. */
        {{"", 0x2100, 0x400, 0x2200, 0x400, 0},
         {"", 8, 0x2600, 0x200, 0x2600, 0},
         0x200,
         0x800,
         0x1A00,
         0x1E00,
         0x1E00},
        {{"", 0x2100, 0x400, 0x2200, 0x400, 0},
         {"", 8, 0x2600, 0x200, 0x2600, 0},
         0x200,
         0x1800,
         0x2A00,
         0x2E00,
         0x2E00},
        {{"", 0x2100, 0x400, 0x2200, 0x400, 0}, {"", 8, 0x2800, 0x200, 0x2800, 0}, 0x200, 0x800, 0, 0, 0},
    };
    static uint8_t file[0x3000];
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const shrinking *c = &cases[n];
        pe_section sections[2] = {c->text, c->data};
        pe_image image = {.file = bytes_of(file, sizeof file),
                          .sections = sections,
                          .section_count = 2,
                          .section_alignment = c->alignment,
                          .file_alignment = FILE_ALIGNMENT,
                          .sections_offset = 0x178,
                          .size_of_headers = 0x400};
        pe_replacement part = {.rva = c->text.rva, .old_size = 0x1000, .size = c->new_size, .alignment = 4};
        arena a = ARENA_INIT;
        diag d = {0};
        pe_layout layout;
        const pe_layout_parts parts = {(pe_replacement *[]){&part}, 1, NULL, 0};
        ecma_status status = pe_layout_plan(&layout, &image, &parts, &a, &d);
        assert_int_equal(status, c->raw_size ? ECMA_OK : ECMA_UNSUPPORTED);
        if (!status) {
            assert_int_equal(layout.sections[0].raw_size, c->raw_size);
            assert_int_equal(layout.sections[1].rva, c->data_rva);
            assert_int_equal(layout.sections[1].file_offset, c->data_at);
            assert_int_equal(layout.size_of_image, up(c->data_rva + c->data.raw_size, c->alignment));
            assert_int_equal(layout.file_size, sizeof file + c->data_at - c->data.file_offset);
        }
        arena_clear(&a);
    }
}

/* Sections that reach into each other: the first one counts, whatever was looked for before. */
static void bytes_are_the_same_from_near_and_from_far(void **state) {
    (void)state;
    static uint8_t file[0x3000];
    random_state = 5;
    for (int round = 0; round < ROUNDS; round++) {
        pe_section sections[3];
        pe_image image = {
            .file = bytes_of(file, sizeof file), .sections = sections, .section_count = 3, .size_of_headers = 0x400};
        uint32_t rva = 0x1000;
        for (uint32_t i = 0; i < 3; i++) {
            sections[i] = (pe_section){.virtual_size = 1 + random_below(0x900),
                                       .rva = rva,
                                       .raw_size = random_below(4) ? random_below(0x1000) : 0,
                                       .file_offset = 0x400 + random_below(0x1800)};
            rva += sections[i].virtual_size + random_below(0x200);
        }
        pe_section_hint near = {0};
        for (int i = 0; i < 100; i++) {
            uint32_t at = random_below(rva + 0x1000);
            bytes one = {0}, other = {0};
            assert_int_equal(pe_try_bytes_with_hint(&image, &near, at, &one), pe_try_bytes_from(&image, at, &other));
            assert_ptr_equal(one.data, other.data);
            assert_int_equal(one.size, other.size);
            if (one.size && pe_section_at(&image, at))
                assert_true(pe_section_hint_has(&near, at));
        }
    }
}

static void the_map_is_the_same_from_near_and_from_far(void **state) {
    (void)state;
    enum { PIECES = 40 };
    random_state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        pe_piece pieces[PIECES];
        pe_layout layout = {.pieces = pieces, .piece_count = 1 + random_below(PIECES)};
        uint32_t rva = 0x1000;
        for (size_t i = 0; i < layout.piece_count; i++) {
            rva += random_below(20);
            pieces[i] = (pe_piece){.old_rva = rva, .old_size = 1 + random_below(30), .new_rva = rva + 0x5000};
            pieces[i].new_size = random_below(4) ? pieces[i].old_size : 0;
            rva += pieces[i].old_size;
        }
        size_t near = 0;
        for (uint32_t at = 0xFF0; at < rva + 10; at += random_below(10) ? random_below(30) : 0u - random_below(60)) {
            uint32_t one = 0, other = 0;
            assert_int_equal(pe_layout_map_near(&layout, at, &near, &one), pe_layout_map(&layout, at, &other));
            assert_int_equal(one, other);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_hold),
        cmocka_unit_test(padding_is_filled_with_a_movable_part),
        cmocka_unit_test(what_cannot_be_laid_out_is_refused),
        cmocka_unit_test(what_shrinks_is_laid_out_nearer),
        cmocka_unit_test(bytes_are_the_same_from_near_and_from_far),
        cmocka_unit_test(the_map_is_the_same_from_near_and_from_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
