#define _GNU_SOURCE
#include "platform/os_connect.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(char problem[OS_PROBLEM_BYTES], const char *text) {
    snprintf(problem, OS_PROBLEM_BYTES, "%s", text);
}

static bool wait_for(int socket, short events, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    struct pollfd one = {.fd = socket, .events = events};
    for (int ms; (ms = os_look_in(p)) > 0;) {
        const int ready = poll(&one, 1, ms);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR) {
            tell(problem, strerror(errno));
            return false;
        }
    }
    tell(problem, "it takes too long");
    return false;
}

static int connect_to(const struct addrinfo *a, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    int error = 0;
    socklen_t size = sizeof error;
    const int made = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) {
        tell(problem, strerror(errno));
        return -1;
    }
    if (connect(made, a->ai_addr, a->ai_addrlen) == 0)
        return made;
    if (errno != EINPROGRESS && errno != EINTR) {
        tell(problem, strerror(errno));
    } else if (wait_for(made, POLLOUT, p, problem)) {
        if (getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
            return made;
        tell(problem, strerror(error));
    }
    close(made);
    return -1;
}

int os_connect(const char *host, const char *port, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(host, port, &hints, &found);
    if (error) {
        tell(problem, error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
        return -1;
    }
    int made = -1;
    for (const struct addrinfo *a = found; a && made < 0; a = a->ai_next)
        made = connect_to(a, p, problem);
    freeaddrinfo(found);
    return made;
}

bool os_send(int socket, bytes all, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    while (all.size > 0) {
        const ssize_t sent = send(socket, all.data, all.size, MSG_NOSIGNAL);
        if (sent > 0) {
            all = bytes_of(all.data + sent, all.size - (size_t)sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for(socket, POLLOUT, p, problem))
                return false;
        } else if (errno != EINTR) {
            tell(problem, strerror(errno));
            return false;
        }
    }
    return true;
}

int os_receive(int socket, void *to, size_t size, const os_patience *p, char problem[OS_PROBLEM_BYTES]) {
    while (wait_for(socket, POLLIN, p, problem)) {
        const ssize_t got = recv(socket, to, size, 0);
        if (got >= 0)
            return (int)got;
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            tell(problem, strerror(errno));
            return -1;
        }
    }
    return -1;
}

void os_pause(const os_patience *p) {
    for (int ms; (ms = os_look_in(p)) > 0;)
        (void)poll(NULL, 0, ms);
}
