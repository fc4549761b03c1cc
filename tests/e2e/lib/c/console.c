/* console FILE COMMAND…: runs a command in this program's console, Ctrl-C not ending this one, and writes to FILE the
 * value it ended with, and the modes and code page of the console before and afterwards.
 * console FILE: says "ready", waits for Ctrl-C, and ends with the value that Windows gives then (Wine's is 0). */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static BOOL WINAPI stay(DWORD event) {
    (void)event;
    return TRUE;
}

static BOOL WINAPI end(DWORD event) {
    (void)event;
    ExitProcess(STATUS_CONTROL_C_EXIT);
}

static void tell_console(FILE *to) {
    DWORD out = 0, in = 0;
    HANDLE console = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                 OPEN_EXISTING, 0, NULL);
    GetConsoleMode(console, &out);
    GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &in);
    CloseHandle(console);
    fprintf(to, "modes %lu %lu code pages %u %u\n", out, in, GetConsoleOutputCP(), GetConsoleCP());
}

int wmain(int count, wchar_t **words) {
    static wchar_t line[32768];
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    DWORD code = 0;
    FILE *to = count > 1 ? _wfopen(words[1], L"wb") : NULL;
    if (!to)
        return 2;
    tell_console(to);
    if (count == 2) {
        fclose(to);
        SetConsoleCtrlHandler(end, TRUE);
        puts("ready");
        fflush(stdout);
        Sleep(100000);
        return 0;
    }
    for (int i = 2; i < count; i++) {
        wcscat(line, i > 2 ? L" \"" : L"\"");
        wcscat(line, words[i]);
        wcscat(line, L"\"");
    }
    SetConsoleCtrlHandler(stay, TRUE);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        return 1;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    tell_console(to);
    fprintf(to, "value %lu\n", code);
    fclose(to);
    return 0;
}
