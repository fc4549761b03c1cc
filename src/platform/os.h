/* os.h - all that the library asks the operating system. posix/, windows/ and wasi/ answer it.
 *
 * Errors are reported to the diag as IO_OPEN or IO_WRITE with the system's reason; the path is named in the text when
 * it is not the diag's own file. Paths are the system's bytes. */
#ifndef ILINJECT_PLATFORM_OS_H
#define ILINJECT_PLATFORM_OS_H

#include <errno.h>

#include "base/bytes.h"
#include "base/diag.h"

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* A file's content. OS_MAP_INIT, os_map_file or os_read_file, os_unmap. Mapped read-only, the bytes stay valid when the
 * file is replaced by rename; a program that shortens the file in place meanwhile ends this one by a signal, and one
 * that writes into it changes the bytes. So all that is understood is read; what is only compared or copied is mapped.
 */
typedef struct os_map {
    bytes content;
    bool read; /* by os_read_file */
} os_map;

#define OS_MAP_INIT ((os_map){0})

/* Maps a whole regular file; an empty one gives no bytes. Directories, pipes and devices are refused, without waiting
 * for a pipe's writer. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_map_file(os_map *map, diag *d, const char *path);
/* The same, but the bytes are a private copy. A file that becomes shorter while it is read is ECMA_IO. */
ecma_status os_read_file(os_map *map, diag *d, const char *path);
void os_unmap(os_map *map);

/* Gives the memory of bytes that are no longer needed back to the system, the whole pages in it; afterwards they have
 * any value. */
void os_discard(const void *data, size_t size);

/* Says of memory that much of it will be used: large pages, where the system has them, then take less time. */
void os_use_much(void *data, size_t size);

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* Makes `path` hold the pieces, one after another, whole or not at all: they go to a new file beside it, which then
 * takes its name. On failure nothing is left and what stood at `path` is unharmed, also when the disk is full; the
 * pieces are on the disk before they replace it, so that no loss of power leaves an empty file. A
 * symbolic link is followed or not, as `links` says; a directory, pipe or device is refused. The permissions are those
 * of the file that is replaced, else those of `like` (a path) without set-id bits, else (`like` NULL) the process's
 * default. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
typedef enum os_links {
    OS_FOLLOW,  /* a symbolic link at `path` is followed, since the user named it */
    OS_REPLACE, /* it is replaced */
    OS_NEEDED,  /* as OS_REPLACE, and the file is on the disk before it has its name, even where it replaces nothing:
                 * a file that replaces another one needs it */
    OS_PRIVATE, /* as OS_REPLACE, and the permissions are 0600 from the start, whatever stood there */
} os_links;
ecma_status os_place_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like,
                          os_links links);

static inline ecma_status os_write_file(diag *d, const char *path, const bytes *pieces, size_t count,
                                        const char *like) {
    return os_place_file(d, path, pieces, count, like, OS_FOLLOW);
}

/* Does `work` without being ended by a signal meanwhile; an os_write_file in it gives up when one comes, without a
 * word. Returns what `work` returns, unless the process ends. */
ecma_status os_undisturbed(ecma_status (*work)(void *user), void *user);

/* os_write_file in two steps, for a file that is right only once another is there. Prepared, it stands whole beside
 * `path` under another name, which is known again after the process was killed; settled, it takes the place of `path`,
 * or else (`keep` false) goes; where nothing is prepared, nothing is settled. A symbolic link
 * at `path` is replaced. Where a file stands at `path`, what is prepared is on the disk when this returns. Returns
 * ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_prepare_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like);
ecma_status os_settle_file(diag *d, const char *path, bool keep);

/* *found: something is prepared for `path`, and mapped. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_map_prepared(os_map *map, bool *found, diag *d, const char *path);

/* os_write_file in steps, for what is not in memory all at once: open, append what comes, close. The diag and `path`
 * are borrowed until then; signals that would end the process wait, but for each append ends early when one came.
 * Closing without `keep` throws away what was written. Return ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
typedef struct os_output os_output;
ecma_status os_output_open(os_output **output, diag *d, const char *path, const char *like, os_links links);
ecma_status os_output_append(os_output *o, const bytes *pieces, size_t count);
/* Writes over what was appended. */
ecma_status os_output_patch(os_output *o, size_t offset, bytes b);
ecma_status os_output_close(os_output *o, bool keep);

/* os_write_file with the content and permissions of `from`. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_copy_file(diag *d, const char *from, const char *to);

/* Makes a symbolic link at `path` to `target`. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_link(diag *d, const char *target, const char *path);

/* Makes `path` a second name of the file `target`. False where there can be none, as in another file system. */
bool os_try_hard_link(const char *target, const char *path);

/* Makes `to` what `from` is: a regular file with the same bytes and permissions (never set-id bits). A symbolic link
 * that stands at `to` is replaced, not followed; a file with the same bytes is not written again. Returns ECMA_OK,
 * ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_mirror_file(diag *d, const char *from, const char *to);

/* Makes a folder at `path`, with the permissions of `like` and those that its owner needs; one that is there stays, a
 * symbolic link that stands there is replaced. The folder above is there. Returns ECMA_OK, ECMA_IO. */
ecma_status os_mirror_folder(diag *d, const char *like, const char *path);

/* os_link, in place of a file or link that stands there. */
ecma_status os_mirror_link(diag *d, const char *target, const char *path);

/* A symbolic link at `path` is removed, anything else stays. Returns ECMA_OK, ECMA_IO. */
ecma_status os_drop_link(diag *d, const char *path);

/* Removes what a process that was killed in os_write_file has left in a folder; what is being written stays. */
ecma_status os_drop_unfinished(diag *d, const char *folder);

/* Makes a folder at `path`; one that is there is fine. The folder above is there. Returns ECMA_OK, ECMA_IO. */
ecma_status os_make_folder(diag *d, const char *path);

/* Removes a file or link; none there is fine. Returns ECMA_OK, ECMA_IO. */
ecma_status os_remove(diag *d, const char *path);

/* The absolute path of what is at `path`, without symbolic links, for the caller to free. Returns ECMA_OK, ECMA_IO,
 * ECMA_NO_MEMORY. */
ecma_status os_full_path(diag *d, const char *path, char **full);

/* ---- Libraries ------------------------------------------------------------------------------------------------- */

/* The name of a library's file: of its version 3, libNAME.so.3 or libNAME-3.dll. */
#ifdef _WIN32
#define OS_LIBRARY(name, version) "lib" name "-" version ".dll"
#else
#define OS_LIBRARY(name, version) "lib" name ".so." version
#endif

/* Loads a library of the system and fills in `addresses`, one for each of the `names` (ended by NULL). It stays loaded.
 * false: it is missing, or lacks one of them. */
bool os_load_library(const char *library, const char *const *names, void **addresses);

/* Whether it can find any: a static program (OS_STATIC) has no loader. */
#ifdef OS_STATIC
#define OS_LOADS_LIBRARIES false
#else
#define OS_LOADS_LIBRARIES true
#endif

/* ---- Asking ---------------------------------------------------------------------------------------------------- */

/* True if this errno means that nothing is at the requested path. */
static inline bool os_means_absent(int error) {
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP || error == EINVAL;
}

/* These follow symbolic links. A file that nothing can be learned about exists: who opens it learns why. It is no
 * directory, and no other file's equal. */
bool os_exists(const char *path);
bool os_is_directory(const char *path);
/* Both exist and are one file, whatever the paths. */
bool os_same_file(const char *a, const char *b);

typedef enum os_kind {
    OS_NOTHING,
    OS_FILE,
    OS_FOLDER,
    OS_LINK,
    OS_OTHER, /* a pipe, socket or device */
} os_kind;

/* The kind of the file at `path` itself; a symbolic link is not followed. One that nothing can be learned about
 * is OS_OTHER. */
os_kind os_kind_of(const char *path);
/* The same, but OS_NOTHING means that nothing is there. Returns ECMA_OK, ECMA_IO when that is not known. */
ecma_status os_try_kind(os_kind *kind, diag *d, const char *path);

/* The target of the symbolic link at `path`, for the caller to free. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status os_read_link(diag *d, const char *path, char **target);

/* True for an os_write_file's unfinished file, or symbols that os_prepare_file has prepared. */
bool os_is_unfinished(const char *name);

typedef ecma_status os_visit_fn(void *user, const char *name);

/* Calls `visit` with the name of each entry of a folder but . and .. that ends in `ending`, in the order of their
 * bytes, until one call fails. The folder may be changed meanwhile: the names are read first. Returns ECMA_OK, ECMA_IO,
 * ECMA_NO_MEMORY, or what `visit` returned. */
ecma_status os_visit_folder(diag *d, const char *path, const char *ending, os_visit_fn *visit, void *user);

#endif
