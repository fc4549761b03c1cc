#include "platform/windows/os_files.h"

#include <errno.h>
#include <stdlib.h>

int os_last_error(void) {
    return wide_errno(GetLastError());
}

/* The attributes of the file at the path itself, be it a link; FILE_ATTRIBUTE_REPARSE_POINT is kept for links alone.
 * False with errno. */
static bool attributes_of(const char *path, DWORD *attributes) {
    WIN32_FIND_DATAW found;
    wchar_t *wide = wide_path(path);
    if (!wide) {
        errno = ENOMEM;
        return false;
    }
    *attributes = GetFileAttributesW(wide);
    if (*attributes == INVALID_FILE_ATTRIBUTES) {
        errno = os_last_error();
        free(wide);
        return false;
    }
    if (*attributes & FILE_ATTRIBUTE_REPARSE_POINT) {
        HANDLE search = FindFirstFileW(wide, &found);
        if (search == INVALID_HANDLE_VALUE ||
            (found.dwReserved0 != IO_REPARSE_TAG_SYMLINK && found.dwReserved0 != IO_REPARSE_TAG_MOUNT_POINT))
            *attributes &= (DWORD)~FILE_ATTRIBUTE_REPARSE_POINT;
        if (search != INVALID_HANDLE_VALUE)
            FindClose(search);
    }
    free(wide);
    return true;
}

/* The facts of the file that the path leads to. False with errno. */
static bool facts_of(const char *path, BY_HANDLE_FILE_INFORMATION *facts) {
    HANDLE file = wide_open(path, 0, OS_SHARED, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool known = GetFileInformationByHandle(file, facts);
    if (!known)
        errno = os_last_error();
    CloseHandle(file);
    return known;
}

bool os_exists(const char *path) {
    BY_HANDLE_FILE_INFORMATION facts;
    return facts_of(path, &facts) || !os_means_absent(errno);
}

bool os_is_directory(const char *path) {
    BY_HANDLE_FILE_INFORMATION facts;
    return facts_of(path, &facts) && facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
}

bool os_same_file(const char *a, const char *b) {
    BY_HANDLE_FILE_INFORMATION first, second;
    return facts_of(a, &first) && facts_of(b, &second) && first.dwVolumeSerialNumber == second.dwVolumeSerialNumber &&
           first.nFileIndexHigh == second.nFileIndexHigh && first.nFileIndexLow == second.nFileIndexLow;
}

os_kind os_kind_of(const char *path) {
    diag silent = {0};
    os_kind kind;
    return os_try_kind(&kind, &silent, path) == ECMA_OK ? kind : OS_OTHER;
}

/* A name of a device ("NUL", "CON") is one in every folder. */
static bool is_device(const char *path) {
    HANDLE file = wide_open(path, 0, OS_SHARED, OPEN_EXISTING, 0);
    DWORD type = file == INVALID_HANDLE_VALUE ? FILE_TYPE_DISK : GetFileType(file);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE;
}

ecma_status os_try_kind(os_kind *kind, diag *d, const char *path) {
    DWORD attributes;
    *kind = OS_NOTHING;
    if (!attributes_of(path, &attributes))
        return os_means_absent(errno) ? ECMA_OK : os_fail(d, DIAG_IO_OPEN, path, "cannot be read", errno);
    *kind = attributes & FILE_ATTRIBUTE_REPARSE_POINT               ? OS_LINK
            : attributes & FILE_ATTRIBUTE_DIRECTORY                 ? OS_FOLDER
            : attributes & FILE_ATTRIBUTE_DEVICE || is_device(path) ? OS_OTHER
                                                                    : OS_FILE;
    return ECMA_OK;
}
