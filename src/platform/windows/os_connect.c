#include "platform/os_connect.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include <stdio.h>
#include <string.h>

#include "platform/os_net.h"

static void tell(char problem[OS_PROBLEM_BYTES], const char *text) {
    snprintf(problem, OS_PROBLEM_BYTES, "%s", text);
}

static void tell_error(char problem[OS_PROBLEM_BYTES], int error) {
    tell(problem, error == WSAECONNREFUSED ? "Connection refused"
                  : error == WSAECONNRESET ? "Connection reset by peer"
                                           : gai_strerrorA(error));
}

static bool started(void) {
    static bool done;
    WSADATA data;
    return done || (done = WSAStartup(MAKEWORD(2, 2), &data) == 0);
}

/* A connection that was refused is an exception, and neither readable nor writable. */
static bool wait_for(SOCKET socket, bool output, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    for (int ms; (ms = os_look_in(p)) > 0;) {
        fd_set wanted, failed;
        FD_ZERO(&wanted);
        FD_ZERO(&failed);
        FD_SET(socket, &wanted);
        FD_SET(socket, &failed);
        struct timeval time = {.tv_usec = ms * 1000};
        const int ready = select(0, output ? NULL : &wanted, output ? &wanted : NULL, &failed, &time);
        if (ready > 0)
            return true;
        if (ready < 0) {
            tell_error(problem, WSAGetLastError());
            return false;
        }
    }
    tell(problem, "it takes too long");
    return false;
}

static SOCKET connect_to(const struct addrinfo *a, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    u_long unblocked = 1;
    int error = 0, size = sizeof error;
    const SOCKET made = socket(a->ai_family, SOCK_STREAM, 0);
    if (made == INVALID_SOCKET || ioctlsocket(made, (long)FIONBIO, &unblocked) != 0) {
        tell_error(problem, WSAGetLastError());
    } else if (connect(made, a->ai_addr, (int)a->ai_addrlen) == 0) {
        return made;
    } else if (WSAGetLastError() != WSAEWOULDBLOCK) {
        tell_error(problem, WSAGetLastError());
    } else if (wait_for(made, true, p, problem)) {
        if (getsockopt(made, SOL_SOCKET, SO_ERROR, (char *)&error, &size) == 0 && error == 0)
            return made;
        tell_error(problem, error);
    }
    if (made != INVALID_SOCKET)
        closesocket(made);
    return INVALID_SOCKET;
}

int os_connect(const char *host, const char *port, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (!started()) {
        tell(problem, "there is no network");
        return -1;
    }
    const int error = getaddrinfo(host, port, &hints, &found);
    if (error) {
        tell(problem, error == EAI_NONAME ? "Name or service not known" : gai_strerrorA(error));
        return -1;
    }
    SOCKET made = INVALID_SOCKET;
    for (const struct addrinfo *a = found; a && made == INVALID_SOCKET; a = a->ai_next)
        made = connect_to(a, p, problem);
    freeaddrinfo(found);
    return made == INVALID_SOCKET ? -1 : (int)made;
}

bool os_send(int socket, bytes all, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    enum { MOST_AT_ONCE = 1 << 20 };
    while (all.size > 0) {
        const int part = all.size < MOST_AT_ONCE ? (int)all.size : MOST_AT_ONCE;
        const int sent = send((SOCKET)socket, (const char *)all.data, part, 0);
        if (sent > 0) {
            all = bytes_of(all.data + sent, all.size - (size_t)sent);
        } else if (WSAGetLastError() == WSAEWOULDBLOCK) {
            if (!wait_for((SOCKET)socket, true, p, problem))
                return false;
        } else {
            tell_error(problem, WSAGetLastError());
            return false;
        }
    }
    return true;
}

int os_receive(int socket, void *to, size_t size, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    while (wait_for((SOCKET)socket, false, p, problem)) {
        const int got = recv((SOCKET)socket, to, (int)size, 0);
        if (got >= 0)
            return got;
        if (WSAGetLastError() != WSAEWOULDBLOCK) {
            tell_error(problem, WSAGetLastError());
            return -1;
        }
    }
    return -1;
}

void os_pause(const os_patience *p) {
    for (int ms; (ms = os_look_in(p)) > 0;)
        Sleep((DWORD)ms);
}
