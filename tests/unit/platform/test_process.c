/* Ways to a tracker in a process, here this one: found by the open file, and distinguished from one that has ended. The
 * layout of the file is that of src/platform/control.h. */
#define _GNU_SOURCE
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/process.h"

enum { REQUEST_AT = 16, ANSWER_AT = 512, TEXT_AT = 1024, PATIENCE_MS = 100000 };

static char path[256];

/* A tracker's file, open in this process; the number of a process is not claimed. */
static int make_file(mode_t mode) {
    static const uint8_t header[REQUEST_AT] = "ILCTL\r\n\x01";
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/.ilinject-ctl-%ld", folder ? folder : "/tmp", (long)getpid());
    unlink(path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    assert_true(file >= 0);
    assert_int_equal(write(file, header, sizeof header), sizeof header);
    return file;
}

static void drop_file(int file) {
    close(file);
    unlink(path);
}

/* The former content of *ways means nothing. */
static control_status open_ways(control_ways *ways) {
    memset(ways, 0xCC, sizeof *ways);
    return control_open(ways, (uint32_t)getpid());
}

static void a_file_that_is_open_twice_is_one_way(void **state) {
    (void)state;
    control_ways ways;
    assert_int_equal(open_ways(&ways), CONTROL_NO_TRACKER);
    int file = make_file(0600), again = dup(file);
    assert_int_equal(open_ways(&ways), CONTROL_OK);
    assert_int_equal(ways.count, 1);
    control_close(&ways);
    close(again);
    drop_file(file);
    assert_int_equal(open_ways(&ways), CONTROL_NO_TRACKER);
}

static void a_file_that_others_may_open_is_no_way(void **state) {
    (void)state;
    control_ways ways;
    int file = make_file(0600);
    assert_int_equal(fchmod(file, 0640), 0);
    assert_int_equal(open_ways(&ways), CONTROL_EXPOSED);
    drop_file(file);
}

/* Waits for a request; 0: none came. */
static unsigned long long request_in(int file) {
    for (int i = 0; i < PATIENCE_MS; i++) {
        char line[64] = "";
        if (pread(file, line, sizeof line - 1, REQUEST_AT) > 0 && strchr(line, '\n'))
            return strtoull(line, NULL, 10);
        usleep(1000);
    }
    return 0;
}

/* Asks, while another process does what the tracker would; then looks at what came of it. */
static void ask(void answer(int file, unsigned long long request), void judge(const control_way *way)) {
    control_ways ways;
    int file = make_file(0600);
    assert_int_equal(open_ways(&ways), CONTROL_OK);
    pid_t tracker = fork();
    if (tracker == 0) {
        unsigned long long request = request_in(file);
        if (request)
            answer(file, request);
        _exit(request ? 0 : 1);
    }
    control_ask(&ways, (uint32_t)getpid(), "flush", NULL, PATIENCE_MS, PATIENCE_MS);
    int status = -1;
    assert_int_equal(waitpid(tracker, &status, 0), tracker);
    assert_int_equal(status, 0);
    judge(&ways.items[0]);
    control_close(&ways);
    drop_file(file);
}

static void end(int file, unsigned long long request) {
    (void)request;
    if (ftruncate(file, 0) != 0)
        _exit(2);
}

static void is_closed(const control_way *way) {
    assert_int_equal(way->state, WAY_CLOSED);
}

static void a_tracker_that_ends_empties_its_file(void **state) {
    (void)state;
    ask(end, is_closed);
}

static void tell_of_a_profile(int file, unsigned long long request) {
    char line[160];
    int size = snprintf(line, sizeof line, "%llu 1 5 7 %llu\n", request, request);
    if (pwrite(file, "/p.il", 5, TEXT_AT) != 5 || pwrite(file, line, (size_t)size, ANSWER_AT) != size)
        _exit(2);
}

static void is_answered(const control_way *way) {
    assert_int_equal(way->state, WAY_ANSWERED);
    assert_string_equal(way->profile, "/p.il");
    assert_int_equal(way->payload, 7);
}

static void an_answer_has_a_profile_and_a_size(void **state) {
    (void)state;
    ask(tell_of_a_profile, is_answered);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_open_twice_is_one_way),
        cmocka_unit_test(a_file_that_others_may_open_is_no_way),
        cmocka_unit_test(a_tracker_that_ends_empties_its_file),
        cmocka_unit_test(an_answer_has_a_profile_and_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
