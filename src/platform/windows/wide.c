#include "platform/windows/wide.h"

#include <aclapi.h>
#include <bcrypt.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"

/* ---- Texts ----------------------------------------------------------------------------------------------------- */

wchar_t *wide_text(const char *text) {
    int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *wide = malloc((size_t)(size > 0 ? size : 1) * sizeof *wide);
    if (wide && (size <= 0 || MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size) <= 0))
        wide[0] = 0;
    return wide;
}

char *wide_utf8(const wchar_t *text) {
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = malloc((size_t)(size > 0 ? size : 1));
    if (narrow && (size <= 0 || WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL) <= 0))
        narrow[0] = 0;
    return narrow;
}

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

static const wchar_t prefix[] = L"\\\\?\\", server_prefix[] = L"\\\\?\\UNC\\";

static wchar_t *joined(const wchar_t *before, const wchar_t *text) {
    size_t first = wcslen(before), second = wcslen(text);
    wchar_t *whole = malloc((first + second + 1) * sizeof *whole);
    if (whole) {
        memcpy(whole, before, first * sizeof *whole);
        memcpy(whole + first, text, (second + 1) * sizeof *whole);
    }
    return whole;
}

/* After that prefix the system takes names as they are, so empty ones and "." go. */
static void tidy_literal(wchar_t *path) {
    wchar_t *to = path;
    for (const wchar_t *at = path; *at;) {
        bool starts = to == path || to[-1] == L'\\';
        if (starts && to != path && *at == L'\\')
            at++;
        else if (starts && at[0] == L'.' && (at[1] == L'\\' || at[1] == 0))
            at += at[1] ? 2 : 1;
        else
            *to++ = *at++;
    }
    *to = 0;
}

wchar_t *wide_path(const char *path) {
    enum { LONG = 240 }; /* of MAX_PATH, 260, a folder may have no more */
    wchar_t *wide = wide_text(path);
    if (!wide)
        return NULL;
    for (wchar_t *at = wide; *at; at++)
        if (*at == L'/')
            *at = L'\\';
    if (wcsncmp(wide, prefix, 4) == 0) {
        tidy_literal(wide + 4);
        return wide;
    }
    DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
    if (size < LONG)
        return wide;
    wchar_t *whole = malloc((size + 1) * sizeof *whole), *made = NULL;
    if (whole && GetFullPathNameW(wide, size + 1, whole, NULL) > 0)
        made = wcsncmp(whole, L"\\\\", 2) == 0 ? joined(server_prefix, whole + 2) : joined(prefix, whole);
    free(whole);
    free(wide);
    return made;
}

int path_compare(const char *a, const char *b) {
    wchar_t *first = wide_text(a), *second = wide_text(b);
    for (wchar_t *at = first; at && *at; at++)
        *at = *at == L'/' ? L'\\' : *at;
    for (wchar_t *at = second; at && *at; at++)
        *at = *at == L'/' ? L'\\' : *at;
    int order = first && second ? CompareStringOrdinal(first, -1, second, -1, TRUE) - CSTR_EQUAL : _stricmp(a, b);
    free(first);
    free(second);
    return order;
}

char *wide_shown_path(const wchar_t *path) {
    if (wcsncmp(path, server_prefix, 8) == 0) {
        char *name = wide_utf8(path + 6);
        if (name)
            name[0] = '\\';
        return name;
    }
    return wide_utf8(wcsncmp(path, prefix, 4) == 0 ? path + 4 : path);
}

char *wide_real_path(const char *path) {
    HANDLE file = wide_open(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *wide = malloc((size + 1) * sizeof *wide);
    char *real = NULL;
    int error = ENOMEM;
    if (wide && GetFinalPathNameByHandleW(file, wide, size + 1, FILE_NAME_NORMALIZED) > 0)
        real = wide_shown_path(wide);
    else if (wide)
        error = wide_errno(GetLastError());
    CloseHandle(file);
    free(wide);
    if (!real)
        errno = error;
    return real;
}

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

int wide_errno(DWORD error) {
    static const struct {
        DWORD error;
        int number;
    } rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_NOT_READY, ENXIO},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EBUSY},
        {ERROR_LOCK_VIOLATION, EBUSY},
        {ERROR_USER_MAPPED_FILE, EBUSY},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_PIPE_NOT_CONNECTED, EPIPE},
        {ERROR_PRIVILEGE_NOT_HELD, EPERM},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_BAD_EXE_FORMAT, ENOEXEC},
        {740 /* ERROR_ELEVATION_REQUIRED */, EPERM},
        {ERROR_INVALID_PARAMETER, EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].error == error)
            return rows[i].number;
    return EIO;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

enum { PAUSE_MS = 50, HELD_MS = 2000 };

bool wide_pause(unsigned *attempt) {
    if ((*attempt)++ >= HELD_MS / PAUSE_MS)
        return false;
    Sleep(PAUSE_MS);
    return true;
}

/* The path that was waited for in vain, by its hash: who asks next does not wait again. */
static volatile LONG64 in_vain;

static LONG64 hash_of(const wchar_t *path) {
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *path; path++)
        hash = (hash ^ *path) * 0x100000001b3u;
    return (LONG64)hash;
}

HANDLE wide_open(const char *path, DWORD access, DWORD share, DWORD disposition, DWORD flags) {
    DWORD error = ERROR_SUCCESS;
    HANDLE file;
    wchar_t *wide = wide_path(path);
    if (!wide) {
        errno = ENOMEM;
        return INVALID_HANDLE_VALUE;
    }
    unsigned attempt = in_vain == hash_of(wide) ? HELD_MS / PAUSE_MS : 0;
    do {
        file = CreateFileW(wide, access, share, NULL, disposition, flags ? flags : FILE_ATTRIBUTE_NORMAL, NULL);
        error = file == INVALID_HANDLE_VALUE ? GetLastError() : ERROR_SUCCESS;
    } while ((error == ERROR_SHARING_VIOLATION || error == ERROR_LOCK_VIOLATION) && wide_pause(&attempt));
    if (error == ERROR_SHARING_VIOLATION)
        InterlockedExchange64(&in_vain, hash_of(wide));
    if (error)
        errno = wide_errno(error);
    free(wide);
    return file;
}

FILE *wide_stream(HANDLE file) {
    int number = _open_osfhandle((intptr_t)file, _O_BINARY);
    FILE *stream = number < 0 ? NULL : _fdopen(number, "wb");
    if (!stream && number >= 0)
        _close(number);
    else if (number < 0)
        CloseHandle(file);
    return stream;
}

bool wide_random(void *bytes, size_t size) {
    return BCryptGenRandom(NULL, bytes, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}

SECURITY_ATTRIBUTES *wide_private(void) {
    /* The owner, the system and administrators, inheriting nothing. */
    static SECURITY_ATTRIBUTES rights = {sizeof rights, NULL, FALSE};
    if (!rights.lpSecurityDescriptor &&
        !ConvertStringSecurityDescriptorToSecurityDescriptorW(L"D:P(A;;FA;;;OW)(A;;FA;;;SY)(A;;FA;;;BA)",
                                                              SDDL_REVISION_1, &rights.lpSecurityDescriptor, NULL))
        return NULL;
    return &rights;
}

static bool is_held(DWORD error) {
    return error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED || error == ERROR_USER_MAPPED_FILE ||
           error == ERROR_LOCK_VIOLATION;
}

/* True if another program has it open and forbids renaming it. */
static bool is_open_elsewhere(const wchar_t *path) {
    enum { ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    HANDLE file = CreateFileW(path, DELETE, ALL, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    return file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_SHARING_VIOLATION;
}

/* The error of a function that would have replaced or removed the file: Windows says "access denied" for both. */
static DWORD held_error(const wchar_t *path, DWORD error) {
    return error == ERROR_ACCESS_DENIED && is_open_elsewhere(path) ? ERROR_SHARING_VIOLATION : error;
}

/* A program or library that runs cannot be written or removed, but renamed. When the other file does not get its place,
 * it has it again. */
static bool replace_running(const wchar_t *from, const wchar_t *to) {
    uint64_t number;
    const wchar_t *name = wcsrchr(to, L'\\');
    size_t folder = name ? (size_t)(name - to) + 1 : 0, size = folder + 32;
    wchar_t *aside = malloc(size * sizeof *aside);
    bool moved = false;
    if (aside && wide_random(&number, sizeof number)) {
        /* Named as an unfinished file, so that the next run removes it. */
        swprintf(aside, size, L"%.*ls.ilinject-%016llx", (int)folder, to, (unsigned long long)number);
        if (MoveFileExW(to, aside, 0)) {
            moved = MoveFileExW(from, to, MOVEFILE_WRITE_THROUGH);
            if (!moved)
                (void)MoveFileExW(aside, to, 0);
            else if (!DeleteFileW(aside))
                (void)MoveFileExW(aside, NULL, MOVEFILE_DELAY_UNTIL_REBOOT);
        }
    }
    free(aside);
    return moved;
}

int wide_replace(const wchar_t *from, const wchar_t *to, bool keeps) {
    enum { FIRST_ATTEMPTS = 5 }; /* an antivirus may be at it, too */
    unsigned attempt = 0;
    DWORD error;
    do {
        if (keeps && ReplaceFileW(to, from, NULL, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL))
            return 0;
        if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return 0;
        DWORD attributes = GetFileAttributesW(to);
        error = held_error(to, GetLastError());
        if (attributes != INVALID_FILE_ATTRIBUTES && attributes & (FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_DIRECTORY))
            break;
        if (is_held(error) && error != ERROR_SHARING_VIOLATION && attempt >= FIRST_ATTEMPTS &&
            replace_running(from, to))
            return 0;
    } while (is_held(error) && wide_pause(&attempt));
    return wide_errno(error);
}

int wide_remove(const wchar_t *path, bool waits) {
    unsigned attempt = 0;
    DWORD error;
    do {
        DWORD attributes = GetFileAttributesW(path);
        bool is_folder = attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY;
        bool is_link = attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_REPARSE_POINT;
        if (is_folder && !is_link)
            return EISDIR;
        if (is_folder ? RemoveDirectoryW(path) : DeleteFileW(path))
            return 0;
        error = GetLastError();
        if (attributes == INVALID_FILE_ATTRIBUTES || attributes & FILE_ATTRIBUTE_READONLY)
            break;
        error = held_error(path, error);
    } while (waits && is_held(error) && wide_pause(&attempt));
    return wide_errno(error);
}
