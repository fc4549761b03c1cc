#include "platform/wasi/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/path.h"
#include "platform/system.h"

bool path_of_windows;

bool system_start(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *folder = getenv("PWD");
    path_of_windows = getenv("ILINJECT_WINDOWS") != NULL;
    /* Where that does not work, paths begin at what the host has opened as ".". */
    if (folder)
        (void)chdir(folder);
    return true;
}

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

static bool has_drive(const char *path) {
    return ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':';
}

const char *host_path(char buffer[PATH_MAX], const char *path) {
    char current[PATH_MAX] = "";
    const char *before = "";
    if (!path_of_windows || (path[0] == '/' && has_drive(path + 1)))
        return path;
    if (strncmp(path, "\\\\?\\UNC\\", 8) == 0) {
        before = "//";
        path += 8;
    } else if (strncmp(path, "\\\\?\\", 4) == 0) {
        path += 4;
    }
    if (has_drive(path)) {
        before = path[2] && !path_is_separator(path[2]) ? "/?:/" : "/?:";
    } else if (!*before && path_is_separator(path[0]) && !path_is_separator(path[1]) &&
               getcwd(current, sizeof current) && has_drive(current + 1)) {
        current[3] = 0; /* at the root of the drive */
        before = current;
    }
    int size = snprintf(buffer, PATH_MAX, "%s%s", before, has_drive(path) ? path + 2 : path);
    if (size < 0 || size >= PATH_MAX)
        return "";
    if (has_drive(path))
        buffer[1] = (char)(path[0] & ~0x20); /* drives are open by their large letters */
    for (char *at = buffer; *at; at++)
        if (*at == '\\')
            *at = '/';
    return buffer;
}

char *host_shown_path(char *path) {
    if (path && path_of_windows && path[0] == '/' && has_drive(path + 1))
        memmove(path, path + 1, strlen(path));
    return path;
}

/* Resolved so far: `done`, absolute and without an end slash; after it `rest`. Returns 0 or an errno. */
static int resolve(char done[PATH_MAX], char rest[PATH_MAX]) {
    enum { MOST_LINKS = 40 };
    char target[PATH_MAX], joined[PATH_MAX], host[PATH_MAX];
    struct stat info;
    int links = 0;
    size_t size = strlen(done);
    while (*rest) {
        size_t length = strcspn(rest, "/");
        const char *next = rest + length + (rest[length] == '/');
        if (length == 0 || (length == 1 && rest[0] == '.')) {
            memmove(rest, next, strlen(next) + 1);
            continue;
        }
        if (length == 2 && rest[0] == '.' && rest[1] == '.') {
            while (size > 0 && done[--size] != '/')
                ;
            done[size] = 0;
            memmove(rest, next, strlen(next) + 1);
            continue;
        }
        if (size + 1 + length >= PATH_MAX)
            return ENAMETOOLONG;
        done[size] = '/';
        memcpy(done + size + 1, rest, length);
        done[size + 1 + length] = 0;
        memmove(rest, next, strlen(next) + 1);
        if (path_of_windows && size == 0 && has_drive(done + 1)) {
            size = strlen(done);
            continue;
        }
        if (lstat(done, &info) != 0)
            return errno;
        ssize_t got = S_ISLNK(info.st_mode) ? readlink(done, target, sizeof target - 1) : -1;
        if (got < 0) { /* not a link, or one that the host does not show */
            size = strlen(done);
            continue;
        }
        if (++links > MOST_LINKS)
            return ELOOP;
        target[got] = 0;
        const char *to = host_path(host, target);
        int needed = snprintf(joined, sizeof joined, "%s/%s", to, rest);
        if (needed < 0 || needed >= PATH_MAX)
            return ENAMETOOLONG;
        if (*to == '/')
            size = 0;
        done[size] = 0;
        memcpy(rest, joined, (size_t)needed + 1);
    }
    return 0;
}

char *host_real_path(const char *path) {
    char buffer[PATH_MAX], done[PATH_MAX] = "", rest[PATH_MAX], current[PATH_MAX];
    const char *given = host_path(buffer, path);
    if (!*given) {
        errno = ENOENT;
        return NULL;
    }
    if (*given != '/' && !getcwd(current, sizeof current))
        return NULL;
    int needed =
        *given == '/' ? snprintf(rest, sizeof rest, "%s", given) : snprintf(rest, sizeof rest, "%s/%s", current, given);
    if (needed >= 0 && needed < PATH_MAX && path_of_windows && rest[0] == '/' && rest[1] == '/') {
        /* A server and its folder are never links. */
        size_t server = 2 + strcspn(rest + 2, "/"), size = server + (rest[server] == '/');
        size += strcspn(rest + size, "/");
        memcpy(done, rest, size);
        done[size] = 0;
        memmove(rest, rest + size, strlen(rest + size) + 1);
    }
    int error = needed < 0 || needed >= PATH_MAX ? ENAMETOOLONG : resolve(done, rest);
    if (error) {
        errno = error;
        return NULL;
    }
    return strdup(*done ? done : "/");
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

static void ask(const char *how, const char *path, const char *like) {
    const char *list = getenv("ILINJECT_PERMISSIONS");
    static FILE *open;
    if (!list)
        return;
    if (!open)
        open = fopen(list, "wx");
    if (open) {
        fputs(how, open);
        (void)!fwrite(like, 1, strlen(like) + 1, open);
        (void)!fwrite(path, 1, strlen(path) + 1, open);
    }
}

void host_permissions(const char *path, const char *like) {
    ask("", path, like);
}

void host_narrow(const char *path, const char *like) {
    ask("&", path, like);
}

int host_temporary(char **name, const char *path) {
    char buffer[PATH_MAX];
    const char *beside = host_path(buffer, path), *slash = strrchr(beside, '/');
    int folder = slash ? (int)(slash - beside) + 1 : 0, file = -1;
    char *made = NULL;
    for (int attempt = 0; file < 0 && attempt < 100; attempt++) {
        uint64_t number;
        free(made);
        made = NULL;
        if (getentropy(&number, sizeof number) != 0 ||
            asprintf(&made, "%.*s.ilinject-%016llx", folder, beside, (unsigned long long)number) < 0)
            return -1;
        file = open(made, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
        if (file < 0 && errno != EEXIST && errno != EINTR)
            break;
    }
    if (file < 0)
        free(made);
    else
        *name = made;
    return file;
}
