#include <aclapi.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include "platform/os_folder.h"
#include "platform/path.h"
#include "platform/system.h"
#include "platform/windows/os_files.h"
#include "platform/windows/wide.h"

FILE *system_open_file(const char *path) {
    HANDLE file =
        wide_open(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING, 0);
    int number = file == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)file, _O_RDONLY | _O_BINARY);
    FILE *stream = number < 0 ? NULL : _fdopen(number, "rb");
    if (number >= 0 && !stream)
        _close(number);
    return stream;
}

uint64_t system_file_bytes(const char *path) {
    WIN32_FILE_ATTRIBUTE_DATA data;
    wchar_t *wide = wide_path(path);
    bool known = wide && GetFileAttributesExW(wide, GetFileExInfoStandard, &data) &&
                 !(data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
    free(wide);
    return known ? (uint64_t)data.nFileSizeHigh << 32 | data.nFileSizeLow : 0;
}

void system_drop_link(const char *path) {
    diag silent = {0};
    (void)os_drop_link(&silent, path);
}

bool system_exists(const char *path) {
    return os_exists(path);
}

bool system_is_same_file(const char *a, const char *b) {
    return os_same_file(a, b);
}

bool system_is_directory(const char *path) {
    return os_is_directory(path);
}

int system_look(const char *path, system_kind *kind) {
    *kind = os_is_directory(path) ? SYSTEM_FOLDER : os_exists(path) ? SYSTEM_OTHER : SYSTEM_NOTHING;
    return 0;
}

/* The real path of the part of `path` that exists, for the caller to free. */
static char *real_part(const char *path) {
    char *part = strdup(path), *real = NULL;
    while (part && !(real = wide_real_path(*part ? part : ".")) && errno == ENOENT && *part) {
        size_t length = strlen(part);
        while (length > 0 && path_is_separator(part[length - 1]))
            length--;
        while (length > 0 && !path_is_separator(part[length - 1]))
            length--;
        part[length] = 0;
    }
    free(part);
    return real;
}

bool system_is_within(const char *path, const char *folder) {
    char *inner = real_part(path), *outer = wide_real_path(folder);
    size_t length = outer ? strlen(outer) : 0;
    bool within = inner && outer && _strnicmp(inner, outer, length) == 0 &&
                  (path_is_separator(inner[length]) || inner[length] == 0 || path_is_separator(outer[length - 1]));
    free(outer);
    free(inner);
    return within;
}

/* Returns 0 or an errno. */
static int make_directory(const char *path) {
    wchar_t *wide = wide_path(path);
    int error = !wide ? ENOMEM : CreateDirectoryW(wide, NULL) ? 0 : wide_errno(GetLastError());
    free(wide);
    return error && os_is_directory(path) ? 0 : error;
}

int system_make_directories(const char *path) {
    int error = make_directory(path);
    if (error != ENOENT)
        return error;
    /* The one above is missing; a drive or a server's share is there or not. */
    size_t length = strlen(path);
    while (length > 0 && path_is_separator(path[length - 1]))
        length--;
    while (length > 0 && !path_is_separator(path[length - 1]))
        length--;
    while (length > 1 && path_is_separator(path[length - 1]))
        length--;
    char *above = length > 1 ? strndup(path, length) : NULL;
    if (above && !path_ends_at_drive(above, length) && system_make_directories(above) == 0)
        error = make_directory(path);
    free(above);
    return error;
}

/* True if this user is the owner. */
static bool is_mine(const wchar_t *wide) {
    PSID owner = NULL;
    PSECURITY_DESCRIPTOR all = NULL;
    HANDLE token = NULL;
    union {
        TOKEN_USER user;
        BYTE room[256];
    } me;
    DWORD size;
    bool mine =
        GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL, &all) == 0 &&
        OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) &&
        GetTokenInformation(token, TokenUser, &me, sizeof me, &size) && EqualSid(owner, me.user.User.Sid);
    if (token)
        CloseHandle(token);
    LocalFree(all);
    return mine;
}

int os_when_changed(int64_t *when, bool *is_one, const char *path, bool mine) {
    WIN32_FILE_ATTRIBUTE_DATA data;
    wchar_t *wide = wide_path(path);
    *is_one = false;
    if (!wide)
        return ENOMEM;
    int error = GetFileAttributesExW(wide, GetFileExInfoStandard, &data) ? 0 : os_last_error();
    if (!error) {
        *is_one = !(data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) && (!mine || is_mine(wide));
        *when = (int64_t)data.ftLastWriteTime.dwHighDateTime << 32 | data.ftLastWriteTime.dwLowDateTime;
    }
    free(wide);
    return os_means_absent(error) ? 0 : error;
}

char *system_current_folder(void) {
    DWORD size = GetCurrentDirectoryW(0, NULL);
    wchar_t *wide = size ? malloc(size * sizeof *wide) : NULL;
    char *folder = wide && GetCurrentDirectoryW(size, wide) ? wide_utf8(wide) : NULL;
    free(wide);
    return folder;
}

const char *system_temporary_place(void) {
    static char *place;
    const char *asked = system_variable("TMPDIR");
    if (asked && *asked)
        return asked;
    wchar_t wide[MAX_PATH + 2];
    DWORD size = place ? 0 : GetTempPathW(MAX_PATH + 1, wide);
    if (size > 0 && size <= MAX_PATH + 1) {
        while (size > 3 && wide[size - 1] == L'\\')
            wide[--size] = 0;
        place = wide_utf8(wide);
    }
    return place ? place : ".";
}

char *system_temporary_folder(const char *name) {
    for (int attempt = 0; attempt < 100; attempt++) {
        uint64_t number;
        char *path;
        if (!wide_random(&number, sizeof number) ||
            asprintf(&path, "%s/%s.%012llx", system_temporary_place(), name, (unsigned long long)number >> 16) < 0) {
            errno = ENOMEM;
            return NULL;
        }
        wchar_t *wide = wide_path(path);
        int error = !wide ? ENOMEM : CreateDirectoryW(wide, wide_private()) ? 0 : wide_errno(GetLastError());
        free(wide);
        if (!error)
            return path;
        free(path);
        errno = error;
        if (error != EEXIST)
            return NULL;
    }
    return NULL;
}

typedef struct removal {
    const char *folder;
    bool *waits; /* until one file was waited for in vain: a program that goes on has perhaps all of them open */
} removal;

static void remove_folder(const char *path, bool *waits);

static ecma_status remove_entry(void *user, const char *name) {
    const removal *r = user;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", r->folder, name) < 0)
        return ECMA_OK;
    if (os_kind_of(path) == OS_FOLDER) {
        remove_folder(path, r->waits);
    } else {
        wchar_t *wide = wide_path(path);
        if (wide && wide_remove(wide, *r->waits) != 0)
            *r->waits = false;
        free(wide);
    }
    free(path);
    return ECMA_OK;
}

static void remove_folder(const char *path, bool *waits) {
    removal r = {path, waits};
    diag silent = {0};
    unsigned attempt = 0;
    (void)os_visit_folder(&silent, path, "", remove_entry, &r);
    wchar_t *wide = wide_path(path);
    /* A file that was removed stays until the last program closes it. */
    while (wide && !RemoveDirectoryW(wide) && GetLastError() == ERROR_DIR_NOT_EMPTY && *waits)
        *waits = wide_pause(&attempt);
    free(wide);
}

void system_remove_folder(const char *path) {
    bool waits = true;
    remove_folder(path, &waits);
}

/* ---- Result files ---------------------------------------------------------------------------------------------- */

int result_file_open(result_file *r, const char *path, result_links links) {
    os_kind kind = os_kind_of(path);
    *r = (result_file){0};
    if (kind == OS_OTHER || kind == OS_FOLDER) {
        if (links == RESULT_REPLACE)
            return kind == OS_FOLDER ? EISDIR : EEXIST;
        HANDLE direct = wide_open(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_EXISTING, 0);
        r->file = direct == INVALID_HANDLE_VALUE ? NULL : wide_stream(direct);
        return r->file ? 0 : kind == OS_FOLDER ? EISDIR : errno;
    }
    r->path = links == RESULT_FOLLOW && kind == OS_LINK && os_exists(path) ? wide_real_path(path) : strdup(path);
    if (!r->path)
        return ENOMEM;
    HANDLE file = os_make_temporary(&r->temporary, r->path, false, 0);
    int error = file == INVALID_HANDLE_VALUE ? errno : 0;
    if (!error && !(r->file = wide_stream(file))) {
        (void)os_delete(r->temporary, true);
        free(r->temporary);
        error = ENOMEM;
    }
    if (error)
        free(r->path);
    return error;
}

/* A folder's rights hold for what is in it. */
void result_file_private(result_file *r) {
    (void)r;
}

void result_file_within(result_file *r, const char *input) {
    (void)r;
    (void)input;
}

int result_file_write(void *user, const char *text, size_t length) {
    result_file *r = user;
    errno = 0;
    if (fwrite(text, 1, length, r->file) == length)
        return 0;
    if (r->error == 0)
        r->error = errno ? errno : EIO;
    return 1;
}

int result_file_close(result_file *r, bool keep) {
    int error = r->error;
    errno = 0;
    if (!error && ferror(r->file))
        error = EIO;
    if (fclose(r->file) != 0 && !error)
        error = errno;
    if (r->temporary) {
        wchar_t *from = wide_path(r->temporary), *to = wide_path(r->path);
        if (!from || !to)
            error = ENOMEM;
        if (!error && keep)
            error = wide_replace(from, to, os_kind_of(r->path) == OS_FILE);
        if ((error || !keep) && from)
            (void)wide_remove(from, true);
        free(from);
        free(to);
    }
    free(r->path);
    free(r->temporary);
    return error;
}
