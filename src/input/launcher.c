#define _GNU_SOURCE
#include "input/launcher.h"

#include "platform/os.h"
#include "platform/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char managed_ending[] = ".dll";

static bool is_other_file(const char *path, const char *input) {
    return os_exists(path) && !os_is_directory(path) && !os_same_file(path, input);
}

static bool try_beside(const char *input, char **name) {
    static const char launcher[] = ".exe";
    size_t length = strlen(input);
    if (length > 4 && strcasecmp(input + length - 4, launcher) == 0)
        length -= 4;
    char *path = malloc(length + sizeof managed_ending);
    if (!path)
        return false;
    memcpy(path, input, length);
    memcpy(path + length, managed_ending, sizeof managed_ending);
    if (is_other_file(path, input)) {
        *name = path;
        return true;
    }
    free(path);
    return false;
}

/* .NET writes the assembly's path into the launcher of an installed tool: from the launcher's folder, ended by NUL.
 * Names without a folder are libraries'. */
static bool try_written(const char *input, bytes content, char **name) {
    int folder = (int)(path_name(input) - input);
    const uint8_t *at = content.data, *end = content.data + content.size, *found;
    while ((found = memmem(at, (size_t)(end - at), managed_ending, sizeof managed_ending)) != NULL) {
        const uint8_t *first = found;
        while (first > at && first[-1] >= ' ')
            first--;
        char *path;
        const char *text = (const char *)first;
        if (path_last_separator(text) &&
            asprintf(&path, "%.*s%s", path_is_absolute(text) ? 0 : folder, input, text) >= 0) {
            if (is_other_file(path, input)) {
                *name = path;
                return true;
            }
            free(path);
        }
        at = found + sizeof managed_ending;
    }
    return false;
}

bool launcher_try_managed_name(const char *input, char **name) {
    enum { MOST_BYTES = 1 << 20 }; /* launchers have 70 to 200 KB */
    diag silent = {0};
    char *real = NULL;
    if (try_beside(input, name))
        return true;
    if (!os_exists(input) || os_is_directory(input) || os_full_path(&silent, input, &real) != ECMA_OK)
        return false;
    os_map map = OS_MAP_INIT;
    bool found = try_beside(real, name) || (os_map_file(&map, &silent, real) == ECMA_OK &&
                                            map.content.size <= MOST_BYTES && try_written(real, map.content, name));
    os_unmap(&map);
    free(real);
    return found;
}
