#include "platform/os_connect.h"

#include <string.h>

static const char none[] = "this build of ilinject has no network";

int os_connect(const char *host, const char *port, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    (void)host;
    (void)port;
    (void)p;
    memcpy(problem, none, sizeof none);
    return -1;
}

bool os_send(int socket, bytes all, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    (void)all;
    (void)socket;
    (void)os_connect(NULL, NULL, p, problem);
    return false;
}

int os_receive(int socket, void *to, size_t size, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    (void)socket;
    (void)to;
    (void)size;
    return os_connect(NULL, NULL, p, problem);
}

void os_pause(const os_patience *p) {
    (void)p;
}
