#define _GNU_SOURCE
#include "platform/os_net.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

bool os_has_network(void) {
    return true;
}

bool os_has_epoll(void) {
    return true;
}

/* Returns the socket, or -1 with errno. */
static int listen_at(const struct addrinfo *a) {
    int on = 1, made = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -1;
    /* A server that has just ended leaves connections after, which nobody needs. */
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 && bind(made, a->ai_addr, a->ai_addrlen) == 0 &&
        listen(made, SOMAXCONN) == 0)
        return made;
    int error = errno;
    close(made);
    errno = error;
    return -1;
}

static bool is_everywhere(const struct sockaddr_storage *s) {
    if (s->ss_family == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)s)->sin6_addr);
    return ((const struct sockaddr_in *)s)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static bool is_loopback(const struct sockaddr_storage *s) {
    if (s->ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)s)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)s)->sin_addr.s_addr) >> 24 == 127;
}

/* Host and port of an address as numbers, the former in brackets when it has colons. */
static bool name_numbers(char *host, size_t size, char port[NI_MAXSERV], const struct sockaddr_storage *s,
                         socklen_t length) {
    char number[NI_MAXHOST];
    if (getnameinfo((const struct sockaddr *)s, length, number, sizeof number, port, NI_MAXSERV,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    int written = snprintf(host, size, strchr(number, ':') ? "[%s]" : "%s", number);
    return written >= 0 && (size_t)written < size;
}

static bool describe(os_listener *l) {
    struct sockaddr_storage s;
    socklen_t length = sizeof s;
    char port[NI_MAXSERV];
    if (getsockname(l->socket, (struct sockaddr *)&s, &length) != 0 ||
        !name_numbers(l->host, sizeof l->host, port, &s, length))
        return false;
    l->port = ntohs(s.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&s)->sin6_port
                                            : ((const struct sockaddr_in *)&s)->sin_port);
    l->loopback = is_loopback(&s);
    if (is_everywhere(&s)) {
        if (gethostname(l->host, sizeof l->host) != 0)
            return false;
        l->host[sizeof l->host - 1] = 0;
    }
    return true;
}

ecma_status os_listen(os_listener *l, diag *d, const char *host, const char *port) {
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (error)
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: %s",
                           error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    os_listener made = {.socket = listen_at(found)};
    error = errno;
    freeaddrinfo(found);
    if (made.socket >= 0 && !describe(&made)) {
        error = errno;
        close(made.socket);
        made.socket = -1;
    }
    if (made.socket < 0)
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: %s", strerror(error));
    *l = made;
    return ECMA_OK;
}

void os_close_socket(int socket) {
    close(socket);
}

void os_shut_socket(int socket) {
    shutdown(socket, SHUT_RDWR);
}

bool os_socket_has_input(int socket) {
    int bytes = 0;
    return ioctl(socket, FIONREAD, &bytes) == 0 && bytes > 0;
}

void os_tell_end(int socket) {
    char next;
    ssize_t size = recv(socket, &next, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        shutdown(socket, SHUT_RD);
}

void os_socket_peer(int socket, char peer[OS_PEER_BYTES]) {
    struct sockaddr_storage s;
    socklen_t length = sizeof s;
    char host[OS_PEER_BYTES - 8], port[NI_MAXSERV];
    if (getpeername(socket, (struct sockaddr *)&s, &length) != 0 || !name_numbers(host, sizeof host, port, &s, length))
        snprintf(peer, OS_PEER_BYTES, "?");
    else
        snprintf(peer, OS_PEER_BYTES, "%s:%.6s", host, port);
}

uint64_t os_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
