/* os_spool.h - a file for what comes piece by piece and is then read as a whole. */
#ifndef ILINJECT_PLATFORM_OS_SPOOL_H
#define ILINJECT_PLATFORM_OS_SPOOL_H

#include "platform/os.h"

/* A file without a name that stores bytes as they come; it is gone when it is closed, however the process ends.
 * OS_SPOOL_INIT, os_spool_open, os_spool_append…, os_spool_map, os_spool_close. */
typedef struct os_spool {
    int file;
} os_spool;

#define OS_SPOOL_INIT ((os_spool){-1})

/* Makes it on the file system of `folder`. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_spool_open(os_spool *s, diag *d, const char *folder);
/* Returns ECMA_OK, ECMA_IO. */
ecma_status os_spool_append(os_spool *s, diag *d, bytes part);
/* All that was appended; os_unmap. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_spool_map(os_map *map, const os_spool *s, diag *d);
void os_spool_close(os_spool *s);

#endif
