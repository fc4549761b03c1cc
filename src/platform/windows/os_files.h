/* os_files.h - between the files that answer os.h on Windows. */
#ifndef ILINJECT_PLATFORM_WINDOWS_OS_FILES_H
#define ILINJECT_PLATFORM_WINDOWS_OS_FILES_H

#include "platform/os.h"
#include "platform/os_errors.h"
#include "platform/os_names.h"
#include "platform/windows/wide.h"

/* Access for everybody else. */
enum { OS_SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

/* The errno that means the same as the system's last error. */
int os_last_error(void);

/* The whole of an open file; `path` and `what` (cannot be read) are for messages. */
ecma_status os_map_handle(os_map *map, diag *d, HANDLE file, const char *path, const char *what);

/* A new file beside `path` that no other program opens; the name is for the caller to free. INVALID_HANDLE_VALUE with
 * errno. */
HANDLE os_make_temporary(char **name, const char *path, bool is_private, DWORD flags);

/* Writes all of it. Returns 0 or an errno. */
int os_write_bytes(HANDLE file, bytes b);

/* Removes a file, or a link; wide_remove says when it waits. Returns 0 or an errno. */
int os_delete(const char *path, bool waits);

#endif
