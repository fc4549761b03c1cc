/* windows_liar.c - memory that looks as if a tracker had made it, with the rights (SDDL) of the first argument. It
 * answers each request with the second argument; an @ in it stands for the request's number. Says its process's
 * number, then listens for a minute. */
#include <windows.h>

#include <sddl.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 8192 + 65536, REQUEST_AT = 16, ANSWER_AT = 512, LOOKS = 600 };

int main(int argc, char **argv) {
    static const char magic[] = "ILCTL\r\n\x01";
    SECURITY_ATTRIBUTES rights = {sizeof rights, NULL, FALSE};
    char name[64], number[24];
    DWORD pid = GetCurrentProcessId();
    if (argc != 3 ||
        !ConvertStringSecurityDescriptorToSecurityDescriptorA(argv[1], SDDL_REVISION_1, &rights.lpSecurityDescriptor, NULL))
        return 1;
    snprintf(name, sizeof name, "Local\\ilinject-ctl-%lu-0", pid);
    HANDLE section = CreateFileMappingA(INVALID_HANDLE_VALUE, &rights, PAGE_READWRITE, 0, BYTES, name);
    char *view = section ? MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, BYTES) : NULL;
    if (!view)
        return 2;
    memcpy(view + 8, &pid, sizeof pid);
    memcpy(view, magic, 8);
    printf("%lu\n", pid);
    fflush(stdout);
    for (int i = 0; i < LOOKS; i++, Sleep(100)) {
        if (!view[REQUEST_AT] || view[ANSWER_AT] || sscanf(view + REQUEST_AT, "%23[0-9]", number) != 1)
            continue;
        char *to = view + ANSWER_AT;
        for (const char *at = argv[2]; *at; at++)
            to += sprintf(to, *at == '@' ? "%s" : "%.1s", *at == '@' ? number : at);
        strcpy(to, "\n");
    }
    return 0;
}
