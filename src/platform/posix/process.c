#define _GNU_SOURCE
#include "platform/process.h"

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

#include "platform/system.h"

/* Where things stand in a control file. */
enum {
    REQUEST_AT = 16,
    ANSWER_AT = 512,
    TEXT_AT = 1024,
    PAYLOAD_AT = 8192,
    MOST_TEXT = PAYLOAD_AT - TEXT_AT,
    POLL_MS = 10,
};
static const char magic[8] = "ILCTL\r\n\x01";
static const char name_part[] = "/.ilinject-ctl-";

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

/* Requests and answers hold what was captured: nobody but the process's user and root may have opened the file. */
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
    uint8_t header[REQUEST_AT];
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && pread(file, header, sizeof header, 0) == sizeof header &&
        memcmp(header, magic, sizeof magic) == 0) {
        uint32_t claimed =
            (uint32_t)header[8] | (uint32_t)header[9] << 8 | (uint32_t)header[10] << 16 | (uint32_t)header[11] << 24;
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
        if (fstat(ways->items[i].file, &other) == 0 && other.st_dev == info.st_dev && other.st_ino == info.st_ino)
            return true;
    return false;
}

static bool add(control_ways *ways, int file) {
    control_way *more = realloc(ways->items, (ways->count + 1) * sizeof *more);
    if (!more)
        return false;
    ways->items = more;
    ways->items[ways->count++] = (control_way){.file = file};
    return true;
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
        if (ways->items[i].request != 0 && fstat(ways->items[i].file, &info) == 0 && info.st_size > REQUEST_AT &&
            ftruncate(ways->items[i].file, REQUEST_AT) != 0)
            errno = 0;
        close(ways->items[i].file);
    }
    free(ways->items);
    *ways = (control_ways){0};
}

/* ---- Asking --------------------------------------------------------------------------------------------------- */

static void pause_ms(long milliseconds) {
    struct timespec wait = {.tv_nsec = milliseconds * 1000000};
    nanosleep(&wait, NULL);
}

/* Keeps other askers away until the file is closed; the tracker knows nothing of it. */
static bool lock(int file) {
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &all) == 0;
}

static void write_request(control_way *way, const char *command, const char *arguments) {
    struct timespec now;
    char line[64];
    size_t size = arguments ? strlen(arguments) : 0;
    clock_gettime(CLOCK_REALTIME, &now);
    way->request = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    int length = arguments ? snprintf(line, sizeof line, "%" PRIu64 " %s:%zu\n", way->request, command, size)
                           : snprintf(line, sizeof line, "%" PRIu64 " %s\n", way->request, command);
    if (ftruncate(way->file, REQUEST_AT) != 0 ||
        (arguments && pwrite(way->file, arguments, size, PAYLOAD_AT) != (ssize_t)size) ||
        pwrite(way->file, line, (size_t)length, REQUEST_AT) != length)
        way->state = WAY_FAILED;
}

/* Takes the answer if it is there. It is whole when its number stands at both ends of the line. */
static void read_answer(control_way *way) {
    char line[160] = {0};
    uint64_t number = 0, again = 0, text = 0, payload = 0;
    int done = 0;
    struct stat info;
    if (fstat(way->file, &info) != 0 || info.st_size == 0) {
        way->state = WAY_CLOSED;
        return;
    }
    if (pread(way->file, line, sizeof line - 1, ANSWER_AT) <= 0 || !strchr(line, '\n') ||
        sscanf(line, "%20" SCNu64 " %1d %5" SCNu64 " %10" SCNu64 " %20" SCNu64, &number, &done, &text, &payload,
               &again) != 5 ||
        number != way->request || again != number)
        return;
    if (text > MOST_TEXT || pread(way->file, way->profile, (size_t)text, TEXT_AT) != (ssize_t)text)
        text = 0;
    way->profile[text] = 0;
    way->payload = payload;
    way->state = done ? WAY_ANSWERED : WAY_FAILED;
}

/* Does one still wait? All askers take the ways in the same order, so that none waits for another in a circle. */
static bool step(control_ways *ways, const char *command, const char *arguments, uint64_t answer_ns,
                 uint64_t turn_end_ns) {
    uint64_t now = system_now_ns();
    bool waits = false, is_mine = true;
    for (size_t i = 0; i < ways->count; i++) {
        control_way *way = &ways->items[i];
        if (way->state != WAY_WAITS)
            continue;
        if (way->request != 0) {
            read_answer(way);
        } else if (is_mine && (is_mine = lock(way->file))) {
            write_request(way, command, arguments);
            way->end_ns = now + answer_ns;
        }
        waits = waits || (way->state == WAY_WAITS && now < (way->request != 0 ? way->end_ns : turn_end_ns));
    }
    return waits;
}

void control_ask(control_ways *ways, uint32_t pid, const char *command, const char *arguments, unsigned answer_ms,
                 unsigned turn_ms) {
    uint64_t turn_end_ns = system_now_ns() + (uint64_t)turn_ms * 1000000u;
    while (step(ways, command, arguments, (uint64_t)answer_ms * 1000000u, turn_end_ns)) {
        if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
            for (size_t i = 0; i < ways->count; i++)
                if (ways->items[i].state == WAY_WAITS)
                    ways->items[i].state = WAY_CLOSED;
            return;
        }
        pause_ms(POLL_MS);
    }
}

size_t control_fetch(const control_way *way, void *to, uint64_t offset, size_t size) {
    if (offset >= way->payload)
        return 0;
    if (size > way->payload - offset)
        size = (size_t)(way->payload - offset);
    ssize_t got = pread(way->file, to, size, (off_t)(PAYLOAD_AT + offset));
    return got > 0 ? (size_t)got : 0;
}

/* ---- New files ------------------------------------------------------------------------------------------------ */

FILE *control_new_file(char **name, const char *wanted) {
    const char *base = strrchr(wanted, '/'), *dot = strrchr(base ? base : wanted, '.');
    int stem = dot && dot != (base ? base + 1 : wanted) ? (int)(dot - wanted) : (int)strlen(wanted);
    for (unsigned number = 1; number < 10000; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        if (asprintf(name, "%.*s%s%s", stem, wanted, suffix, wanted + stem) < 0)
            break;
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
        if (stream)
            return stream;
        int error = errno;
        if (file >= 0) {
            close(file);
            unlink(*name);
        }
        free(*name);
        errno = error;
        if (error != EEXIST)
            break;
    }
    *name = NULL;
    return NULL;
}
