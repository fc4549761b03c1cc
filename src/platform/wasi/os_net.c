#include "platform/os_net.h"

#include <string.h>
#include <time.h>

bool os_has_network(void) {
    return false;
}

bool os_has_epoll(void) {
    return false;
}

ecma_status os_listen(os_listener *l, diag *d, const char *host, const char *port) {
    (void)l;
    (void)host;
    (void)port;
    return diag_report(d, DIAG_LISTEN, "cannot be listened at: there is no network");
}

void os_close_socket(int socket) {
    (void)socket;
}

void os_shut_socket(int socket) {
    (void)socket;
}

bool os_socket_has_input(int socket) {
    (void)socket;
    return false;
}

void os_tell_end(int socket) {
    (void)socket;
}

void os_socket_peer(int socket, char peer[OS_PEER_BYTES]) {
    (void)socket;
    memcpy(peer, "?", 2);
}

uint64_t os_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
