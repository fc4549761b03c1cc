#define _GNU_SOURCE
#include "platform/posix/os_attributes.h"
#include "platform/posix/os_files.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/os_folder.h"

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* The file that a write replaces: `path` with symbolic links resolved; info.st_mode is 0 when there is none yet. */
typedef struct target {
    char path[PATH_MAX];
    struct stat info;
} target;

/* Returns 0 or an errno. */
static int resolve(target *t, const char *path, os_links links) {
    t->info.st_mode = 0;
    bool found = links == OS_FOLLOW && realpath(path, t->path);
    if (!found) {
        if (links == OS_FOLLOW && errno != ENOENT)
            return errno;
        /* Nothing there yet, or a link that the rename replaces. */
        size_t length = strlen(path);
        if (length >= sizeof t->path)
            return ENAMETOOLONG;
        memcpy(t->path, path, length + 1);
        os_kind kind = links == OS_FOLLOW ? OS_NOTHING : os_kind_of(path);
        if (kind == OS_NOTHING || kind == OS_LINK)
            return 0;
    }
    return stat(t->path, &t->info) == 0 ? 0 : errno;
}

/* Locks a file that is being written: who removes unfinished ones leaves it then. false: it was removed before. */
static bool keep_for_us(int file) {
    struct stat info;
    if (flock(file, LOCK_SH | LOCK_NB) != 0)
        return errno != EWOULDBLOCK; /* else this file system has no locks */
    return fstat(file, &info) == 0 && info.st_nlink > 0;
}

int os_make_file(const char *path, unsigned mode) {
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

int os_make_temporary(char **name, const char *path, unsigned mode) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    size_t size = folder + sizeof OS_UNFINISHED "0123456789abcdef";
    char *made = malloc(size);
    int file = -1, error = ENOMEM;
    if (made)
        memcpy(made, path, folder);
    for (int attempt = 0; made && file < 0 && attempt < 100; attempt++) {
        uint64_t number;
        if (getentropy(&number, sizeof number) == 0) {
            snprintf(made + folder, size - folder, OS_UNFINISHED "%016llx", (unsigned long long)number);
            file = os_make_file(made, mode);
        }
        error = errno;
        if (file >= 0 && !keep_for_us(file)) {
            (void)unlink(made);
            close(file);
            file = -1;
            continue;
        }
        if (file < 0 && error != EEXIST && error != EINTR)
            break;
    }
    if (file < 0) {
        free(made);
        errno = error;
    } else {
        *name = made;
    }
    return file;
}

/* Signals that would end the process, held back while a temporary file stands. */
typedef struct held_signals {
    sigset_t held, before; /* before: the thread's mask */
    bool holds;
    bool within; /* others hold them for longer */
} held_signals;

/* Those of os_undisturbed in this thread. A pointer has room in the block that each thread starts with. */
static _Thread_local __attribute__((tls_model("initial-exec"))) const held_signals *undisturbed;

static void hold_signals(held_signals *h) {
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    struct sigaction action;
    h->holds = true;
    if (undisturbed) {
        h->held = undisturbed->held;
        h->within = true;
        return;
    }
    h->within = false;
    sigemptyset(&h->held);
    /* A signal that the program ignores or handles itself ends nothing. */
    for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++)
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            sigaddset(&h->held, ending[i]);
    pthread_sigmask(SIG_BLOCK, &h->held, &h->before);
}

static bool is_ending(const held_signals *h) {
    sigset_t waiting;
    if (sigpending(&waiting) != 0 || sigandset(&waiting, &waiting, &h->held) != 0)
        return false;
    return !sigisemptyset(&waiting);
}

/* A signal that came meanwhile ends the process here; a file that grows past a limit the write's error has told. */
static void release_signals(const held_signals *h) {
    sigset_t too_large;
    if (h->within)
        return;
    sigemptyset(&too_large);
    if (sigismember(&h->held, SIGXFSZ) == 1) {
        sigaddset(&too_large, SIGXFSZ);
        (void)!sigtimedwait(&too_large, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}

/* Returns 0 or an errno: ECANCELED when a held signal came. */
static int write_all(int file, const bytes *pieces, size_t count, const held_signals *signals) {
    enum { MOST_BYTES = 1 << 24 }; /* at a time, so that signals do not wait long */
    struct iovec parts[64];
    size_t next = 0, skip = 0; /* the first piece not written whole yet, and how much of it is written */
    for (;;) {
        int used = 0;
        size_t from = skip, room = MOST_BYTES;
        for (size_t i = next; i < count && used < 64 && room > 0; i++, from = 0)
            if (pieces[i].size > from) {
                size_t size = pieces[i].size - from < room ? pieces[i].size - from : room;
                parts[used++] = (struct iovec){(void *)(uintptr_t)(pieces[i].data + from), size};
                room -= size;
            }
        if (used == 0)
            return 0;
        if (is_ending(signals))
            return ECANCELED;
        ssize_t written = writev(file, parts, used);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        size_t done = (size_t)written + skip;
        while (next < count && done >= pieces[next].size)
            done -= pieces[next++].size;
        skip = done;
    }
}

struct os_output {
    diag *d;
    const char *path;
    target target;
    char *name; /* of the temporary file */
    int file;
    bool syncs; /* the disk has it before it has its name */
    held_signals signals;
};

static const char write_what[] = "cannot be written";

ecma_status os_output_open(os_output **output, diag *d, const char *path, const char *like, os_links links) {
    os_output *o = calloc(1, sizeof *o);
    ecma_status status = ECMA_OK;
    if (!o)
        return diag_no_memory(d);
    o->d = d;
    o->path = path;
    o->file = -1;
    int error = resolve(&o->target, path, links);
    bool replaces = !error && o->target.info.st_mode != 0;
    o->syncs = replaces || links == OS_NEEDED;
    if (replaces && !S_ISREG(o->target.info.st_mode)) {
        status = os_refuse(d, DIAG_IO_WRITE, path, write_what, os_kind_text(o->target.info.st_mode));
    } else if (!error) {
        bool resembles = links != OS_PRIVATE && (replaces || (like && stat(like, &o->target.info) == 0));
        hold_signals(&o->signals);
        o->file = os_make_temporary(&o->name, o->target.path, resembles || links == OS_PRIVATE ? 0600 : 0666);
        error = o->file < 0 ? errno : resembles ? os_set_permissions(o->file, &o->target.info, replaces) : 0;
        if (!error && resembles && replaces)
            os_keep_attributes(d, o->file, o->target.path, &o->target.info, like && os_same_file(like, o->target.path));
    }
    if (error)
        status = os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    if (status)
        os_output_close(o, false);
    else
        *output = o;
    return status;
}

ecma_status os_output_append(os_output *o, const bytes *pieces, size_t count) {
    int error = write_all(o->file, pieces, count, &o->signals);
    /* A process that is about to end has nothing to tell. */
    return error == ECANCELED ? ECMA_IO : error ? os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error) : ECMA_OK;
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
    ecma_status status = ECMA_OK;
    int error = 0;
    if (o->file >= 0) {
        /* Closing tells of errors, too; a second descriptor holds the lock until the name is the right one. */
        int lock = fcntl(o->file, F_DUPFD_CLOEXEC, 0);
        if (keep && o->syncs && fdatasync(o->file) != 0)
            error = errno;
        if (close(o->file) != 0 && !error)
            error = errno;
        if (keep && !error && rename(o->name, o->target.path) != 0)
            error = errno;
        if (error || !keep)
            unlink(o->name);
        if (lock >= 0)
            close(lock);
    }
    if (o->signals.holds)
        release_signals(&o->signals);
    if (keep && error)
        status = os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error);
    free(o->name);
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

ecma_status os_undisturbed(ecma_status (*work)(void *user), void *user) {
    const held_signals *around = undisturbed;
    held_signals signals;
    hold_signals(&signals);
    undisturbed = &signals;
    ecma_status status = work(user);
    undisturbed = around;
    release_signals(&signals);
    return status;
}

/* The name that `path` is prepared under, in the same folder: it takes no memory, so that what was prepared can be
 * removed when there is none. Returns 0 or an errno. */
static int name_prepared(char name[PATH_MAX], const char *path) {
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int size = snprintf(name, PATH_MAX, "%.*s" OS_UNFINISHED "%s", folder, path, path + folder);
    return size < 0 || size >= PATH_MAX ? ENAMETOOLONG : 0;
}

ecma_status os_prepare_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like) {
    char name[PATH_MAX];
    int error = name_prepared(name, path);
    if (error)
        return os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    bool replaces = os_exists(path);
    return os_place_file(d, name, pieces, count, replaces ? path : like, replaces ? OS_NEEDED : OS_REPLACE);
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

/* Puts the prepared file at its path. Returns 0 or an errno. */
static int settle(diag *d, const char *name, const char *path) {
    target t;
    int error = resolve(&t, path, OS_REPLACE);
    int file = !error && t.info.st_mode ? open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (file >= 0) {
        if ((error = os_set_permissions(file, &t.info, true)) == 0 && fdatasync(file) != 0)
            error = errno;
        os_keep_attributes(d, file, t.path, &t.info, false);
        close(file);
    }
    if (!error && rename(name, t.path) != 0)
        error = errno;
    return error;
}

ecma_status os_settle_file(diag *d, const char *path, bool keep) {
    char name[PATH_MAX];
    struct stat info = {0};
    int error = name_prepared(name, path);
    if (error)
        return os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    if (lstat(name, &info) != 0)
        error = os_means_absent(errno) ? 0 : errno;
    else if (S_ISREG(info.st_mode))
        error = keep ? settle(d, name, path) : unlink(name) == 0 ? 0 : errno;
    if (error)
        (void)unlink(name);
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

ecma_status os_link(diag *d, const char *target, const char *path) {
    return symlink(target, path) == 0 ? ECMA_OK : os_fail(d, DIAG_IO_WRITE, path, "cannot be linked", errno);
}

bool os_try_hard_link(const char *target, const char *path) {
    return link(target, path) == 0;
}

ecma_status os_drop_link(diag *d, const char *path) {
    os_kind kind;
    ecma_status status = os_try_kind(&kind, d, path);
    if (status == ECMA_OK && kind == OS_LINK && unlink(path) != 0)
        return os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", errno);
    return status;
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
    struct stat info;
    ecma_status status = os_drop_link(d, to);
    if (status == ECMA_OK && !have_equal_bytes(from, to))
        status = os_copy_file(d, from, to);
    if (status == ECMA_OK && (stat(from, &info) != 0 || chmod(to, info.st_mode & 0777) != 0))
        status = os_fail(d, DIAG_IO_WRITE, to, "cannot be given its permissions", errno);
    return status;
}

ecma_status os_mirror_folder(diag *d, const char *like, const char *path) {
    struct stat info;
    ecma_status status = os_drop_link(d, path);
    if (status)
        return status;
    if (mkdir(path, 0777) != 0 && (errno != EEXIST || !os_is_directory(path)))
        return os_fail(d, DIAG_IO_WRITE, path, "cannot be made", errno);
    if (stat(like, &info) != 0 || chmod(path, (info.st_mode & 0777) | S_IRWXU) != 0)
        return os_fail(d, DIAG_IO_WRITE, path, "cannot be given its permissions", errno);
    return ECMA_OK;
}

ecma_status os_mirror_link(diag *d, const char *target, const char *path) {
    if (os_kind_of(path) != OS_NOTHING && unlink(path) != 0)
        return os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", errno);
    return os_link(d, target, path);
}

/* A locked file is being written. */
void os_drop_temporary(const char *path) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        (void)unlink(path);
    if (file >= 0)
        close(file);
}

ecma_status os_make_folder(diag *d, const char *path) {
    return mkdir(path, 0777) == 0 || (errno == EEXIST && os_is_directory(path))
               ? ECMA_OK
               : os_fail(d, DIAG_IO_WRITE, path, "cannot be made", errno);
}

ecma_status os_remove(diag *d, const char *path) {
    return unlink(path) == 0 || errno == ENOENT ? ECMA_OK : os_fail(d, DIAG_IO_WRITE, path, "cannot be removed", errno);
}

ecma_status os_full_path(diag *d, const char *path, char **full) {
    *full = realpath(path, NULL);
    return *full ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be found", errno);
}

/* ---- Libraries ------------------------------------------------------------------------------------------------- */

bool os_load_library(const char *library, const char *const *names, void **addresses) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    bool found = handle != NULL;
    for (size_t i = 0; found && names[i]; i++)
        found = (addresses[i] = dlsym(handle, names[i])) != NULL;
    return found;
}

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

int path_compare(const char *a, const char *b) {
    return strcmp(a, b);
}

/* ---- Asking ---------------------------------------------------------------------------------------------------- */

bool os_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 || !os_means_absent(errno);
}

bool os_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool os_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

os_kind os_kind_of(const char *path) {
    diag silent = {0};
    os_kind kind;
    return os_try_kind(&kind, &silent, path) == ECMA_OK ? kind : OS_OTHER;
}

ecma_status os_try_kind(os_kind *kind, diag *d, const char *path) {
    struct stat info;
    *kind = OS_NOTHING;
    if (lstat(path, &info) != 0)
        return os_means_absent(errno) ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be read", errno);
    *kind = S_ISREG(info.st_mode)   ? OS_FILE
            : S_ISDIR(info.st_mode) ? OS_FOLDER
            : S_ISLNK(info.st_mode) ? OS_LINK
                                    : OS_OTHER;
    return ECMA_OK;
}

ecma_status os_read_link(diag *d, const char *path, char **target) {
    static const char what[] = "cannot be read";
    for (size_t size = 256;; size *= 2) {
        char *text = malloc(size);
        if (!text)
            return diag_no_memory(d);
        ssize_t length = readlink(path, text, size);
        if (length >= 0 && (size_t)length < size) {
            text[length] = 0;
            *target = text;
            return ECMA_OK;
        }
        free(text);
        if (length < 0)
            return os_fail(d, DIAG_IO_OPEN, path, what, errno);
    }
}

int os_names_read(os_names *names, const char *folder) {
    DIR *listing = opendir(folder);
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
