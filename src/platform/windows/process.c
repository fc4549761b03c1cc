#include "platform/control.h"

#include <aclapi.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

#include "platform/windows/wide.h"

/* A tracker is asked through memory that has a name, ilinject-ctl-PID-SLOT; what comes with an answer lies in memory of
 * its own, with the request's number at the end of its name. */
enum { SLOTS = 16, NAME_CHARACTERS = 80, SHARED_BYTES = CONTROL_PAYLOAD_AT + CONTROL_MOST_ARGUMENTS };

typedef struct shared_memory {
    wchar_t name[NAME_CHARACTERS];
    HANDLE section, lock, payload_section;
    uint8_t *view;
    const uint8_t *payload;
    bool holds_lock;
} shared_memory;

static shared_memory *memory_of(const control_way *way) {
    return (shared_memory *)way->place;
}

/* ---- Finding -------------------------------------------------------------------------------------------------- */

/* The user a process runs as, and who owns what it makes: the user, or the administrators. */
typedef struct process_user {
    TOKEN_USER *user;
    TOKEN_OWNER *owner;
} process_user;

/* For the caller to free; NULL: the system does not say. */
static void *token_facts(HANDLE token, TOKEN_INFORMATION_CLASS which) {
    DWORD size = 0;
    GetTokenInformation(token, which, NULL, 0, &size);
    void *facts = size > 0 ? malloc(size) : NULL;
    if (facts && !GetTokenInformation(token, which, facts, size, &size)) {
        free(facts);
        facts = NULL;
    }
    return facts;
}

/* Both are for the caller to free. False: the system does not say. */
static bool find_user(process_user *u, HANDLE process) {
    HANDLE token;
    if (!OpenProcessToken(process, TOKEN_QUERY, &token))
        return false;
    *u = (process_user){token_facts(token, TokenUser), token_facts(token, TokenOwner)};
    CloseHandle(token);
    return u->user && u->owner;
}

/* The administrators, who may look into every process, and the system. */
static bool is_mighty(PSID who) {
    return IsWellKnownSid(who, WinBuiltinAdministratorsSid) || IsWellKnownSid(who, WinLocalSystemSid);
}

typedef enum rights {
    RIGHTS_FOREIGN, /* another user than the process's made it */
    RIGHTS_EXPOSED, /* others may open it */
    RIGHTS_PRIVATE,
} rights;

/* Requests and answers hold what was captured: the process's user must have made the memory, and no other user may be
 * able to open it. */
static rights rights_of(HANDLE section, const process_user *user) {
    PSECURITY_DESCRIPTOR all = NULL;
    PSID owner = NULL;
    PACL list = NULL;
    if (GetSecurityInfo(section, SE_KERNEL_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL,
                        &list, NULL, &all) != 0)
        return RIGHTS_FOREIGN;
    rights found =
        !owner || !(EqualSid(owner, user->user->User.Sid) || EqualSid(owner, user->owner->Owner) || is_mighty(owner))
            ? RIGHTS_FOREIGN
        : list ? RIGHTS_PRIVATE
               : RIGHTS_EXPOSED;
    for (DWORD i = 0; found == RIGHTS_PRIVATE && i < list->AceCount; i++) {
        void *entry;
        if (!GetAce(list, i, &entry) || ((const ACE_HEADER *)entry)->AceType == ACCESS_DENIED_ACE_TYPE)
            continue;
        PSID who = (PSID) & ((ACCESS_ALLOWED_ACE *)entry)->SidStart;
        if (((const ACE_HEADER *)entry)->AceType != ACCESS_ALLOWED_ACE_TYPE ||
            !(is_mighty(who) || EqualSid(who, owner) || EqualSid(who, user->user->User.Sid) ||
              IsWellKnownSid(who, WinCreatorOwnerRightsSid)))
            found = RIGHTS_EXPOSED;
    }
    LocalFree(all);
    return found;
}

/* Names are the session's: services have the first one, which others call the global one. */
static void name_memory(wchar_t name[NAME_CHARACTERS], uint32_t pid, unsigned slot) {
    DWORD mine = 0, its = 0;
    wchar_t session[24] = L"Local";
    ProcessIdToSessionId(GetCurrentProcessId(), &mine);
    if (ProcessIdToSessionId(pid, &its) && its != mine)
        swprintf(session, 24, its == 0 ? L"Global" : L"Session\\%lu", its);
    swprintf(name, NAME_CHARACTERS, L"%ls\\ilinject-ctl-%u-%u", session, pid, slot);
}

static void close_memory(shared_memory *m) {
    if (m->payload)
        UnmapViewOfFile(m->payload);
    if (m->payload_section)
        CloseHandle(m->payload_section);
    if (m->view)
        UnmapViewOfFile(m->view);
    if (m->holds_lock)
        ReleaseMutex(m->lock);
    if (m->lock)
        CloseHandle(m->lock);
    if (m->section)
        CloseHandle(m->section);
    free(m);
}

static control_status open_slot(control_ways *ways, uint32_t pid, unsigned slot, const process_user *user) {
    shared_memory *m = calloc(1, sizeof *m);
    control_way *more = m ? realloc(ways->items, (ways->count + 1) * sizeof *more) : NULL;
    control_status status = CONTROL_NO_TRACKER;
    uint32_t claimed;
    if (!more) {
        free(m);
        return CONTROL_NO_MEMORY;
    }
    ways->items = more;
    name_memory(m->name, pid, slot);
    m->section = OpenFileMappingW(FILE_MAP_READ | FILE_MAP_WRITE | READ_CONTROL, FALSE, m->name);
    rights found = m->section ? rights_of(m->section, user) : RIGHTS_FOREIGN;
    if (!m->section && GetLastError() == ERROR_ACCESS_DENIED)
        status = CONTROL_NOT_YOURS;
    else if (found == RIGHTS_EXPOSED)
        status = CONTROL_EXPOSED;
    else if (found == RIGHTS_PRIVATE)
        m->view = MapViewOfFile(m->section, FILE_MAP_WRITE, 0, 0, SHARED_BYTES);
    if (m->view && control_read_header(&claimed, m->view) && claimed == pid) {
        ways->items[ways->count++] = (control_way){.place = (intptr_t)m};
        return CONTROL_OK;
    }
    close_memory(m);
    return status;
}

control_status control_processes(uint32_t **pids, size_t *count) {
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    control_status status = all == INVALID_HANDLE_VALUE ? CONTROL_NOT_HERE : CONTROL_OK;
    *pids = NULL;
    *count = 0;
    for (BOOL more = status == CONTROL_OK && Process32FirstW(all, &entry); more && status == CONTROL_OK;
         more = Process32NextW(all, &entry))
        if (entry.th32ProcessID != 0 && !control_add_process(pids, count, entry.th32ProcessID))
            status = CONTROL_NO_MEMORY;
    if (all != INVALID_HANDLE_VALUE)
        CloseHandle(all);
    if (status != CONTROL_OK)
        free(*pids);
    else
        control_sort_processes(*pids, *count);
    return status;
}

char *control_command_line(uint32_t pid) {
    enum { MOST = 32768 };
    DWORD size = MOST;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    wchar_t *wide = process ? malloc(MOST * sizeof *wide) : NULL;
    char *path = wide && QueryFullProcessImageNameW(process, 0, wide, &size) ? wide_utf8(wide) : NULL;
    free(wide);
    if (process)
        CloseHandle(process);
    return path;
}

control_status control_open(control_ways *ways, uint32_t pid) {
    *ways = (control_ways){0};
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);
    if (!process)
        return GetLastError() == ERROR_ACCESS_DENIED ? CONTROL_NOT_YOURS : CONTROL_NO_PROCESS;
    /* A number that is no multiple of four finds the process before it; one that has ended may still be known. */
    bool lives = GetProcessId(process) == pid && WaitForSingleObject(process, 0) != WAIT_OBJECT_0;
    process_user user = {0};
    bool known = lives && find_user(&user, process);
    control_status status = !lives ? CONTROL_NO_PROCESS : known ? CONTROL_NO_TRACKER : CONTROL_NOT_YOURS;
    CloseHandle(process);
    for (unsigned slot = 0; known && slot < SLOTS && status != CONTROL_NO_MEMORY; slot++) {
        control_status opened = open_slot(ways, pid, slot, &user);
        if (opened == CONTROL_NO_MEMORY || status == CONTROL_NO_TRACKER || opened == CONTROL_OK)
            status = opened;
    }
    free(user.user);
    free(user.owner);
    if (status != CONTROL_OK)
        control_close(ways);
    return status;
}

void control_close(control_ways *ways) {
    for (size_t i = 0; i < ways->count; i++) {
        /* An answer is for this asker alone. Once nothing is asked, the tracker drops what came with it. */
        if (ways->items[i].request != 0)
            control_clear(&ways->items[i]);
        close_memory(memory_of(&ways->items[i]));
    }
    free(ways->items);
    *ways = (control_ways){0};
}

/* ---- Asking --------------------------------------------------------------------------------------------------- */

bool control_lock(control_way *way) {
    shared_memory *m = memory_of(way);
    wchar_t name[NAME_CHARACTERS + 8];
    swprintf(name, NAME_CHARACTERS + 8, L"%ls-lock", m->name);
    if (!m->lock)
        m->lock = CreateMutexW(wide_private(), FALSE, name);
    if (m->lock && !m->holds_lock) {
        DWORD waited = WaitForSingleObject(m->lock, 0);
        m->holds_lock = waited == WAIT_OBJECT_0 || waited == WAIT_ABANDONED;
    }
    return m->holds_lock;
}

bool control_clear(control_way *way) {
    memset(memory_of(way)->view + CONTROL_REQUEST_AT, 0, SHARED_BYTES - CONTROL_REQUEST_AT);
    MemoryBarrier();
    return true;
}

/* The first byte comes last: as long as it is zero, nothing is there. */
bool control_put(control_way *way, const void *from, uint64_t offset, size_t size) {
    volatile uint8_t *at = memory_of(way)->view + offset;
    if (offset > SHARED_BYTES || size > SHARED_BYTES - offset)
        return false;
    if (size == 0)
        return true;
    memcpy((uint8_t *)(uintptr_t)at + 1, (const uint8_t *)from + 1, size - 1);
    MemoryBarrier();
    *at = *(const uint8_t *)from;
    MemoryBarrier();
    return true;
}

size_t control_get(const control_way *way, void *to, uint64_t offset, size_t size) {
    if (offset >= SHARED_BYTES)
        return 0;
    if (size > SHARED_BYTES - offset)
        size = (size_t)(SHARED_BYTES - offset);
    MemoryBarrier();
    memcpy(to, memory_of(way)->view + offset, size);
    return size;
}

/* The tracker's last deed is to wipe the header. */
bool control_has_ended(const control_way *way) {
    return *(volatile const uint8_t *)memory_of(way)->view == 0;
}

bool control_process_lives(uint32_t pid) {
    HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, pid);
    bool lives = process ? WaitForSingleObject(process, 0) != WAIT_OBJECT_0 : GetLastError() == ERROR_ACCESS_DENIED;
    if (process)
        CloseHandle(process);
    return lives;
}

uint64_t control_number(void) {
    uint64_t number;
    return wide_random(&number, sizeof number) ? number | 1 : (uint64_t)GetTickCount64() + 1;
}

void control_pause(unsigned milliseconds) {
    Sleep(milliseconds);
}

size_t control_fetch(const control_way *way, void *to, uint64_t offset, size_t size) {
    shared_memory *m = memory_of(way);
    wchar_t name[NAME_CHARACTERS + 24];
    if (offset >= way->payload)
        return 0;
    swprintf(name, NAME_CHARACTERS + 24, L"%ls-%llu", m->name, (unsigned long long)way->request);
    if (!m->payload_section)
        m->payload_section = OpenFileMappingW(FILE_MAP_READ, FALSE, name);
    if (m->payload_section && !m->payload)
        m->payload = MapViewOfFile(m->payload_section, FILE_MAP_READ, 0, 0, (SIZE_T)way->payload);
    if (!m->payload) {
        errno = wide_errno(GetLastError());
        return 0;
    }
    if (size > way->payload - offset)
        size = (size_t)(way->payload - offset);
    memcpy(to, m->payload + offset, size);
    return size;
}

/* ---- New files ------------------------------------------------------------------------------------------------ */

FILE *control_make_file(const char *name) {
    wchar_t *wide = wide_path(name);
    HANDLE file = wide ? CreateFileW(wide, GENERIC_WRITE, 0, wide_private(), CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL)
                       : INVALID_HANDLE_VALUE;
    int error = !wide ? ENOMEM : file == INVALID_HANDLE_VALUE ? wide_errno(GetLastError()) : 0;
    FILE *stream = error ? NULL : wide_stream(file);
    if (!error && !stream) {
        error = ENOMEM;
        DeleteFileW(wide);
    }
    free(wide);
    errno = error;
    return stream;
}
