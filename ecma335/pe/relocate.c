#include "pe/relocate.h"

#include "pe/gaps.h"

#include <stdlib.h>

enum {
    IMPORT_DESCRIPTOR_BYTES = 20,
    MAX_IMPORT_DESCRIPTORS = 256,
    MAX_IMPORTS = 4096,
    DEBUG_ENTRY_BYTES = 28,
    RELOC_ABSOLUTE = 0,
    RELOC_HIGHLOW = 3,
    RELOC_THUMB_MOV32 = 7, /* on ARM: the address is in a movw and a movt, which take half of it each */
    RELOC_DIR64 = 10,
};

static uint8_t *relocated(const pe_relocator *c, uint32_t rva, uint32_t size) {
    uint32_t first, last, offset, end;
    if (size == 0 || size > UINT32_MAX - rva || !pe_layout_map(c->layout, rva, &first) ||
        !pe_layout_map(c->layout, rva + size - 1, &last) || last - first != size - 1)
        return NULL;
    const pe_image *image = c->layout->image;
    bytes kept; /* in the file as a whole, then and now */
    if (!pe_section_at(image, rva) || !pe_try_bytes(image, rva, size, &kept))
        return NULL;
    if (!pe_layout_file_offset(c->layout, first, &offset) || !pe_layout_file_offset(c->layout, last + 1, &end) ||
        end < offset || end - offset != size || end > c->layout->file_size)
        return NULL;
    pe_layout_copy_gaps(c->layout, rva, size, c->out);
    return c->out + offset;
}

uint8_t *pe_relocated(const pe_relocator *c, uint32_t rva, uint32_t size) {
    uint32_t header = c->layout->image->directories[PE_DIRECTORY_CLI_HEADER].rva;
    if (rva < header + (uint64_t)PE_CLI_HEADER_BYTES && header < rva + (uint64_t)size)
        return NULL;
    return relocated(c, rva, size);
}

uint8_t *pe_relocated_cli_header(const pe_relocator *c) {
    return relocated(c, c->layout->image->directories[PE_DIRECTORY_CLI_HEADER].rva, PE_CLI_HEADER_BYTES);
}

bool pe_relocate_rva(const pe_relocator *c, uint8_t *field) {
    uint32_t rva = load_u32(field), new_rva;
    if (rva == 0)
        return true;
    if (!pe_layout_map(c->layout, rva, &new_rva))
        return false;
    store_u32(field, new_rva);
    return true;
}

bool pe_relocate_rva_at(const pe_relocator *c, uint32_t at) {
    uint8_t *field = pe_relocated(c, at, 4);
    bytes old;
    if (!field || !pe_try_bytes(c->layout->image, at, 4, &old))
        return false;
    memcpy(field, old.data, 4);
    return pe_relocate_rva(c, field);
}

/* ---- Imports: the import directory, its lookup tables and the address table (II.25.3.1) ------------------------- */

static ecma_status damaged_imports(const pe_relocator *c, uint32_t rva) {
    return diag_report(c->d, DIAG_LAYOUT,
                       "the import directory's table at RVA 0x%x cannot be carried along (II.25.3.1)", rva);
}

/* A lookup table: hint/name RVAs, or ordinals with the top bit set, up to a zero. */
static ecma_status carry_lookup_table(const pe_relocator *c, uint32_t rva) {
    unsigned width = c->layout->image->pe32_plus ? 8 : 4;
    for (unsigned i = 0; i < MAX_IMPORTS; i++) {
        bytes entry;
        if (!pe_relocated(c, rva + i * width, width) || !pe_try_bytes(c->layout->image, rva + i * width, width, &entry))
            return damaged_imports(c, rva);
        uint64_t value = width == 8 ? load_u64(entry.data) : load_u32(entry.data);
        if (value == 0)
            return ECMA_OK;
        if (value >> (width * 8 - 1))
            continue;
        if (value > INT32_MAX || !pe_relocate_rva_at(c, rva + i * width))
            return damaged_imports(c, rva);
    }
    return damaged_imports(c, rva);
}

ecma_status pe_relocate_imports(const pe_relocator *c) {
    pe_directory directory = c->layout->image->directories[PE_DIRECTORY_IMPORT];
    if (directory.rva == 0)
        return ECMA_OK;
    for (unsigned i = 0; i < MAX_IMPORT_DESCRIPTORS; i++) {
        uint32_t at = directory.rva + i * IMPORT_DESCRIPTOR_BYTES;
        bytes descriptor;
        if (!pe_relocated(c, at, IMPORT_DESCRIPTOR_BYTES) ||
            !pe_try_bytes(c->layout->image, at, IMPORT_DESCRIPTOR_BYTES, &descriptor))
            return damaged_imports(c, directory.rva);
        uint32_t lookup = load_u32(descriptor.data), name = load_u32(descriptor.data + 12),
                 addresses = load_u32(descriptor.data + 16);
        if (lookup == 0 && name == 0 && addresses == 0)
            return ECMA_OK;
        if (!pe_relocate_rva_at(c, at) || !pe_relocate_rva_at(c, at + 12) || !pe_relocate_rva_at(c, at + 16))
            return damaged_imports(c, directory.rva);
        ecma_status status = ECMA_OK;
        if (lookup != 0)
            status = carry_lookup_table(c, lookup);
        if (status == ECMA_OK && addresses != 0 && addresses != lookup)
            status = carry_lookup_table(c, addresses);
        if (status)
            return status;
    }
    return damaged_imports(c, directory.rva);
}

/* ---- The debug directory: each entry's data by RVA and by file offset -------------------------------------------- */

static bool share_bytes(pe_directory a, pe_directory b) {
    return a.rva < b.rva + (uint64_t)b.size && b.rva < a.rva + (uint64_t)a.size;
}

/* Its fields would be written over those of another directory, or these over its own. */
static bool debug_is_shared(const pe_image *image) {
    static const unsigned others[] = {PE_DIRECTORY_IMPORT, PE_DIRECTORY_RESOURCE, PE_DIRECTORY_RELOCATION,
                                      PE_DIRECTORY_IAT};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (share_bytes(image->directories[PE_DIRECTORY_DEBUG], image->directories[others[i]]))
            return true;
    return false;
}

ecma_status pe_relocate_debug(const pe_relocator *c) {
    const pe_layout *layout = c->layout;
    pe_directory directory = layout->image->directories[PE_DIRECTORY_DEBUG];
    if (debug_is_shared(layout->image))
        return diag_report(c->d, DIAG_LAYOUT, "the debug directory at RVA 0x%x shares bytes with another directory",
                           directory.rva);
    for (uint32_t i = 0; i < directory.size / DEBUG_ENTRY_BYTES; i++) {
        uint8_t *entry = pe_relocated(c, directory.rva + i * DEBUG_ENTRY_BYTES, DEBUG_ENTRY_BYTES);
        if (!entry)
            return diag_report(c->d, DIAG_LAYOUT, "the debug directory at RVA 0x%x cannot be carried along",
                               directory.rva);
        uint32_t rva = load_u32(entry + 20), pointer = load_u32(entry + 24), new_rva, offset;
        if (rva != 0 && pe_layout_map(layout, rva, &new_rva)) {
            store_u32(entry + 20, new_rva);
            if (pointer != 0 && pe_layout_file_offset(layout, new_rva, &offset))
                store_u32(entry + 24, offset);
        } else if (rva == 0 && pointer != 0) {
            /* Data that is not mapped lies after the sections, which all moved by what the file grew. */
            store_u32(entry + 24, pointer + (layout->file_size - layout->old_end));
        }
    }
    return ECMA_OK;
}

/* ---- Base relocations: each names an address in the image that holds an address -----------------------------------
 */

typedef struct relocation {
    uint32_t rva; /* new */
    uint16_t type;
} relocation;

static int by_rva(const void *a, const void *b) {
    uint32_t x = ((const relocation *)a)->rva, y = ((const relocation *)b)->rva;
    return (x > y) - (x < y);
}

static bool is_thumb(const pe_image *image) {
    return image->machine == 0x1C4 || image->machine == 0x1C2;
}

/* The 16 bits of a Thumb movw or movt: imm4, i, imm3, imm8 from the top, in two halfwords. */
static uint32_t load_thumb_half(const uint8_t *p) {
    uint32_t first = load_u16(p), second = load_u16(p + 2);
    return (first & 0xF) << 12 | (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | (second & 0xFF);
}

static void store_thumb_half(uint8_t *p, uint32_t value) {
    uint32_t first = load_u16(p), second = load_u16(p + 2);
    store_u16(p, (uint16_t)((first & 0xFBF0) | (value >> 12 & 0xF) | (value >> 11 & 1) << 10));
    store_u16(p + 2, (uint16_t)((second & 0x8F00) | (value >> 8 & 7) << 12 | (value & 0xFF)));
}

static unsigned relocation_bytes(unsigned type) {
    return type == RELOC_HIGHLOW ? 4 : 8;
}

/* The address at the old RVA `at`, taken from the old image like pe_relocate_rva_at. */
static bool carry_address(const pe_relocator *c, uint32_t at, unsigned type) {
    uint8_t *p = pe_relocated(c, at, relocation_bytes(type));
    bytes old;
    if (!p || !pe_try_bytes(c->layout->image, at, relocation_bytes(type), &old))
        return false;
    uint64_t base = c->layout->image->image_base, value;
    if (type == RELOC_THUMB_MOV32)
        value = load_thumb_half(old.data) | load_thumb_half(old.data + 4) << 16;
    else
        value = type == RELOC_DIR64 ? load_u64(old.data) : load_u32(old.data);
    uint32_t new_rva;
    if (value < base || value - base > INT32_MAX || !pe_layout_map(c->layout, (uint32_t)(value - base), &new_rva))
        return false;
    value = base + new_rva;
    if (type == RELOC_THUMB_MOV32) {
        store_thumb_half(p, (uint32_t)value);
        store_thumb_half(p + 4, (uint32_t)(value >> 16));
    } else if (type == RELOC_DIR64) {
        store_u64(p, value);
    } else {
        store_u32(p, (uint32_t)value);
    }
    return true;
}

/* Without relocations the stub at the entry point is `jmp [address]` (II.25.2.3.1): its operand is the one address
 * there is. */
static ecma_status carry_entry_stub(const pe_relocator *c) {
    const pe_image *image = c->layout->image;
    if (image->entry_point_rva == 0 || image->pe32_plus)
        return ECMA_OK;
    uint8_t *stub = pe_relocated(c, image->entry_point_rva, 6);
    if (!stub || stub[0] != 0xFF || stub[1] != 0x25 || !carry_address(c, image->entry_point_rva + 2, RELOC_HIGHLOW))
        return diag_report(c->d, DIAG_ENTRY_STUB,
                           "the entry point at RVA 0x%x has no relocation and is not 'jmp [address]' (II.25.2.3.1)",
                           image->entry_point_rva);
    return ECMA_OK;
}

static ecma_status damaged_relocations(const pe_relocator *c, uint32_t rva) {
    return diag_report(
        c->d, DIAG_RELOCATION,
        "base relocation block at RVA 0x%x: damaged, or it names an address outside the image (II.25.3.2)", rva);
}

static size_t emit_blocks(const relocation *list, size_t count, uint8_t *out, size_t room) {
    size_t size = 0;
    for (size_t i = 0; i < count;) {
        uint32_t page = list[i].rva & ~0xFFFu;
        size_t end = i;
        while (end < count && (list[end].rva & ~0xFFFu) == page)
            end++;
        size_t block = 8 + ((end - i + 1) & ~(size_t)1) * 2;
        if (block > room - size)
            return SIZE_MAX;
        memset(out + size, 0, block);
        store_u32(out + size, page);
        store_u32(out + size + 4, (uint32_t)block);
        for (size_t k = i; k < end; k++)
            store_u16(out + size + 8 + (k - i) * 2, (uint16_t)((uint32_t)list[k].type << 12 | (list[k].rva & 0xFFF)));
        size += block;
        i = end;
    }
    return size;
}

ecma_status pe_relocate_base_relocations(const pe_relocator *c) {
    const pe_layout *layout = c->layout;
    pe_directory directory = layout->image->directories[PE_DIRECTORY_RELOCATION];
    bytes old;
    if (directory.rva == 0 || directory.size == 0)
        return carry_entry_stub(c);
    uint8_t *out = pe_relocated(c, directory.rva, directory.size);
    if (!out || !pe_try_bytes(layout->image, directory.rva, directory.size, &old))
        return damaged_relocations(c, directory.rva);
    relocation *list = malloc((old.size / 2 + 1) * sizeof *list);
    if (!list)
        return diag_no_memory(c->d);
    size_t count = 0;
    ecma_status status = ECMA_OK;
    for (reader r = reader_of(old); reader_left(&r) >= 8;) {
        uint32_t page = reader_u32(&r), size = reader_u32(&r);
        if (size == 0)
            break; /* some producers end with an empty block */
        bytes entries = reader_bytes(&r, size < 8 ? 0 : size - 8);
        if (size < 8 || r.failed) {
            status = damaged_relocations(c, directory.rva);
            goto done;
        }
        for (reader e = reader_of(entries); reader_left(&e) >= 2;) {
            uint16_t entry = reader_u16(&e);
            uint16_t type = entry >> 12;
            uint32_t rva = page + (entry & 0xFFF), new_rva;
            if (type == RELOC_ABSOLUTE)
                continue;
            bool known =
                type == RELOC_HIGHLOW || type == RELOC_DIR64 || (type == RELOC_THUMB_MOV32 && is_thumb(layout->image));
            if (!known || !carry_address(c, rva, type) || !pe_layout_map(layout, rva, &new_rva)) {
                status = damaged_relocations(c, directory.rva);
                goto done;
            }
            list[count++] = (relocation){new_rva, type};
        }
    }
    qsort(list, count, sizeof *list, by_rva);
    size_t size = emit_blocks(list, count, out, directory.size);
    if (size == SIZE_MAX)
        status = diag_report(c->d, DIAG_LAYOUT, "the base relocations would outgrow their %u bytes", directory.size);
    else if (size < directory.size)
        memset(out + size, 0, directory.size - size);
    /* CoreCLR refuses an IL-only image if its one block does not fill the directory
     * (src/coreclr/utilcode/pedecoder.cpp, CheckILOnlyBaseRelocations); padding entries do. */
    if (count == 1 && load_u32(old.data + 4) == directory.size && size < directory.size)
        store_u32(out + 4, directory.size);
done:
    free(list);
    return status;
}

/* ---- Native resources: a tree; its leaves hold the RVA of their data
 * ----------------------------------------------- */

/* Whether what a leaf names was kept whole. The compact layout keeps whatever it does not replace. */
static bool leaf_kept(const pe_relocator *c, uint32_t leaf_rva) {
    bytes leaf;
    if (!c->layout->fresh)
        return true;
    if (!pe_try_bytes(c->layout->image, leaf_rva, 8, &leaf))
        return false;
    uint32_t size = load_u32(leaf.data + 4);
    return size == 0 || pe_relocated(c, load_u32(leaf.data), size);
}

static ecma_status carry_resource_level(const pe_relocator *c, pe_directory tree, uint32_t offset, unsigned depth,
                                        uint32_t *budget) {
    const char *what = "the native resource tree is damaged, so it cannot be carried along";
    uint8_t *header = tree.size >= 16 && offset <= tree.size - 16 ? pe_relocated(c, tree.rva + offset, 16) : NULL;
    if (!header || depth > 8)
        return diag_report(c->d, DIAG_LAYOUT, "%s (directory at offset 0x%x)", what, offset);
    uint32_t count = (uint32_t)load_u16(header + 12) + load_u16(header + 14);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)offset + 16 + (uint64_t)i * 8;
        uint8_t *entry = at + 8 <= tree.size && (*budget)-- > 0 ? pe_relocated(c, tree.rva + (uint32_t)at, 8) : NULL;
        if (!entry)
            return diag_report(c->d, DIAG_LAYOUT, "%s (entry %u at offset 0x%x)", what, i, offset);
        uint32_t target = load_u32(entry + 4);
        if (target & 0x80000000) {
            ecma_status status = carry_resource_level(c, tree, target & 0x7FFFFFFF, depth + 1, budget);
            if (status)
                return status;
            continue;
        }
        if (tree.size < 16 || target > tree.size - 16 || !pe_relocate_rva_at(c, tree.rva + target) ||
            !leaf_kept(c, tree.rva + target))
            return diag_report(c->d, DIAG_LAYOUT, "%s (data entry at offset 0x%x)", what, target);
    }
    return ECMA_OK;
}

ecma_status pe_relocate_native_resources(const pe_relocator *c) {
    pe_directory tree = c->layout->image->directories[PE_DIRECTORY_RESOURCE];
    uint32_t new_rva;
    if (tree.rva == 0 || tree.size == 0 || (pe_layout_map(c->layout, tree.rva, &new_rva) && new_rva == tree.rva))
        return ECMA_OK;
    uint32_t budget = 1000000;
    return carry_resource_level(c, tree, 0, 0, &budget);
}
