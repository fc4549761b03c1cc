#define _GNU_SOURCE
#include "platform/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

/* The numbers below are the kernel's interface (linux/landlock.h, capability.h, filter.h, seccomp.h); not every C
 * library has these headers. */

/* ---- Files and connections (Landlock) --------------------------------------------------------------------------- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 }; /* on every processor */
enum { VERSION_FLAG = 1, PATH_BENEATH = 1 };
/* Accesses: those of version 1, one more with each of 2, 3 and 5; binding and connecting TCP with 4; signals and
 * abstract sockets of others with 6. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    FIRST_ONES = (1 << 13) - 1,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    IOCTL_DEV = 1 << 15,
    BIND = 1,
    BIND_AND_CONNECT = 3,
    SIGNALS_AND_SOCKETS = 3,
};

typedef struct ruleset {
    uint64_t files, network, scoped;
} ruleset;

typedef struct __attribute__((packed)) path_beneath {
    uint64_t allowed;
    int32_t folder;
} path_beneath;

/* False: there is such a file, and it cannot be allowed. */
static bool allow(int made, const char *path, uint64_t allowed, int flags) {
    path_beneath own = {.allowed = allowed, .folder = open(path, O_PATH | O_CLOEXEC | flags)};
    if (own.folder < 0)
        return errno == ENOENT || errno == ENOTDIR;
    const bool done = syscall(ADD_RULE, made, PATH_BENEATH, &own, 0) == 0;
    close(own.folder);
    return done;
}

/* What a C library reads to find out which address a name has. */
static bool allow_names(int made) {
    static const char *const files[] = {"/etc/resolv.conf", "/etc/hosts",    "/etc/nsswitch.conf",
                                        "/etc/host.conf",   "/etc/gai.conf", "/etc/ld.so.cache"};
    static const char *const folders[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/run/systemd/resolve"};
    bool done = true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        done &= allow(made, files[i], READ_FILE, 0);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        done &= allow(made, folders[i], READ_FILE | READ_DIR, O_DIRECTORY);
    return done;
}

static bool confine_files(const char *folder, bool connects) {
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, VERSION_FLAG);
    if (version < 1)
        return false;
    const ruleset rules = {
        .files = (uint64_t)(FIRST_ONES | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) |
                            (version >= 5 ? IOCTL_DEV : 0)),
        .network = version < 4 ? 0
                   : connects  ? BIND
                               : BIND_AND_CONNECT,
        .scoped = version >= 6 ? SIGNALS_AND_SOCKETS : 0,
    };
    const uint64_t of_folder =
        connects ? READ_FILE | READ_DIR
                 : WRITE_FILE | READ_FILE | READ_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE;
    int made = (int)syscall(CREATE_RULESET, &rules, sizeof rules, 0);
    bool done = made >= 0 && system_is_directory(folder) && allow(made, folder, rules.files & of_folder, O_DIRECTORY) &&
                (!connects || allow_names(made)) && syscall(RESTRICT_SELF, made, 0) == 0;
    if (made >= 0)
        close(made);
    return done;
}

/* ---- Privileges -------------------------------------------------------------------------------------------------- */

enum {
    CAPABILITIES_VERSION = 0x20080522,
    /* CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID: root may still write into another user's folder. */
    FILE_CAPABILITIES = 0x1F,
};

static bool drop_privileges(void) {
    struct {
        uint32_t version;
        int32_t process;
    } head = {CAPABILITIES_VERSION, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } sets[2];
    if (syscall(SYS_capget, &head, sets) != 0)
        return false;
    sets[0].effective &= FILE_CAPABILITIES;
    sets[0].permitted &= FILE_CAPABILITIES;
    sets[1].effective = sets[1].permitted = 0;
    sets[0].inheritable = sets[1].inheritable = 0;
    return syscall(SYS_capset, &head, sets) == 0;
}

/* ---- Calls of the system (seccomp) --------------------------------------------------------------------------------
 */

#ifdef __x86_64__
enum { ARCHITECTURE = (int)0xC000003E, MOST_NUMBER = 0x3FFFFFFF }; /* past it, those of x32 */
#elif defined(__aarch64__)
enum { ARCHITECTURE = (int)0xC00000B7, MOST_NUMBER = 0x7FFFFFFF };
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(SANITIZED)
/* A server that has begun needs none of these: other programs and processes, other machines, the kernel's parts. */
static const unsigned refused[] = {
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
    SYS_clone,
    435, /* clone3 */
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setresuid,
    SYS_chroot,
    SYS_pivot_root,
    SYS_mount,
    SYS_umount2,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_reboot,
    SYS_swapon,
    425, /* io_uring_setup */
    426, /* io_uring_enter */
    427, /* io_uring_register */
};

/* Classic BPF over struct seccomp_data: the number of the call at 0, the architecture at 4. */
typedef struct instruction {
    uint16_t code;
    uint8_t when_true, when_false;
    uint32_t value;
} instruction;

enum {
    LOAD = 0x20,  /* BPF_LD | BPF_W | BPF_ABS */
    EQUAL = 0x15, /* BPF_JMP | BPF_JEQ | BPF_K */
    MORE = 0x25,  /* BPF_JMP | BPF_JGT | BPF_K */
    RETURN = 0x06,
    ALLOW = 0x7FFF0000,
    FAIL_WITH = 0x00050000, /* and an errno */
    FILTER_MODE = 2,
};

static bool confine_calls(bool connects) {
    enum { COUNT = sizeof refused / sizeof refused[0], LENGTH = COUNT + 6 };
    instruction filter[LENGTH] = {
        {LOAD, 0, 0, 4},
        {EQUAL, 0, COUNT + 3, (uint32_t)ARCHITECTURE}, /* otherwise to the last one, which refuses */
        {LOAD, 0, 0, 0},
        {MORE, COUNT + 1, 0, MOST_NUMBER},
    };
    for (unsigned i = 0; i < COUNT; i++)
        filter[4 + i] = (instruction){EQUAL, (uint8_t)(COUNT - i), 0, refused[i]};
    /* A name's addresses are asked for through a socket that is bound to the kernel's part, too. */
    for (unsigned i = 0; connects && i < COUNT; i++)
        if (refused[i] == SYS_socket || refused[i] == SYS_connect || refused[i] == SYS_bind)
            filter[4 + i].value = SYS_reboot; /* once more */
    filter[LENGTH - 2] = (instruction){RETURN, 0, 0, ALLOW};
    filter[LENGTH - 1] = (instruction){RETURN, 0, 0, FAIL_WITH | EPERM};
    const struct {
        unsigned short length;
        const instruction *filter;
    } program = {LENGTH, filter};
    return prctl(PR_SET_SECCOMP, FILTER_MODE, &program) == 0;
}
#else
static bool confine_calls(bool connects) {
    (void)connects;
    return false;
}
#endif

/* ---- All of it ----------------------------------------------------------------------------------------------------
 */

unsigned system_confine(const char *folder, bool connects) {
    unsigned done = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    if (confine_files(folder, connects))
        done |= SYSTEM_CONFINED_FILES;
    if (drop_privileges())
        done |= SYSTEM_CONFINED_PRIVILEGES;
    if (confine_calls(connects))
        done |= SYSTEM_CONFINED_CALLS;
    return done;
}
