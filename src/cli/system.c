#define _GNU_SOURCE
#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Terminal, signals, clock ---------------------------------------------------------------------------------- */

bool system_output_is_terminal(void) {
    return isatty(STDOUT_FILENO);
}
bool system_error_is_terminal(void) {
    return isatty(STDERR_FILENO);
}

unsigned system_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    long number = columns ? strtol(columns, NULL, 10) : 0;
    return number > 0 && number <= 10000 ? (unsigned)number : 120;
}

void system_ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}

uint64_t system_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

unsigned system_processors(void) {
    cpu_set_t allowed;
    long number =
        sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    return number > 0 ? (unsigned)number : 1;
}

struct system_threads {
    void (*work)(void *user);
    void *user;
    unsigned count;
    pthread_t ids[];
};

static void *thread_main(void *user) {
    const system_threads *t = user;
    t->work(t->user);
    return NULL;
}

unsigned system_threads_start(system_threads **threads, unsigned count, void (*work)(void *user), void *user) {
    system_threads *t = malloc(sizeof *t + count * sizeof t->ids[0]);
    sigset_t all, before;
    unsigned started = 0;
    if (!t)
        return 0;
    t->work = work;
    t->user = user;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count && pthread_create(&t->ids[started], NULL, thread_main, t) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    t->count = started;
    if (started == 0)
        free(t);
    else
        *threads = t;
    return started;
}

void system_threads_join(system_threads *threads) {
    for (unsigned i = 0; i < threads->count; i++)
        pthread_join(threads->ids[i], NULL);
    free(threads);
}

struct system_monitor {
    pthread_mutex_t inside;
    pthread_cond_t change;
};

system_monitor *system_monitor_new(void) {
    system_monitor *m = malloc(sizeof *m);
    if (m) {
        pthread_mutex_init(&m->inside, NULL);
        pthread_cond_init(&m->change, NULL);
    }
    return m;
}

void system_monitor_free(system_monitor *m) {
    if (!m)
        return;
    pthread_cond_destroy(&m->change);
    pthread_mutex_destroy(&m->inside);
    free(m);
}

void system_monitor_enter(system_monitor *m) {
    pthread_mutex_lock(&m->inside);
}

void system_monitor_leave(system_monitor *m) {
    pthread_mutex_unlock(&m->inside);
}

void system_monitor_wait(system_monitor *m) {
    pthread_cond_wait(&m->change, &m->inside);
}

void system_monitor_changed(system_monitor *m) {
    pthread_cond_broadcast(&m->change);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

uint64_t system_file_bytes(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

bool system_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool system_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int system_make_directories(const char *path) {
    char *part = strdup(path);
    if (!part)
        return ENOMEM;
    int error = 0;
    for (char *end = part + 1; !error && *part; end++) {
        char kept = *end;
        if (kept != '/' && kept != 0)
            continue;
        *end = 0;
        if (mkdir(part, 0777) != 0)
            error = errno == EEXIST && system_is_directory(part) ? 0 : errno;
        *end = kept;
        if (kept == 0)
            break;
    }
    free(part);
    return error;
}

static bool ends_with(const char *text, const char *suffix) {
    size_t length = strlen(text), size = strlen(suffix);
    return length > size && strcmp(text + length - size, suffix) == 0;
}

static bool later(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

char *system_newest_file(size_t *found, const char *suffix) {
    char *newest = NULL;
    struct timespec newest_time = {0};
    *found = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat info;
        if (!ends_with(entry->d_name, suffix) || stat(entry->d_name, &info) != 0 || !S_ISREG(info.st_mode))
            continue;
        ++*found;
        bool same_time = newest && !later(info.st_mtim, newest_time) && !later(newest_time, info.st_mtim);
        if (newest && !later(info.st_mtim, newest_time) && !(same_time && strcmp(entry->d_name, newest) < 0))
            continue;
        char *name = strdup(entry->d_name);
        if (!name)
            break;
        free(newest);
        newest = name;
        newest_time = info.st_mtim;
    }
    if (folder)
        closedir(folder);
    return newest;
}

/* ---- Result files ---------------------------------------------------------------------------------------------- */

int result_file_open(result_file *r, const char *path) {
    struct stat info;
    *r = (result_file){0};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        r->file = fopen(path, "we");
        return r->file ? 0 : errno;
    }
    r->path = realpath(path, NULL);
    if (!r->path)
        r->path = strdup(path);
    if (!r->path || asprintf(&r->temporary, "%s.XXXXXX", r->path) < 0) {
        free(r->path);
        return ENOMEM;
    }
    int error = 0, file = mkostemp(r->temporary, O_CLOEXEC);
    if (file >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file, stat(path, &info) == 0 ? info.st_mode & 0777 : 0666 & ~mask);
        r->file = fdopen(file, "w");
    }
    if (!r->file) {
        error = errno;
        if (file >= 0) {
            close(file);
            unlink(r->temporary);
        }
        free(r->path);
        free(r->temporary);
    }
    return error;
}

int result_file_close(result_file *r, bool keep) {
    int error = 0;
    errno = 0;
    if (ferror(r->file))
        error = EIO;
    if (fclose(r->file) != 0)
        error = errno;
    if (r->temporary) {
        if (!error && keep && rename(r->temporary, r->path) != 0)
            error = errno;
        if (error || !keep)
            unlink(r->temporary);
    }
    free(r->path);
    free(r->temporary);
    return error;
}
