#include "platform/system.h"

#include <aclapi.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"
#include "platform/windows/terminal.h"
#include "platform/windows/wide.h"

/* ---- Terminal, endings, clock ---------------------------------------------------------------------------------- */

/* The C library's own, which no header of mingw-w64 declares; shell32's needs a dozen libraries more at each start. */
typedef struct {
    int newmode;
} startup_info;
_CRTIMP int __cdecl __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***environment, int expand, startup_info *info);

bool system_start(int *argc, char ***argv) {
    int count = 0;
    wchar_t **wide = NULL, **environment = NULL;
    startup_info info = {0};
    if (__wgetmainargs(&count, &wide, &environment, 0, &info) != 0)
        return false;
    char **narrow = calloc((size_t)count + 1, sizeof *narrow);
    if (!narrow)
        return false;
    for (int i = 0; i < count; i++)
        if (!(narrow[i] = wide_utf8(wide[i])))
            return false;
    *argc = count;
    *argv = narrow;
    _setmode(_fileno(stdin), _O_BINARY);
    terminal_take();
    return true;
}

bool system_can(system_ability ability) {
    (void)ability;
    return true;
}

static unsigned number_in(const char *variable, unsigned otherwise) {
    const char *text = system_variable(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= 10000 ? (unsigned)number : otherwise;
}

unsigned system_width(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
    return number_in("COLUMNS", 120);
}

unsigned system_height(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info))
        return (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return number_in("LINES", 24);
}

void system_ignore_broken_pipes(void) {}

static volatile LONG endings;

static BOOL WINAPI count_ending(DWORD event) {
    InterlockedIncrement(&endings);
    terminal_stay(event);
    return TRUE;
}

void system_count_endings(void) {
    SetConsoleCtrlHandler(count_ending, TRUE);
}

unsigned system_endings(void) {
    return (unsigned)endings;
}

bool system_random(void *bytes, size_t size) {
    return wide_random(bytes, size);
}

/* True if an entry lets everybody, or everybody who is logged in, read. */
static bool lets_read(const ACCESS_ALLOWED_ACE *entry) {
    static const WELL_KNOWN_SID_TYPE many[] = {WinWorldSid, WinAuthenticatedUserSid, WinBuiltinUsersSid,
                                               WinInteractiveSid};
    PSID who = (PSID)&entry->SidStart;
    if (entry->Header.AceType != ACCESS_ALLOWED_ACE_TYPE ||
        !(entry->Mask & (FILE_READ_DATA | GENERIC_READ | GENERIC_ALL)))
        return false;
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
        if (IsWellKnownSid(who, many[i]))
            return true;
    return false;
}

unsigned system_confine(const char *folder, bool connects) {
    (void)folder;
    (void)connects;
    return 0;
}

bool system_others_read(FILE *file) {
    HANDLE handle = (HANDLE)_get_osfhandle(_fileno(file));
    PACL rights = NULL;
    PSECURITY_DESCRIPTOR all = NULL;
    if (GetFileType(handle) != FILE_TYPE_DISK ||
        GetSecurityInfo(handle, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &rights, NULL, &all) != 0)
        return false;
    bool read = !rights; /* none: everybody may do all */
    for (DWORD i = 0; rights && !read && i < rights->AceCount; i++) {
        void *entry;
        read = GetAce(rights, i, &entry) && lets_read(entry);
    }
    LocalFree(all);
    return read;
}

uint64_t system_now_ns(void) {
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    uint64_t ticks = (uint64_t)now.QuadPart, each = (uint64_t)frequency.QuadPart;
    return ticks / each * 1000000000u + ticks % each * 1000000000u / each;
}

/* ---- Processes -------------------------------------------------------------------------------------------------- */

/* Ctrl-C goes to all of a console's programs, the command among them; this one outlives it, to make the report. */
static volatile LONG waits, told;
static bool ended_by_console; /* the last command */

static BOOL WINAPI outlive(DWORD event) {
    if (!waits)
        return FALSE;
    InterlockedExchange(&told, (LONG)event + 1);
    terminal_stay(event);
    return TRUE;
}

void system_hold_signals(void) {
    static bool installed;
    InterlockedExchange(&waits, 1);
    if (!installed)
        installed = SetConsoleCtrlHandler(outlive, TRUE);
}

void system_run_another(void) {
    system_hold_signals();
}

void system_end_if_told(const char *folder) {
    if (!told)
        return;
    if (folder)
        system_remove_folder(folder);
    terminal_end();
}

const char *system_ending(void) {
    return ended_by_console ? "Ctrl-C" : NULL;
}

system_input system_keep_input(const char *folder) {
    (void)folder;
    DWORD type = GetFileType(GetStdHandle(STD_INPUT_HANDLE));
    return type != FILE_TYPE_PIPE ? SYSTEM_INPUT_TWICE : SYSTEM_INPUT_ONCE;
}

/* The program that a word names, along %PATH% and with the endings of %PATHEXT%, for the caller to free; NULL: none. */
static wchar_t *find_command(const char *word) {
    static const wchar_t *const endings_known[] = {L".exe", L".com", L".bat", L".cmd"};
    wchar_t *wide = wide_path(word), *found = NULL;
    bool here = path_last_separator(word) != NULL;
    for (size_t i = 0; wide && !found && i < sizeof endings_known / sizeof endings_known[0]; i++) {
        DWORD size = SearchPathW(here ? L"." : NULL, wide, endings_known[i], 0, NULL, NULL);
        if (size == 0 || !(found = malloc((size + 1) * sizeof *found)))
            continue;
        if (SearchPathW(here ? L"." : NULL, wide, endings_known[i], size + 1, found, NULL) == 0) {
            free(found);
            found = NULL;
        }
    }
    free(wide);
    return found;
}

char *system_command_path(const char *word) {
    wchar_t *found = path_last_separator(word) ? NULL : find_command(word);
    char *path = found ? wide_utf8(found) : NULL;
    free(found);
    return path;
}

/* One argument as the C library reads it again. */
static wchar_t *quote(wchar_t *to, const wchar_t *text) {
    size_t backslashes = 0;
    bool plain = *text && !wcspbrk(text, L" \t\n\v\"");
    if (!plain)
        *to++ = L'"';
    for (; *text; text++) {
        if (*text == L'\\') {
            backslashes++;
        } else {
            if (*text == L'"')
                for (backslashes++; backslashes > 0; backslashes--)
                    *to++ = L'\\';
            backslashes = 0;
        }
        *to++ = *text;
    }
    if (!plain) {
        while (backslashes-- > 0)
            *to++ = L'\\';
        *to++ = L'"';
    }
    return to;
}

/* For the caller to free; NULL: memory ran out. */
static wchar_t *command_line(char *const *command) {
    size_t size = 1;
    for (char *const *word = command; *word; word++)
        size += 2 * strlen(*word) + 4;
    wchar_t *line = malloc(size * sizeof *line), *end = line;
    for (char *const *word = command; line && *word; word++) {
        wchar_t *wide = wide_text(*word);
        if (!wide) {
            free(line);
            return NULL;
        }
        if (word != command)
            *end++ = L' ';
        end = quote(end, wide);
        free(wide);
    }
    if (line)
        *end = 0;
    return line;
}

int system_run(char *const *command, const system_unseen *unseen, int *value) {
    enum { PART_OF_SECOND = 200 };
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    SECURITY_ATTRIBUTES passed_on = {sizeof passed_on, NULL, TRUE};
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE), nowhere = INVALID_HANDLE_VALUE;
    LARGE_INTEGER place = {0}, none = {0};
    ended_by_console = told;
    if (told) {
        *value = (int)STATUS_CONTROL_C_EXIT;
        return 0;
    }
    wchar_t *program = find_command(command[0]), *line = command_line(command);
    bool placed = unseen && !unseen->without_input && GetFileType(input) == FILE_TYPE_DISK &&
                  SetFilePointerEx(input, none, &place, FILE_CURRENT);
    if (unseen) {
        nowhere = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &passed_on,
                              OPEN_EXISTING, 0, NULL);
        start.dwFlags = STARTF_USESTDHANDLES;
        start.hStdInput = unseen->without_input || GetFileType(input) == FILE_TYPE_CHAR ? nowhere : input;
        start.hStdOutput = start.hStdError = nowhere;
    }
    int error = !line ? ENOMEM : !program ? ENOENT : 0;
    terminal_give_back(); /* it finds the console as this one did */
    if (!error && !CreateProcessW(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        error = wide_errno(GetLastError());
    if (!error) {
        DWORD code = 0;
        while (WaitForSingleObject(made.hProcess, unseen ? PART_OF_SECOND : INFINITE) == WAIT_TIMEOUT) {
            unseen->still_runs(unseen->user);
            if (unseen->is_to_end && *unseen->is_to_end)
                TerminateProcess(made.hProcess, STATUS_CONTROL_C_EXIT);
        }
        GetExitCodeProcess(made.hProcess, &code);
        *value = (int)code;
        ended_by_console = code == STATUS_CONTROL_C_EXIT;
        CloseHandle(made.hThread);
        CloseHandle(made.hProcess);
    }
    terminal_take();
    if (nowhere != INVALID_HANDLE_VALUE)
        CloseHandle(nowhere);
    if (placed)
        SetFilePointerEx(input, place, NULL, FILE_BEGIN);
    if (!unseen)
        told = 0; /* it was the command's */
    free(program);
    free(line);
    return error;
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

unsigned system_processors(void) {
    DWORD_PTR mine, all;
    unsigned count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all))
        for (; mine; mine &= mine - 1)
            count++;
    return count ? count : 1;
}

void system_return_memory(void) {}

struct system_threads {
    void (*work)(void *user);
    void *user;
    unsigned count;
    HANDLE handles[];
};

static unsigned __stdcall thread_main(void *user) {
    const system_threads *t = user;
    t->work(t->user);
    return 0;
}

unsigned system_threads_start(system_threads **threads, unsigned count, void (*work)(void *user), void *user) {
    system_threads *t = malloc(sizeof *t + count * sizeof t->handles[0]);
    unsigned started = 0;
    if (!t)
        return 0;
    t->work = work;
    t->user = user;
    while (started < count) {
        uintptr_t handle = _beginthreadex(NULL, 0, thread_main, t, 0, NULL);
        if (handle == 0)
            break;
        t->handles[started++] = (HANDLE)handle;
    }
    t->count = started;
    if (started == 0)
        free(t);
    else
        *threads = t;
    return started;
}

void system_threads_join(system_threads *threads) {
    for (unsigned i = 0; i < threads->count; i++) {
        WaitForSingleObject(threads->handles[i], INFINITE);
        CloseHandle(threads->handles[i]);
    }
    free(threads);
}

struct system_monitor {
    CRITICAL_SECTION inside;
    CONDITION_VARIABLE change;
};

system_monitor *system_monitor_new(void) {
    system_monitor *m = malloc(sizeof *m);
    if (m) {
        InitializeCriticalSection(&m->inside);
        InitializeConditionVariable(&m->change);
    }
    return m;
}

void system_monitor_free(system_monitor *m) {
    if (m)
        DeleteCriticalSection(&m->inside);
    free(m);
}

void system_monitor_enter(system_monitor *m) {
    EnterCriticalSection(&m->inside);
}

void system_monitor_leave(system_monitor *m) {
    LeaveCriticalSection(&m->inside);
}

void system_monitor_wait(system_monitor *m) {
    SleepConditionVariableCS(&m->change, &m->inside, INFINITE);
}

void system_monitor_changed(system_monitor *m) {
    WakeAllConditionVariable(&m->change);
}
