/* Files are mapped and written as os.h promises; a write that fails leaves everything as it was. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/context.h"
#include "platform/os.h"

/* ---- A folder of the test's own, and the last diagnostic ----------------------------------------------------------
 */

static char told[1200];
static diag d;

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)user;
    (void)severity;
    snprintf(told, sizeof told, "%s: ILJ%04u: %s", file, (unsigned)code, text);
}

static int enter_folder(void **state) {
    const char *root = getenv("TMPDIR");
    char *folder = NULL;
    told[0] = 0;
    d = (diag){.sink = keep, .file = "in.dll"};
    if (asprintf(&folder, "%s/ilinject-os.XXXXXX", root ? root : "/tmp") < 0 || !mkdtemp(folder))
        return -1;
    *state = folder;
    return chdir(folder);
}

static int leave_folder(void **state) {
    DIR *folder = opendir(*state);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
            if (unlink(entry->d_name) != 0)
                rmdir(entry->d_name);
    if (folder)
        closedir(folder);
    int status = chdir("/");
    rmdir(*state);
    free(*state);
    return status;
}

static unsigned entries(void) {
    unsigned count = 0;
    DIR *folder = opendir(".");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    os_map map = OS_MAP_INIT;
    assert_int_equal(os_map_file(&map, &d, path), ECMA_OK);
    assert_int_equal(map.content.size, strlen(text));
    assert_memory_equal(map.content.data, text, strlen(text));
    os_unmap(&map);
}

static unsigned mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static ecma_status write_text(const char *path, const char *text, const char *like) {
    bytes piece = bytes_of(text, strlen(text));
    return os_write_file(&d, path, &piece, 1, like);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static void empty_file_maps_to_no_bytes(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    put("empty", "");
    assert_int_equal(os_map_file(&map, &d, "empty"), ECMA_OK);
    assert_int_equal(map.content.size, 0);
    os_unmap(&map);
}

static void missing_file_is_told_with_the_systems_reason(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    assert_int_equal(os_map_file(&map, &d, "in.dll"), ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0900: cannot be read: No such file or directory");
    assert_int_equal(os_map_file(&map, &d, "other.dll"), ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0900: other.dll cannot be read: No such file or directory");
}

static void what_is_no_file_is_refused_without_waiting(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(os_map_file(&map, &d, "pipe"), ECMA_IO);
    assert_non_null(strstr(told, "it is a pipe"));
    assert_int_equal(os_map_file(&map, &d, "."), ECMA_IO);
    assert_non_null(strstr(told, "it is a directory"));
    assert_int_equal(os_map_file(&map, &d, "/dev/zero"), ECMA_IO);
    assert_non_null(strstr(told, "it is a device"));
}

static void mapped_bytes_outlive_the_files_replacement(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    put("a", "before");
    assert_int_equal(os_map_file(&map, &d, "a"), ECMA_OK);
    assert_int_equal(write_text("a", "after", NULL), ECMA_OK);
    assert_memory_equal(map.content.data, "before", 6);
    os_unmap(&map);
    assert_holds("a", "after");
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* Reading ends so, as it does when another program shortens the file: -1 never, else that many bytes are left. */
static ssize_t readable = -1;
ssize_t __real_read(int file, void *to, size_t size);
ssize_t __wrap_read(int file, void *to, size_t size);
ssize_t __wrap_read(int file, void *to, size_t size) {
    if (readable >= 0 && size > (size_t)readable)
        size = (size_t)readable;
    ssize_t got = __real_read(file, to, size);
    if (readable >= 0)
        readable -= got;
    return got;
}

static void read_bytes_are_a_copy_that_nobody_changes(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    put("x", "before");
    assert_int_equal(os_read_file(&map, &d, "x"), ECMA_OK);
    int file = open("x", O_WRONLY);
    assert_int_equal(pwrite(file, "AFTER", 5, 0), 5);
    assert_int_equal(map.content.size, 6);
    assert_memory_equal(map.content.data, "before", 6);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_memory_equal(map.content.data, "before", 6);
    close(file);
    os_unmap(&map);
    put("x", "");
    assert_int_equal(os_read_file(&map, &d, "x"), ECMA_OK);
    assert_int_equal(map.content.size, 0);
    assert_int_equal(os_read_file(&map, &d, "."), ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0900: . cannot be read: it is a directory");
}

static void a_file_that_becomes_shorter_is_an_error(void **state) {
    (void)state;
    os_map map = OS_MAP_INIT;
    put("in.dll", "before");
    readable = 3;
    assert_int_equal(os_read_file(&map, &d, "in.dll"), ECMA_IO);
    readable = -1;
    assert_string_equal(told, "in.dll: ILJ0900: cannot be read: Input/output error");
    assert_int_equal(map.content.size, 0);
}

static void pieces_are_written_one_after_another(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    bytes pieces[COUNT];
    char expected[COUNT + 1];
    static const char digits[] = "0123456789";
    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = bytes_of(digits + i % 10, 1);
        expected[i] = digits[i % 10];
    }
    expected[COUNT] = 0;
    assert_int_equal(os_write_file(&d, "out", pieces, COUNT, NULL), ECMA_OK);
    assert_holds("out", expected);

    bytes sparse[] = {{NULL, 0}, bytes_of("ab", 2), {NULL, 0}, bytes_of("c", 1), {NULL, 0}};
    assert_int_equal(os_write_file(&d, "out", sparse, 5, NULL), ECMA_OK);
    assert_holds("out", "abc");
    assert_int_equal(os_write_file(&d, "out", NULL, 0, NULL), ECMA_OK);
    assert_holds("out", "");
    assert_int_equal(entries(), 1);
}

/* The system writes as little at a time as it likes, and may be interrupted (tests.mk lets os.c call this). */
static size_t most_at_a_time;
static unsigned interruptions;
static int signal_of_the_second;
ssize_t __real_writev(int file, const struct iovec *parts, int count);
ssize_t __wrap_writev(int file, const struct iovec *parts, int count);
ssize_t __wrap_writev(int file, const struct iovec *parts, int count) {
    if (interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return -1;
    }
    if (signal_of_the_second && lseek(file, 0, SEEK_CUR) > 0) {
        int number = signal_of_the_second;
        signal_of_the_second = 0;
        kill(getpid(), number);
    }
    if (most_at_a_time == 0)
        return __real_writev(file, parts, count);
    size_t size = parts[0].iov_len < most_at_a_time ? parts[0].iov_len : most_at_a_time;
    return write(file, parts[0].iov_base, size);
}

static void partial_and_interrupted_writes_are_continued(void **state) {
    (void)state;
    bytes pieces[] = {bytes_of("abcdefg", 7), bytes_of("hi", 2), bytes_of("jklm", 4)};
    for (most_at_a_time = 1; most_at_a_time <= 8; most_at_a_time++) {
        interruptions = 2;
        assert_int_equal(os_write_file(&d, "out", pieces, 3, NULL), ECMA_OK);
        assert_holds("out", "abcdefghijklm");
    }
    most_at_a_time = 0;
}

/* Writes "out" in a process that `number` is sent to amid it, with this action. Returns its wait status; exit status 1
 * is a write that failed. */
static int write_with_signal(int number, void (*action)(int)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(number, action);
        most_at_a_time = 2;
        signal_of_the_second = number;
        _exit(write_text("out", "abcdefg", NULL) == ECMA_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void signal_that_ends_the_process_leaves_the_old_file_and_no_temporary(void **state) {
    (void)state;
    static const int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* SIGQUIT would write one */
    for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        int status = write_with_signal(ending[i], SIG_DFL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), ending[i]);
        assert_int_equal(entries(), 0);
    }
    put("out", "old");
    assert_true(WIFSIGNALED(write_with_signal(SIGTERM, SIG_DFL)));
    assert_holds("out", "old");
    assert_int_equal(entries(), 1);
}

/* The file that a process leaves which was killed while writing, by the name it gives. */
static void leave_unfinished(const char *name) {
    put(name, "half");
    assert_true(os_is_unfinished(name));
}

static void unfinished_files_are_dropped_unless_they_are_being_written(void **state) {
    (void)state;
    leave_unfinished(".ilinject-0123456789abcdef");
    leave_unfinished(".ilinject-fedcba9876543210");
    put(".ilinject-0123456789abcdeg", "somebody's");
    put("ilinject-0123456789abcdef", "somebody's");
    int written = open(".ilinject-0123456789abcdef", O_WRONLY | O_CLOEXEC);
    assert_int_equal(flock(written, LOCK_SH), 0);
    assert_int_equal(os_drop_unfinished(&d, "."), ECMA_OK);
    assert_int_equal(entries(), 3);
    assert_true(os_exists(".ilinject-0123456789abcdef"));
    close(written);
    assert_int_equal(os_drop_unfinished(&d, "."), ECMA_OK);
    assert_int_equal(entries(), 2);
}

/* Another process that tidies the folder amid the write. */
static void tidy(int number) {
    (void)number;
    diag silent = {0};
    os_drop_unfinished(&silent, ".");
}

static void a_file_that_is_being_written_survives_tidying(void **state) {
    (void)state;
    assert_int_equal(write_with_signal(SIGUSR1, tidy), 0);
    assert_holds("out", "abcdefg");
}

static void a_prepared_file_takes_its_place_when_settled(void **state) {
    (void)state;
    bytes piece = bytes_of("new", 3);
    os_map map = OS_MAP_INIT;
    bool found;
    put("out.pdb", "old");
    assert_int_equal(chmod("out.pdb", 0604), 0);
    assert_int_equal(symlink("out.pdb", "link.pdb"), 0);
    assert_int_equal(os_prepare_file(&d, "link.pdb", &piece, 1, NULL), ECMA_OK);
    assert_holds("out.pdb", "old");
    assert_true(os_is_unfinished(".ilinject-link.pdb"));
    assert_int_equal(os_drop_unfinished(&d, "."), ECMA_OK);
    assert_int_equal(os_map_prepared(&map, &found, &d, "link.pdb"), ECMA_OK);
    assert_true(found && bytes_equal(map.content, piece));
    os_unmap(&map);
    assert_int_equal(os_settle_file(&d, "link.pdb", true), ECMA_OK);
    /* The link goes, its target stays. */
    assert_holds("link.pdb", "new");
    assert_holds("out.pdb", "old");
    assert_int_equal(os_kind_of("link.pdb"), OS_FILE);
    assert_int_equal(entries(), 2);
    assert_int_equal(os_map_prepared(&map, &found, &d, "link.pdb"), ECMA_OK);
    assert_false(found);
    assert_int_equal(os_settle_file(&d, "out.pdb", true), ECMA_OK);
    assert_holds("out.pdb", "old");
}

static void a_prepared_file_can_go(void **state) {
    (void)state;
    bytes piece = bytes_of("new", 3);
    assert_int_equal(os_prepare_file(&d, "out.pdb", &piece, 1, NULL), ECMA_OK);
    assert_int_equal(entries(), 1);
    assert_int_equal(os_settle_file(&d, "out.pdb", false), ECMA_OK);
    assert_int_equal(entries(), 0);
}

static ecma_status write_two(void *user) {
    (void)user;
    ecma_status first = write_text("first", "abcdefg", NULL), second = write_text("second", "x", NULL);
    return first || second ? ECMA_IO : ECMA_OK;
}

static void what_is_undisturbed_ends_before_the_process_does(void **state) {
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        most_at_a_time = 2;
        signal_of_the_second = SIGTERM; /* amid the first; neither is written then */
        os_undisturbed(write_two, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_int_equal(entries(), 0);
}

static void handle(int number) {
    (void)number;
}

static void signal_that_ends_nothing_does_not_end_the_write(void **state) {
    (void)state;
    assert_int_equal(write_with_signal(SIGHUP, SIG_IGN), 0);
    assert_holds("out", "abcdefg");
    put("out", "old");
    assert_int_equal(write_with_signal(SIGINT, handle), 0);
    assert_holds("out", "abcdefg");
    assert_int_equal(entries(), 1);
}

static void permissions_come_from_the_old_file_then_the_model_then_the_default(void **state) {
    (void)state;
    mode_t mask = umask(027);
    put("model", "");
    assert_int_equal(chmod("model", 04755), 0);
    assert_int_equal(write_text("plain", "x", NULL), ECMA_OK);
    assert_int_equal(mode_of("plain"), 0640);
    assert_int_equal(write_text("like", "x", "model"), ECMA_OK);
    assert_int_equal(mode_of("like"), 0755);
    assert_int_equal(chmod("like", 0604), 0);
    assert_int_equal(write_text("like", "y", "model"), ECMA_OK);
    assert_int_equal(mode_of("like"), 0604);
    umask(mask);
}

static void symbolic_link_is_followed(void **state) {
    (void)state;
    put("real", "old");
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(write_text("link", "new", NULL), ECMA_OK);
    assert_holds("real", "new");
    struct stat info;
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void full_disk_leaves_the_old_file_and_no_temporary(void **state) {
    (void)state;
    static uint8_t large[100000];
    bytes piece = bytes_of(large, sizeof large);
    struct rlimit old, small;
    put("out", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){65536, old.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ecma_status existing = os_write_file(&d, "out", &piece, 1, NULL);
    signal(SIGXFSZ, SIG_DFL); /* which would end the process */
    ecma_status fresh = os_write_file(&d, "fresh", &piece, 1, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(existing, ECMA_IO);
    assert_int_equal(fresh, ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0901: fresh cannot be written: File too large");
    assert_holds("out", "old");
    assert_int_equal(entries(), 1);
}

static void directories_devices_and_missing_folders_are_refused(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(write_text("folder", "x", NULL), ECMA_IO);
    assert_non_null(strstr(told, "it is a directory"));
    assert_int_equal(write_text("/dev/null", "x", NULL), ECMA_IO);
    assert_non_null(strstr(told, "it is a device"));
    assert_int_equal(write_text("nowhere/out", "x", NULL), ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0901: nowhere/out cannot be written: No such file or directory");
    assert_int_equal(entries(), 1);
}

static void copy_keeps_content_and_permissions(void **state) {
    (void)state;
    put("from", "content");
    assert_int_equal(chmod("from", 0700), 0);
    assert_int_equal(os_copy_file(&d, "from", "to"), ECMA_OK);
    assert_holds("to", "content");
    assert_int_equal(mode_of("to"), 0700);
    assert_int_equal(os_copy_file(&d, "missing", "to"), ECMA_IO);
    assert_holds("to", "content");
}

static void second_name_is_of_the_same_file(void **state) {
    (void)state;
    put("from", "content");
    assert_true(os_try_hard_link("from", "to"));
    assert_true(os_kind_of("to") == OS_FILE && os_same_file("from", "to"));
    assert_holds("to", "content");
    assert_false(os_try_hard_link("from", "to"));
    assert_false(os_try_hard_link("missing", "none"));
    assert_false(os_try_hard_link("from", "/proc/none"));
    assert_false(os_exists("none"));
}

/* ---- Asking ---------------------------------------------------------------------------------------------------- */

static void one_file_is_recognised_under_every_name(void **state) {
    (void)state;
    put("a", "");
    put("b", "");
    assert_int_equal(symlink("a", "soft"), 0);
    assert_int_equal(link("a", "hard"), 0);
    assert_true(os_same_file("a", "./a"));
    assert_true(os_same_file("a", "soft"));
    assert_true(os_same_file("hard", "soft"));
    assert_false(os_same_file("a", "b"));
    assert_false(os_same_file("missing", "missing"));
}

static void existence_and_directories_are_told_apart(void **state) {
    (void)state;
    put("a", "");
    assert_true(os_exists("a"));
    assert_true(os_exists("."));
    assert_false(os_exists("b"));
    assert_true(os_is_directory("."));
    assert_false(os_is_directory("a"));
    assert_false(os_is_directory("b"));
}

static ecma_status note_name(void *user, const char *name) {
    strcat(user, name);
    strcat(user, " ");
    return strcmp(name, "c") == 0 ? ECMA_UNSUPPORTED : ECMA_OK;
}

static void folder_is_visited_in_order_until_a_visit_fails(void **state) {
    (void)state;
    char names[64] = "";
    assert_int_equal(os_visit_folder(&d, ".", "", note_name, names), ECMA_OK);
    assert_string_equal(names, "");
    put("b", "");
    put("..x", "");
    put("B", "");
    assert_int_equal(os_visit_folder(&d, ".", "", note_name, names), ECMA_OK);
    assert_string_equal(names, "..x B b ");
    put("c", "");
    put("d", "");
    names[0] = 0;
    assert_int_equal(os_visit_folder(&d, ".", "", note_name, names), ECMA_UNSUPPORTED);
    assert_string_equal(names, "..x B b c ");
    put("ab", "");
    names[0] = 0;
    assert_int_equal(os_visit_folder(&d, ".", "b", note_name, names), ECMA_OK);
    assert_string_equal(names, "ab b ");
    assert_int_equal(os_visit_folder(&d, "missing", "", note_name, names), ECMA_IO);
    assert_string_equal(told, "in.dll: ILJ0900: missing cannot be listed: No such file or directory");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(empty_file_maps_to_no_bytes),
        TEST(missing_file_is_told_with_the_systems_reason),
        TEST(what_is_no_file_is_refused_without_waiting),
        TEST(mapped_bytes_outlive_the_files_replacement),
        TEST(read_bytes_are_a_copy_that_nobody_changes),
        TEST(a_file_that_becomes_shorter_is_an_error),
        TEST(pieces_are_written_one_after_another),
        TEST(partial_and_interrupted_writes_are_continued),
        TEST(signal_that_ends_the_process_leaves_the_old_file_and_no_temporary),
        TEST(unfinished_files_are_dropped_unless_they_are_being_written),
        TEST(a_file_that_is_being_written_survives_tidying),
        TEST(a_prepared_file_takes_its_place_when_settled),
        TEST(a_prepared_file_can_go),
        TEST(what_is_undisturbed_ends_before_the_process_does),
        TEST(signal_that_ends_nothing_does_not_end_the_write),
        TEST(permissions_come_from_the_old_file_then_the_model_then_the_default),
        TEST(symbolic_link_is_followed),
        TEST(full_disk_leaves_the_old_file_and_no_temporary),
        TEST(directories_devices_and_missing_folders_are_refused),
        TEST(copy_keeps_content_and_permissions),
        TEST(second_name_is_of_the_same_file),
        TEST(one_file_is_recognised_under_every_name),
        TEST(existence_and_directories_are_told_apart),
        TEST(folder_is_visited_in_order_until_a_visit_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
