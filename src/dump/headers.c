#include "dump/dump.h"

/* A field of the optional header, by its place in PE32 and in PE32+ (II.25.2.3). */
typedef struct header_field {
    const char *name;
    uint8_t offset, offset_plus;
    uint8_t size, size_plus; /* bytes; 0: not in this format */
} header_field;

static const header_field optional_fields[] = {
    {"Magic", 0, 0, 2, 2},
    {"LMajor", 2, 2, 1, 1},
    {"LMinor", 3, 3, 1, 1},
    {"CodeSize", 4, 4, 4, 4},
    {"InitializedDataSize", 8, 8, 4, 4},
    {"UninitializedDataSize", 12, 12, 4, 4},
    {"EntryPointRVA", 16, 16, 4, 4},
    {"BaseOfCode", 20, 20, 4, 4},
    {"BaseOfData", 24, 0, 4, 0},
    {"ImageBase", 28, 24, 4, 8},
    {"SectionAlignment", 32, 32, 4, 4},
    {"FileAlignment", 36, 36, 4, 4},
    {"OSMajor", 40, 40, 2, 2},
    {"OSMinor", 42, 42, 2, 2},
    {"UserMajor", 44, 44, 2, 2},
    {"UserMinor", 46, 46, 2, 2},
    {"SubSysMajor", 48, 48, 2, 2},
    {"SubSysMinor", 50, 50, 2, 2},
    {"Reserved", 52, 52, 4, 4},
    {"ImageSize", 56, 56, 4, 4},
    {"HeaderSize", 60, 60, 4, 4},
    {"FileChecksum", 64, 64, 4, 4},
    {"SubSystem", 68, 68, 2, 2},
    {"DLLFlags", 70, 70, 2, 2},
    {"StackReserveSize", 72, 72, 4, 8},
    {"StackCommitSize", 76, 80, 4, 8},
    {"HeapReserveSize", 80, 88, 4, 8},
    {"HeapCommitSize", 84, 96, 4, 8},
    {"LoaderFlags", 88, 104, 4, 4},
    {"NumberOfDataDirectories", 92, 108, 4, 4},
};

static const char *const directory_names[PE_DIRECTORY_COUNT] = {
#define PE_DIRECTORY(index, name) [index] = #name,
#include "pe/directories.def"
#undef PE_DIRECTORY
};

static uint64_t read_field(reader *r, unsigned size) {
    switch (size) {
    case 1:
        return reader_u8(r);
    case 2:
        return reader_u16(r);
    case 4:
        return reader_u32(r);
    default:
        return reader_u64(r);
    }
}

static void pe_headers(dumper *d) {
    const pe_image *pe = &d->image->pe;
    buffer *b = d->b;
    buffer_printf(b, "file %zu bytes\n", pe->file.size);
    buffer_printf(b, "PE header at 0x%x\n", pe->pe_offset);
    buffer_printf(b, "  Machine 0x%04x\n  NumberOfSections %u\n  TimeDateStamp 0x%08x\n  Characteristics 0x%04x\n",
                  pe->machine, pe->section_count, pe->time_date_stamp, pe->characteristics);
    buffer_printf(b, "optional header at 0x%x, %s\n", pe->optional_offset, pe->pe32_plus ? "PE32+" : "PE32");
    for (size_t i = 0; i < sizeof optional_fields / sizeof optional_fields[0]; i++) {
        const header_field *f = &optional_fields[i];
        unsigned size = pe->pe32_plus ? f->size_plus : f->size;
        bytes field;
        if (size == 0)
            continue;
        size_t offset = (size_t)pe->optional_offset + (pe->pe32_plus ? f->offset_plus : f->offset);
        buffer_printf(b, "  %s ", f->name);
        if (bytes_try_sub(pe->file, offset, size, &field)) {
            reader r = reader_of(field);
            buffer_printf(b, "0x%llx\n", (unsigned long long)read_field(&r, size));
        } else {
            dumper_bad(d, "offset", (uint32_t)offset);
            buffer_u8(b, '\n');
        }
    }
    for (uint32_t i = 0; i < PE_DIRECTORY_COUNT && i < pe->directory_count; i++)
        if (pe->directories[i].rva || pe->directories[i].size)
            buffer_printf(b, "directory %s rva 0x%x size 0x%x\n", directory_names[i], pe->directories[i].rva,
                          pe->directories[i].size);
    for (uint32_t i = 0; i < pe->section_count; i++) {
        const pe_section *s = &pe->sections[i];
        buffer_printf(b, "section %s rva 0x%x virtual size 0x%x file offset 0x%x size 0x%x characteristics 0x%08x\n",
                      s->name, s->rva, s->virtual_size, s->file_offset, s->raw_size, s->characteristics);
    }
}

static void cli_header(dumper *d) {
    const pe_cli_header *cli = &d->image->pe.cli;
    const struct {
        const char *name;
        pe_directory at;
    } directories[] = {{"MetaData", cli->metadata},
                       {"Resources", cli->resources},
                       {"StrongNameSignature", cli->strong_name},
                       {"CodeManagerTable", cli->code_manager},
                       {"VTableFixups", cli->vtable_fixups},
                       {"ExportAddressTableJumps", cli->export_address_jumps},
                       {"ManagedNativeHeader", cli->managed_native}};
    buffer_printf(d->b, "CLI header at 0x%x\n  Cb %u\n  RuntimeVersion %u.%u\n  Flags 0x%x\n  EntryPointToken 0x%08x\n",
                  cli->file_offset, cli->size_of_header, cli->major_runtime_version, cli->minor_runtime_version,
                  cli->flags, cli->entry_point_token);
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        buffer_printf(d->b, "  %s rva 0x%x size 0x%x\n", directories[i].name, directories[i].at.rva,
                      directories[i].at.size);
}

static void metadata_root(dumper *d) {
    const md_view *view = d->view;
    buffer *b = d->b;
    bytes version = view->version;
    const uint8_t *end = version.size ? memchr(version.data, 0, version.size) : NULL;
    if (end)
        version.size = (size_t)(end - version.data);
    buffer_printf(b, "metadata root %u.%u version ", view->major_version, view->minor_version);
    text_quoted(b, version);
    buffer_printf(b, " %zu bytes\n", view->metadata.size);
    for (uint32_t i = 0; i < view->stream_count; i++) {
        const md_stream *s = &view->streams[i];
        buffer_string(b, "stream ");
        text_plain(b, text_of(s->name));
        buffer_printf(b, " offset 0x%x size 0x%x\n", s->offset, s->size);
    }
    buffer_printf(b, "table stream schema %u.%u HeapSizes 0x%02x Valid 0x%016llx Sorted 0x%016llx\n",
                  view->schema_major, view->schema_minor, view->heap_sizes, (unsigned long long)view->valid,
                  (unsigned long long)view->sorted);
    if (view->heap_sizes & MD_HEAP_EXTRA_DATA)
        buffer_printf(b, "table stream extra data 0x%08x\n", view->extra_data);
}

void dump_headers(dumper *d) {
    if (!d->image->bare) {
        pe_headers(d);
        cli_header(d);
    }
    metadata_root(d);
}
