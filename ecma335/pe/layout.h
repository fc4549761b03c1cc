/* layout.h - the compact layout: where everything of an IL-only image comes to lie when parts of it are replaced.
 *
 * The old bytes of each section are cut into pieces: those that are replaced, and the gaps between them, which are
 * kept. Replaced pieces take their new size in place, what follows moves, and one piecewise map carries every RVA
 * from old to new. Gaps keep their address modulo PE_GAP_ALIGNMENT, so that data in them stays aligned and neighbours
 * stay neighbours; short runs of zeros that nothing refers to are padding between bodies and go. New padding is filled,
 * where it can be, with a nearby piece that is movable. Sizes first, then addresses, no bytes yet: the bytes come in
 * writer.h. */
#ifndef ECMA335_PE_LAYOUT_H
#define ECMA335_PE_LAYOUT_H

#include "pe/image.h"

enum { PE_GAP_ALIGNMENT = 16 };

/* Old bytes [rva, rva + old_size) give way to `size` new ones; old_size 0 inserts before what lies at rva. */
typedef struct pe_replacement {
    const uint8_t *data; /* `size` bytes, borrowed until written; NULL: the caller writes them at file_offset */
    uint32_t rva, old_size;
    uint32_t size;                 /* new */
    uint32_t new_rva, file_offset; /* results of pe_layout_plan; where it lies in the file, of those without data */
    uint8_t alignment;             /* a power of two up to PE_GAP_ALIGNMENT */
    bool movable;                  /* may stand in another movable one's place; its rva and old_size are then its */
} pe_replacement;

typedef struct pe_piece {
    uint32_t old_rva, old_size;
    uint32_t new_rva, new_size;
    const pe_replacement *replacement; /* NULL: a gap; kept when new_size == old_size, else dropped */
} pe_piece;

typedef struct pe_new_section {
    uint32_t rva, virtual_size, file_offset, raw_size;
    uint32_t old_content; /* bytes of the old section that are cut into pieces; the rest is file padding */
    uint32_t new_content;
    size_t first_piece, end_piece;
    bool changed;
} pe_new_section;

typedef struct pe_layout {
    const pe_image *image;
    pe_piece *pieces; /* ascending in old_rva; in the arena. Sections have theirs; the others are of the map alone */
    size_t piece_count;
    uint8_t *copied; /* by piece, 1: it stands in the written file; pe_layout_runs lists the others. NULL: all do */
    pe_new_section *sections;
    uint32_t section_count;              /* of the output */
    bool fresh;                          /* nothing but the pieces is kept (fresh.h), not section by section */
    uint32_t *file_order;                /* section indexes ascending in file offset */
    bool appended;                       /* old sections stay, replacements lie in the last one (append.h) */
    pe_replacement *const *replacements; /* of an appended layout; borrowed */
    size_t replacement_count;
    uint32_t sections_end; /* of the old file: where the sections' bytes end; in an appended layout */
    uint32_t size_of_image;
    uint32_t old_end; /* of the old file, without a certificate table at its end */
    uint32_t file_size;
} pe_layout;

typedef struct pe_layout_parts {
    pe_replacement **replacements; /* ascending in rva, without overlap */
    size_t replacement_count;
    const uint32_t *anchors; /* RVAs that something refers to, ascending */
    size_t anchor_count;
} pe_layout_parts;

/* Plans the layout. The replacements get their results, and their order may change; their new places ascend in it.
 * Returns ECMA_OK, ECMA_UNSUPPORTED (reported), ECMA_NO_MEMORY. */
ecma_status pe_layout_plan(pe_layout *layout, const pe_image *image, const pe_layout_parts *parts, arena *a, diag *d);

/* For those who plan: fills file_order, and refuses sections that share file bytes; the old file's end, without a
 * certificate table that lies there; of the pieces low to high - 1 the last one with old_rva <= rva, or the first. */
ecma_status pe_layout_order(pe_layout *layout, arena *a, diag *d);
uint32_t pe_file_end(const pe_image *image);
const pe_piece *pe_last_piece_at(const pe_layout *layout, size_t low, size_t high, uint32_t rva);

/* The new RVA of an old one, for that of a replaced piece where what takes its place lies; false when it names nothing
 * that was kept (the middle of a replaced piece, outside of all sections). */
bool pe_layout_map(const pe_layout *layout, uint32_t rva, uint32_t *new_rva);

/* The same for many RVAs near each other, but of an appended layout: the piece found last, and the one after it, are
 * looked at first. *near starts as 0. */
bool pe_layout_map_near(const pe_layout *layout, uint32_t rva, size_t *near, uint32_t *new_rva);

/* The new file offset of a new RVA that lies in a section's file part. */
bool pe_layout_file_offset(const pe_layout *layout, uint32_t new_rva, uint32_t *file_offset);

#endif
