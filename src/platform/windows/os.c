#include "platform/windows/os_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/path.h"
#include "platform/windows/terminal.h"
#include "platform/windows/wide.h"

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* Read, not mapped: a mapped file cannot be replaced. */
ecma_status os_map_handle(os_map *map, diag *d, HANDLE file, const char *path, const char *what) {
    enum { MOST = 1 << 26 };
    LARGE_INTEGER size;
    unsigned attempt = 0;
    if (GetFileType(file) != FILE_TYPE_DISK)
        return os_refuse(d, DIAG_IO_OPEN, path, what,
                         GetFileType(file) == FILE_TYPE_PIPE ? "it is a pipe" : "it is a device");
    if (!GetFileSizeEx(file, &size))
        return os_fail(d, DIAG_IO_OPEN, path, what, os_last_error());
    if (size.QuadPart == 0) {
        map->content = (bytes){0};
        return ECMA_OK;
    }
    uint8_t *content = VirtualAlloc(NULL, (size_t)size.QuadPart, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!content)
        return diag_no_memory(d);
    for (size_t done = 0, all = (size_t)size.QuadPart; done < all;) {
        DWORD got = 0;
        bool read;
        do
            read = ReadFile(file, content + done, (DWORD)(all - done < MOST ? all - done : MOST), &got, NULL);
        while (!read && GetLastError() == ERROR_LOCK_VIOLATION && wide_pause(&attempt));
        if (!read || got == 0) {
            int error = read ? EIO : os_last_error();
            VirtualFree(content, 0, MEM_RELEASE);
            return os_fail(d, DIAG_IO_OPEN, path, what, error);
        }
        done += got;
    }
    map->content = bytes_of(content, (size_t)size.QuadPart);
    return ECMA_OK;
}

ecma_status os_map_file(os_map *map, diag *d, const char *path) {
    static const char what[] = "cannot be read";
    HANDLE file = wide_open(path, GENERIC_READ, OS_SHARED, OPEN_EXISTING, 0);
    if (file == INVALID_HANDLE_VALUE)
        return os_is_directory(path) ? os_refuse(d, DIAG_IO_OPEN, path, what, "it is a directory")
                                     : os_fail(d, DIAG_IO_OPEN, path, what, errno);
    ecma_status status = os_map_handle(map, d, file, path, what);
    CloseHandle(file);
    return status;
}

/* A file that is mapped cannot be shortened here. */
ecma_status os_read_file(os_map *map, diag *d, const char *path) {
    return os_map_file(map, d, path);
}

void os_unmap(os_map *map) {
    if (map->content.size > 0)
        VirtualFree((void *)(uintptr_t)map->content.data, 0, MEM_RELEASE);
    *map = OS_MAP_INIT;
}

void os_discard(const void *data, size_t size) {
    const uintptr_t page = 4096;
    uintptr_t start = ((uintptr_t)data + page - 1) & ~(page - 1), end = ((uintptr_t)data + size) & ~(page - 1);
    if (start < end)
        (void)VirtualAlloc((void *)start, end - start, MEM_RESET, PAGE_READWRITE);
}

/* Large pages want a right that users do not have. */
void os_use_much(void *data, size_t size) {
    (void)data;
    (void)size;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* A new file beside `path` that nobody else opens; the name is for the caller to free. */
HANDLE os_make_temporary(char **name, const char *path, bool is_private, DWORD flags) {
    const char *slash = path_last_separator(path);
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = folder + sizeof OS_UNFINISHED "0123456789abcdef";
    char *made = malloc(size);
    HANDLE file = INVALID_HANDLE_VALUE;
    int error = ENOMEM;
    if (made)
        memcpy(made, path, folder);
    for (int attempt = 0; made && file == INVALID_HANDLE_VALUE && attempt < 100; attempt++) {
        uint64_t number;
        if (!wide_random(&number, sizeof number)) {
            error = EIO;
            break;
        }
        snprintf(made + folder, size - folder, OS_UNFINISHED "%016llx", (unsigned long long)number);
        wchar_t *wide = wide_path(made);
        if (!wide)
            break;
        file = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, is_private ? wide_private() : NULL,
                           CREATE_NEW, FILE_ATTRIBUTE_NORMAL | flags, NULL);
        error = file == INVALID_HANDLE_VALUE ? os_last_error() : 0;
        free(wide);
        if (error && error != EEXIST)
            break;
    }
    if (file == INVALID_HANDLE_VALUE) {
        free(made);
        errno = error;
    } else {
        *name = made;
    }
    return file;
}

struct os_output {
    diag *d;
    const char *path;
    char *target; /* with links resolved */
    char *name;   /* of the temporary file */
    HANDLE file;
    bool replaces, is_private, holds;
    bool syncs; /* the disk has it before it has its name */
};

static const char write_what[] = "cannot be written";

ecma_status os_output_open(os_output **output, diag *d, const char *path, const char *like, os_links links) {
    os_output *o = calloc(1, sizeof *o);
    ecma_status status = ECMA_OK;
    (void)like; /* a new file has the rights of its folder */
    if (!o)
        return diag_no_memory(d);
    o->d = d;
    o->path = path;
    o->file = INVALID_HANDLE_VALUE;
    o->is_private = links == OS_PRIVATE;
    os_kind kind = os_kind_of(path);
    if (links == OS_FOLLOW && kind == OS_LINK && os_exists(path))
        o->target = wide_real_path(path);
    else
        o->target = strdup(path);
    int error = o->target ? 0 : errno;
    if (!error && kind == OS_LINK && links == OS_FOLLOW)
        kind = os_kind_of(o->target);
    o->replaces = !error && kind == OS_FILE;
    o->syncs = o->replaces || links == OS_NEEDED;
    if (kind == OS_FOLDER) {
        status = os_refuse(d, DIAG_IO_WRITE, path, write_what, "it is a directory");
    } else if (kind == OS_OTHER) {
        status = os_refuse(d, DIAG_IO_WRITE, path, write_what, "it is a device");
    } else if (!error) {
        terminal_hold();
        o->holds = true;
        o->file = os_make_temporary(&o->name, o->target, o->is_private, 0);
        error = o->file == INVALID_HANDLE_VALUE ? errno : 0;
    }
    if (error)
        status = os_fail(d, DIAG_IO_WRITE, path, write_what, error);
    if (status)
        os_output_close(o, false);
    else
        *output = o;
    return status;
}

int os_write_bytes(HANDLE file, bytes b) {
    enum { MOST = 1 << 24 };
    while (b.size > 0) {
        DWORD written = 0;
        if (!WriteFile(file, b.data, (DWORD)(b.size < MOST ? b.size : MOST), &written, NULL))
            return os_last_error();
        if (written == 0)
            return EIO;
        b = bytes_of(b.data + written, b.size - written);
    }
    return 0;
}

ecma_status os_output_append(os_output *o, const bytes *pieces, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (terminal_is_ending()) /* the process is about to end, and has nothing to tell */
            return ECMA_IO;
        int error = os_write_bytes(o->file, pieces[i]);
        if (error)
            return os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error);
    }
    return ECMA_OK;
}

ecma_status os_output_patch(os_output *o, size_t offset, bytes b) {
    LARGE_INTEGER end = {0}, at = {.QuadPart = (LONGLONG)offset}, none = {0};
    if (!SetFilePointerEx(o->file, none, &end, FILE_CURRENT) || !SetFilePointerEx(o->file, at, NULL, FILE_BEGIN))
        return os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, os_last_error());
    int error = os_write_bytes(o->file, b);
    if (!error && !SetFilePointerEx(o->file, end, NULL, FILE_BEGIN))
        error = os_last_error();
    return error ? os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error) : ECMA_OK;
}

/* Returns 0 or an errno. */
static int replace(const char *from, const char *to, bool keeps) {
    wchar_t *source = wide_path(from), *target = wide_path(to);
    int error = source && target ? wide_replace(source, target, keeps) : ENOMEM;
    free(source);
    free(target);
    return error;
}

int os_delete(const char *path, bool waits) {
    wchar_t *wide = wide_path(path);
    int error = wide ? wide_remove(wide, waits) : ENOMEM;
    free(wide);
    return error;
}

ecma_status os_output_close(os_output *o, bool keep) {
    ecma_status status = ECMA_OK;
    int error = 0;
    if (o->file != INVALID_HANDLE_VALUE) {
        if (keep && o->syncs && !FlushFileBuffers(o->file))
            error = os_last_error();
        CloseHandle(o->file);
        if (keep && !error)
            error = replace(o->name, o->target, o->replaces && !o->is_private);
        if (error || !keep)
            (void)os_delete(o->name, true);
    }
    if (o->holds)
        terminal_release();
    if (keep && error)
        status = os_fail(o->d, DIAG_IO_WRITE, o->path, write_what, error);
    free(o->name);
    free(o->target);
    free(o);
    return status;
}

ecma_status os_place_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like,
                          os_links links) {
    os_output *o;
    ecma_status status = os_output_open(&o, d, path, like, links);
    if (status)
        return status;
    status = os_output_append(o, pieces, count);
    ecma_status closed = os_output_close(o, status == ECMA_OK);
    return status ? status : closed;
}

ecma_status os_undisturbed(ecma_status (*work)(void *user), void *user) {
    terminal_hold();
    ecma_status status = work(user);
    terminal_release();
    return status;
}

enum { MOST_PATH = 32768 };

/* The name that `path` is prepared under, in the same folder, for the caller to free; NULL: memory ran out. */
static char *prepared_name(const char *path) {
    const char *name = path_name(path);
    char *made = NULL;
    return asprintf(&made, "%.*s" OS_UNFINISHED "%s", (int)(name - path), path, name) < 0 ? NULL : made;
}

ecma_status os_prepare_file(diag *d, const char *path, const bytes *pieces, size_t count, const char *like) {
    char *name = prepared_name(path);
    os_links links = os_exists(path) ? OS_NEEDED : OS_REPLACE;
    ecma_status status = name ? os_place_file(d, name, pieces, count, like, links) : diag_no_memory(d);
    free(name);
    return status;
}

ecma_status os_map_prepared(os_map *map, bool *found, diag *d, const char *path) {
    char *name = prepared_name(path);
    os_kind kind = OS_NOTHING;
    ecma_status status = name ? os_try_kind(&kind, d, name) : diag_no_memory(d);
    *found = kind == OS_FILE;
    if (status == ECMA_OK && *found)
        status = os_map_file(map, d, name);
    free(name);
    return status;
}

ecma_status os_settle_file(diag *d, const char *path, bool keep) {
    char *name = prepared_name(path);
    if (!name)
        return diag_no_memory(d);
    int error = 0;
    os_kind kind;
    ecma_status status = os_try_kind(&kind, d, name);
    if (status == ECMA_OK && kind == OS_FILE) {
        error = !keep ? os_delete(name, true) : replace(name, path, os_kind_of(path) == OS_FILE);
        if (error)
            (void)os_delete(name, true);
    }
    free(name);
    return error ? os_fail(d, DIAG_IO_WRITE, path, write_what, error) : status;
}

ecma_status os_copy_file(diag *d, const char *from, const char *to) {
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, d, from);
    if (status == ECMA_OK)
        status = os_write_file(d, to, &map.content, 1, from);
    os_unmap(&map);
    return status;
}

/* ---- Libraries ------------------------------------------------------------------------------------------------- */

bool os_load_library(const char *library, const char *const *names, void **addresses) {
    wchar_t *wide = wide_text(library);
    HMODULE handle = wide ? LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) : NULL;
    bool found = handle != NULL;
    free(wide);
    for (size_t i = 0; found && names[i]; i++)
        found = (addresses[i] = (void *)GetProcAddress(handle, names[i])) != NULL;
    return found;
}
