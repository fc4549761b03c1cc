#define _GNU_SOURCE
#include "platform/system.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/os_folder.h"
#include "platform/posix/os_files.h"

/* ---- Terminal, signals, clock ---------------------------------------------------------------------------------- */

bool system_start(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return true;
}

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
    return ability != SYSTEM_FRAMEWORK;
}

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

unsigned system_height(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row;
    const char *lines = getenv("LINES");
    long number = lines ? strtol(lines, NULL, 10) : 0;
    return number > 0 && number <= 10000 ? (unsigned)number : 24;
}

void system_ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}

static volatile sig_atomic_t endings;

static void count_ending(int signal) {
    (void)signal;
    endings = endings + 1;
}

void system_count_endings(void) {
    static const int counted[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before, to = {.sa_handler = count_ending};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (sigaction(counted[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(counted[i], &to, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

unsigned system_endings(void) {
    return (unsigned)endings;
}

bool system_random(void *bytes, size_t size) {
    return getentropy(bytes, size) == 0;
}

bool system_others_read(FILE *file) {
    struct stat info;
    return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

uint64_t system_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Processes -------------------------------------------------------------------------------------------------- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };

static sigset_t mask_before; /* of system_hold_signals */
static struct sigaction handlers_before[ENDING_SIGNALS]; /* of system_run */
static volatile sig_atomic_t child;
static int ended_by; /* the signal that the last command was ended by; 0: none */

void system_hold_signals(void) {
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&held, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &held, &mask_before);
}

/* The terminal sends its signals to all processes in the foreground, the child among them. */
static void pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code != SI_KERNEL)
        kill((pid_t)child, signal);
}

static int came_already(void) {
    sigset_t waiting;
    if (sigpending(&waiting) == 0)
        for (int i = 0; i < ENDING_SIGNALS; i++)
            if (sigismember(&waiting, ending_signals[i]) == 1)
                return ending_signals[i];
    return 0;
}

void system_end_if_told(const char *folder) {
    int came = came_already();
    if (!came)
        return;
    if (folder)
        system_remove_folder(folder);
    signal(came, SIG_DFL);
    raise(came);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    _exit(128 + came); /* the caller had it blocked */
}

/* Outputs go nowhere; input comes from nowhere if it was the terminal's, or is not the command's. */
static void hide(bool without_input) {
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0)
        return;
    if (without_input || isatty(STDIN_FILENO))
        dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

/* In the child; *failed takes the errno when the command cannot be started. */
static void become(char *const *command, const system_unseen *unseen, int failed) {
    if (unseen)
        hide(unseen->without_input);
    signal(SIGPIPE, SIG_DFL); /* which the console has made to be ignored */
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    execvp(command[0], command);
    int error = errno;
    ssize_t told = write(failed, &error, sizeof error);
    (void)told;
    _exit(127);
}

/* Returns what waitpid says of the process when it has ended. */
static int wait_for_end(pid_t pid, const system_unseen *unseen) {
    enum { MILLISECOND = 1000000, LONGEST = 50 };
    int status = 0;
    for (int wait = 1; unseen; wait = wait < LONGEST ? wait + 1 : LONGEST) {
        const struct timespec pause = {0, wait * MILLISECOND};
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended != 0 && !(ended < 0 && errno == EINTR))
            return status;
        unseen->still_runs(unseen->user);
        if (unseen->is_to_end && *unseen->is_to_end)
            kill(pid, SIGTERM);
        nanosleep(&pause, NULL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int system_run(char *const *command, const system_unseen *unseen, int *value) {
    struct sigaction *before = handlers_before;
    off_t place = unseen && !unseen->without_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
    int ends[2], error = 0, status = 0;
    int early = came_already();
    ended_by = early;
    if (early) {
        *value = 128 + early;
        return 0;
    }
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    pid_t pid = fork();
    if (pid < 0) {
        error = errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    if (pid == 0)
        become(command, unseen, ends[1]);
    child = (sig_atomic_t)pid;
    for (int i = 0; i < ENDING_SIGNALS; i++) {
        const struct sigaction to = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
        before[i] = (struct sigaction){.sa_handler = SIG_DFL};
        if (sigaction(ending_signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &to, NULL);
    }
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    close(ends[1]);
    if (read(ends[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0;
    close(ends[0]);
    status = wait_for_end(pid, unseen);
    /* The number may be another process's from here on. */
    if (unseen)
        system_hold_signals();
    for (int i = 0; i < ENDING_SIGNALS; i++)
        if (unseen)
            sigaction(ending_signals[i], &before[i], NULL);
        else
            signal(ending_signals[i], SIG_IGN);
    if (place >= 0)
        lseek(STDIN_FILENO, place, SEEK_SET);
    ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *value = ended_by ? 128 + ended_by : WEXITSTATUS(status);
    return error;
}

void system_run_another(void) {
    system_hold_signals();
    for (int i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &handlers_before[i], NULL);
}

const char *system_ending(void) {
    static char text[sizeof "signal " + 11];
    snprintf(text, sizeof text, "signal %d", ended_by);
    return ended_by ? text : NULL;
}

char *system_command_path(const char *word) {
    const char *path = getenv("PATH");
    char *found = NULL;
    if (strchr(word, '/'))
        return NULL;
    for (size_t length; path && *path && !found; path += length + (path[length] == ':')) {
        char *file;
        struct stat info;
        length = strcspn(path, ":");
        if (length == 0 || asprintf(&file, "%.*s/%s", (int)length, path, word) < 0)
            continue;
        if (access(file, X_OK) == 0 && stat(file, &info) == 0 && S_ISREG(info.st_mode))
            found = realpath(file, NULL);
        free(file);
    }
    return found;
}

bool system_set_variable(const char *name, const char *value) {
    return setenv(name, value, 1) == 0;
}
const char *system_variable(const char *name) {
    return getenv(name);
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

unsigned system_processors(void) {
    cpu_set_t allowed;
    long number =
        sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    return number > 0 ? (unsigned)number : 1;
}

void system_return_memory(void) {
#ifdef M_TRIM_THRESHOLD
    enum { OF_SOME_SIZE = 1 << 20, KEPT = 4 << 20 }; /* else the C library raises both to the largest that was freed */
    (void)mallopt(M_MMAP_THRESHOLD, OF_SOME_SIZE);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
    (void)mallopt(M_TOP_PAD, OF_SOME_SIZE); /* each piece of 128 KiB that a heap grows by stops the other threads */
#endif
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

FILE *system_open_file(const char *path) {
    return fopen(path, "re");
}

uint64_t system_file_bytes(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

void system_drop_link(const char *path) {
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        (void)unlink(path);
}

bool system_exists(const char *path) {
    system_kind kind;
    return system_look(path, &kind) != 0 || kind != SYSTEM_NOTHING;
}

bool system_is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool system_is_directory(const char *path) {
    system_kind kind;
    return system_look(path, &kind) == 0 && kind == SYSTEM_FOLDER;
}

int system_look(const char *path, system_kind *kind) {
    struct stat info;
    *kind = SYSTEM_NOTHING;
    if (stat(path, &info) != 0)
        return os_means_absent(errno) ? 0 : errno;
    *kind = S_ISDIR(info.st_mode) ? SYSTEM_FOLDER : SYSTEM_OTHER;
    return 0;
}

/* The real path of the part of `path` that exists, for the caller to free. */
static char *real_part(const char *path) {
    char *part = strdup(path), *real = NULL;
    while (part && !(real = realpath(*part ? part : ".", NULL)) && errno == ENOENT && *part) {
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
    char *inner = real_part(path), *outer = realpath(folder, NULL);
    size_t length = outer ? strlen(outer) : 0;
    bool within = inner && outer && strncmp(inner, outer, length) == 0 &&
                  (inner[length] == '/' || inner[length] == 0 || length == 1);
    free(outer);
    free(inner);
    return within;
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

int os_when_changed(int64_t *when, bool *is_one, const char *path, bool mine) {
    struct stat info;
    *is_one = false;
    if (stat(path, &info) != 0)
        return os_means_absent(errno) ? 0 : errno;
    *is_one = S_ISREG(info.st_mode) && (!mine || info.st_uid == geteuid());
    *when = info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
    return 0;
}

char *system_current_folder(void) {
    return getcwd(NULL, 0);
}

const char *system_temporary_place(void) {
    const char *place = getenv("TMPDIR");
    return place && *place ? place : "/tmp";
}

char *system_temporary_folder(const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s.XXXXXX", system_temporary_place(), name) < 0)
        return NULL;
    if (mkdtemp(path))
        return path;
    int error = errno;
    free(path);
    errno = error;
    return NULL;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void system_remove_folder(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Result files ---------------------------------------------------------------------------------------------- */

/* The permissions that a new file has. */
static mode_t usual_rights(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Returns 0 or an errno. */
static int open_direct(result_file *r, const char *path) {
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file >= 0 && !(r->file = fdopen(file, "w")))
        close(file);
    return r->file ? 0 : errno;
}

int result_file_open(result_file *r, const char *path, result_links links) {
    struct stat info;
    *r = (result_file){0};
    bool stands = links == RESULT_FOLLOW ? stat(path, &info) == 0 : lstat(path, &info) == 0 && !S_ISLNK(info.st_mode);
    if (stands && !S_ISREG(info.st_mode))
        return links == RESULT_FOLLOW ? open_direct(r, path) : S_ISDIR(info.st_mode) ? EISDIR : EEXIST;
    if (links == RESULT_FOLLOW)
        r->path = realpath(path, NULL);
    if (!r->path && !(r->path = strdup(path)))
        return ENOMEM;
    r->rights = stands ? info.st_mode & 0777 : usual_rights();
    int file = os_make_temporary(&r->temporary, r->path, 0600), error = file < 0 ? errno : 0;
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

void result_file_private(result_file *r) {
    r->rights &= S_IRWXU;
}

void result_file_within(result_file *r, const char *input) {
    struct stat info, own;
    if (!r->temporary || stat(input, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    /* Users in another group could not read the input through its group. */
    bool is_groups = fstat(fileno(r->file), &own) == 0 && own.st_gid == info.st_gid;
    if (!is_groups && !(info.st_mode & S_IROTH))
        info.st_mode &= ~(mode_t)S_IRWXG;
    r->rights &= info.st_mode | S_IRWXU;
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
    if (r->temporary && fchmod(fileno(r->file), r->rights) != 0 && !error)
        error = errno;
    /* The lock, held until the name is the right one, shows that the file is not one that was left over. */
    int lock = r->temporary ? fcntl(fileno(r->file), F_DUPFD_CLOEXEC, 0) : -1;
    if (fclose(r->file) != 0 && !error)
        error = errno;
    if (r->temporary) {
        if (!error && keep && rename(r->temporary, r->path) != 0)
            error = errno;
        if (error || !keep)
            unlink(r->temporary);
    }
    if (lock >= 0)
        close(lock);
    free(r->path);
    free(r->temporary);
    return error;
}
