/* os_net.h - what the library asks the operating system about the network, and the clock that goes with it. */
#ifndef ILINJECT_PLATFORM_OS_NET_H
#define ILINJECT_PLATFORM_OS_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum { OS_HOST_BYTES = 264, OS_PEER_BYTES = 80 };

/* False: nothing can be listened at on this system. */
bool os_has_network(void);

/* True if the system watches sockets with epoll. */
bool os_has_epoll(void);

/* A socket's number as libraries take it; elsewhere than on Windows it is an int. */
#ifdef _WIN32
typedef uintptr_t os_native_socket;
#else
typedef int os_native_socket;
#endif

/* A socket that waits for connections. */
typedef struct os_listener {
    int socket;
    uint16_t port;            /* the one that was got, when any was asked for */
    bool loopback;            /* not reachable from another machine */
    char host[OS_HOST_BYTES]; /* as URLs name it, with brackets; of every address of the machine its name */
} os_listener;

/* Waits at the first address of `host` (a name or a number; empty: every address of the machine) and `port`, decimal;
 * 0: any. It does not block. Returns ECMA_OK, ECMA_IO (LISTEN). */
ecma_status os_listen(os_listener *l, diag *d, const char *host, const char *port);
void os_close_socket(int socket);

/* Ends a connection of another owner: its next read finds the end. */
void os_shut_socket(int socket);

/* True if there is input that is not read yet. */
bool os_socket_has_input(int socket);

/* Wakes the reader of a connection again, when the other end sends nothing more and all that it sent is read: with
 * edge-triggered epoll it can miss an EOF that arrived together with the last data. */
void os_tell_end(int socket);

/* The other end of a connection, "127.0.0.1:40000"; "?" when that is not known. */
void os_socket_peer(int socket, char peer[OS_PEER_BYTES]);

/* Nanoseconds of a clock that never goes back. */
uint64_t os_now_ns(void);

#endif
