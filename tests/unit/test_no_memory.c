/* Memory that runs out while a whole assembly is instrumented, file to file: each allocation fails in turn, and the
 * run ends with that, once, leaving nothing: no output, no temporary file, no memory. */
#define _GNU_SOURCE
#include "unit.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "ilinject.h"
#include "made_native.h"
#include "made_ready_to_run.h"
#include "made_tracker.h"

enum { MOST_LIVE = 4096 };

static unsigned long allocations_left = ULONG_MAX;
static void *live[MOST_LIVE]; /* what was allocated here and not freed yet; libc's own allocations are not seen */
static size_t live_count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static bool fails(void) {
    if (allocations_left == 0)
        return true;
    allocations_left--;
    return false;
}

static void *born(void *p) {
    if (p) {
        if (live_count == MOST_LIVE)
            abort();
        live[live_count++] = p;
    }
    return p;
}

static void dies(const void *p) {
    for (size_t i = live_count; p && i-- > 0;)
        if (live[i] == p) {
            live[i] = live[--live_count];
            return;
        }
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : born(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : born(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    if (fails())
        return NULL;
    dies(old);
    return born(__real_realloc(old, size));
}

void __wrap_free(void *p) {
    dies(p);
    __real_free(p);
}

typedef struct told {
    unsigned errors;
    char code[8];
} told;

static void tell(void *user, const ilj_diagnostic *diagnostic) {
    told *t = user;
    if (diagnostic->severity != ILJ_ERROR)
        return;
    t->errors++;
    snprintf(t->code, sizeof t->code, "%s", diagnostic->code);
}

static char folder[64];

static const char *in_folder(const char *name) {
    static char paths[2][128];
    static unsigned next;
    char *path = paths[next++ % 2];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static size_t size_of_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return SIZE_MAX;
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    fclose(f);
    return size;
}

static unsigned count_entries(void) {
    unsigned count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return count;
}

static bool in_two_steps;
static ilj_native native;

/* One run with the allocations there are; returns its status. */
static ilj_status run(const char *input, const char *tracker, told *t, ilj_summary *summary) {
    ilj_context *context = NULL;
    *t = (told){0};
    ilj_status status = ilj_context_new(&context, tell, t);
    if (status)
        return status;
    char in[128], out[128];
    snprintf(in, sizeof in, "%s", in_folder(input));
    snprintf(out, sizeof out, "%s", in_folder("out.dll"));
    const ilj_instrument_options options = {.size = sizeof options, .tracker = tracker, .native = native};
    if (in_two_steps) {
        ilj_job *job = NULL;
        status = ilj_job_make(&job, summary, context, in, out, &options);
        assert_true((job != NULL) == (status == ILJ_OK));
        if (status == ILJ_OK)
            status = ilj_job_write(job);
        ilj_job_free(job);
    } else {
        status = ilj_instrument(summary, context, in, out, &options);
    }
    ilj_context_free(context);
    return status;
}

static void each_allocation_fails(const char *input, const char *tracker, const char *tracker_file) {
    unsigned long n = 0, failed = 0;
    for (;; n++) {
        assert_true(n < 100000);
        write_file(in_folder("out.dll"), "old", 3);
        told t;
        ilj_summary summary = {0};
        size_t before = live_count;
        allocations_left = n;
        ilj_status status = run(input, tracker, &t, &summary);
        bool reached = allocations_left == 0;
        allocations_left = ULONG_MAX;
        assert_int_equal(live_count, before);
        if (status == ILJ_OK && !reached)
            break;
        /* An allocation may be one that can be done without; then all is as ever. */
        if (status == ILJ_OK) {
            assert_int_equal(summary.instrumented, MADE_METHODS);
            continue;
        }
        failed++;
        assert_int_equal(status, ILJ_NO_MEMORY);
        assert_int_equal(summary.outcome, ILJ_OUTCOME_FAILED);
        assert_true(t.errors == 1 || (n == 0 && t.errors == 0)); /* without a context there is no sink */
        if (t.errors)
            assert_string_equal(t.code, "ILJ0902");
        assert_int_equal(size_of_file(in_folder("out.dll")), 3);
        unlink(in_folder(tracker_file));
        assert_int_equal(count_entries(), 3);
    }
    printf("%lu allocations, %lu failures told\n", n, failed);
    assert_true(failed > 20);
    assert_true(size_of_file(in_folder("out.dll")) > 512);
    unlink(in_folder(tracker_file));
    assert_int_equal(count_entries(), 3);
}

static void the_built_in_tracker(void **state) {
    (void)state;
    each_allocation_fails("in.dll", NULL, "ProfileInfoTracker.dll");
}

static void a_tracker_of_names(void **state) {
    (void)state;
    each_allocation_fails("in.dll", made_tracker_path(2), "T.dll");
}

static void trackers_of_values(void **state) {
    (void)state;
    each_allocation_fails("in.dll", made_tracker_path(5), "T.dll");
    each_allocation_fails("in.dll", made_tracker_path(6), "T.dll");
}

static void a_ready_to_run_image(void **state) {
    (void)state;
    each_allocation_fails("ready.dll", NULL, "ProfileInfoTracker.dll");
}

static void an_image_that_keeps_native_code(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t offset;
    made_native(&b, &offset);
    write_file(in_folder("ready.dll"), b.data, b.size);
    buffer_clear(&b);
    native = ILJ_NATIVE_KEEP;
    each_allocation_fails("ready.dll", NULL, "ProfileInfoTracker.dll");
    native = ILJ_NATIVE_DEFAULT;
}

static void a_job_in_two_steps(void **state) {
    (void)state;
    in_two_steps = true;
    each_allocation_fails("in.dll", NULL, "ProfileInfoTracker.dll");
    in_two_steps = false;
}

static int make_folder(void **state) {
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ilinject-test.XXXXXX",
             temporary && strlen(temporary) < 30 ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    write_file(in_folder("in.dll"), b.data, b.size);
    buffer_clear(&b);
    uint32_t offset;
    made_ready_to_run(&b, &offset);
    write_file(in_folder("ready.dll"), b.data, b.size);
    buffer_clear(&b);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(in_folder("in.dll"));
    unlink(in_folder("ready.dll"));
    unlink(in_folder("out.dll"));
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_tracker),
        cmocka_unit_test(a_tracker_of_names),
        cmocka_unit_test(trackers_of_values),
        cmocka_unit_test(a_ready_to_run_image),
        cmocka_unit_test(an_image_that_keeps_native_code),
        cmocka_unit_test(a_job_in_two_steps),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
