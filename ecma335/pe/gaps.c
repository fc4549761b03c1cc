#include "pe/gaps.h"

const uint8_t *pe_gap_data(const pe_layout *layout, const pe_section *s, const pe_piece *gap) {
    return layout->image->file.data + s->file_offset + (gap->old_rva - s->rva);
}

void pe_layout_copy_gaps(const pe_layout *layout, uint32_t rva, uint32_t size, uint8_t *out) {
    const pe_section *s = layout->copied ? pe_section_at(layout->image, rva) : NULL;
    const pe_new_section *n = s ? &layout->sections[s - layout->image->sections] : NULL;
    if (!n || !n->changed || rva - s->rva >= n->old_content)
        return;
    const pe_piece *piece = pe_last_piece_at(layout, n->first_piece, n->end_piece, rva);
    for (const pe_piece *end = layout->pieces + n->end_piece; piece < end && piece->old_rva < rva + size; piece++) {
        uint8_t *copied = &layout->copied[piece - layout->pieces];
        if (piece->replacement || *copied)
            continue;
        memcpy(out + n->file_offset + (piece->new_rva - n->rva), pe_gap_data(layout, s, piece), piece->new_size);
        *copied = 1;
    }
}
