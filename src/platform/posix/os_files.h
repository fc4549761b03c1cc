/* os_files.h - between os.c, os_read.c and os_spool.c: files by their descriptors. */
#ifndef ILINJECT_PLATFORM_POSIX_OS_FILES_H
#define ILINJECT_PLATFORM_POSIX_OS_FILES_H

#include <sys/types.h>

#include "platform/os.h"
#include "platform/os_errors.h"
#include "platform/os_names.h"

/* Says what is at a path that is no regular file: "it is a pipe". */
const char *os_kind_text(mode_t mode);

/* os_map_file of an open file; `path` is for messages. */
ecma_status os_map_open(os_map *map, diag *d, int file, const char *path);

/* A new, empty file at `path`: nothing else makes files. What stands there stays, and no link is followed. Returns the
 * descriptor, or -1 with errno. */
int os_make_file(const char *path, unsigned mode);

/* A new, empty file in the folder of `path`, with a name that cannot be predicted. Returns the descriptor, which is
 * locked, or -1 with errno; *name is for the caller to free. */
int os_make_temporary(char **name, const char *path, unsigned mode);

#endif
