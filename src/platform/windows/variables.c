#include <stdlib.h>
#include <string.h>

#include "platform/system.h"
#include "platform/windows/wide.h"

bool system_set_variable(const char *name, const char *value) {
    wchar_t *wide_name = wide_text(name), *wide_value = wide_text(value);
    bool set = wide_name && wide_value && SetEnvironmentVariableW(wide_name, wide_value);
    free(wide_name);
    free(wide_value);
    return set;
}

const char *system_variable(const char *name) {
    /* Each is asked for a few times at most, and lives as long as the program. */
    static struct known {
        struct known *next;
        char *name, *value;
    } * all;
    wchar_t *wide_name = wide_text(name);
    DWORD size = wide_name ? GetEnvironmentVariableW(wide_name, NULL, 0) : 0;
    wchar_t *wide = size ? malloc(size * sizeof *wide) : NULL;
    char *value = NULL;
    if (wide) {
        wide[0] = 0;
        GetEnvironmentVariableW(wide_name, wide, size);
        value = wide_utf8(wide);
    }
    free(wide);
    free(wide_name);
    for (struct known *k = all; k && value; k = k->next)
        if (strcmp(k->name, name) == 0 && strcmp(k->value, value) == 0) {
            free(value);
            return k->value;
        }
    struct known *k = value ? malloc(sizeof *k) : NULL;
    if (k)
        *k = (struct known){all, strdup(name), value};
    if (!k || !k->name) {
        free(value);
        free(k);
        return NULL;
    }
    all = k;
    return value;
}
