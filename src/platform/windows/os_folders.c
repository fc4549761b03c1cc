#include "platform/windows/os_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <winioctl.h>

#include "platform/os_folder.h"
#include "platform/path.h"
#include "platform/windows/wide.h"

/* ---- Links, folders -------------------------------------------------------------------------------------------- */

ecma_status os_link(diag *d, const char *target, const char *path) {
    enum { UNPRIVILEGED = 2 /* SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE */ };
    char *from = NULL;
    const char *name = path_name(path);
    if (asprintf(&from, "%.*s%s", path_is_absolute(target) ? 0 : (int)(name - path), path, target) < 0)
        return diag_no_memory(d);
    DWORD folder = os_is_directory(from) ? SYMBOLIC_LINK_FLAG_DIRECTORY : 0;
    wchar_t *to = wide_text(target), *wide = wide_path(path);
    int error = to && wide ? 0 : ENOMEM;
    for (wchar_t *at = to; at && *at; at++)
        if (*at == L'/')
            *at = L'\\';
    if (!error && !CreateSymbolicLinkW(wide, to, folder | UNPRIVILEGED) && !CreateSymbolicLinkW(wide, to, folder))
        error = os_last_error();
    free(from);
    free(to);
    free(wide);
    return error ? os_fail(d, DIAG_IO_WRITE, path, "cannot be linked", error) : ECMA_OK;
}

bool os_try_hard_link(const char *target, const char *path) {
    wchar_t *from = wide_path(target), *to = wide_path(path);
    const bool made = from && to && CreateHardLinkW(to, from, NULL);
    free(from);
    free(to);
    return made;
}

ecma_status os_drop_link(diag *d, const char *path) {
    os_kind kind;
    ecma_status status = os_try_kind(&kind, d, path);
    int error = status == ECMA_OK && kind == OS_LINK ? os_delete(path, true) : 0;
    return error ? os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", error) : status;
}

static bool have_equal_bytes(const char *a, const char *b) {
    diag silent = {0};
    os_map first = OS_MAP_INIT, second = OS_MAP_INIT;
    bool equal = os_map_file(&first, &silent, a) == ECMA_OK && os_map_file(&second, &silent, b) == ECMA_OK &&
                 bytes_equal(first.content, second.content);
    os_unmap(&first);
    os_unmap(&second);
    return equal;
}

ecma_status os_mirror_file(diag *d, const char *from, const char *to) {
    ecma_status status = os_drop_link(d, to);
    return status == ECMA_OK && !have_equal_bytes(from, to) ? os_copy_file(d, from, to) : status;
}

ecma_status os_make_folder(diag *d, const char *path) {
    wchar_t *wide = wide_path(path);
    int error = !wide ? ENOMEM : CreateDirectoryW(wide, NULL) ? 0 : os_last_error();
    free(wide);
    return error == 0 || (error == EEXIST && os_is_directory(path))
               ? ECMA_OK
               : os_fail(d, DIAG_IO_WRITE, path, "cannot be made", error);
}

ecma_status os_mirror_folder(diag *d, const char *like, const char *path) {
    (void)like;
    ecma_status status = os_drop_link(d, path);
    return status ? status : os_make_folder(d, path);
}

ecma_status os_mirror_link(diag *d, const char *target, const char *path) {
    int error = os_kind_of(path) == OS_NOTHING ? 0 : os_delete(path, true);
    return error ? os_fail(d, DIAG_IO_WRITE, path, "cannot be replaced", error) : os_link(d, target, path);
}

ecma_status os_remove(diag *d, const char *path) {
    int error = os_delete(path, true);
    return error == 0 || error == ENOENT ? ECMA_OK : os_fail(d, DIAG_IO_WRITE, path, "cannot be removed", error);
}

ecma_status os_full_path(diag *d, const char *path, char **full) {
    *full = wide_real_path(path);
    return *full ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be found", errno);
}

/* [MS-FSCC] 2.1.2.4: what a symbolic link or (2.1.2.5) a mount point holds. */
typedef struct reparse_data {
    DWORD tag;
    WORD size, reserved, substitute_offset, substitute_size, print_offset, print_size;
    WCHAR paths[8192];
} reparse_data;

ecma_status os_read_link(diag *d, const char *path, char **target) {
    static const char what[] = "cannot be read";
    HANDLE file =
        wide_open(path, 0, OS_SHARED, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    if (file == INVALID_HANDLE_VALUE)
        return os_fail(d, DIAG_IO_OPEN, path, what, errno);
    reparse_data *data = calloc(1, sizeof *data + sizeof(WCHAR));
    DWORD got = 0;
    bool read = data && DeviceIoControl(file, FSCTL_GET_REPARSE_POINT, NULL, 0, data, sizeof *data, &got, NULL);
    int error = !data ? ENOMEM : read ? 0 : os_last_error();
    CloseHandle(file);
    *target = NULL;
    if (!error) {
        /* A symbolic link has its flags before the names. */
        WCHAR *text = data->paths + (data->tag == IO_REPARSE_TAG_SYMLINK ? 2 : 0) + data->substitute_offset / 2;
        text[data->substitute_size / 2] = 0;
        *target = wide_shown_path(wcsncmp(text, L"\\??\\", 4) == 0 ? text + 4 : text);
        error = *target ? 0 : ENOMEM;
        for (char *at = *target; at && *at; at++)
            if (*at == '\\')
                *at = '/';
    }
    free(data);
    return error ? os_fail(d, DIAG_IO_OPEN, path, what, error) : ECMA_OK;
}

/* A file that is being written is open, and stays: nobody else may delete it. */
void os_drop_temporary(const char *path) {
    (void)os_delete(path, false);
}

int os_names_read(os_names *names, const char *folder) {
    WIN32_FIND_DATAW found;
    char *all = NULL;
    if (asprintf(&all, "%s%s*", *folder ? folder : ".", path_ends_at_drive(folder, strlen(folder)) ? "" : "/") < 0)
        return ENOMEM;
    wchar_t *wide = wide_path(all);
    free(all);
    HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    int error = !wide ? ENOMEM : search == INVALID_HANDLE_VALUE ? os_last_error() : 0;
    free(wide);
    if (error)
        return error;
    do {
        char *name = wide_utf8(found.cFileName);
        error = name ? os_names_add(names, name) : ENOMEM;
        free(name);
    } while (!error && FindNextFileW(search, &found));
    if (!error && GetLastError() != ERROR_NO_MORE_FILES)
        error = os_last_error();
    FindClose(search);
    return error;
}
