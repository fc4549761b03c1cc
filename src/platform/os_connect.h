/* os_connect.h - connections to other programs: a client's side. */
#ifndef ILINJECT_PLATFORM_OS_CONNECT_H
#define ILINJECT_PLATFORM_OS_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "platform/os_net.h"

enum { OS_PROBLEM_BYTES = 128, OS_LOOK_MS = 100 };

/* How long the functions below wait: until then by os_now_ns, or until `ends` (NULL: never) is true, which is called
 * every OS_LOOK_MS. */
typedef struct os_patience {
    uint64_t until_ns;
    bool (*ends)(void *user);
    void *user;
} os_patience;

/* Milliseconds until it is to be looked again; 0: the waiting is over. */
static inline int os_look_in(const os_patience *p) {
    const uint64_t now = os_now_ns();
    if (now >= p->until_ns || (p->ends && p->ends(p->user)))
        return 0;
    const uint64_t left = (p->until_ns - now) / 1000000 + 1;
    return left < OS_LOOK_MS ? (int)left : OS_LOOK_MS;
}

/* Connects to the first address of `host` (a name or a number) and `port`, decimal, that takes the connection. Returns
 * the socket, for os_close_socket; -1: `problem` says why there is none. */
int os_connect(const char *host, const char *port, const os_patience *p, char problem[OS_PROBLEM_BYTES]);

/* Sends all of it. False: `problem` says why not. */
bool os_send(int socket, bytes all, const os_patience *p, char problem[OS_PROBLEM_BYTES]);

/* Waits for input. Returns how many bytes came, 0 at the end; -1: `problem` says why. */
int os_receive(int socket, void *to, size_t size, const os_patience *p, char problem[OS_PROBLEM_BYTES]);

/* Does nothing until then. */
void os_pause(const os_patience *p);

#endif
