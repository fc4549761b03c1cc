#include "platform/os_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/windows/os_files.h"

static HANDLE handle_of(const os_spool *s) {
    return (HANDLE)_get_osfhandle(s->file);
}

ecma_status os_spool_open(os_spool *s, diag *d, const char *folder) {
    char *path = NULL, *name = NULL;
    if (asprintf(&path, "%s/", folder) < 0)
        return diag_no_memory(d);
    HANDLE file = os_make_temporary(&name, path, true, FILE_FLAG_DELETE_ON_CLOSE);
    int error = file == INVALID_HANDLE_VALUE ? errno : 0;
    free(path);
    if (error)
        return error == ENOMEM ? diag_no_memory(d)
                               : diag_report(d, DIAG_IO_WRITE, "%s cannot be written to: %s", folder, strerror(error));
    free(name);
    s->file = _open_osfhandle((intptr_t)file, _O_BINARY);
    if (s->file >= 0)
        return ECMA_OK;
    CloseHandle(file);
    return diag_no_memory(d);
}

ecma_status os_spool_append(os_spool *s, diag *d, bytes part) {
    int error = os_write_bytes(handle_of(s), part);
    return error ? diag_report(d, DIAG_IO_WRITE, "a temporary file cannot be written: %s", strerror(error)) : ECMA_OK;
}

ecma_status os_spool_map(os_map *map, const os_spool *s, diag *d) {
    LARGE_INTEGER end = {0}, none = {0};
    if (!SetFilePointerEx(handle_of(s), none, &end, FILE_CURRENT) ||
        !SetFilePointerEx(handle_of(s), none, NULL, FILE_BEGIN))
        return os_fail(d, DIAG_IO_OPEN, "a temporary file", "cannot be read", os_last_error());
    ecma_status status = os_map_handle(map, d, handle_of(s), "a temporary file", "cannot be read");
    (void)SetFilePointerEx(handle_of(s), end, NULL, FILE_BEGIN);
    return status;
}

void os_spool_close(os_spool *s) {
    if (s->file >= 0)
        _close(s->file);
    *s = OS_SPOOL_INIT;
}
