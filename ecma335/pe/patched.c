#include "pe/patched.h"

#include <stdlib.h>

enum { RELOC_ABSOLUTE = 0, RELOC_DIR64 = 10, FIXUP_BYTES = 8, FIXUP_64BIT = 2 };

typedef struct gatherer {
    const pe_image *image;
    uint32_t from, to;
    pe_patch *list; /* NULL: they are counted alone */
    uint32_t count;
} gatherer;

static void add(gatherer *g, uint32_t rva, uint32_t size, pe_patch_kind kind) {
    if (rva >= g->to || rva + (uint64_t)size <= g->from)
        return;
    if (g->list)
        g->list[g->count] = (pe_patch){rva, size, kind};
    g->count++;
}

/* An address of 4 bytes, or of 8: what other types name is no longer (II.25.3.2). */
static void add_relocations(gatherer *g) {
    pe_directory directory = g->image->directories[PE_DIRECTORY_RELOCATION];
    bytes b;
    if (directory.rva == 0 || !pe_try_bytes(g->image, directory.rva, directory.size, &b))
        return;
    for (reader r = reader_of(b); reader_left(&r) >= 8;) {
        uint32_t page = reader_u32(&r), size = reader_u32(&r);
        bytes entries = reader_bytes(&r, size < 8 ? 0 : size - 8);
        if (size < 8 || r.failed)
            return;
        for (reader e = reader_of(entries); reader_left(&e) >= 2;) {
            uint16_t entry = reader_u16(&e);
            if (entry >> 12 != RELOC_ABSOLUTE)
                add(g, page + (entry & 0xFFF), entry >> 12 == RELOC_DIR64 ? 8 : 4, PE_PATCH_RELOCATION);
        }
    }
}

/* Each fixup names the RVA of its slots, how many there are, and whether they have 4 bytes or 8. */
static void add_vtables(gatherer *g) {
    pe_directory directory = g->image->cli.vtable_fixups;
    bytes b;
    if (directory.rva == 0 || !pe_try_bytes(g->image, directory.rva, directory.size, &b))
        return;
    for (reader r = reader_of(b); reader_left(&r) >= FIXUP_BYTES;) {
        uint32_t rva = reader_u32(&r), count = reader_u16(&r), type = reader_u16(&r);
        add(g, rva, count * (type & FIXUP_64BIT ? 8 : 4), PE_PATCH_VTABLE);
    }
}

static void gather(gatherer *g) {
    pe_directory imports = g->image->directories[PE_DIRECTORY_IAT];
    g->count = 0;
    if (imports.rva)
        add(g, imports.rva, imports.size, PE_PATCH_IMPORT);
    add_vtables(g);
    add_relocations(g);
}

static int by_rva(const void *a, const void *b) {
    uint32_t x = ((const pe_patch *)a)->rva, y = ((const pe_patch *)b)->rva;
    return (x > y) - (x < y);
}

ecma_status pe_patches_find(pe_patches *found, const pe_image *image, uint32_t from, uint32_t to, arena *a, diag *d) {
    gatherer g = {.image = image, .from = from, .to = to};
    gather(&g);
    if (!(g.list = arena_alloc_array(a, g.count + 1u, sizeof *g.list)))
        return diag_no_memory(d);
    gather(&g);
    qsort(g.list, g.count, sizeof *g.list, by_rva);
    *found = (pe_patches){g.list, g.count};
    return ECMA_OK;
}
