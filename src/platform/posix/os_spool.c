#define _GNU_SOURCE
#include "platform/os_spool.h"
#include "platform/posix/os_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ecma_status os_spool_open(os_spool *s, diag *d, const char *folder) {
    char *path = NULL, *name = NULL;
    if (asprintf(&path, "%s/", folder) < 0)
        return diag_no_memory(d);
    int file = os_make_temporary(&name, path, 0600), error = errno;
    if (file >= 0) {
        unlink(name);
        free(name);
    }
    free(path);
    if (file < 0)
        return error == ENOMEM ? diag_no_memory(d)
                               : diag_report(d, DIAG_IO_WRITE, "%s cannot be written to: %s", folder, strerror(error));
    s->file = file;
    return ECMA_OK;
}

ecma_status os_spool_append(os_spool *s, diag *d, bytes part) {
    while (part.size > 0) {
        ssize_t written = write(s->file, part.data, part.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return diag_report(d, DIAG_IO_WRITE, "a temporary file cannot be written: %s",
                               strerror(written < 0 ? errno : EIO));
        part = bytes_of(part.data + written, part.size - (size_t)written);
    }
    return ECMA_OK;
}

ecma_status os_spool_map(os_map *map, const os_spool *s, diag *d) {
    return os_map_open(map, d, s->file, "a temporary file");
}

void os_spool_close(os_spool *s) {
    if (s->file >= 0)
        close(s->file);
    *s = OS_SPOOL_INIT;
}
