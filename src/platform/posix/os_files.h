/* os_files.h - between os.c and os_spool.c: files by their descriptors. */
#ifndef ILINJECT_PLATFORM_POSIX_OS_FILES_H
#define ILINJECT_PLATFORM_POSIX_OS_FILES_H

#include "platform/os.h"

/* os_map_file of an open file; `path` is for messages. */
ecma_status os_map_open(os_map *map, diag *d, int file, const char *path);

/* A new, empty file in the folder of `path`, with a name nobody can have prepared. Returns the descriptor, which is
 * locked, or -1 with errno; *name is for the caller to free. */
int os_make_temporary(char **name, const char *path, unsigned mode);

#endif
