#include "pe/fresh.h"

#include "pe/loaders.h"
#include "pe/relocate.h"

#include <stdlib.h>

enum {
    SECTION_ALIGNMENT = 0x2000,
    FILE_ALIGNMENT = 0x200,
    SECTION_HEADER_BYTES = 40,
    COFF_END = 24, /* signature and file header */
    MACHINE_I386 = 0x14C,
    CHARACTERISTIC_RELOCS_STRIPPED = 0x1,
    CHARACTERISTIC_DLL = 0x2000,
    DEBUG_ENTRY_BYTES = 28,
    DEBUG_PERFMAP = 21, /* names a map of the native code */
    HEADER_PARTS = 6,
    FRESH_HEADROOM = 0x10000,
    TEXT = 0,
    RELOC = 1,
};

/* 32-bit loaders start an IL-only image with these (II.25.2.3.1, II.25.3.1): the import address table at the front of
 * .text, the import table that fills it, and `jmp [address]` at the entry point, with a relocation for its operand. */
enum {
    IAT_BYTES = 8,
    IMPORT_AT = IAT_BYTES,
    IMPORT_LOOKUP_AT = IMPORT_AT + 40, /* after two descriptors */
    IMPORT_HINT_AT = IMPORT_LOOKUP_AT + 8,
    IMPORT_DLL_AT = IMPORT_HINT_AT + 14,
    IMPORT_END = IMPORT_DLL_AT + 12,
    STUB_AT = IMPORT_END + 4, /* so that the operand is aligned */
    STARTUP_BYTES = STUB_AT + 6,
    RELOC_BYTES = 12,
};

static uint32_t align_up(uint64_t value, uint32_t alignment) { /* a power of two */
    return (uint32_t)((value + alignment - 1) & ~(uint64_t)(alignment - 1));
}

/* An image for one kind of processor is PE32+ where that has 64 bits; one for any is PE32 and says i386. */
static uint16_t machine_of(const pe_image *image) {
    pe_ready_to_run header;
    return pe_try_ready_to_run(image, &header) && header.neutral ? MACHINE_I386 : pe_plain_machine(image->machine);
}

static bool is_pe32_plus(const pe_image *image) {
    return image->pe32_plus && machine_of(image) != MACHINE_I386;
}

/* ---- Planning -----------------------------------------------------------------------------------------------------
 */

/* The bytes of a part, which lie in the file part of a section. */
static bool try_part(const pe_image *image, pe_section_hint *near, uint32_t rva, uint32_t size, bytes *b) {
    bytes from;
    return pe_try_bytes_with_hint(image, near, rva, &from) && pe_section_hint_has(near, rva) &&
           bytes_try_sub(from, 0, size, b);
}

static int by_rva(const void *a, const void *b) {
    const pe_kept *x = a, *y = b;
    if (x->rva != y->rva)
        return x->rva < y->rva ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* Bodies mostly stand in the order of their rows; the few parts after them are put between them. */
static ecma_status sort(pe_kept *list, size_t count, arena *a, diag *d) {
    size_t sorted = count ? 1 : 0;
    while (sorted < count && by_rva(&list[sorted - 1], &list[sorted]) <= 0)
        sorted++;
    size_t more = count - sorted;
    if (more == 0)
        return ECMA_OK;
    pe_kept *tail = arena_alloc_array(a, more, sizeof *tail);
    if (!tail)
        return diag_no_memory(d);
    memcpy(tail, list + sorted, more * sizeof *tail);
    qsort(tail, more, sizeof *tail, by_rva);
    for (size_t at = count; more > 0; at--) {
        bool from_tail = sorted == 0 || by_rva(&list[sorted - 1], &tail[more - 1]) <= 0;
        list[at - 1] = from_tail ? tail[--more] : list[--sorted];
    }
    return ECMA_OK;
}

/* The parts that are kept, as they are gathered. */
typedef struct keeping {
    const pe_image *image;
    pe_kept *list;
    size_t count;
    diag *d;
} keeping;

static ecma_status keep(keeping *k, pe_section_hint *near, const char *what, pe_directory part) {
    bytes b;
    if (part.rva == 0 || part.size == 0)
        return ECMA_OK;
    if (!try_part(k->image, near, part.rva, part.size, &b))
        return diag_report(k->d, DIAG_LAYOUT, "%s, RVA 0x%x with %u bytes, is not in the file part of a section", what,
                           part.rva, part.size);
    k->list[k->count++] = (pe_kept){part.rva, part.size};
    return ECMA_OK;
}

static ecma_status keep_debug_data(keeping *k) {
    const pe_image *image = k->image;
    pe_directory debug = image->directories[PE_DIRECTORY_DEBUG];
    for (uint32_t i = 0; i < debug.size / DEBUG_ENTRY_BYTES; i++) {
        bytes entry;
        if (!pe_try_bytes(image, debug.rva + i * DEBUG_ENTRY_BYTES, DEBUG_ENTRY_BYTES, &entry))
            return ECMA_OK; /* the directory was reported already */
        pe_directory data = {load_u32(entry.data + 20), load_u32(entry.data + 16)};
        if (load_u32(entry.data + 12) == DEBUG_PERFMAP)
            continue;
        if (data.rva == 0 && load_u32(entry.data + 24) != 0)
            return diag_report(k->d, DIAG_LAYOUT, "the data of debug entry %u lies outside the sections", i);
        pe_section_hint near = {0};
        ecma_status status = keep(k, &near, "the data of a debug entry", data);
        if (status)
            return status;
    }
    return ECMA_OK;
}

/* True if only padding lies between two places of a stretch. */
static bool zeros_between(const pe_section_hint *near, uint32_t from, uint32_t to) {
    if (to - from >= PE_GAP_ALIGNMENT)
        return false;
    for (uint32_t rva = from; rva < to; rva++)
        if (near->data[rva - near->rva])
            return false;
    return true;
}

/* Parts that overlap, touch, or have nothing but padding between them become one. */
static size_t join(const pe_image *image, pe_kept *list, size_t count) {
    size_t joined = 0;
    pe_section_hint near = {0}; /* where the last part lies; all parts lie in sections */
    for (size_t i = 0; i < count; i++) {
        pe_kept *last = joined ? &list[joined - 1] : NULL;
        uint32_t rva = list[i].rva, end = rva + list[i].size, last_end = last ? last->rva + last->size : 0;
        if (last && pe_section_hint_has(&near, rva) && (rva <= last_end || zeros_between(&near, last_end, rva))) {
            if (end > last_end)
                last->size = end - last->rva;
        } else {
            bytes b;
            try_part(image, &near, rva, list[i].size, &b);
            list[joined++] = list[i];
        }
    }
    return joined;
}

static uint32_t header_bytes(const pe_image *image, uint32_t sections) {
    uint32_t optional = (is_pe32_plus(image) ? 112 : 96) + PE_DIRECTORY_COUNT * 8;
    return image->pe_offset + COFF_END + optional + sections * SECTION_HEADER_BYTES;
}

static ecma_status place(pe_layout *layout, const pe_kept *list, size_t count, arena *a, diag *d) {
    const pe_image *image = layout->image;
    bool startup = machine_of(image) == MACHINE_I386;
    layout->section_count = startup ? 2 : 1;
    layout->pieces = arena_alloc_array(a, count, sizeof *layout->pieces);
    layout->sections = arena_alloc_array(a, layout->section_count, sizeof *layout->sections);
    if (!layout->pieces || !layout->sections)
        return diag_no_memory(d);
    uint32_t headers = align_up(header_bytes(image, layout->section_count), FILE_ALIGNMENT);
    pe_new_section *text = &layout->sections[TEXT];
    text->rva = align_up(headers, SECTION_ALIGNMENT);
    uint64_t at = text->rva + (startup ? (uint64_t)STARTUP_BYTES : 0);
    for (size_t i = 0; i < count; i++) {
        at += (list[i].rva - at) % PE_GAP_ALIGNMENT;
        layout->pieces[layout->piece_count++] = (pe_piece){
            .old_rva = list[i].rva, .old_size = list[i].size, .new_rva = (uint32_t)at, .new_size = list[i].size};
        at += list[i].size;
        if (at > INT32_MAX)
            return diag_report(d, DIAG_IMAGE_SIZE, "the image would be more than 2 GiB");
    }
    text->virtual_size = (uint32_t)(at - text->rva);
    text->raw_size = align_up(text->virtual_size, FILE_ALIGNMENT);
    text->file_offset = headers;
    const pe_new_section *last = text;
    if (startup) {
        pe_new_section *reloc = &layout->sections[RELOC];
        *reloc = (pe_new_section){.rva = align_up(at, SECTION_ALIGNMENT),
                                  .virtual_size = RELOC_BYTES,
                                  .raw_size = FILE_ALIGNMENT,
                                  .file_offset = text->file_offset + text->raw_size};
        last = reloc;
    }
    layout->file_size = last->file_offset + last->raw_size;
    if (layout->file_size > image->file.size + FRESH_HEADROOM)
        return diag_report(d, DIAG_LAYOUT, "sections share file bytes: what is kept of them is more than the file");
    layout->size_of_image = align_up((uint64_t)last->rva + last->virtual_size, SECTION_ALIGNMENT);
    return ECMA_OK;
}

ecma_status pe_fresh_plan(pe_layout *layout, const pe_image *image, const pe_kept *kept, size_t count, arena *a,
                          diag *d) {
    const pe_cli_header *cli = &image->cli;
    pe_directory debug = image->directories[PE_DIRECTORY_DEBUG];
    *layout = (pe_layout){.image = image, .fresh = true, .old_end = (uint32_t)image->file.size};
    if (image->pe_offset < 64)
        return diag_report(d, DIAG_LAYOUT, "the PE header lies inside the DOS header");
    /* The sections of the output are made again, so a fault of the input's is none to excuse in it. */
    if (!pe_loaders_find_cli_header(image->file))
        return diag_report(d, DIAG_LAYOUT,
                           "the CLI header at RVA 0x%x does not lie in one section, in memory and in the file",
                           image->directories[PE_DIRECTORY_CLI_HEADER].rva);
    if (debug.size > image->file.size)
        return diag_report(d, DIAG_LAYOUT, "the debug directory claims %u bytes", debug.size);
    keeping k = {.image = image, .d = d};
    k.list = arena_alloc_array(a, count + HEADER_PARTS + debug.size / DEBUG_ENTRY_BYTES, sizeof *k.list);
    if (!k.list)
        return diag_no_memory(d);
    pe_section_hint near = {0};
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = keep(&k, &near, "a method body or field data", (pe_directory){kept[i].rva, kept[i].size});
    pe_directory header = {image->directories[PE_DIRECTORY_CLI_HEADER].rva, PE_CLI_HEADER_BYTES};
    if (status || (status = keep(&k, &near, "the CLI header", header)) ||
        (status = keep(&k, &near, "the metadata", cli->metadata)) ||
        (status = keep(&k, &near, "the managed resources", cli->resources)) ||
        (status = keep(&k, &near, "the strong-name signature", cli->strong_name)) ||
        (status = keep(&k, &near, "the native resources", image->directories[PE_DIRECTORY_RESOURCE])) ||
        (status = keep(&k, &near, "the debug directory", debug)) || (status = keep_debug_data(&k)))
        return status;
    if ((status = sort(k.list, k.count, a, d)))
        return status;
    return place(layout, k.list, join(image, k.list, k.count), a, d);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------
 */

static void write_startup(const pe_layout *layout, uint64_t image_base, uint8_t *out) {
    const pe_new_section *text = &layout->sections[TEXT], *reloc = &layout->sections[RELOC];
    uint8_t *p = out + text->file_offset;
    store_u32(p, text->rva + IMPORT_HINT_AT);
    store_u32(p + IMPORT_AT, text->rva + IMPORT_LOOKUP_AT);
    store_u32(p + IMPORT_AT + 12, text->rva + IMPORT_DLL_AT);
    store_u32(p + IMPORT_AT + 16, text->rva);
    store_u32(p + IMPORT_LOOKUP_AT, text->rva + IMPORT_HINT_AT);
    bool dll = layout->image->characteristics & CHARACTERISTIC_DLL;
    memcpy(p + IMPORT_HINT_AT + 2, dll ? "_CorDllMain" : "_CorExeMain", 12);
    memcpy(p + IMPORT_DLL_AT, "mscoree.dll", 12);
    p[STUB_AT] = 0xFF;
    p[STUB_AT + 1] = 0x25;
    store_u32(p + STUB_AT + 2, (uint32_t)image_base + text->rva);
    uint32_t operand = text->rva + STUB_AT + 2;
    uint8_t *block = out + reloc->file_offset;
    store_u32(block, operand & ~0xFFFu);
    store_u32(block + 4, RELOC_BYTES);
    store_u16(block + 8, (uint16_t)(3 << 12 | (operand & 0xFFF)));
}

static void write_section_header(uint8_t *p, const char *name, const pe_new_section *s, uint32_t characteristics) {
    memcpy(p, name, strlen(name));
    store_u32(p + 8, s->virtual_size);
    store_u32(p + 12, s->rva);
    store_u32(p + 16, s->raw_size);
    store_u32(p + 20, s->file_offset);
    store_u32(p + 36, characteristics);
}

/* The preferred address, where PE32 has room for it. */
static uint64_t image_base_of(const pe_image *image) {
    if (is_pe32_plus(image) || (image->image_base != 0 && image->image_base <= INT32_MAX))
        return image->image_base;
    return image->characteristics & CHARACTERISTIC_DLL ? 0x10000000 : 0x400000;
}

static void write_stack_and_heap(const pe_image *image, bool plus, const uint8_t *old, uint8_t *p) {
    for (unsigned i = 0; i < 4; i++) {
        uint64_t size = image->pe32_plus ? load_u64(old + 72 + i * 8) : load_u32(old + 72 + i * 4);
        if (plus)
            store_u64(p + 72 + i * 8, size);
        else
            store_u32(p + 72 + i * 4, size > INT32_MAX ? INT32_MAX : (uint32_t)size);
    }
}

/* The optional header: what the old one says of the program, and sizes and addresses of what there is now. */
static void write_headers(const pe_layout *layout, uint8_t *out) {
    const pe_image *image = layout->image;
    const pe_new_section *text = &layout->sections[TEXT], *reloc = &layout->sections[RELOC];
    bool plus = is_pe32_plus(image), startup = layout->section_count == 2;
    memcpy(out, image->file.data, image->pe_offset + COFF_END);
    uint8_t *coff = out + image->pe_offset + 4, *p = out + image->pe_offset + COFF_END;
    uint16_t optional_bytes = (uint16_t)((plus ? 112 : 96) + PE_DIRECTORY_COUNT * 8);
    store_u16(coff, machine_of(image));
    store_u16(coff + 2, (uint16_t)layout->section_count);
    store_u64(coff + 8, 0); /* symbols of object files */
    store_u16(coff + 16, optional_bytes);
    if (startup)
        store_u16(coff + 18, image->characteristics & (uint16_t)~CHARACTERISTIC_RELOCS_STRIPPED);

    const uint8_t *old = image->file.data + image->optional_offset;
    memcpy(p, old, 4);
    store_u16(p, plus ? 0x20B : 0x10B);
    store_u32(p + 4, text->raw_size);
    store_u32(p + 8, startup ? reloc->raw_size : 0);
    store_u32(p + 16, startup ? text->rva + STUB_AT : 0);
    store_u32(p + 20, text->rva);
    if (plus)
        store_u64(p + 24, image_base_of(image));
    else
        store_u32(p + 28, (uint32_t)image_base_of(image));
    memcpy(p + 32, old + 32, 40); /* alignments to characteristics, at the same place in both forms */
    store_u32(p + 32, SECTION_ALIGNMENT);
    store_u32(p + 36, FILE_ALIGNMENT);
    store_u32(p + 52, 0); /* reserved (II.25.2.3.2): what native code may say there, no program of IL alone may */
    store_u32(p + 56, layout->size_of_image);
    store_u32(p + 60, text->file_offset);
    write_stack_and_heap(image, plus, old, p);
    uint8_t *directories = p + (plus ? 112 : 96);
    store_u32(directories - 4, PE_DIRECTORY_COUNT);
    if (startup) {
        store_u32(p + 24, reloc->rva); /* base of data */
        store_u32(directories + PE_DIRECTORY_IMPORT * 8, text->rva + IMPORT_AT);
        store_u32(directories + PE_DIRECTORY_IMPORT * 8 + 4, IMPORT_END - IMPORT_AT);
        store_u32(directories + PE_DIRECTORY_IAT * 8, text->rva);
        store_u32(directories + PE_DIRECTORY_IAT * 8 + 4, IAT_BYTES);
        store_u32(directories + PE_DIRECTORY_RELOCATION * 8, reloc->rva);
        store_u32(directories + PE_DIRECTORY_RELOCATION * 8 + 4, RELOC_BYTES);
    }
    static const unsigned kept[] = {PE_DIRECTORY_RESOURCE, PE_DIRECTORY_DEBUG, PE_DIRECTORY_CLI_HEADER};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        uint32_t new_rva;
        pe_directory directory = image->directories[kept[i]];
        /* The whole CLI header is written, whatever the old directory said. */
        uint32_t size = kept[i] == PE_DIRECTORY_CLI_HEADER ? PE_CLI_HEADER_BYTES : directory.size;
        if (size == 0 || !pe_layout_map(layout, directory.rva, &new_rva))
            continue;
        store_u32(directories + kept[i] * 8, new_rva);
        store_u32(directories + kept[i] * 8 + 4, size);
    }
    write_section_header(p + optional_bytes, ".text", text, 0x60000020);
    if (startup)
        write_section_header(p + optional_bytes + SECTION_HEADER_BYTES, ".reloc", reloc, 0x42000040);
}

static ecma_status write_cli_header(const pe_relocator *c) {
    uint8_t *cli = pe_relocated_cli_header(c);
    if (!cli || !pe_relocate_rva(c, cli + 8) || (load_u32(cli + 28) && !pe_relocate_rva(c, cli + 24)) ||
        (load_u32(cli + 36) && !pe_relocate_rva(c, cli + 32)))
        return diag_report(c->d, DIAG_LAYOUT, "the CLI header cannot be carried along");
    store_u32(cli, PE_CLI_HEADER_BYTES);
    /* Resources or a signature of no bytes are none, wherever the old header put them. */
    for (unsigned at = 24; at <= 32; at += 8)
        if (load_u32(cli + at + 4) == 0)
            store_u32(cli + at, 0);
    uint32_t lost = PE_CLI_IL_LIBRARY | (load_u32(cli + 32) ? 0 : PE_CLI_STRONG_NAME_SIGNED);
    store_u32(cli + 16, (load_u32(cli + 16) | PE_CLI_IL_ONLY) & ~lost);
    memset(cli + 40, 0, 4 * 8); /* code manager table, vtable fixups, export address jumps, managed native header */
    return ECMA_OK;
}

/* The entries that map native code name nothing any more. The directory's other entries close up. */
static ecma_status drop_native_debug_entries(const pe_relocator *c) {
    const pe_image *image = c->layout->image;
    pe_directory directory = image->directories[PE_DIRECTORY_DEBUG];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < directory.size / DEBUG_ENTRY_BYTES; i++) {
        uint8_t *from = pe_relocated(c, directory.rva + i * DEBUG_ENTRY_BYTES, DEBUG_ENTRY_BYTES);
        uint8_t *to = pe_relocated(c, directory.rva + kept * DEBUG_ENTRY_BYTES, DEBUG_ENTRY_BYTES);
        if (!from || !to)
            return diag_report(c->d, DIAG_LAYOUT, "the debug directory at RVA 0x%x cannot be carried along",
                               directory.rva);
        if (load_u32(from + 12) == DEBUG_PERFMAP)
            continue;
        memmove(to, from, DEBUG_ENTRY_BYTES);
        kept++;
    }
    uint8_t *field = c->out + image->pe_offset + COFF_END + (is_pe32_plus(image) ? 112 : 96) + PE_DIRECTORY_DEBUG * 8;
    store_u32(field + 4, kept * DEBUG_ENTRY_BYTES);
    if (kept == 0)
        store_u32(field, 0);
    return ECMA_OK;
}

ecma_status pe_fresh_write(const pe_layout *layout, uint8_t *out, diag *d) {
    const pe_image *image = layout->image;
    pe_relocator c = {layout, out, d};
    ecma_status status;
    pe_section_hint near = {0};
    const pe_new_section *text = &layout->sections[TEXT];
    for (size_t i = 0; i < layout->piece_count; i++) {
        const pe_piece *piece = &layout->pieces[i];
        bytes old;
        if (!try_part(image, &near, piece->old_rva, piece->old_size, &old))
            return diag_report(d, DIAG_LAYOUT, "RVA 0x%x cannot be carried along", piece->old_rva);
        memcpy(out + text->file_offset + (piece->new_rva - text->rva), old.data, old.size);
    }
    write_headers(layout, out);
    if (layout->section_count == 2)
        write_startup(layout, image_base_of(image), out);
    if ((status = write_cli_header(&c)) || (status = pe_relocate_debug(&c)) ||
        (status = pe_relocate_native_resources(&c)))
        return status;
    return drop_native_debug_entries(&c);
}
