/* archive.h - an archive while it is worked on: its parts, and what of them is unpacked. */
#ifndef ILINJECT_PACKAGE_ARCHIVE_H
#define ILINJECT_PACKAGE_ARCHIVE_H

#include "input/context.h"
#include "package/manifest.h"
#include "package/zip.h"
#include "platform/os.h"

/* One zip. */
typedef struct archive_part {
    os_map map;
    zip_view zip;
    uint64_t left; /* bytes that may still be unpacked */
    bool *wanted;  /* entries that are unpacked, in the view's order */
    const char **assemblies, **refused;
} archive_part;

enum { ARCHIVE_MOST_PARTS = 256 };

typedef struct opened_archive {
    ilj_archive shown; /* what the caller sees */
    arena memory;
    archive_part *parts;
    ilj_archive_part *shown_parts;
    const char *folder;
    bool all;
    /* For a XAP: */
    const zip_entry *manifest_entry;
    buffer manifest_text;
    manifest manifest;
} opened_archive;

/* "folder/name" in the arena; NULL: memory ran out. */
char *archive_joined(arena *a, const char *folder, const char *name);

bool archive_ends_with(const char *name, const char *ending);

/* Maps and reads the zip at `path` as the next part, which goes to `output`. */
ecma_status archive_add_part(opened_archive *a, diag *d, const char *path, const char *output);

/* xap.c: reads the manifest, marks the parts that it names as wanted, adds the ExtensionParts that are beside it. */
ecma_status xap_open(opened_archive *a, diag *d);

#endif
