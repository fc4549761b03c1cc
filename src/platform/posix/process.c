#define _GNU_SOURCE
#include "platform/control.h"
#include "platform/posix/os_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char name_part[] = "/.ilinject-ctl-";

static int file_of(const control_way *way) {
    return (int)way->place;
}

/* ---- Finding -------------------------------------------------------------------------------------------------- */

/* A number that the process has in one of the namespaces it is seen from: a tracker in a container knows the innermost.
 */
static bool is_number_of(uint32_t pid, uint32_t claimed) {
    char path[64], line[256];
    bool found = claimed == 0 || claimed == pid;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/status", pid);
    FILE *status = found ? NULL : fopen(path, "re");
    while (status && !found && fgets(line, sizeof line, status)) {
        if (strncmp(line, "NSpid:", 6) != 0)
            continue;
        for (char *at = line + 6, *end; !found; at = end) {
            unsigned long number = strtoul(at, &end, 10);
            if (end == at)
                break;
            found = number == claimed;
        }
    }
    if (status)
        fclose(status);
    return found;
}

/* Requests and answers hold what was captured: only the process's user and root may be able to open the file. */
static bool is_private(const struct stat *info, uint32_t pid) {
    char path[64];
    struct stat process;
    snprintf(path, sizeof path, "/proc/%" PRIu32, pid);
    bool known =
        info->st_uid == geteuid() || info->st_uid == 0 || (stat(path, &process) == 0 && info->st_uid == process.st_uid);
    return known && (info->st_mode & 077) == 0;
}

/* Opens the descriptor of a process if it is a control file of a tracker in it; -1: it is not, or that fails, or it is
 * *exposed to other users. */
static int open_way(uint32_t pid, const char *descriptor, bool *exposed) {
    char path[320], target[4096];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%s", pid, descriptor);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return -1;
    target[length] = 0;
    if (!strstr(target, name_part))
        return -1;
    struct stat info;
    uint8_t header[CONTROL_REQUEST_AT];
    uint32_t claimed;
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && pread(file, header, sizeof header, 0) == sizeof header &&
        control_read_header(&claimed, header)) {
        bool is_way = is_number_of(pid, claimed), is_ours = is_private(&info, pid);
        *exposed |= is_way && !is_ours;
        if (is_way && is_ours)
            return file;
    }
    close(file);
    return -1;
}

/* A tracker may have its file open by more than one descriptor, and is asked once. */
static bool is_known(const control_ways *ways, int file) {
    struct stat info, other;
    if (fstat(file, &info) != 0)
        return true;
    for (size_t i = 0; i < ways->count; i++)
        if (fstat(file_of(&ways->items[i]), &other) == 0 && other.st_dev == info.st_dev && other.st_ino == info.st_ino)
            return true;
    return false;
}

static bool add(control_ways *ways, int file) {
    control_way *more = realloc(ways->items, (ways->count + 1) * sizeof *more);
    if (!more)
        return false;
    ways->items = more;
    ways->items[ways->count++] = (control_way){.place = file};
    return true;
}

control_status control_processes(uint32_t **pids, size_t *count) {
    DIR *folder = opendir("/proc");
    control_status status = folder ? CONTROL_OK : CONTROL_NOT_HERE;
    *pids = NULL;
    *count = 0;
    for (struct dirent *entry; status == CONTROL_OK && (entry = readdir(folder));) {
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);
        if (*end == 0 && pid > 0 && pid <= UINT32_MAX && !control_add_process(pids, count, (uint32_t)pid))
            status = CONTROL_NO_MEMORY;
    }
    if (folder)
        closedir(folder);
    if (status != CONTROL_OK)
        free(*pids);
    else
        control_sort_processes(*pids, *count);
    return status;
}

char *control_command_line(uint32_t pid) {
    enum { MOST = 4096 };
    char path[64], *line = malloc(MOST);
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/cmdline", pid);
    FILE *file = line ? fopen(path, "re") : NULL;
    size_t size = file ? fread(line, 1, MOST - 1, file) : 0;
    if (file)
        fclose(file);
    while (size > 0 && line[size - 1] == 0)
        size--;
    if (size == 0) {
        free(line);
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        if (line[i] == 0)
            line[i] = ' ';
    line[size] = 0;
    return line;
}

control_status control_open(control_ways *ways, uint32_t pid) {
    char path[64];
    bool exposed = false;
    control_status status = CONTROL_OK;
    *ways = (control_ways){0};
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == EACCES || errno == EPERM ? CONTROL_NOT_YOURS : CONTROL_NO_PROCESS;
    errno = 0;
    for (struct dirent *entry; status == CONTROL_OK && (entry = readdir(folder));) {
        int file = entry->d_name[0] == '.' ? -1 : open_way(pid, entry->d_name, &exposed);
        if (file < 0)
            continue;
        if (is_known(ways, file)) {
            close(file);
        } else if (!add(ways, file)) {
            close(file);
            status = CONTROL_NO_MEMORY;
        }
    }
    closedir(folder);
    if (status == CONTROL_OK && ways->count == 0)
        status = exposed                                      ? CONTROL_EXPOSED
                 : kill((pid_t)pid, 0) != 0 && errno == ESRCH ? CONTROL_NO_PROCESS
                                                              : CONTROL_NO_TRACKER;
    if (status != CONTROL_OK)
        control_close(ways);
    return status;
}

void control_close(control_ways *ways) {
    for (size_t i = 0; i < ways->count; i++) {
        /* An answer is for this asker alone: what stays is the header. */
        struct stat info;
        if (ways->items[i].request != 0 && fstat(file_of(&ways->items[i]), &info) == 0 &&
            info.st_size > CONTROL_REQUEST_AT && ftruncate(file_of(&ways->items[i]), CONTROL_REQUEST_AT) != 0)
            errno = 0;
        close(file_of(&ways->items[i]));
    }
    free(ways->items);
    *ways = (control_ways){0};
}

/* ---- Asking --------------------------------------------------------------------------------------------------- */

bool control_lock(control_way *way) {
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file_of(way), F_SETLK, &all) == 0;
}

bool control_clear(control_way *way) {
    return ftruncate(file_of(way), CONTROL_REQUEST_AT) == 0;
}

bool control_put(control_way *way, const void *from, uint64_t offset, size_t size) {
    return pwrite(file_of(way), from, size, (off_t)offset) == (ssize_t)size;
}

size_t control_get(const control_way *way, void *to, uint64_t offset, size_t size) {
    ssize_t got = pread(file_of(way), to, size, (off_t)offset);
    return got > 0 ? (size_t)got : 0;
}

bool control_has_ended(const control_way *way) {
    struct stat info;
    return fstat(file_of(way), &info) != 0 || info.st_size == 0;
}

bool control_process_lives(uint32_t pid) {
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

uint64_t control_number(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void control_pause(unsigned milliseconds) {
    struct timespec wait = {.tv_nsec = (long)milliseconds * 1000000};
    nanosleep(&wait, NULL);
}

size_t control_fetch(const control_way *way, void *to, uint64_t offset, size_t size) {
    if (offset >= way->payload)
        return 0;
    if (size > way->payload - offset)
        size = (size_t)(way->payload - offset);
    return control_get(way, to, CONTROL_PAYLOAD_AT + offset, size);
}

/* ---- New files ------------------------------------------------------------------------------------------------ */

FILE *control_make_file(const char *name) {
    int file = os_make_file(name, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (!stream && file >= 0) {
        int error = errno;
        close(file);
        unlink(name);
        errno = error;
    }
    return stream;
}
