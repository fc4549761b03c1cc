/* image.h - a view of a PE32 or PE32+ image that holds CLI metadata (II.25).
 *
 * pe_image borrows the file's bytes and owns nothing; its section array lives in the caller's arena. Opening checks
 * what every later step relies on: the headers and all sections lie inside the file, sections ascend in RVA without
 * overlap, the CLI header and the metadata it names can be read. */
#ifndef ECMA335_PE_IMAGE_H
#define ECMA335_PE_IMAGE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"

/* Data directories, in the order of II.25.2.3.3. */
typedef enum pe_directory_index {
#define PE_DIRECTORY(index, name) PE_DIRECTORY_##name = index,
#include "pe/directories.def"
#undef PE_DIRECTORY
    PE_DIRECTORY_COUNT = 16,
} pe_directory_index;

#define PE_SECTION_WRITABLE 0x80000000u

/* CLI header flags (II.25.3.3.1, and those that newer producers set). */
enum {
    PE_CLI_IL_ONLY = 0x1,
    PE_CLI_32BIT_REQUIRED = 0x2,
    PE_CLI_IL_LIBRARY = 0x4,
    PE_CLI_STRONG_NAME_SIGNED = 0x8,
    PE_CLI_NATIVE_ENTRYPOINT = 0x10,
    PE_CLI_TRACK_DEBUG_DATA = 0x10000,
    PE_CLI_32BIT_PREFERRED = 0x20000,
};

/* Section characteristics used here (II.25.3). */
enum {
    PE_SECTION_CODE = 0x20,
    PE_SECTION_INITIALIZED = 0x40,
    PE_SECTION_UNINITIALIZED = 0x80,
    PE_SECTION_DISCARDABLE = 0x2000000,
};

enum { PE_CLI_HEADER_BYTES = 72, PE_SECTION_HEADER_BYTES = 40 };
enum { PE_CHECKSUM_OFFSET = 64 }; /* in the optional header (II.25.2.3.2) */

typedef struct pe_directory {
    uint32_t rva;
    uint32_t size; /* bytes */
} pe_directory;

typedef struct pe_section {
    char name[9]; /* as in the file, terminated */
    uint32_t virtual_size;
    uint32_t rva;
    uint32_t raw_size; /* bytes in the file, not past its end */
    uint32_t file_offset;
    uint32_t characteristics;
} pe_section;

/* The CLI header (II.25.3.3). */
typedef struct pe_cli_header {
    uint32_t file_offset; /* of the header itself */
    uint32_t size_of_header;
    uint16_t major_runtime_version, minor_runtime_version;
    uint32_t flags;
    uint32_t entry_point_token; /* or RVA, with PE_CLI_NATIVE_ENTRYPOINT */
    pe_directory metadata, resources, strong_name, code_manager, vtable_fixups, export_address_jumps, managed_native;
} pe_cli_header;

typedef struct pe_image {
    bytes file;
    uint32_t pe_offset;          /* of the "PE\0\0" signature */
    uint32_t optional_offset;    /* of the optional header */
    uint32_t directories_offset; /* of data directory 0 */
    uint32_t sections_offset;    /* of the first section header */
    uint16_t machine;
    uint32_t time_date_stamp;
    uint16_t characteristics;
    bool pe32_plus;
    uint64_t image_base;
    uint32_t section_alignment, file_alignment;
    uint32_t size_of_image, size_of_headers, checksum;
    uint32_t entry_point_rva;
    uint16_t subsystem, dll_characteristics;
    uint32_t directory_count; /* at most PE_DIRECTORY_COUNT are read */
    pe_directory directories[PE_DIRECTORY_COUNT];
    uint32_t section_count;
    pe_section *sections; /* in the arena */
    pe_cli_header cli;
    bool native_methods; /* a MethodDef's RVA is that of native code; set by who reads the tables */
    bool keeps_ahead;    /* the code that was compiled ahead (ReadyToRun) stays; set by who decides it */
} pe_image;

/* Returns ECMA_OK, ECMA_BAD_FILE, ECMA_NO_MEMORY. `file` must outlive the view. */
ecma_status pe_image_open(pe_image *image, bytes file, arena *a, diag *d);

/* The section that holds `rva` in memory, or NULL. */
const pe_section *pe_section_at(const pe_image *image, uint32_t rva);

/* The bytes [rva, rva + size) when they all lie in the file part of one section, or in the headers. */
bool pe_try_bytes(const pe_image *image, uint32_t rva, uint32_t size, bytes *b);

/* The bytes from `rva` to the end of its section's file part. */
bool pe_try_bytes_from(const pe_image *image, uint32_t rva, bytes *b);

/* The same for many RVAs near each other: where the last one was found is looked at first. It starts as {0}; what it
 * holds then is the file part of one section, without what belongs to one before it. */
typedef struct pe_section_hint {
    const uint8_t *data; /* of `rva` */
    uint32_t rva, size;
} pe_section_hint;

static inline bool pe_section_hint_has(const pe_section_hint *hint, uint32_t rva) {
    return rva - hint->rva < hint->size;
}

bool pe_try_bytes_elsewhere(const pe_image *image, pe_section_hint *hint, uint32_t rva, bytes *b);

static inline bool pe_try_bytes_with_hint(const pe_image *image, pe_section_hint *last, uint32_t rva, bytes *b) {
    uint32_t offset = rva - last->rva;
    if (offset >= last->size)
        return pe_try_bytes_elsewhere(image, last, rva, b);
    *b = (bytes){last->data + offset, last->size - offset};
    return true;
}

/* File offset of an rva that pe_try_bytes accepts with size 0. */
bool pe_try_file_offset(const pe_image *image, uint32_t rva, uint32_t *file_offset);

/* The managed native header of a ReadyToRun image. */
typedef struct pe_ready_to_run {
    uint32_t flags;
    bool neutral;   /* compiled from an image for any processor */
    bool component; /* its code stands in a composite image */
} pe_ready_to_run;

/* false when there is no managed native header, or one of another kind than ReadyToRun. */
bool pe_try_ready_to_run(const pe_image *image, pe_ready_to_run *header);

/* A machine word that a plain or OS-specific build of an image can have; the value without the OS's mask. The mask
 * words are those that ReadyToRun images are marked with (Linux 0x7B79, macOS 0x4644, FreeBSD 0xADC4, NetBSD 0x1993,
 * SunOS 0x1992). */
uint16_t pe_plain_machine(uint16_t machine);

#endif
