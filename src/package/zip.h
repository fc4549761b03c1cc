/* zip.h - zip archives (PKWARE's APPNOTE.TXT 6.3.10): what is in one, and one entry unpacked.
 *
 * A view borrows the archive's bytes. An archive that a view was read from keeps to the rules that all readers share,
 * so that none sees another archive than we do: the central directory and the local headers agree, no two entries have
 * one name or share bytes, and no name leads out of the folder where it is unpacked. Nothing is inflated but by
 * zip_unpack. */
#ifndef ILINJECT_PACKAGE_ZIP_H
#define ILINJECT_PACKAGE_ZIP_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8, ZIP_FLAG_ENCRYPTED = 1, ZIP_FLAG_DESCRIPTOR = 8 };

/* Sizes of the fixed parts, bytes (APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16). */
enum { ZIP_LOCAL = 30, ZIP_RECORD = 46, ZIP_END64 = 56, ZIP_LOCATOR64 = 20, ZIP_END = 22 };

enum { ZIP_MASK16 = 0xFFFF, ZIP_EXTRA64 = 1 };
#define ZIP_MASK32 UINT32_MAX

typedef struct zip_entry {
    const char *path; /* with slashes, without "./" and a slash at the end; safe below any folder */
    bytes name;       /* as the central directory has it */
    bytes record;     /* of the central directory, whole */
    bool is_folder;
    bool is_link; /* a symbolic link of Unix; its content is the target */
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed_bytes, bytes;
    uint64_t local; /* offset of the local header */
    uint64_t data;  /* offset of the packed bytes */
    uint64_t end;   /* where the next entry or the directory begins: descriptor and padding are before it */
} zip_entry;

typedef struct zip_view {
    bytes file;
    arena memory;
    zip_entry *entries; /* in the central directory's order */
    size_t count;
    const zip_entry **by_offset; /* in the order of the local headers */
    const zip_entry **by_path;   /* in the order of the paths' bytes */
    uint64_t directory;          /* offset of the central directory */
    bytes signature;             /* what stands between its records and the end records: a digital signature */
    bytes end64;                 /* the zip64 end record, whole; size 0: none */
    bytes end;                   /* the end record with the archive's comment */
    bytes behind;                /* what stands after that */
} zip_view;

#define ZIP_INIT ((zip_view){0})

enum {
    ZIP_MOST_ENTRIES = 1 << 18,
    ZIP_MOST_PATH = 1024,
    ZIP_MOST_DEPTH = 64,
    ZIP_MOST_RATIO = 200,         /* of what is unpacked, beyond ZIP_FREE_BYTES */
    ZIP_FREE_BYTES = 16 << 20,    /* of one entry or one archive */
    ZIP_DEFLATE_LIMIT = 1032 + 1, /* deflate cannot do better */
};

/* Returns ECMA_OK, ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY; clear in any case. */
ecma_status zip_read(zip_view *z, diag *d, bytes file);
void zip_clear(zip_view *z);

/* By its path; NULL: none. */
const zip_entry *zip_find(const zip_view *z, const char *path);
/* The first by the order of paths that is the same but for the case of ASCII letters, if none is the same; NULL: none.
 */
const zip_entry *zip_find_any_case(const zip_view *z, const char *path);

/* Appends an entry's content, checked against its size and CRC. `left` is how many bytes may still be unpacked of this
 * archive, ZIP_MOST_UNPACKED(view) at first. Refuses encryption, methods but deflate, and what expands too much.
 * Returns ECMA_OK, ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status zip_unpack(buffer *content, diag *d, const zip_view *z, const zip_entry *e, uint64_t *left);
uint64_t zip_most_unpacked(const zip_view *z);

/* Whether `path`, with slashes, is safe below any folder of any system: no "..", no drive, no device name. NULL, or
 * what is wrong with it. */
const char *zip_path_problem(const char *path);

#endif
