#include "pdb/places.h"

#include "base/sha256.h"

enum { MAX_LINE = 0x1FFFFFFF, HIDDEN_LINE = 0xFEEFEE };

/* CC110556-A091-4D38-9FEC-25AB9A351A6A, as it lies in the #GUID heap. */
static const uint8_t source_link_kind[16] = {0x56, 0x05, 0x11, 0xcc, 0x91, 0xa0, 0x38, 0x4d,
                                             0x9f, 0xec, 0x25, 0xab, 0x9a, 0x35, 0x1a, 0x6a};

/* 8829D00F-11B8-4213-878B-770E8597AC16 */
static const uint8_t sha256_kind[16] = {0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11, 0x13, 0x42,
                                        0x87, 0x8b, 0x77, 0x0e, 0x85, 0x97, 0xac, 0x16};

pdb_place pdb_place_of(const md_view *pdb, uint32_t method_row) {
    const pdb_place none = {0};
    bytes blob;
    if (!md_row_exists(pdb, MD_TABLE_MethodDebugInformation, method_row) ||
        !md_try_blob(pdb, md_cell(pdb, MD_MethodDebugInformation_SequencePoints, method_row), &blob) || blob.size == 0)
        return none;
    uint32_t document = md_cell(pdb, MD_MethodDebugInformation_Document, method_row);
    reader r = reader_of(blob);
    reader_compressed(&r); /* LocalSignature */
    if (!document)
        document = reader_compressed(&r);
    for (bool first = true; reader_left(&r) && !r.failed; first = false) {
        uint32_t delta = reader_compressed(&r), lines;
        if (delta == 0 && !first) {
            document = reader_compressed(&r);
            continue;
        }
        lines = reader_compressed(&r);
        int32_t columns = lines == 0 ? (int32_t)reader_compressed(&r) : reader_compressed_signed(&r);
        if (lines == 0 && columns == 0)
            continue;                          /* hidden */
        uint32_t line = reader_compressed(&r); /* of the first point that is not hidden: no delta */
        bool known = !r.failed && line > 0 && line <= MAX_LINE && md_row_exists(pdb, MD_TABLE_Document, document);
        return known ? (pdb_place){document, line} : none;
    }
    return none;
}

/* The spots of one method. */
static void find_in_method(const md_view *pdb, pdb_spot *spots, uint32_t count) {
    const uint32_t row = spots->row;
    pdb_place here = {0};
    uint32_t next = 0;
    bytes blob;
    if (!md_row_exists(pdb, MD_TABLE_MethodDebugInformation, row) ||
        !md_try_blob(pdb, md_cell(pdb, MD_MethodDebugInformation_SequencePoints, row), &blob) || blob.size == 0)
        return;
    uint32_t document = md_cell(pdb, MD_MethodDebugInformation_Document, row);
    reader r = reader_of(blob);
    reader_compressed(&r); /* LocalSignature */
    if (!document)
        document = reader_compressed(&r);
    uint64_t offset = 0;
    int64_t line = 0;
    for (bool first = true, any = false; reader_left(&r) && !r.failed; first = false) {
        uint32_t delta = reader_compressed(&r);
        if (delta == 0 && !first) {
            document = reader_compressed(&r);
            continue;
        }
        offset += delta;
        for (; next < count && spots[next].offset < offset; next++)
            spots[next].place = here;
        uint32_t lines = reader_compressed(&r);
        int32_t columns = lines == 0 ? (int32_t)reader_compressed(&r) : reader_compressed_signed(&r);
        if (lines == 0 && columns == 0)
            continue; /* hidden */
        line = any ? line + reader_compressed_signed(&r) : reader_compressed(&r);
        reader_compressed(&r); /* column */
        any = true;
        if (r.failed || line < 1 || line > MAX_LINE || !md_row_exists(pdb, MD_TABLE_Document, document))
            return;
        here = (pdb_place){document, (uint32_t)line};
    }
    for (; next < count && !r.failed; next++)
        spots[next].place = here;
}

void pdb_find_spots(const md_view *pdb, pdb_spot *spots, uint32_t count) {
    for (uint32_t from = 0, to = 0; from < count; from = to) {
        while (to < count && spots[to].row == spots[from].row)
            to++;
        find_in_method(pdb, spots + from, to - from);
    }
}

/* The name is a separator and the parts' blobs; a separator of 0 is none. */
void pdb_append_document(buffer *out, const md_view *pdb, uint32_t document) {
    bytes name, part;
    if (!md_row_exists(pdb, MD_TABLE_Document, document) ||
        !md_try_blob(pdb, md_cell(pdb, MD_Document_Name, document), &name) || name.size == 0)
        return;
    const size_t start = out->size;
    reader r = reader_of(name);
    const uint8_t separator = reader_u8(&r);
    bool good = separator < 0x80;
    for (bool first = true; good && reader_left(&r); first = false) {
        if (!first && separator)
            buffer_u8(out, separator);
        uint32_t at = reader_compressed(&r);
        good = !r.failed && (at == 0 || md_try_blob(pdb, at, &part));
        if (good && at)
            good = !(part.size && memchr(part.data, 0, part.size)) && out->size - start + part.size <= PDB_MAX_PATH;
        if (good && at)
            buffer_append(out, part.data, part.size);
    }
    if (!good && !out->failed)
        out->size = start;
}

bytes pdb_document_sha256(const md_view *pdb, uint32_t document) {
    bytes kind, hash;
    bool known = md_row_exists(pdb, MD_TABLE_Document, document) &&
                 md_try_guid(pdb, md_cell(pdb, MD_Document_HashAlgorithm, document), &kind) &&
                 memcmp(kind.data, sha256_kind, sizeof sha256_kind) == 0 &&
                 md_try_blob(pdb, md_cell(pdb, MD_Document_Hash, document), &hash) && hash.size == SHA256_BYTES;
    return known ? hash : (bytes){0};
}

bytes pdb_source_link(const md_view *pdb) {
    enum { MODULE_1 = 1 << 5 | 7 }; /* HasCustomDebugInformation: Module, row 1 */
    for (uint32_t row = 1; row <= md_row_count(pdb, MD_TABLE_CustomDebugInformation); row++) {
        bytes kind, value;
        uint32_t parent = md_cell(pdb, MD_CustomDebugInformation_Parent, row); /* what the table is sorted by */
        if (parent > MODULE_1)
            break;
        if (parent == MODULE_1 && md_try_guid(pdb, md_cell(pdb, MD_CustomDebugInformation_Kind, row), &kind) &&
            memcmp(kind.data, source_link_kind, sizeof source_link_kind) == 0 &&
            md_try_blob(pdb, md_cell(pdb, MD_CustomDebugInformation_Value, row), &value) && value.size &&
            !memchr(value.data, 0, value.size))
            return value;
    }
    return (bytes){0};
}
