#include "pdb/points.h"

enum { MAX_OFFSET = 0x1FFFFFFF };

/* Steps over the lines and columns of a point. */
static void skip_place(reader *r) {
    uint32_t lines = reader_compressed(r);
    int32_t columns = lines == 0 ? (int32_t)reader_compressed(r) : reader_compressed_signed(r);
    if (lines == 0 && columns == 0)
        return; /* hidden */
    /* The start's line and column, or how far they are from the last ones: one integer each, signed or not. */
    reader_compressed(r);
    reader_compressed(r);
}

bool pdb_move_points(buffer *out, bytes blob, bool has_document, const pdb_moves *moves, const pdb_method *method) {
    reader r = reader_of(blob);
    reader_compressed(&r); /* LocalSignature */
    buffer_compressed(out, method->local_signature);
    if (!has_document)
        buffer_compressed(out, reader_compressed(&r));
    uint64_t old = 0, last = 0;
    bool first = true;
    while (reader_left(&r) && !r.failed) {
        uint32_t delta = reader_compressed(&r);
        if (delta == 0 && !first) {
            buffer_u8(out, 0);
            buffer_compressed(out, reader_compressed(&r)); /* the document from here on */
            continue;
        }
        old += delta;
        if (old > MAX_OFFSET)
            return false;
        uint64_t now = first && old == 0 ? 0 : pdb_move_start(moves, method, (uint32_t)old);
        if (now > MAX_OFFSET || (!first && now <= last))
            return false;
        const uint8_t *place = r.at;
        skip_place(&r);
        buffer_compressed(out, (uint32_t)(now - last));
        buffer_append(out, place, (size_t)(r.at - place));
        last = now;
        first = false;
    }
    if (!first && method->tail < method->new_size && method->tail > last) {
        buffer_compressed(out, (uint32_t)(method->tail - last));
        buffer_append_zeros(out, 2); /* hidden */
    }
    return !r.failed;
}
