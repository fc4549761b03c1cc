#include "pe/append.h"

enum {
    SECTION_HEADER_BYTES = 40,
    MAX_SECTIONS = 96,
    PAGE_BYTES = 0x1000,
    RELOC_ABSOLUTE = 0,
    APPENDED_CHARACTERISTICS = 0x60000020, /* code; readable, executable */
};

static uint64_t align_up(uint64_t value, uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

bool pe_needs_append(const pe_image *image) {
    return !(image->cli.flags & PE_CLI_IL_ONLY) || image->cli.flags & PE_CLI_NATIVE_ENTRYPOINT ||
           image->cli.vtable_fixups.size != 0 || image->native_methods;
}

static const pe_section *last_section(const pe_image *image) {
    return &image->sections[image->section_count - 1];
}

/* By how much the headers grow so that one more section header has room. */
static uint32_t header_growth(const pe_image *image) {
    if (image->keeps_ahead)
        return 0;
    uint64_t end = image->sections_offset + (image->section_count + 1ull) * SECTION_HEADER_BYTES;
    return end > image->size_of_headers ? image->file_alignment : 0;
}

const char *pe_why_not_growable(const pe_image *image) {
    const pe_section *last = image->section_count ? last_section(image) : NULL;
    uint64_t end = last ? last->file_offset + (uint64_t)last->raw_size : 0;
    if (!last || last->raw_size == 0 || last->virtual_size > last->raw_size)
        return "its last section has no end in the file";
    if (last->characteristics & PE_SECTION_WRITABLE)
        return "its last section is writable";
    if (end % image->file_alignment)
        return "its last section is not aligned in the file";
    for (uint32_t i = 0; i < image->section_count; i++)
        if (image->sections[i].raw_size && image->sections[i].file_offset + (uint64_t)image->sections[i].raw_size > end)
            return "its last section is not the last in the file";
    return NULL;
}

ecma_status pe_check_appendable(const pe_image *image, diag *d) {
    if (image->keeps_ahead) {
        const char *why = pe_why_not_growable(image);
        return why ? diag_report(d, DIAG_LAYOUT, "native code cannot be kept: %s", why) : ECMA_OK;
    }
    const char *what = "a mixed-mode image that no section can be added to";
    uint64_t at = image->sections_offset + (uint64_t)image->section_count * SECTION_HEADER_BYTES;
    uint64_t headers = image->size_of_headers + (uint64_t)header_growth(image);
    if (image->section_count == MAX_SECTIONS)
        return diag_report(d, DIAG_MIXED_MODE, "%s: it has %d", what, MAX_SECTIONS);
    if (image->section_alignment < PAGE_BYTES)
        return diag_report(d, DIAG_MIXED_MODE, "%s: sections lie in memory as in the file (alignment 0x%x)", what,
                           image->section_alignment);
    if (at + SECTION_HEADER_BYTES > headers)
        return diag_report(d, DIAG_MIXED_MODE, "%s: its headers end at 0x%x", what, image->size_of_headers);
    for (uint64_t i = at; i < image->size_of_headers && i < at + SECTION_HEADER_BYTES; i++)
        if (image->file.data[i] != 0)
            return diag_report(d, DIAG_MIXED_MODE, "%s: something lies after its section headers", what);
    for (uint32_t i = 0; i < image->section_count; i++)
        if (image->sections[i].rva < headers)
            return diag_report(d, DIAG_MIXED_MODE, "%s: section %s begins right after the headers", what,
                               image->sections[i].name);
    return ECMA_OK;
}

/* Native code goes by addresses that a loader adjusts; none may lie in what is moved. */
static ecma_status check_relocations(const pe_layout *layout, diag *d) {
    const pe_image *image = layout->image;
    pe_directory directory = image->directories[PE_DIRECTORY_RELOCATION];
    bytes b;
    if (directory.rva == 0 || directory.size == 0)
        return ECMA_OK;
    if (!pe_try_bytes(image, directory.rva, directory.size, &b))
        return diag_report(d, DIAG_RELOCATION, "the base relocations at RVA 0x%x are not in the file (II.25.3.2)",
                           directory.rva);
    for (reader r = reader_of(b); reader_left(&r) >= 8;) {
        uint32_t page = reader_u32(&r), size = reader_u32(&r);
        if (size == 0)
            break;
        bytes entries = reader_bytes(&r, size < 8 ? 0 : size - 8);
        if (size < 8 || r.failed)
            return diag_report(d, DIAG_RELOCATION, "base relocation block at RVA 0x%x: damaged (II.25.3.2)",
                               directory.rva);
        for (reader e = reader_of(entries); reader_left(&e) >= 2;) {
            uint16_t entry = reader_u16(&e);
            uint32_t rva = page + (entry & 0xFFF);
            if (entry >> 12 == RELOC_ABSOLUTE)
                continue;
            const pe_piece *piece = pe_last_piece_at(layout, 0, layout->piece_count, rva);
            if (layout->piece_count && rva >= piece->old_rva && rva - piece->old_rva < piece->old_size)
                return diag_report(d, DIAG_MIXED_MODE,
                                   "a mixed-mode image with a base relocation at RVA 0x%x, in a part that would change",
                                   rva);
        }
    }
    return ECMA_OK;
}

/* Where the sections of the old image end, in memory and in the file; they stay. */
static void place_old_sections(pe_layout *layout, uint64_t *memory_end, uint64_t *file_end) {
    const pe_image *image = layout->image;
    uint32_t growth = header_growth(image);
    *memory_end = 0;
    *file_end = image->size_of_headers;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        layout->sections[i] = (pe_new_section){.rva = s->rva,
                                               .virtual_size = s->virtual_size,
                                               .raw_size = s->raw_size,
                                               .file_offset = s->raw_size ? s->file_offset + growth : s->file_offset};
        uint64_t end = s->rva + (uint64_t)(s->virtual_size > s->raw_size ? s->virtual_size : s->raw_size);
        if (end > *memory_end)
            *memory_end = end;
        if (s->raw_size && s->file_offset + (uint64_t)s->raw_size > *file_end)
            *file_end = s->file_offset + (uint64_t)s->raw_size;
    }
}

/* Gives the replacements their places from an RVA and an offset in the file on. *end: the RVA after the last one. */
static ecma_status place_replacements(pe_layout *layout, uint64_t rva, uint64_t offset, uint64_t *end, diag *d) {
    *end = rva;
    for (size_t i = 0; i < layout->replacement_count; i++) {
        pe_replacement *r = layout->replacements[i];
        uint64_t at = align_up(*end, r->alignment);
        if (at + r->size > INT32_MAX || offset + (at - rva) + r->size > INT32_MAX)
            return diag_report(d, DIAG_IMAGE_SIZE, "the output would be more than 2 GiB");
        r->new_rva = (uint32_t)at;
        r->file_offset = (uint32_t)(offset + (at - rva));
        if (r->old_size)
            layout->pieces[layout->piece_count++] = (pe_piece){.old_rva = r->rva,
                                                               .old_size = r->old_size,
                                                               .new_rva = r->new_rva,
                                                               .new_size = r->size,
                                                               .replacement = r};
        *end = at + r->size;
    }
    return ECMA_OK;
}

ecma_status pe_append_plan(pe_layout *layout, const pe_image *image, pe_replacement *const *replacements, size_t count,
                           arena *a, diag *d) {
    const bool grows = image->keeps_ahead;
    *layout = (pe_layout){.image = image,
                          .section_count = image->section_count + (grows ? 0 : 1),
                          .appended = true,
                          .old_end = pe_file_end(image),
                          .replacements = replacements,
                          .replacement_count = count};
    layout->pieces = arena_alloc_array(a, count + 1, sizeof *layout->pieces);
    layout->sections = arena_alloc_array(a, layout->section_count, sizeof *layout->sections);
    if (!layout->pieces || !layout->sections)
        return diag_no_memory(d);
    ecma_status status = pe_layout_order(layout, a, d);
    if (status)
        return status;
    uint64_t memory_end, file_end, end;
    place_old_sections(layout, &memory_end, &file_end);
    layout->sections_end = (uint32_t)file_end;
    uint64_t rva = align_up(memory_end, image->section_alignment);
    uint64_t offset = align_up(file_end + header_growth(image), image->file_alignment);
    if (grows) {
        rva = last_section(image)->rva + (uint64_t)last_section(image)->raw_size;
        offset = file_end;
    }
    if ((status = place_replacements(layout, rva, offset, &end, d)))
        return status;
    uint32_t size = (uint32_t)(end - rva), raw_size = (uint32_t)align_up(size, image->file_alignment);
    pe_new_section *added = &layout->sections[layout->section_count - 1];
    if (grows) {
        added->virtual_size = added->raw_size + size;
        added->raw_size += raw_size;
    } else {
        *added = (pe_new_section){
            .rva = (uint32_t)rva, .virtual_size = size, .file_offset = (uint32_t)offset, .raw_size = raw_size};
    }
    uint64_t total = offset + raw_size + (layout->old_end - file_end);
    if (total > INT32_MAX || align_up(end, image->section_alignment) > INT32_MAX)
        return diag_report(d, DIAG_IMAGE_SIZE, "the output would be more than 2 GiB");
    layout->file_size = (uint32_t)total;
    layout->size_of_image = (uint32_t)align_up(end, image->section_alignment);
    return check_relocations(layout, d);
}

static void write_headers(const pe_layout *layout, uint32_t growth, uint8_t *out) {
    const pe_image *image = layout->image;
    const pe_new_section *added = &layout->sections[layout->section_count - 1];
    uint8_t *coff = out + image->pe_offset + 4, *optional = out + image->optional_offset;
    store_u16(coff + 2, (uint16_t)layout->section_count);
    uint32_t symbols = load_u32(coff + 8);
    if (symbols)
        store_u32(coff + 8, symbols + (symbols < layout->sections_end ? growth : layout->file_size - layout->old_end));
    if (image->keeps_ahead)
        store_u32(optional + 8, load_u32(optional + 8) + added->raw_size - last_section(image)->raw_size);
    else
        store_u32(optional + 4, load_u32(optional + 4) + added->raw_size);
    store_u32(optional + 56, layout->size_of_image);
    store_u32(optional + 60, image->size_of_headers + growth);
    if (image->directory_count > PE_DIRECTORY_CERTIFICATE)
        memset(out + image->directories_offset + PE_DIRECTORY_CERTIFICATE * 8, 0, 8);
    uint8_t *header = out + image->sections_offset;
    for (uint32_t i = 0; i < image->section_count; i++, header += SECTION_HEADER_BYTES)
        if (layout->sections[i].raw_size)
            store_u32(header + 20, layout->sections[i].file_offset);
    if (image->keeps_ahead) {
        header -= SECTION_HEADER_BYTES;
        store_u32(header + 8, added->virtual_size);
        store_u32(header + 16, added->raw_size);
        store_u32(header + 36, load_u32(header + 36) & ~(uint32_t)PE_SECTION_DISCARDABLE);
        return;
    }
    memset(header, 0, SECTION_HEADER_BYTES);
    memcpy(header, ".ilj", 4);
    store_u32(header + 8, added->virtual_size);
    store_u32(header + 12, added->rva);
    store_u32(header + 16, added->raw_size);
    store_u32(header + 20, added->file_offset);
    store_u32(header + 36, APPENDED_CHARACTERISTICS);
}

void pe_append_write(const pe_layout *layout, uint8_t *out) {
    const pe_image *image = layout->image;
    const uint8_t *file = image->file.data;
    const pe_new_section *added = &layout->sections[layout->section_count - 1];
    uint32_t growth = header_growth(image), headers = image->size_of_headers, end = layout->sections_end;
    memcpy(out, file, headers);
    memset(out + headers, 0, growth);
    memcpy(out + headers + growth, file + headers, end - headers);
    uint32_t at = end + growth, added_end = added->file_offset + added->raw_size;
    for (size_t i = 0; i < layout->replacement_count; i++) {
        const pe_replacement *r = layout->replacements[i];
        memset(out + at, 0, r->file_offset - at);
        if (r->data && r->size)
            memcpy(out + r->file_offset, r->data, r->size);
        at = r->file_offset + r->size;
    }
    memset(out + at, 0, added_end - at);
    memcpy(out + added_end, file + end, layout->old_end - end);
    write_headers(layout, growth, out);
}
