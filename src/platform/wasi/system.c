#include "platform/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform/os_folder.h"
#include "platform/wasi/host.h"

/* ---- Terminal, endings, clock ---------------------------------------------------------------------------------- */

int system_put(system_stream to, const char *text, size_t length) {
    errno = 0;
    if (fwrite(text, 1, length, to == SYSTEM_OUTPUT ? stdout : stderr) == length)
        return 0;
    return errno ? errno : EIO;
}

int system_flush(void) {
    errno = 0;
    return fflush(stdout) == 0 ? 0 : errno ? errno : EIO;
}

bool system_can(system_ability ability) {
    (void)ability;
    return false;
}

bool system_output_is_terminal(void) {
    return isatty(STDOUT_FILENO);
}
bool system_error_is_terminal(void) {
    return isatty(STDERR_FILENO);
}

/* The host sets these variables to what the terminal has. */
static unsigned number_in(const char *variable, unsigned otherwise) {
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= 10000 ? (unsigned)number : otherwise;
}

unsigned system_width(void) {
    return number_in("COLUMNS", 120);
}

unsigned system_height(void) {
    return number_in("LINES", 24);
}

void system_ignore_broken_pipes(void) {}
void system_count_endings(void) {}
unsigned system_endings(void) {
    return 0;
}

bool system_random(void *bytes, size_t size) {
    return getentropy(bytes, size) == 0;
}

unsigned system_confine(const char *folder, bool connects) {
    (void)folder;
    (void)connects;
    return 0;
}

bool system_others_read(FILE *file) {
    (void)file;
    return false;
}

uint64_t system_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Processes: none ------------------------------------------------------------------------------------------- */

void system_hold_signals(void) {}

void system_run_another(void) {}

void system_end_if_told(const char *folder) {
    (void)folder;
}

const char *system_ending(void) {
    return NULL;
}

system_input system_keep_input(const char *folder) {
    (void)folder;
    return SYSTEM_INPUT_ONCE;
}

int system_run(char *const *command, const system_unseen *unseen, int *value) {
    (void)command;
    (void)unseen;
    (void)value;
    return ENOSYS;
}

char *system_command_path(const char *word) {
    (void)word;
    return NULL;
}

bool system_set_variable(const char *name, const char *value) {
    return setenv(name, value, 1) == 0;
}
const char *system_variable(const char *name) {
    return getenv(name);
}

/* ---- Threads: none --------------------------------------------------------------------------------------------- */

unsigned system_processors(void) {
    return 1;
}

void system_return_memory(void) {}

unsigned system_threads_start(system_threads **threads, unsigned count, void (*work)(void *user), void *user) {
    (void)threads;
    (void)count;
    (void)work;
    (void)user;
    return 0;
}

void system_threads_join(system_threads *threads) {
    (void)threads;
}

struct system_monitor {
    char unused;
};

system_monitor *system_monitor_new(void) {
    return malloc(sizeof(system_monitor));
}
void system_monitor_free(system_monitor *m) {
    free(m);
}
void system_monitor_enter(system_monitor *m) {
    (void)m;
}
void system_monitor_leave(system_monitor *m) {
    (void)m;
}
void system_monitor_wait(system_monitor *m) {
    (void)m;
}
void system_monitor_changed(system_monitor *m) {
    (void)m;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

static bool status_of(const char *path, struct stat *info) {
    char buffer[PATH_MAX];
    return stat(host_path(buffer, path), info) == 0;
}

FILE *system_open_file(const char *path) {
    char buffer[PATH_MAX];
    return fopen(host_path(buffer, path), "r");
}

uint64_t system_file_bytes(const char *path) {
    struct stat info;
    return status_of(path, &info) && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

void system_drop_link(const char *path) {
    diag silent = {0};
    (void)os_drop_link(&silent, path);
}

bool system_exists(const char *path) {
    return os_exists(path);
}

bool system_is_same_file(const char *a, const char *b) {
    return os_same_file(a, b);
}

bool system_is_directory(const char *path) {
    return os_is_directory(path);
}

int system_look(const char *path, system_kind *kind) {
    *kind = os_is_directory(path) ? SYSTEM_FOLDER : os_exists(path) ? SYSTEM_OTHER : SYSTEM_NOTHING;
    return 0;
}

/* The real path of the part of `path` that exists, for the caller to free. */
static char *real_part(const char *path) {
    char buffer[PATH_MAX];
    char *part = strdup(host_path(buffer, path)), *real = NULL;
    while (part && !(real = host_real_path(*part ? part : ".")) && errno == ENOENT && *part) {
        size_t length = strlen(part);
        while (length > 0 && part[length - 1] == '/')
            length--;
        while (length > 0 && part[length - 1] != '/')
            length--;
        part[length] = 0;
    }
    free(part);
    return real;
}

bool system_is_within(const char *path, const char *folder) {
    char *inner = real_part(path), *outer = host_real_path(folder);
    size_t length = outer ? strlen(outer) : 0;
    bool within = inner && outer && strncmp(inner, outer, length) == 0 &&
                  (inner[length] == '/' || inner[length] == 0 || length == 1);
    free(outer);
    free(inner);
    return within;
}

int system_make_directories(const char *path) {
    char buffer[PATH_MAX];
    char *part = strdup(host_path(buffer, path));
    if (!part)
        return ENOMEM;
    int error = 0;
    for (char *end = part + (*part != 0); !error && *part; end++) {
        struct stat info;
        char kept = *end;
        if (kept != '/' && kept != 0)
            continue;
        *end = 0;
        /* Above what the host has opened nothing can be made, and need not be. */
        if ((stat(part, &info) != 0 || !S_ISDIR(info.st_mode)) && mkdir(part, 0777) != 0 && kept == 0)
            error = errno;
        *end = kept;
        if (kept == 0)
            break;
    }
    free(part);
    return error;
}

/* The owners of files are not known here. */
int os_when_changed(int64_t *when, bool *is_one, const char *path, bool mine) {
    struct stat info;
    (void)mine;
    *is_one = false;
    if (!status_of(path, &info))
        return os_means_absent(errno) ? 0 : errno;
    *is_one = S_ISREG(info.st_mode);
    *when = info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
    return 0;
}

char *system_current_folder(void) {
    return host_shown_path(getcwd(NULL, 0));
}

const char *system_temporary_place(void) {
    const char *place = getenv("TMPDIR");
    return place && *place ? place : "/tmp";
}

char *system_temporary_folder(const char *name) {
    char *path = NULL;
    for (int attempt = 0; attempt < 100; attempt++) {
        uint64_t number;
        free(path);
        path = NULL;
        if (getentropy(&number, sizeof number) != 0 ||
            asprintf(&path, "%s/%s.%016llx", system_temporary_place(), name, (unsigned long long)number) < 0)
            return NULL;
        if (mkdir(path, 0777) == 0)
            return path;
        if (errno != EEXIST)
            break;
    }
    int error = errno;
    free(path);
    errno = error;
    return NULL;
}

static ecma_status remove_entry(void *user, const char *name) {
    char *path = NULL;
    diag silent = {0};
    if (asprintf(&path, "%s/%s", (const char *)user, name) < 0)
        return ECMA_OK;
    if (os_kind_of(path) == OS_FOLDER)
        system_remove_folder(path);
    else
        (void)os_remove(&silent, path);
    free(path);
    return ECMA_OK;
}

void system_remove_folder(const char *path) {
    char buffer[PATH_MAX];
    diag silent = {0};
    (void)os_visit_folder(&silent, path, "", remove_entry, (void *)(uintptr_t)path);
    rmdir(host_path(buffer, path));
}

/* ---- Result files ---------------------------------------------------------------------------------------------- */

int result_file_open(result_file *r, const char *path, result_links links) {
    char buffer[PATH_MAX];
    struct stat info;
    const char *at = host_path(buffer, path);
    bool follows = links == RESULT_FOLLOW;
    *r = (result_file){0};
    if ((follows ? stat(at, &info) : lstat(at, &info)) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
        if (S_ISDIR(info.st_mode))
            return EISDIR;
        if (!follows)
            return EEXIST;
        int direct = open(at, O_WRONLY);
        if (direct >= 0 && !(r->file = fdopen(direct, "w")))
            close(direct);
        return r->file ? 0 : errno;
    }
    if (follows)
        r->path = host_real_path(path);
    if (!r->path)
        r->path = strdup(at);
    if (!r->path)
        return ENOMEM;
    int file = host_temporary(&r->temporary, r->path), error = file < 0 ? errno : 0;
    if (file >= 0 && !(r->file = fdopen(file, "w"))) {
        error = errno;
        close(file);
        unlink(r->temporary);
        free(r->temporary);
    }
    if (error)
        free(r->path);
    return error;
}

/* WASI knows no permissions, and nothing that is private comes from elsewhere than from a file. */
void result_file_private(result_file *r) {
    (void)r;
}

void result_file_within(result_file *r, const char *input) {
    if (r->temporary)
        host_narrow(r->path, input);
}

int result_file_write(void *user, const char *text, size_t length) {
    result_file *r = user;
    errno = 0;
    if (fwrite(text, 1, length, r->file) == length)
        return 0;
    if (r->error == 0)
        r->error = errno ? errno : EIO;
    return 1;
}

int result_file_close(result_file *r, bool keep) {
    int error = r->error;
    errno = 0;
    if (!error && ferror(r->file))
        error = EIO;
    if (fclose(r->file) != 0 && !error)
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
