/* pipe COMMAND…: runs a command with an output that is a pipe of Windows without a reader, and prints the
 * value it ended with. */
#include <stdio.h>
#include <windows.h>

int wmain(int count, wchar_t **words) {
    static wchar_t line[32768];
    SECURITY_ATTRIBUTES passed_on = {sizeof passed_on, NULL, TRUE};
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION made;
    HANDLE reader;
    DWORD code = 0;
    for (int i = 1; i < count; i++) {
        wcscat(line, i > 1 ? L" \"" : L"\"");
        wcscat(line, words[i]);
        wcscat(line, L"\"");
    }
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreatePipe(&reader, &start.hStdOutput, &passed_on, 0))
        return 2;
    SetHandleInformation(reader, HANDLE_FLAG_INHERIT, 0);
    CloseHandle(reader);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        return 1;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    printf("%lu\n", code);
    return 0;
}
