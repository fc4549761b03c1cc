#define _GNU_SOURCE
#include "platform/posix/os_attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

int os_set_permissions(int file, const struct stat *model, bool owner_too) {
    /* Only the superuser may give files away; for others the owner is already right or stays their own. */
    if (owner_too && (model->st_uid != geteuid() || model->st_gid != getegid()))
        (void)!fchown(file, model->st_uid, model->st_gid);
    return fchmod(file, model->st_mode & 0777) == 0 ? 0 : errno;
}

static void lost(diag *d, const char *path, const char *what) {
    diag_report(d, DIAG_ATTRIBUTES, "%s: %s", path, what);
}

/* False: it could not be kept. */
static bool keep_one(int file, const char *path, const char *name) {
    ssize_t size = getxattr(path, name, NULL, 0);
    if (size < 0)
        return errno == ENODATA;
    char *value = malloc((size_t)size + 1), *now = malloc((size_t)size + 1);
    bool kept = value && now && (size = getxattr(path, name, value, (size_t)size)) >= 0;
    /* A label that the system gives to each new file may be right already, and not ours to set. */
    if (kept && (fgetxattr(file, name, now, (size_t)size) != size ||
                 memcmp(now, value, (size_t)size) != 0))
        kept = fsetxattr(file, name, value, (size_t)size, 0) == 0;
    free(value);
    free(now);
    return kept;
}

static void keep_extended(diag *d, int file, const char *path) {
    ssize_t size = listxattr(path, NULL, 0);
    if (size <= 0) /* none, or a file system without */
        return;
    char *names = malloc((size_t)size);
    size = names ? listxattr(path, names, (size_t)size) : -1;
    if (size < 0)
        lost(d, path, "its extended attributes could not be kept");
    for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        if (strcmp(name, "security.capability") == 0)
            lost(d, path, "its capabilities are dropped, since its content is another one now");
        else if (!keep_one(file, path, name))
            diag_report(d, DIAG_ATTRIBUTES, "%s: its extended attribute %s could not be kept", path,
                        name);
    }
    free(names);
}

void os_keep_attributes(diag *d, int file, const char *path, const struct stat *replaced,
                        bool in_place) {
    keep_extended(d, file, path);
    if (replaced->st_mode & (S_ISUID | S_ISGID))
        lost(d, path, "its set-id bits are dropped, since its content is another one now");
    if (in_place && replaced->st_nlink > 1)
        diag_report(d, DIAG_ATTRIBUTES, "%s: it had %lu names; the others keep the old content", path,
                    (unsigned long)replaced->st_nlink);
}
