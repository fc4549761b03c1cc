#define _GNU_SOURCE
#include "platform/os_names.h"

#include <stdlib.h>
#include <string.h>

#include "platform/os.h"

bool os_name_ends(const char *name, const char *ending) {
    size_t length = strlen(name), wanted = strlen(ending);
    return length >= wanted && strcmp(name + length - wanted, ending) == 0;
}

bool os_is_temporary(const char *name) {
    enum { PREFIX = sizeof OS_UNFINISHED - 1 };
    return strncmp(name, OS_UNFINISHED, PREFIX) == 0 && strspn(name + PREFIX, "0123456789abcdef") == 16 &&
           name[PREFIX + 16] == 0;
}

bool os_is_unfinished(const char *name) {
    return os_is_temporary(name) || (strncmp(name, OS_UNFINISHED, sizeof OS_UNFINISHED - 1) == 0 &&
                                     (os_name_ends(name, ".pdb") || os_name_ends(name, ".mdb")));
}

int os_names_add(os_names *names, const char *name) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 16;
        char **more = realloc(names->items, capacity * sizeof *more);
        if (!more)
            return ENOMEM;
        names->items = more;
        names->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy)
        return ENOMEM;
    names->items[names->count++] = copy;
    return 0;
}

void os_names_clear(os_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (os_names){0};
}
