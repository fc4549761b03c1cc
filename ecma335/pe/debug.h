/* debug.h - the debug directory (II.25.2.3.3 names it; the entries are those of the PE/COFF specification and of
 * "PE/COFF Specification for .NET": CodeView, the PDB's checksum, an embedded portable PDB). */
#ifndef ECMA335_PE_DEBUG_H
#define ECMA335_PE_DEBUG_H

#include "pe/image.h"

enum { PE_DEBUG_ENTRY_BYTES = 28 };

typedef enum pe_debug_type {
    PE_DEBUG_UNKNOWN = 0, /* readers pass over it */
    PE_DEBUG_CODEVIEW = 2,
    PE_DEBUG_EMBEDDED_PORTABLE_PDB = 17,
    PE_DEBUG_PDB_CHECKSUM = 19,
} pe_debug_type;

typedef struct pe_debug_entry {
    uint32_t entry_rva; /* of the entry itself */
    uint32_t stamp;
    uint16_t major, minor; /* of a CodeView entry for a portable PDB, minor is PE_DEBUG_PORTABLE */
    uint32_t type;
    uint32_t rva; /* of its data; 0: not mapped */
    bytes data;   /* empty when it is not mapped, or not in the file */
} pe_debug_entry;

enum { PE_DEBUG_PORTABLE = 0x504D };

/* The entry at an index from 0; false when there is none. */
bool pe_try_debug_entry(const pe_image *image, uint32_t index, pe_debug_entry *entry);

/* A CodeView entry's data: "RSDS", a GUID, an age, the PDB's path in UTF-8 up to a NUL. */
typedef struct pe_codeview {
    const uint8_t *guid; /* 16 bytes */
    bytes path;          /* without the terminator */
} pe_codeview;
bool pe_try_codeview(const pe_debug_entry *entry, pe_codeview *codeview);

#endif
