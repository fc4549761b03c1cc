#include "repository.h"

#include <stdlib.h>
#include <string.h>

#include "platform/system.h"

char *repository_root(void) {
    char *here = system_current_folder();
    if (!here)
        return NULL;
    size_t whole = strlen(here), size = whole;
    char *name = malloc(whole + sizeof "/.git");
    while (name && size > 0) {
        memcpy(name, here, size);
        strcpy(name + size, "/.git");
        if (system_exists(name)) {
            here[size] = 0;
            break;
        }
        while (size > 0 && here[--size] != '/' && here[size] != '\\')
            ;
    }
    free(name);
    return here;
}
