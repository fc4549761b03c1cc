#include "pe/debug.h"

bool pe_try_debug_entry(const pe_image *image, uint32_t index, pe_debug_entry *entry) {
    pe_directory directory = image->directories[PE_DIRECTORY_DEBUG];
    bytes b;
    if (index >= directory.size / PE_DEBUG_ENTRY_BYTES || directory.rva > UINT32_MAX - directory.size ||
        !pe_try_bytes(image, directory.rva + index * PE_DEBUG_ENTRY_BYTES, PE_DEBUG_ENTRY_BYTES, &b))
        return false;
    reader r = reader_of(b);
    reader_skip(&r, 4); /* Characteristics */
    *entry = (pe_debug_entry){.entry_rva = directory.rva + index * PE_DEBUG_ENTRY_BYTES};
    entry->stamp = reader_u32(&r);
    entry->major = reader_u16(&r);
    entry->minor = reader_u16(&r);
    entry->type = reader_u32(&r);
    uint32_t size = reader_u32(&r);
    entry->rva = reader_u32(&r);
    if (entry->rva == 0 || !pe_try_bytes(image, entry->rva, size, &entry->data))
        entry->data = (bytes){0};
    return true;
}

bool pe_try_codeview(const pe_debug_entry *entry, pe_codeview *codeview) {
    enum { HEADER_BYTES = 24 };
    if (entry->type != PE_DEBUG_CODEVIEW || entry->data.size < HEADER_BYTES || memcmp(entry->data.data, "RSDS", 4) != 0)
        return false;
    const uint8_t *path = entry->data.data + HEADER_BYTES;
    size_t left = entry->data.size - HEADER_BYTES;
    const uint8_t *end = left ? memchr(path, 0, left) : NULL;
    *codeview = (pe_codeview){entry->data.data + 4, {path, end ? (size_t)(end - path) : left}};
    return true;
}
