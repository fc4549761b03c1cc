/* path.h - names of files as the system takes them apart: on Windows with backslashes and drives, too, also where WASI
 * runs there. */
#ifndef ILINJECT_PLATFORM_PATH_H
#define ILINJECT_PLATFORM_PATH_H

#include <stdbool.h>
#include <stddef.h>

#if defined _WIN32
#define PATH_OF_WINDOWS true
#elif defined __wasi__
extern bool path_of_windows; /* known once system_start has asked the host */
#define PATH_OF_WINDOWS path_of_windows
#else
#define PATH_OF_WINDOWS false
#endif

/* True if the character separates folders' names. */
static inline bool path_is_separator(char c) {
    return c == '/' || (PATH_OF_WINDOWS && c == '\\');
}

/* The last character that parts the file's own name from what stands before it, on Windows also the colon of a drive
 * ("C:name"); NULL: there is none. */
static inline char *path_last_separator(const char *path) {
    const char *last = NULL;
    for (size_t i = 0; path[i]; i++) {
        if (path_is_separator(path[i]) || (PATH_OF_WINDOWS && i == 1 && path[i] == ':'))
            last = path + i;
    }
    return (char *)(size_t)last;
}

/* The file's own name. */
static inline const char *path_name(const char *path) {
    const char *last = path_last_separator(path);
    return last ? last + 1 : path;
}

/* True if the first part of a path ends at a drive's colon ("C:name"), so that it begins at that drive's current
 * folder. */
static inline bool path_ends_at_drive(const char *path, size_t size) {
    return PATH_OF_WINDOWS && size == 2 && path[1] == ':';
}

/* True if a name after this folder, `size` bytes, needs a slash before it. */
static inline bool path_takes_slash(const char *folder, size_t size) {
    return size > 0 && !path_is_separator(folder[size - 1]) && !path_ends_at_drive(folder, size);
}

/* The separator of the paths of a list, as in $PATH. */
#define PATH_LIST_SEPARATOR (PATH_OF_WINDOWS ? ";" : ":")

/* The order of two paths, or names, as they are written: on Windows whatever the case of letters and the kind of
 * slashes. 0: they are equal. */
int path_compare(const char *a, const char *b);

/* True if a path begins at the root, a server or (Windows) at a drive. */
static inline bool path_is_absolute(const char *path) {
    return path_is_separator(path[0]) || (PATH_OF_WINDOWS && path[0] && path[1] == ':');
}

#endif
