#include "depfile.h"
#include "platform/path.h"

#include "platform/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct path_list {
    char **paths;
    size_t count;
    bool lost; /* memory ran out */
} path_list;

static void add(void *user, const char *path) {
    path_list *list = user;
    char **more = realloc(list->paths, (list->count + 1) * sizeof *more);
    char *copy = strdup(path);
    if (more)
        list->paths = more;
    if (more && copy)
        list->paths[list->count++] = copy;
    else
        free(copy);
    list->lost |= !more || !copy;
}

static void add_joined(path_list *list, const char *folder, const char *name) {
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) {
        list->lost = true;
        return;
    }
    snprintf(path, size, "%s%s%s", folder, path_takes_slash(folder, length) ? "/" : "", name);
    add(list, path);
    free(path);
}

static int by_path(const void *a, const void *b) {
    return path_compare(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once. */
static void settle(path_list *list) {
    size_t kept = 0;
    if (list->count)
        qsort(list->paths, list->count, sizeof *list->paths, by_path);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && path_compare(list->paths[kept - 1], list->paths[i]) == 0)
            free(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    }
    list->count = kept;
}

static void clear(path_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
}

/* Folders too: they change when files come. */
static void add_folder(path_list *list, const ilj_folder *folder) {
    add(list, folder->path);
    for (size_t i = 0; i < folder->entry_count; i++)
        if (folder->entries[i].kind != ILJ_ENTRY_LINK)
            add_joined(list, folder->path, folder->entries[i].name);
}

static void put(FILE *file, const char *path) {
    size_t slashes = 0;
    for (; *path; path++) {
        if (*path == ' ' || *path == '\t') /* what is before it must not escape the escape */
            for (; slashes > 0; slashes--)
                putc('\\', file);
        slashes = *path == '\\' ? slashes + 1 : 0;
        if (*path == ' ' || *path == '\t' || *path == '#')
            putc('\\', file);
        if (*path == '$')
            putc('$', file);
        putc(*path, file);
    }
}

static void put_all(FILE *file, const path_list *targets, const path_list *sources, arguments operands) {
    for (size_t i = 0; i < targets->count; i++) {
        fputs(i > 0 ? " " : "", file);
        put(file, targets->paths[i]);
    }
    fputs(":", file);
    for (size_t i = 0; i < sources->count; i++) {
        fputs(" \\\n  ", file);
        put(file, sources->paths[i]);
    }
    fputs("\n", file);
    for (size_t i = 0; i < sources->count; i++) {
        bool given = strchr(sources->paths[i], '%') != NULL; /* would be a pattern for make */
        for (size_t k = 0; k < operands.count && !given; k++)
            given = path_compare(sources->paths[i], operands.items[k]) == 0;
        if (given)
            continue;
        fputs("\n", file);
        put(file, sources->paths[i]);
        fputs(":\n", file);
    }
}

static bool has_newline(const path_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (strpbrk(list->paths[i], "\r\n"))
            return true;
    return false;
}

int depfile_write(console *c, ilj_context *context, const inputs *in, arguments operands,
                  const depfile_options *options) {
    path_list targets = {0}, sources = {0};
    int value = EXIT_FAILED;
    for (size_t i = 0; i < in->work; i++) {
        const file_result *file = &in->files[i];
        if (file->in_folder)
            continue;
        add(&targets, file->output);
        if (ilj_files_read(context, file->input, add, &sources) != ILJ_OK)
            sources.lost = true;
    }
    for (size_t i = 0; i < in->folder_count; i++) {
        add(&targets, in->folders[i].output);
        if (in->read[i])
            add_folder(&sources, in->read[i]);
        else
            add(&sources, in->folders[i].input);
    }
    for (size_t i = 0; i < options->other_count; i++)
        if (options->others[i])
            add(&sources, options->others[i]);
    for (size_t i = 0; options->profiles && i < options->profiles->count; i++)
        add(&sources, options->profiles->items[i].value);
    if (options->target) {
        clear(&targets);
        targets = (path_list){0};
        add(&targets, options->target);
    }
    settle(&sources);
    result_file result;
    if (sources.lost || targets.lost) {
        console_error(c, "out of memory");
    } else if (has_newline(&sources) || has_newline(&targets)) {
        console_error(c, "%s is not written: a file name with a line end cannot stand in it", options->path);
    } else {
        int error = result_file_open(&result, options->path, RESULT_FOLLOW);
        if (!error) {
            put_all(result.file, &targets, &sources, operands);
            error = result_file_close(&result, true);
        }
        if (error)
            console_error(c, "%s cannot be written: %s", options->path, strerror(error));
        else
            value = EXIT_DONE;
    }
    clear(&targets);
    clear(&sources);
    return value;
}
