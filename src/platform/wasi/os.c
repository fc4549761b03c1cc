#include "platform/os.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "platform/os_folder.h"
#include "platform/path.h"
#include "platform/wasi/host.h"

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

static const char write_what[] = "cannot be written";

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode) ? "it is a directory" : S_ISFIFO(mode) ? "it is a pipe" : "it is a device";
}

/* A file's status; the link's own where `follow` is false. Returns 0, or -1 with errno. */
static int status_of(const char *path, struct stat *info, bool follow) {
    char buffer[PATH_MAX];
    const char *at = host_path(buffer, path);
    return follow ? stat(at, info) : lstat(at, info);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

ecma_status host_read_file(os_map *map, diag *d, int file, const char *path, const char *what) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return os_fail(d, DIAG_IO_OPEN, path, what, errno);
    if (!S_ISREG(info.st_mode))
        return os_refuse(d, DIAG_IO_OPEN, path, what, kind_of(info.st_mode));
    if ((uintmax_t)info.st_size > SIZE_MAX / 2)
        return os_fail(d, DIAG_IO_OPEN, path, what, EFBIG);
    size_t size = (size_t)info.st_size, done = 0;
    uint8_t *content = size ? malloc(size) : NULL;
    if (size && !content)
        return diag_no_memory(d);
    while (done < size) {
        ssize_t got = pread(file, content + done, size - done, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int error = got < 0 ? errno : EIO; /* somebody has shortened it */
            free(content);
            return os_fail(d, DIAG_IO_OPEN, path, what, error);
        }
        done += (size_t)got;
    }
    map->content = bytes_of(content, size);
    return ECMA_OK;
}

ecma_status os_map_file(os_map *map, diag *d, const char *path) {
    static const char what[] = "cannot be read";
    char buffer[PATH_MAX];
    struct stat info;
    /* A pipe would be waited for. */
    if (status_of(path, &info, true) == 0 && !S_ISREG(info.st_mode))
        return os_refuse(d, DIAG_IO_OPEN, path, what, kind_of(info.st_mode));
    int file = open(host_path(buffer, path), O_RDONLY);
    if (file < 0)
        return os_fail(d, DIAG_IO_OPEN, path, what, errno);
    ecma_status status = host_read_file(map, d, file, path, what);
    close(file);
    return status;
}

/* A mapping is a copy in any case. */
ecma_status os_read_file(os_map *map, diag *d, const char *path) {
    return os_map_file(map, d, path);
}

void os_unmap(os_map *map) {
    free((void *)(uintptr_t)map->content.data);
    *map = OS_MAP_INIT;
}

/* Memory is never given back to the host. */
void os_discard(const void *data, size_t size) {
    (void)data;
    (void)size;
}

void os_use_much(void *data, size_t size) {
    (void)data;
    (void)size;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

struct os_output {
    diag *d;
    const char *path;
    char *target; /* as wasi-libc takes it: links are resolved, or not */
    char *name;   /* of the temporary file */
    char *like;   /* the file gets its permissions; NULL: it does not */
    int file;
    bool replaces; /* a file that stands there */
    bool syncs;    /* the disk has it before it has its name */
};

/* The file that a write replaces or makes, for the caller to free; NULL with errno. */
static char *target_of(const char *path, os_links links) {
    char buffer[PATH_MAX];
    char *real = links == OS_FOLLOW ? host_real_path(path) : NULL;
    if (real || (links == OS_FOLLOW && errno != ENOENT))
        return real;
    const char *at = host_path(buffer, path);
    if (strlen(at) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return strdup(at);
}

static ecma_status open_output(os_output *o, const char *like, os_links links) {
    struct stat info;
    o->target = target_of(o->path, links);
    if (!o->target)
        return os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, errno);
    o->replaces = (links == OS_FOLLOW ? stat(o->target, &info) : lstat(o->target, &info)) == 0;
    o->syncs = o->replaces || links == OS_NEEDED;
    if (o->replaces && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
        return os_refuse(o->d, DIAG_IO_WRITE, o->path, write_what, kind_of(info.st_mode));
    if (like && links != OS_PRIVATE && !(o->like = strdup(like)))
        return diag_no_memory(o->d);
    o->file = host_temporary(&o->name, o->target);
    return o->file >= 0 ? ECMA_OK : os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, errno);
}

ecma_status os_output_open(os_output **output, diag *d, const char *path, const char *like, os_links links) {
    os_output *o = calloc(1, sizeof *o);
    if (!o)
        return diag_no_memory(d);
    o->d = d;
    o->path = path;
    o->file = -1;
    ecma_status status = open_output(o, like, links);
    if (status)
        os_output_close(o, false);
    else
        *output = o;
    return status;
}

ecma_status os_output_append(os_output *o, const bytes *pieces, size_t count) {
    enum { MOST_PIECES = 64 };
    struct iovec parts[MOST_PIECES];
    size_t next = 0, skip = 0; /* the first piece not written whole yet, and how much of it is written */
    for (;;) {
        int used = 0;
        size_t from = skip;
        for (size_t i = next; i < count && used < MOST_PIECES; i++, from = 0)
            if (pieces[i].size > from)
                parts[used++] = (struct iovec){(void *)(uintptr_t)(pieces[i].data + from), pieces[i].size - from};
        if (used == 0)
            return ECMA_OK;
        ssize_t written = writev(o->file, parts, used);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, written < 0 ? errno : EIO);
        size_t done = (size_t)written + skip;
        while (next < count && done >= pieces[next].size)
            done -= pieces[next++].size;
        skip = done;
    }
}

ecma_status os_output_patch(os_output *o, size_t offset, bytes b) {
    for (size_t done = 0; done < b.size;) {
        ssize_t written = pwrite(o->file, b.data + done, b.size - done, (off_t)(offset + done));
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            return os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, written < 0 ? errno : EIO);
    }
    return ECMA_OK;
}

ecma_status os_output_close(os_output *o, bool keep) {
    int error = 0;
    if (o->file >= 0) {
        if (keep && o->syncs && fdatasync(o->file) != 0)
            error = errno;
        if (close(o->file) != 0 && !error)
            error = errno;
        if (keep && !error && rename(o->name, o->target) != 0)
            error = errno;
        if (error || !keep)
            unlink(o->name);
        else if (o->like)
            host_permissions(o->path, o->like);
    }
    ecma_status status = keep && error ? os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error) : ECMA_OK;
    free(o->like);
    free(o->name);
    free(o->target);
    free(o);
    return status;
}

ecma_status os_place_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like,
                          os_links links) {
    os_output *o;
    ecma_status status = os_output_open(&o, d, path, like, links);
    if (status)
        return status;
    status = os_output_append(o, pieces, count);
    ecma_status closed = os_output_close(o, status == ECMA_OK);
    return status ? status : closed;
}

/* A signal ends the host, and the program with it. */
ecma_status os_undisturbed(ecma_status (*work)(void *user), void *user) {
    return work(user);
}

/* The name that `path` is prepared under, in the same folder. Returns 0 or an errno. */
static int name_prepared(char name[PATH_MAX], const char *path) {
    const char *last = path_last_separator(path);
    int folder = last ? (int)(last - path) + 1 : 0;
    int size = snprintf(name, PATH_MAX, "%.*s" OS_UNFINISHED "%s", folder, path, path + folder);
    return size < 0 || size >= PATH_MAX ? ENAMETOOLONG : 0;
}

ecma_status os_prepare_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like) {
    char name[PATH_MAX];
    int error = name_prepared(name, path);
    if (error)
        return os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    ecma_status status = os_place_file(d, name, pieces, count, NULL, os_exists(path) ? OS_NEEDED : OS_REPLACE);
    if (status == ECMA_OK && like)
        host_permissions(path, like);
    return status;
}

ecma_status os_map_prepared(os_map *map, bool *found, diag *d, const char *path) {
    char name[PATH_MAX];
    int error = name_prepared(name, path);
    if (error)
        return os_fail(d, DIAG_IO_OPEN, path, "cannot be read", error);
    os_kind kind;
    ecma_status status = os_try_kind(&kind, d, name);
    *found = kind == OS_FILE;
    return status || !*found ? status : os_map_file(map, d, name);
}

ecma_status os_settle_file(diag *d, const char *path, bool keep) {
    char name[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    struct stat info;
    int error = name_prepared(name, path);
    if (error)
        return os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    const char *prepared = host_path(from, name);
    if (lstat(prepared, &info) != 0)
        error = errno == ENOENT ? 0 : errno;
    else if (!keep || !S_ISREG(info.st_mode))
        error = unlink(prepared) == 0 ? 0 : errno;
    else if (os_kind_of(path) == OS_FOLDER)
        error = EISDIR;
    else if (rename(prepared, host_path(to, path)) != 0)
        error = errno;
    if (error)
        (void)unlink(prepared);
    return error ? os_fail(d, DIAG_IO_WRITE, path, write_what, error) : ECMA_OK;
}

ecma_status os_copy_file(diag *d, const char *from, const char *to) {
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, d, from);
    if (status == ECMA_OK)
        status = os_write_file(d, to, &map.content, 1, from);
    os_unmap(&map);
    return status;
}

static int remove_name(const char *path) {
    char buffer[PATH_MAX];
    return unlink(host_path(buffer, path)) == 0 ? 0 : errno;
}

bool os_try_hard_link(const char *target, const char *path) {
    (void)target, (void)path; /* programs are not run here, nor are their copies made */
    return false;
}

ecma_status os_link(diag *d, const char *target, const char *path) {
    char buffer[PATH_MAX];
    return symlink(target, host_path(buffer, path)) == 0 ? ECMA_OK
                                                         : os_fail(d, DIAG_IO_WRITE, path, "cannot be linked", errno);
}

ecma_status os_drop_link(diag *d, const char *path) {
    os_kind kind;
    ecma_status status = os_try_kind(&kind, d, path);
    int error = status == ECMA_OK && kind == OS_LINK ? remove_name(path) : 0;
    return error ? os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", error) : status;
}

static bool have_equal_bytes(const char *a, const char *b) {
    diag silent = {0};
    os_map first = OS_MAP_INIT, second = OS_MAP_INIT;
    bool equal = os_map_file(&first, &silent, a) == ECMA_OK && os_map_file(&second, &silent, b) == ECMA_OK &&
                 bytes_equal(first.content, second.content);
    os_unmap(&first);
    os_unmap(&second);
    return equal;
}

ecma_status os_mirror_file(diag *d, const char *from, const char *to) {
    ecma_status status = os_drop_link(d, to);
    if (status == ECMA_OK && !have_equal_bytes(from, to))
        status = os_copy_file(d, from, to);
    if (status == ECMA_OK)
        host_permissions(to, from);
    return status;
}

ecma_status os_make_folder(diag *d, const char *path) {
    char buffer[PATH_MAX];
    return mkdir(host_path(buffer, path), 0777) == 0 || (errno == EEXIST && os_is_directory(path))
               ? ECMA_OK
               : os_fail(d, DIAG_IO_WRITE, path, "cannot be made", errno);
}

ecma_status os_mirror_folder(diag *d, const char *like, const char *path) {
    ecma_status status = os_drop_link(d, path);
    if (status == ECMA_OK)
        status = os_make_folder(d, path);
    if (status == ECMA_OK)
        host_permissions(path, like);
    return status;
}

ecma_status os_mirror_link(diag *d, const char *target, const char *path) {
    int error = os_kind_of(path) != OS_NOTHING ? remove_name(path) : 0;
    return error ? os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", error) : os_link(d, target, path);
}

/* There are no locks, which would say that a file is being written: one that an hour has not changed is not. */
void os_drop_temporary(const char *path) {
    enum { SECONDS = 3600 };
    struct stat info;
    if (status_of(path, &info, false) == 0 && S_ISREG(info.st_mode) && info.st_mtim.tv_sec + SECONDS < time(NULL))
        (void)remove_name(path);
}

ecma_status os_remove(diag *d, const char *path) {
    int error = remove_name(path);
    return error && error != ENOENT ? os_fail(d, DIAG_IO_WRITE, path, "cannot be removed", error) : ECMA_OK;
}

ecma_status os_full_path(diag *d, const char *path, char **full) {
    *full = host_shown_path(host_real_path(path));
    return *full ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be found", errno);
}

/* ---- Libraries ------------------------------------------------------------------------------------------------- */

bool os_load_library(const char *library, const char *const *names, void **addresses) {
    (void)library;
    (void)names;
    (void)addresses;
    return false;
}

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

/* On Windows, of letters beyond ASCII the case counts. */
int path_compare(const char *a, const char *b) {
    if (!path_of_windows)
        return strcmp(a, b);
    for (;; a++, b++) {
        int first = path_is_separator(*a) ? '/' : tolower((unsigned char)*a);
        int second = path_is_separator(*b) ? '/' : tolower((unsigned char)*b);
        if (first != second || first == 0)
            return first - second;
    }
}

/* ---- Asking ---------------------------------------------------------------------------------------------------- */

bool os_exists(const char *path) {
    struct stat info;
    return status_of(path, &info, true) == 0 || !os_means_absent(errno);
}

bool os_is_directory(const char *path) {
    struct stat info;
    return status_of(path, &info, true) == 0 && S_ISDIR(info.st_mode);
}

bool os_same_file(const char *a, const char *b) {
    struct stat first, second;
    if (status_of(a, &first, true) != 0 || status_of(b, &second, true) != 0)
        return false;
    if (first.st_ino && second.st_ino)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    /* A host that numbers no files. */
    char *x = host_real_path(a), *y = host_real_path(b);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

os_kind os_kind_of(const char *path) {
    diag silent = {0};
    os_kind kind;
    return os_try_kind(&kind, &silent, path) == ECMA_OK ? kind : OS_OTHER;
}

ecma_status os_try_kind(os_kind *kind, diag *d, const char *path) {
    struct stat info;
    *kind = OS_NOTHING;
    if (status_of(path, &info, false) != 0)
        return os_means_absent(errno) ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be read", errno);
    *kind = S_ISREG(info.st_mode)   ? OS_FILE
            : S_ISDIR(info.st_mode) ? OS_FOLDER
            : S_ISLNK(info.st_mode) ? OS_LINK
                                    : OS_OTHER;
    return ECMA_OK;
}

ecma_status os_read_link(diag *d, const char *path, char **target) {
    char buffer[PATH_MAX], text[PATH_MAX];
    ssize_t length = readlink(host_path(buffer, path), text, sizeof text - 1);
    if (length < 0)
        return os_fail(d, DIAG_IO_OPEN, path, "cannot be read", errno);
    text[length] = 0;
    *target = strdup(text);
    return *target ? ECMA_OK : diag_no_memory(d);
}

int os_names_read(os_names *names, const char *folder) {
    char buffer[PATH_MAX];
    DIR *listing = opendir(host_path(buffer, folder));
    int error = listing ? 0 : errno;
    while (!error) {
        errno = 0;
        const struct dirent *entry = readdir(listing);
        if (!entry) {
            error = errno;
            break;
        }
        error = os_names_add(names, entry->d_name);
    }
    if (listing)
        closedir(listing);
    return error;
}
