/* host.h - between the files that answer for WASI, and the host that runs the program.
 *
 * The host opens the root of its file system for the program as "/"; on Windows each drive as "/C:" and each server's
 * folder as "//server/share". It sets variables of the environment:
 *
 *   PWD                   the current folder, as such a path
 *   TMPDIR                the folder for temporary files, as such a path
 *   ILINJECT_WINDOWS      set on Windows: paths have backslashes, drives and servers
 *   ILINJECT_PERMISSIONS  a file that is not there yet. The program writes to it the files that are to get the
 *                         permissions of others: LIKE, a zero byte, FILE, a zero byte; "&" before LIKE: FILE
 *                         keeps, but for its owner, those alone that LIKE has. The host does that at the end, since
 * WASI knows no permissions; a file that is not there then needs none. */
#ifndef ILINJECT_PLATFORM_WASI_HOST_H
#define ILINJECT_PLATFORM_WASI_HOST_H

#include <limits.h>
#include <stddef.h>

#include "platform/os.h"
#include "platform/os_errors.h"
#include "platform/os_names.h"

/* A path as wasi-libc takes it, which may be one already; `buffer` has room for it. One that is too long leads to
 * nothing: the empty path. */
const char *host_path(char buffer[PATH_MAX], const char *path);

/* The opposite, in place: a path as the user knows it. */
char *host_shown_path(char *path);

/* The path of what is there, absolute and without symbolic links, as wasi-libc takes it, for the caller to free; NULL
 * with errno. */
char *host_real_path(const char *path);

/* Has the host give `path`, when the program has ended, the permissions that `like` has then. */
void host_permissions(const char *path, const char *like);

/* Has it take those from `path` that `like` has not. */
void host_narrow(const char *path, const char *like);

/* A new, empty file in the folder of `path`, with a name that cannot be predicted. Returns the descriptor, or -1 with
 * errno; *name, as wasi-libc takes it, is for the caller to free. */
int host_temporary(char **name, const char *path);

/* The whole content of an open file, into memory. `path` and `what` (cannot be read) are for messages. */
ecma_status host_read_file(os_map *map, diag *d, int file, const char *path, const char *what);

#endif
