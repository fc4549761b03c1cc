/* zip_write.h - a zip archive made from another one: some entries with new content, some added, some left out, and all
 * else byte for byte what it was: local headers, names, extra fields, packed bytes, descriptors, padding, what stands
 * before the first entry, the order, the comments.
 *
 * An entry with new content keeps its time stamp, its attributes and its method; a new one takes them from an entry
 * beside it. So the same changes give the same bytes. */
#ifndef ILINJECT_PACKAGE_ZIP_WRITE_H
#define ILINJECT_PACKAGE_ZIP_WRITE_H

#include "package/zip.h"

typedef struct zip_change {
    const zip_entry *entry; /* the entry that gets new content; NULL: a new entry */
    const zip_entry *model; /* of a new one: what it takes its attributes and, with its folder, its name from */
    const char *name;       /* of a new one: without the model's folder */
    bool at_root;           /* of a new one: not in the model's folder */
    const char *content;    /* path of a file; NULL: the entry is left out */
} zip_change;

/* Writes the archive to `path`, whole or not at all, with the permissions of `like`. Memory: one file's content and
 * what it is packed to. The signature and what stands after the archive are left out. Returns ECMA_OK, ECMA_IO,
 * ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status zip_write(const zip_view *z, diag *d, const char *path, const char *like, const zip_change *changes,
                      size_t count);

#endif
