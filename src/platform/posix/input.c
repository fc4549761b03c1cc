#define _GNU_SOURCE
#include "platform/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/os_files.h"

enum { BLOCK = 65536, SILENT_MS = 2000, MOST_BYTES = 64 << 20 };

/* Returns false when not all was written, with errno. */
static bool put(int file, const char *data, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t written = write(file, data + at, size - at);
        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* A file without a name, in the folder; -1: there is none. */
static int nameless_file(const char *folder) {
    char *path = NULL, *name = NULL;
    if (asprintf(&path, "%s/", folder) < 0)
        return -1;
    int file = os_make_temporary(&name, path, 0600);
    if (file >= 0) {
        unlink(name);
        free(name);
    }
    free(path);
    return file;
}

/* Stores what comes, up to the end, to the limit, or until nothing comes for a while. */
static system_input store(int file) {
    static char block[BLOCK];
    for (size_t all = 0; all < MOST_BYTES;) {
        struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
        int answer = poll(&ready, 1, SILENT_MS);
        if (answer == 0)
            return SYSTEM_INPUT_SILENT;
        ssize_t size = answer > 0 ? read(STDIN_FILENO, block, sizeof block) : -1;
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return SYSTEM_INPUT_TWICE;
        if (!put(file, block, (size_t)size))
            return SYSTEM_INPUT_LARGE;
        all += (size_t)size;
    }
    return SYSTEM_INPUT_LARGE;
}

/* True when the program may read on: something has come, or the end; false when no reader is left. */
static bool wait_for_more(int to) {
    struct pollfd both[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = to}};
    for (;;) {
        int answer = poll(both, 2, -1);
        if (answer < 0 && errno != EINTR)
            return false;
        if (answer > 0)
            return both[1].revents == 0;
    }
}

/* In a process of its own: gives on what was stored, then the rest as it comes, until no reader is left. */
static void feed(int file, int to) {
    static char block[BLOCK];
    ssize_t size = 0;
    bool taken = lseek(file, 0, SEEK_SET) == 0;
    while (taken && (size = read(file, block, sizeof block)) > 0)
        taken = put(to, block, (size_t)size);
    while (taken && wait_for_more(to) && (size = read(STDIN_FILENO, block, sizeof block)) > 0)
        taken = put(to, block, (size_t)size);
    _exit(0);
}

/* The standard input becomes a pipe from that process. Its parent ends at once, so that this process need not wait for the other. */
static bool feed_from(int file) {
    int ends[2], status = 1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t between = fork();
    if (between == 0) {
        pid_t feeder = fork();
        if (feeder != 0)
            _exit(feeder < 0);
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(ends[0]);
        feed(file, ends[1]);
    }
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
        ;
    bool fed = between > 0 && status == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO;
    close(ends[0]);
    close(ends[1]);
    return fed;
}

system_input system_keep_input(const char *folder) {
    struct stat info;
    if (fstat(STDIN_FILENO, &info) != 0 || S_ISREG(info.st_mode) || S_ISCHR(info.st_mode))
        return SYSTEM_INPUT_TWICE;
    int file = nameless_file(folder);
    if (file < 0)
        return SYSTEM_INPUT_ONCE;
    system_input input = store(file);
    bool there = input == SYSTEM_INPUT_TWICE
                     ? lseek(file, 0, SEEK_SET) == 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO
                     : (input == SYSTEM_INPUT_SILENT && lseek(file, 0, SEEK_CUR) == 0) || feed_from(file);
    close(file);
    return there ? input : SYSTEM_INPUT_LOST;
}
