#include "input/launcher.h"

#include "platform/os.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool launcher_try_managed_name(const char *input, char **name) {
    static const char launcher[] = ".exe", managed[] = ".dll";
    size_t length = strlen(input);
    if (length > 4 && strcasecmp(input + length - 4, launcher) == 0)
        length -= 4;
    char *path = malloc(length + sizeof managed);
    if (!path)
        return false;
    memcpy(path, input, length);
    memcpy(path + length, managed, sizeof managed);
    if (os_exists(path) && !os_is_directory(path) && !os_same_file(path, input)) {
        *name = path;
        return true;
    }
    free(path);
    return false;
}
