#include "lists.h"

#include "platform/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_name(name_list *list, char *name) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        char **grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = name;
    return true;
}

/* All of a stream, with a zero byte after it. Returns 0 or an errno. */
static int read_all(char **content, size_t *size, FILE *file) {
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    while (data) {
        used += fread(data + used, 1, capacity - used - 1, file);
        if (used + 1 < capacity)
            break;
        capacity *= 2;
        char *grown = realloc(data, capacity);
        if (!grown)
            free(data);
        data = grown;
    }
    if (!data)
        return ENOMEM;
    if (ferror(file)) {
        int error = errno ? errno : EIO;
        free(data);
        return error;
    }
    data[used] = '\0';
    *content = data;
    *size = used;
    return 0;
}

/* Takes over what malloc gave. */
static bool own(name_list *list, char *content) {
    char **grown = realloc(list->contents, (list->content_count + 1) * sizeof *grown);
    if (!grown) {
        free(content);
        return false;
    }
    list->contents = grown;
    list->contents[list->content_count++] = content;
    return true;
}

static int read_list(name_list *list, const char *path) {
    char *content = NULL;
    size_t size = 0;
    FILE *file = strcmp(path, "-") == 0 ? stdin : system_open_file(path);
    if (!file)
        return errno;
    int error = read_all(&content, &size, file);
    if (file != stdin)
        fclose(file);
    if (error)
        return error;
    if (!own(list, content))
        return ENOMEM;
    char separator = memchr(content, '\0', size) ? '\0' : '\n';
    for (char *name = content, *end = content + size; name < end;) {
        char *stop = memchr(name, separator, (size_t)(end - name));
        if (!stop)
            stop = end;
        *stop = '\0';
        if (separator == '\n' && stop > name && stop[-1] == '\r')
            stop[-1] = '\0';
        if (*name != '\0' && !add_name(list, name))
            return ENOMEM;
        name = stop + 1;
    }
    return 0;
}

int name_list_make(name_list *list, const char **failed, const arguments *operands) {
    for (size_t i = 0; i < operands->count; i++) {
        char *operand = operands->items[i];
        int error = operand[0] == '@' && operand[1] != '\0' ? read_list(list, operand + 1)
                    : add_name(list, operand)               ? 0
                                                            : ENOMEM;
        if (error) {
            *failed = operand;
            return error;
        }
    }
    return 0;
}

static int add_files(name_list *list, const char *folder, const char *suffix) {
    size_t count;
    char **paths;
    int error = system_files(&paths, &count, folder, suffix);
    if (!error && count == 0)
        error = ENOENT;
    for (size_t i = 0; i < count; i++)
        if (!own(list, paths[i]) || !add_name(list, paths[i]))
            error = ENOMEM;
    free(paths);
    return error;
}

int name_list_of_files(name_list *list, const char **failed, const arguments *operands, const char *suffix) {
    for (size_t i = 0; i < operands->count; i++) {
        char *operand = operands->items[i];
        int error = system_is_directory(operand) ? add_files(list, operand, suffix)
                    : add_name(list, operand)    ? 0
                                                 : ENOMEM;
        if (error) {
            *failed = operand;
            return error;
        }
    }
    return 0;
}

void name_list_free(name_list *list) {
    for (size_t i = 0; i < list->content_count; i++)
        free(list->contents[i]);
    free(list->contents);
    free(list->items);
    *list = (name_list){0};
}
