#include "pe/image.h"

enum {
    DOS_HEADER_BYTES = 64,
    LFANEW_OFFSET = 0x3C,
    COFF_HEADER_BYTES = 20,
    MAGIC_PE32 = 0x10B,
    MAGIC_PE32_PLUS = 0x20B,
    MAX_SECTIONS = 96, /* what Windows loads */
};

const pe_section *pe_section_at(const pe_image *image, uint32_t rva) {
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        uint32_t size = s->virtual_size > s->raw_size ? s->virtual_size : s->raw_size;
        if (rva >= s->rva && rva - s->rva < size)
            return s;
    }
    return NULL;
}

bool pe_try_bytes_from(const pe_image *image, uint32_t rva, bytes *b) {
    const pe_section *s = pe_section_at(image, rva);
    if (s)
        return rva - s->rva <= s->raw_size &&
               bytes_try_sub(image->file, (size_t)s->file_offset + (rva - s->rva), s->raw_size - (rva - s->rva), b);
    if (rva < image->size_of_headers)
        return bytes_try_sub(image->file, rva, image->size_of_headers - rva, b);
    return false;
}

/* Where sections reach into each other the first one counts, so a stretch starts after those before it. */
bool pe_try_bytes_elsewhere(const pe_image *image, pe_section_hint *hint, uint32_t rva, bytes *b) {
    if (!pe_try_bytes_from(image, rva, b))
        return false;
    const pe_section *found = pe_section_at(image, rva);
    if (!found)
        return true;
    uint64_t start = found->rva;
    for (const pe_section *s = image->sections; s < found; s++) {
        uint64_t end = s->rva + (uint64_t)(s->virtual_size > s->raw_size ? s->virtual_size : s->raw_size);
        if (end > start)
            start = end;
    }
    uint32_t before = rva - (uint32_t)start;
    *hint = (pe_section_hint){b->data - before, (uint32_t)start, (uint32_t)b->size + before};
    return true;
}

bool pe_try_bytes(const pe_image *image, uint32_t rva, uint32_t size, bytes *b) {
    bytes from;
    return pe_try_bytes_from(image, rva, &from) && bytes_try_sub(from, 0, size, b);
}

bool pe_try_file_offset(const pe_image *image, uint32_t rva, uint32_t *file_offset) {
    bytes from;
    if (!pe_try_bytes_from(image, rva, &from))
        return false;
    *file_offset = (uint32_t)(from.data - image->file.data);
    return true;
}

bool pe_try_ready_to_run(const pe_image *image, pe_ready_to_run *header) {
    enum { HEADER_BYTES = 16, PLATFORM_NEUTRAL_SOURCE = 0x1, COMPONENT = 0x20 };
    bytes b;
    if (image->cli.managed_native.rva == 0 || !pe_try_bytes(image, image->cli.managed_native.rva, HEADER_BYTES, &b) ||
        memcmp(b.data, "RTR", 4) != 0)
        return false;
    uint32_t flags = load_u32(b.data + 8);
    *header = (pe_ready_to_run){flags, flags & PLATFORM_NEUTRAL_SOURCE, flags & COMPONENT};
    return true;
}

uint16_t pe_plain_machine(uint16_t machine) {
    static const uint16_t masks[] = {0, 0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992};
    static const uint16_t plain[] = {0x014C, 0x8664, 0x01C0, 0x01C2, 0x01C4, 0xAA64, 0x0200, 0x6264, 0x5064, 0x5032};
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++)
        for (size_t p = 0; p < sizeof plain / sizeof plain[0]; p++)
            if ((machine ^ masks[m]) == plain[p])
                return plain[p];
    return machine;
}

static ecma_status read_headers(pe_image *image, diag *d) {
    bytes file = image->file;
    reader r = reader_of(file);
    const uint8_t *dos = reader_take(&r, DOS_HEADER_BYTES);
    if (!dos || dos[0] != 'M' || dos[1] != 'Z') {
        if (file.size == 0)
            return diag_report(d, DIAG_NOT_PE, "the file is empty; a PE image was expected");
        if (file.size >= 4 && memcmp(file.data, "\177ELF", 4) == 0)
            return diag_report(d, DIAG_NATIVE_LAUNCHER,
                               "an ELF program, not a PE image: give the managed assembly (the .dll beside it)");
        if (file.size >= 2 && file.data[0] == 'P' && file.data[1] == 'K')
            return diag_report(d, DIAG_NOT_PE, "a zip archive; a PE image was expected at offset 0");
        return diag_report(d, DIAG_NOT_PE,
                           "no DOS header: a PE image starts with 'MZ' and has at least 64 bytes (II.25.2.1)");
    }
    image->pe_offset = load_u32(dos + LFANEW_OFFSET);
    if (image->pe_offset > file.size || file.size - image->pe_offset < 4)
        return diag_report(d, DIAG_PE_TRUNCATED, "DOS header: lfanew 0x%x points past the end of the file (II.25.2.1)",
                           image->pe_offset);
    r = reader_of((bytes){file.data + image->pe_offset, file.size - image->pe_offset});
    if (reader_u32(&r) != 0x00004550)
        return diag_report(d, DIAG_NOT_PE, "no 'PE' signature at offset 0x%x (II.25.2.1)", image->pe_offset);

    image->machine = reader_u16(&r);
    image->section_count = reader_u16(&r);
    image->time_date_stamp = reader_u32(&r);
    reader_skip(&r, 8); /* symbol table pointer and count */
    uint16_t optional_size = reader_u16(&r);
    image->characteristics = reader_u16(&r);
    image->optional_offset = image->pe_offset + 4 + COFF_HEADER_BYTES;
    bytes optional = reader_bytes(&r, optional_size);
    if (r.failed)
        return diag_report(
            d, DIAG_PE_TRUNCATED,
            "PE file header: the optional header of %u bytes at 0x%x runs past the end of the file (II.25.2.2)",
            optional_size, image->optional_offset);
    image->sections_offset = image->optional_offset + optional_size;

    reader o = reader_of(optional);
    uint16_t magic = reader_u16(&o);
    if (magic != MAGIC_PE32 && magic != MAGIC_PE32_PLUS)
        return diag_report(d, DIAG_PE_HEADER,
                           "optional header at 0x%x: magic 0x%x, expected 0x10b or 0x20b (II.25.2.3.1)",
                           image->optional_offset, magic);
    image->pe32_plus = magic == MAGIC_PE32_PLUS;
    reader_skip(&o, 14); /* linker version, sizes of code and data */
    image->entry_point_rva = reader_u32(&o);
    reader_skip(&o, 4); /* base of code */
    if (image->pe32_plus) {
        image->image_base = reader_u64(&o);
    } else {
        reader_skip(&o, 4); /* base of data */
        image->image_base = reader_u32(&o);
    }
    image->section_alignment = reader_u32(&o);
    image->file_alignment = reader_u32(&o);
    reader_skip(&o, 16); /* versions, reserved */
    image->size_of_image = reader_u32(&o);
    image->size_of_headers = reader_u32(&o);
    image->checksum = reader_u32(&o);
    image->subsystem = reader_u16(&o);
    image->dll_characteristics = reader_u16(&o);
    reader_skip(&o, image->pe32_plus ? 36 : 20); /* stack and heap sizes, loader flags */
    image->directory_count = reader_u32(&o);
    image->directories_offset = image->optional_offset + (uint32_t)reader_offset(&o);
    if (o.failed)
        return diag_report(d, DIAG_PE_TRUNCATED, "optional header at 0x%x: %u bytes are too few (II.25.2.3)",
                           image->optional_offset, optional_size);
    if (image->directory_count > reader_left(&o) / 8)
        return diag_report(d, DIAG_PE_HEADER,
                           "optional header: %u data directories do not fit into its %u bytes (II.25.2.3.3)",
                           image->directory_count, optional_size);
    for (uint32_t i = 0; i < image->directory_count && i < PE_DIRECTORY_COUNT; i++) {
        image->directories[i].rva = reader_u32(&o);
        image->directories[i].size = reader_u32(&o);
    }
    uint32_t fa = image->file_alignment, sa = image->section_alignment;
    if (fa == 0 || (fa & (fa - 1)) || fa > 0x10000 || sa == 0 || (sa & (sa - 1)) || sa < fa)
        return diag_report(d, DIAG_PE_HEADER,
                           "optional header: file alignment 0x%x and section alignment 0x%x are not powers of two in "
                           "order (II.25.2.3.2)",
                           fa, sa);
    if (image->size_of_headers > file.size)
        return diag_report(d, DIAG_PE_TRUNCATED,
                           "optional header: SizeOfHeaders 0x%x is more than the file's 0x%zx bytes (II.25.2.3.2)",
                           image->size_of_headers, file.size);
    return ECMA_OK;
}

static ecma_status read_sections(pe_image *image, arena *a, diag *d) {
    bytes headers;
    if (image->section_count == 0 || image->section_count > MAX_SECTIONS)
        return diag_report(d, DIAG_PE_HEADER, "PE file header: %u sections, expected 1 to %d (II.25.2.2)",
                           image->section_count, MAX_SECTIONS);
    if (!bytes_try_sub(image->file, image->sections_offset, (size_t)image->section_count * PE_SECTION_HEADER_BYTES,
                       &headers))
        return diag_report(d, DIAG_PE_TRUNCATED,
                           "section headers at 0x%x: %u of them run past the end of the file (II.25.3)",
                           image->sections_offset, image->section_count);
    image->sections = arena_alloc_array(a, image->section_count, sizeof *image->sections);
    if (!image->sections)
        return diag_no_memory(d);
    reader r = reader_of(headers);
    uint64_t end = 0;
    for (uint32_t i = 0; i < image->section_count; i++) {
        pe_section *s = &image->sections[i];
        memcpy(s->name, reader_take(&r, 8), 8);
        for (char *c = s->name; *c; c++)
            if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
                *c = '?';
        s->virtual_size = reader_u32(&r);
        s->rva = reader_u32(&r);
        s->raw_size = reader_u32(&r);
        s->file_offset = reader_u32(&r);
        reader_skip(&r, 12); /* relocations and line numbers of object files */
        s->characteristics = reader_u32(&r);
        if (s->raw_size != 0 && (s->file_offset > image->file.size || s->raw_size > image->file.size - s->file_offset))
            return diag_report(d, DIAG_PE_SECTION,
                               "section %s: its %u bytes at offset 0x%x run past the end of the file (II.25.3)",
                               s->name, s->raw_size, s->file_offset);
        uint32_t size = s->virtual_size ? s->virtual_size : s->raw_size;
        if (s->rva < end || s->rva + (uint64_t)size > UINT32_MAX)
            return diag_report(
                d, DIAG_PE_SECTION,
                "section %s: RVA 0x%x with %u bytes overlaps another or passes the address space (II.25.3)", s->name,
                s->rva, size);
        end = s->rva + (uint64_t)size;
        /* The loader maps no more than the virtual size, rounded up to a page: what the file holds beyond is padding.
         */
        uint64_t mapped =
            ((uint64_t)size + image->section_alignment - 1) / image->section_alignment * image->section_alignment;
        if (s->raw_size > mapped)
            s->raw_size = (uint32_t)mapped;
    }
    return ECMA_OK;
}

static pe_directory read_directory(reader *r) {
    pe_directory directory;
    directory.rva = reader_u32(r);
    directory.size = reader_u32(r);
    return directory;
}

/* A composite image holds the native code of several assemblies and none of their IL; an export marks it. */
static bool is_composite(const pe_image *image) {
    enum { EXPORT_DIRECTORY_BYTES = 40, MAX_NAMES = 64 };
    static const char name[] = "RTR_HEADER";
    uint32_t rva = image->directories[PE_DIRECTORY_EXPORT].rva;
    bytes b, text;
    if (rva == 0 || !pe_try_bytes(image, rva, EXPORT_DIRECTORY_BYTES, &b))
        return false;
    uint32_t count = load_u32(b.data + 24), names = load_u32(b.data + 32);
    for (uint32_t i = 0; i < count && i < MAX_NAMES && pe_try_bytes(image, names + i * 4, 4, &b); i++)
        if (pe_try_bytes(image, load_u32(b.data), sizeof name, &text) && memcmp(text.data, name, sizeof name) == 0)
            return true;
    return false;
}

static ecma_status read_cli_header(pe_image *image, diag *d) {
    pe_directory directory = image->directories[PE_DIRECTORY_CLI_HEADER];
    if (directory.rva == 0 && is_composite(image))
        return diag_report(d, DIAG_COMPOSITE,
                           "a composite ReadyToRun image: native code of several assemblies, whose IL is in files of "
                           "their own; give those");
    if (directory.rva == 0)
        return diag_report(d, DIAG_NOT_MANAGED,
                           "no CLI header: a native PE image; if it is an application's launcher, give the .dll of the "
                           "same name (II.25.3.3)");
    bytes b;
    if (!pe_try_bytes(image, directory.rva, PE_CLI_HEADER_BYTES, &b))
        return diag_report(d, DIAG_CLI_HEADER, "CLI header: RVA 0x%x with 72 bytes is not in the file (II.25.3.3)",
                           directory.rva);
    pe_cli_header *cli = &image->cli;
    cli->file_offset = (uint32_t)(b.data - image->file.data);
    reader r = reader_of(b);
    cli->size_of_header = reader_u32(&r);
    cli->major_runtime_version = reader_u16(&r);
    cli->minor_runtime_version = reader_u16(&r);
    cli->metadata = read_directory(&r);
    cli->flags = reader_u32(&r);
    cli->entry_point_token = reader_u32(&r);
    cli->resources = read_directory(&r);
    cli->strong_name = read_directory(&r);
    cli->code_manager = read_directory(&r);
    cli->vtable_fixups = read_directory(&r);
    cli->export_address_jumps = read_directory(&r);
    cli->managed_native = read_directory(&r);
    if (cli->size_of_header < PE_CLI_HEADER_BYTES)
        return diag_report(d, DIAG_CLI_HEADER, "CLI header at 0x%x: Cb is %u, expected at least 72 (II.25.3.3)",
                           cli->file_offset, cli->size_of_header);
    if (!pe_try_bytes(image, cli->metadata.rva, cli->metadata.size, &b))
        return diag_report(d, DIAG_CLI_HEADER,
                           "CLI header: the metadata, RVA 0x%x with %u bytes, is not in the file (II.25.3.3)",
                           cli->metadata.rva, cli->metadata.size);
    return ECMA_OK;
}

ecma_status pe_image_open(pe_image *image, bytes file, arena *a, diag *d) {
    pe_image opened = {.file = file};
    ecma_status status;
    if (file.size > INT32_MAX)
        return diag_report(d, DIAG_IMAGE_SIZE, "the file has %zu bytes; a PE image has less than 2 GiB", file.size);
    if ((status = read_headers(&opened, d)) || (status = read_sections(&opened, a, d)) ||
        (status = read_cli_header(&opened, d)))
        return status;
    *image = opened;
    return ECMA_OK;
}
