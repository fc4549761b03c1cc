/* A process that has confined itself, by trial: a child tries what it must not do, and what it still has to. Where the
 * system lacks a part, its tries are left out, and that is said. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/system.h"

static char folder[512], inside[600], beside[600], renamed[600];

static bool writes(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0)
        return false;
    bool done = write(file, "x", 1) == 1;
    close(file);
    return done;
}

static bool starts_a_program(void) {
    char *const command[] = {"true", NULL};
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        execv("/bin/true", command);
        _exit(1);
    }
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
}

static bool connects(uint16_t port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0)
        return false;
    bool done = connect(made, (struct sockaddr *)&to, sizeof to) == 0;
    close(made);
    return done;
}

/* The child's finding: 0 when all is as it should be, else the line. */
#define EXPECT(condition)                                                                                              \
    if (!(condition))                                                                                                  \
        return __LINE__;

static int try_all(unsigned confined, uint16_t port) {
    char byte;
    EXPECT(writes(inside) && rename(inside, renamed) == 0 && unlink(renamed) == 0);
    if (confined & SYSTEM_CONFINED_FILES) {
        EXPECT(!writes(beside) && errno == EACCES);
        EXPECT(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
        EXPECT(symlink("/etc", inside) != 0 && mkdir(beside, 0700) != 0);
        EXPECT(mkdir(inside, 0700) == 0 && rmdir(inside) != 0);
        EXPECT(!connects(port));
    }
    if (confined & SYSTEM_CONFINED_PRIVILEGES) {
        EXPECT(geteuid() != 0 || (setuid(65534) != 0 && errno == EPERM));
        EXPECT(chroot(folder) != 0 && errno == EPERM);
    }
    if (confined & SYSTEM_CONFINED_CALLS) {
        EXPECT(!starts_a_program() && errno == EPERM);
        EXPECT(socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM);
        EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 && errno == EPERM);
    }
    /* Calls that are used all the time go on. */
    int ends[2];
    EXPECT(pipe(ends) == 0 && write(ends[1], "y", 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 'y');
    return 0;
}

/* One that connects still may, and reads its folder. */
static int try_connecting(unsigned confined, uint16_t port) {
    EXPECT(connects(port));
    int folder_file = open(folder, O_RDONLY | O_DIRECTORY), hosts = open("/etc/hosts", O_RDONLY);
    EXPECT(folder_file >= 0 && (hosts >= 0 || errno == ENOENT));
    close(folder_file);
    close(hosts);
    if (confined & SYSTEM_CONFINED_FILES) {
        EXPECT(!writes(inside) && errno == EACCES);
        EXPECT(!writes(beside) && errno == EACCES);
        EXPECT(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
    }
    if (confined & SYSTEM_CONFINED_CALLS) {
        EXPECT(!starts_a_program() && errno == EPERM);
        EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 && errno == EPERM);
        EXPECT(listen(0, 1) != 0 && errno == EPERM);
    }
    return 0;
}

static void try_confined(bool connecting) {
    const char *root = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ilinject-confine.XXXXXX", root ? root : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(inside, sizeof inside, "%s/inside", folder);
    snprintf(renamed, sizeof renamed, "%s/renamed", folder);
    snprintf(beside, sizeof beside, "%s.beside", folder);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0), told[2];
    assert_true(listener >= 0 && bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, 4) == 0 &&
                getsockname(listener, (struct sockaddr *)&at, &size) == 0 && pipe(told) == 0);
    /* All of it can be done before. */
    assert_true(writes(beside) && unlink(beside) == 0 && starts_a_program() && connects(at.sin_port));
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int found[2] = {(int)system_confine(folder, connecting), 0};
        found[1] = (connecting ? try_connecting : try_all)((unsigned)found[0], at.sin_port);
        _exit(write(told[1], found, sizeof found) == sizeof found ? 0 : 1);
    }
    int status = 1, found[2] = {0, -1};
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(told[0], found, sizeof found), sizeof found);
    printf("confined: files %d, privileges %d, calls %d\n", found[0] & SYSTEM_CONFINED_FILES,
           (found[0] & SYSTEM_CONFINED_PRIVILEGES) / 2, (found[0] & SYSTEM_CONFINED_CALLS) / 4);
    assert_int_equal(found[1], 0);
    close(listener);
    close(told[0]);
    close(told[1]);
    rmdir(inside);
    rmdir(folder);
}

static void a_confined_process_keeps_its_folder_alone(void **state) {
    (void)state;
    try_confined(false);
}

static void one_that_connects_reads_its_folder_alone(void **state) {
    (void)state;
    try_confined(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_confined_process_keeps_its_folder_alone),
                                       cmocka_unit_test(one_that_connects_reads_its_folder_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
