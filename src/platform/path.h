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

/* Does the character part folders' names? */
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

/* Does a path begin at the root, a server or (Windows) at a drive? */
static inline bool path_is_absolute(const char *path) {
    return path_is_separator(path[0]) || (PATH_OF_WINDOWS && path[0] && path[1] == ':');
}

#endif
