/* deps_folder.h - the deps.json files of one folder: their names, looked up once for many assemblies. */
#ifndef ILINJECT_OUTPUT_DEPS_FOLDER_H
#define ILINJECT_OUTPUT_DEPS_FOLDER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"

#define DEPS_ENDING ".deps.json"

/* All zero: of no folder. */
typedef struct deps_folder {
    arena memory;
    char *folder; /* with its slash, "" for this one; NULL: none is spoken of */
    bool listed;
    char **names; /* in the order of their bytes; once it is listed */
    size_t count, room;
} deps_folder;

/* Makes it the folder of the file at `path`: what was known of another one is forgotten. *again (may be NULL) says
 * whether it was another one. Returns ECMA_OK or ECMA_NO_MEMORY (reported to `d`). */
ecma_status deps_folder_turn(deps_folder *f, const char *path, bool *anew, diag *d);

/* Lists its files, unless that was done. A folder that cannot be read has none when `optional`, else it is an error
 * that is reported. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status deps_folder_list(deps_folder *f, bool optional, diag *d);

/* One more name; it may be in the list. Returns ECMA_OK or ECMA_NO_MEMORY (reported). */
ecma_status deps_folder_add(deps_folder *f, const char *name, diag *d);

void deps_folder_clear(deps_folder *f);

/* True if the text may speak of the assembly (its file name), also where characters are escaped. Reading JSON takes
 * longer, and in a folder of applications each output looks at the files of all. */
bool deps_may_list(bytes text, const char *assembly);

#endif
