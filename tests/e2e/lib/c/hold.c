/* hold FILE SHARE MS: opens a file as another program does, letting others have the access of SHARE (FILE_SHARE_*), and
 * closes it that many milliseconds later. It prints "held" when it has it. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int wmain(int count, wchar_t **words) {
    if (count != 4)
        return 2;
    HANDLE file = CreateFileW(words[1], GENERIC_READ, (DWORD)_wtoi(words[2]), NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return 1;
    puts("held");
    fflush(stdout);
    Sleep((DWORD)_wtoi(words[3]));
    return 0;
}
