#include "platform/windows/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/system.h"
#include "platform/windows/wide.h"

/* ---- What the streams are ---------------------------------------------------------------------------------------- */

static bool is_console(DWORD which) {
    DWORD mode;
    return GetConsoleMode(GetStdHandle(which), &mode);
}

bool system_output_is_terminal(void) {
    return is_console(STD_OUTPUT_HANDLE);
}
bool system_error_is_terminal(void) {
    return is_console(STD_ERROR_HANDLE);
}

/* ---- Modes ------------------------------------------------------------------------------------------------------ */

#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 4
#endif

/* The state of each stream's console before; consoles and their modes are the user's. */
static struct {
    HANDLE console;
    DWORD mode;
} before[2];
static volatile LONG taken;

void terminal_give_back(void) {
    if (InterlockedExchange(&taken, 0) == 0)
        return;
    for (int i = 1; i >= 0; i--) /* both may be one console: the first has its mode of before */
        if (before[i].console)
            SetConsoleMode(before[i].console, before[i].mode);
}

static BOOL WINAPI end(DWORD event) {
    (void)event;
    terminal_end();
}

void terminal_take(void) {
    static const DWORD outputs[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    static bool prepared;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        HANDLE output = GetStdHandle(outputs[i]);
        before[i].console = GetConsoleMode(output, &before[i].mode) ? output : NULL;
        if (before[i].console)
            SetConsoleMode(output, before[i].mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
    InterlockedExchange(&taken, 1);
    /* Handlers that came later are asked first; this one is when none of them keeps the process. */
    if (!prepared && SetConsoleCtrlHandler(end, TRUE))
        prepared = atexit(terminal_give_back) == 0;
}

void terminal_stay(unsigned long event) {
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
}

/* How many threads hold the end; ENDING: none ever will again. */
enum { ENDING = -1 };
static volatile LONG held, came;

static void stay_for_good(void) __attribute__((noreturn));
static void stay_for_good(void) {
    for (;;)
        Sleep(INFINITE);
}

void terminal_hold(void) {
    for (;;) {
        LONG now = held;
        if (now == ENDING)
            stay_for_good();
        if (InterlockedCompareExchange(&held, now + 1, now) == now)
            return;
    }
}

void terminal_release(void) {
    if (InterlockedDecrement(&held) == 0 && came)
        terminal_end();
}

bool terminal_is_ending(void) {
    return came != 0;
}

void terminal_end(void) {
    InterlockedExchange(&came, 1);
    /* A thread that waits for it comes here when it is released. */
    if (InterlockedCompareExchange(&held, ENDING, 0) != 0)
        stay_for_good();
    terminal_give_back();
    ExitProcess(STATUS_CONTROL_C_EXIT);
}

/* ---- Texts ------------------------------------------------------------------------------------------------------ */

/* A standard stream: what waits to be written. A console gets UTF-16, and so whole characters, whatever its code page
 * is; everything else the bytes. */
typedef struct stream {
    DWORD name;
    bool waits; /* for much text, or system_flush */
    int error;  /* errno of the first write that failed; 0: none */
    size_t used;
    char text[1 << 14];
} stream;

static stream streams[] = {
    [SYSTEM_OUTPUT] = {.name = STD_OUTPUT_HANDLE, .waits = true},
    [SYSTEM_ERROR] = {.name = STD_ERROR_HANDLE},
};

static int write_bytes(HANDLE to, const char *text, size_t size) {
    while (size > 0) {
        DWORD written = 0;
        if (!WriteFile(to, text, (DWORD)size, &written, NULL))
            return wide_errno(GetLastError());
        text += written;
        size -= written;
    }
    return 0;
}

static int write_characters(HANDLE to, const char *text, size_t size) {
    static wchar_t wide[sizeof streams[0].text];
    int count = MultiByteToWideChar(CP_UTF8, 0, text, (int)size, wide, (int)(sizeof wide / sizeof wide[0]));
    for (int done = 0; done < count;) {
        enum { MOST = 4096 }; /* the oldest consoles take no more than 64 KB at a time */
        DWORD written = 0, next = (DWORD)(count - done < MOST ? count - done : MOST);
        if (next == MOST && IS_HIGH_SURROGATE(wide[done + MOST - 1]))
            next--;
        if (!WriteConsoleW(to, wide + done, next, &written, NULL))
            return wide_errno(GetLastError());
        done += (int)written;
    }
    return 0;
}

/* Returns the number of bytes at the end that begin a character without its rest. */
static size_t unfinished(const char *text, size_t size) {
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        unsigned char c = (unsigned char)text[size - back];
        if (c >= 0xC0)
            return back < (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

static int write_out(stream *s) {
    DWORD mode;
    HANDLE to = GetStdHandle(s->name);
    bool console = GetConsoleMode(to, &mode);
    size_t kept = console ? unfinished(s->text, s->used) : 0, size = s->used - kept;
    if (s->error == 0 && size > 0)
        s->error = console ? write_characters(to, s->text, size) : write_bytes(to, s->text, size);
    memmove(s->text, s->text + size, kept);
    s->used = kept;
    return s->error;
}

static SRWLOCK one_at_a_time = SRWLOCK_INIT;

int system_put(system_stream to, const char *text, size_t length) {
    AcquireSRWLockExclusive(&one_at_a_time);
    stream *s = &streams[to];
    bool ends_line = memchr(text, '\n', length) != NULL;
    while (length > 0) {
        size_t room = sizeof s->text - s->used, size = length < room ? length : room;
        memcpy(s->text + s->used, text, size);
        s->used += size;
        text += size;
        length -= size;
        if (s->used == sizeof s->text)
            write_out(s);
    }
    if (!s->waits || (ends_line && system_output_is_terminal()))
        write_out(s);
    int error = s->error;
    ReleaseSRWLockExclusive(&one_at_a_time);
    return error;
}

int system_flush(void) {
    AcquireSRWLockExclusive(&one_at_a_time);
    int error = write_out(&streams[SYSTEM_OUTPUT]);
    ReleaseSRWLockExclusive(&one_at_a_time);
    return error;
}
