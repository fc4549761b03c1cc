#include "platform/os_net.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include <stdio.h>
#include <string.h>

enum { BACKLOG = 128 };

bool os_has_network(void) {
    return true;
}

bool os_has_epoll(void) {
    return false;
}

static bool started(void) {
    static bool done;
    WSADATA data;
    return done || (done = WSAStartup(MAKEWORD(2, 2), &data) == 0);
}

static SOCKET listen_at(const struct addrinfo *a) {
    u_long unblocked = 1;
    BOOL alone = TRUE; /* else another program may listen at the same address */
    SOCKET made = socket(a->ai_family, SOCK_STREAM, 0);
    if (made == INVALID_SOCKET)
        return made;
    if (setsockopt(made, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&alone, sizeof alone) == 0 &&
        ioctlsocket(made, (long)FIONBIO, &unblocked) == 0 && bind(made, a->ai_addr, (int)a->ai_addrlen) == 0 &&
        listen(made, BACKLOG) == 0)
        return made;
    int error = WSAGetLastError();
    closesocket(made);
    WSASetLastError(error);
    return INVALID_SOCKET;
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

static bool name_numbers(char *host, size_t size, char port[NI_MAXSERV], const struct sockaddr_storage *s,
                         socklen_t length) {
    char number[OS_HOST_BYTES - 8];
    if (getnameinfo((const struct sockaddr *)s, length, number, sizeof number, port, NI_MAXSERV,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    int written = snprintf(host, size, strchr(number, ':') ? "[%s]" : "%s", number);
    return written >= 0 && (size_t)written < size;
}

static bool describe(os_listener *l, SOCKET made) {
    struct sockaddr_storage s;
    socklen_t length = sizeof s;
    char port[NI_MAXSERV];
    if (getsockname(made, (struct sockaddr *)&s, &length) != 0 ||
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
    if (!started())
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: there is no network");
    int error = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (error)
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: %s",
                           error == EAI_NONAME ? "Name or service not known" : gai_strerrorA(error));
    SOCKET made = listen_at(found);
    error = made == INVALID_SOCKET ? WSAGetLastError() : 0;
    freeaddrinfo(found);
    os_listener listener = {.socket = (int)made};
    if (!error && !describe(&listener, made)) {
        error = WSAGetLastError();
        closesocket(made);
    }
    if (error)
        return diag_report(d, DIAG_LISTEN, "cannot be listened at: %s",
                           error == WSAEADDRINUSE || error == WSAEACCES ? "Address already in use"
                           : error == WSAEADDRNOTAVAIL                  ? "Cannot assign requested address"
                                                                        : gai_strerrorA(error));
    *l = listener;
    return ECMA_OK;
}

void os_close_socket(int socket) {
    closesocket((SOCKET)socket);
}

void os_shut_socket(int socket) {
    shutdown((SOCKET)socket, SD_BOTH);
}

bool os_socket_has_input(int socket) {
    (void)socket;
    return false;
}

/* Sockets are watched by select, which tells of an end as long as it is not read. */
void os_tell_end(int socket) {
    (void)socket;
}

void os_socket_peer(int socket, char peer[OS_PEER_BYTES]) {
    struct sockaddr_storage s;
    socklen_t length = sizeof s;
    char host[OS_PEER_BYTES - 8], port[NI_MAXSERV];
    if (getpeername((SOCKET)socket, (struct sockaddr *)&s, &length) != 0 ||
        !name_numbers(host, sizeof host, port, &s, length))
        snprintf(peer, OS_PEER_BYTES, "?");
    else
        snprintf(peer, OS_PEER_BYTES, "%s:%.6s", host, port);
}

uint64_t os_now_ns(void) {
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    uint64_t ticks = (uint64_t)now.QuadPart, each = (uint64_t)frequency.QuadPart;
    return ticks / each * 1000000000u + ticks % each * 1000000000u / each;
}
