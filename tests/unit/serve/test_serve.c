/* Requests are decided by their heads, bodies counted while they come, profiles kept under the names of their runs. */
#include "profile_unit.h"

#include <dirent.h>
#include <libdeflate.h>
#include <unistd.h>

#include "serve_unit.h"

/* ---- A server with a folder of its own -------------------------------------------------------------------------- */

static ilj_server server;
static ilj_context *context;
static char folder[256], warned[1200];

static void note(void *user, const ilj_diagnostic *d) {
    (void)user;
    snprintf(warned, sizeof warned, "%s: %s", d->code, d->text);
}

static int enter(void **state) {
    const char *root = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/ilinject-serve.XXXXXX", root ? root : "/tmp");
    warned[0] = 0;
    return mkdtemp(folder) && ilj_context_new(&context, note, NULL) == ILJ_OK ? 0 : -1;
}

static char *path_of(const char *name) {
    static char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static unsigned count_files(void) {
    unsigned count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return count;
}

static int leave(void **state) {
    (void)state;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        unlink(path_of(entry->d_name));
    closedir(listing);
    rmdir(folder);
    intake_close(&server.intake);
    ilj_context_free(context);
    return 0;
}

static void begin(uint64_t most_bytes, uint32_t most_files) {
    serve_make(&server, context, folder, most_bytes, most_files);
}

/* ---- Profiles -----------------------------------------------------------------------------------------------------
 */

typedef struct run_of {
    const char *name, *pid, *host, *start, *wall, *id; /* without an id: NULL */
} run_of;

/* A profile of one call of one method without a name. */
static void make(buffer *file, run_of r) {
    const char *const pairs[] = {"name",
                                 r.name,
                                 "pid",
                                 r.pid,
                                 "host",
                                 r.host,
                                 "start",
                                 r.start,
                                 "wall_ticks",
                                 r.wall,
                                 "ticks_per_second",
                                 "1000000000",
                                 r.id ? "run" : NULL,
                                 r.id,
                                 NULL};
    buffer payload = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, pairs);
    buffer_varuint(&payload, 1);
    maker_module(&payload, 1 << 24, 1, "Module", 1, (bytes){0});
    maker_section(file, "MODS", &payload);
    const uint64_t thread[] = {1, 0, 1, 2, /* root */ 1, 0, 0, 0, 0, 0, 0, /* call */ 0, 1 << 24, 7, 5, 0, 0, 0};
    for (size_t i = 0; i < sizeof thread / sizeof thread[0]; i++)
        buffer_varuint(&payload, thread[i]);
    maker_section(file, "THRD", &payload);
    maker_section(file, "END ", &payload);
    buffer_clear(&payload);
}

static const run_of first = {"Shop", "1", "till", "1767323045000000000", "100", NULL};

static unsigned post(bytes body, size_t step) {
    serve_now = (serve_call){.path = "/" SERVE_TOKEN, .method = "POST"};
    return serve_send(&server, body, step, true);
}

static unsigned post_run(run_of r) {
    buffer file = BUFFER_INIT;
    make(&file, r);
    unsigned status = post(buffer_bytes(&file), 10);
    buffer_clear(&file);
    return status;
}

/* By another library than the server's. */
static void compress(buffer *gzip, bytes plain) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    size_t most = libdeflate_gzip_compress_bound(c, plain.size);
    uint8_t *at = malloc(most);
    buffer_append(gzip, at, libdeflate_gzip_compress(c, plain.data, plain.size, at, most));
    free(at);
    libdeflate_free_compressor(c);
}

static unsigned post_as(const char *coding, bytes body, size_t step) {
    serve_now = (serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .coding = coding};
    return serve_send(&server, body, step, true);
}

static unsigned ask(serve_call call) {
    serve_now = call;
    return serve_send(&server, (bytes){0}, 1, true);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------
 */

static void a_profile_is_kept_under_its_runs_name(void **state) {
    (void)state;
    begin(4096, 10);
    assert_int_equal(post_run(first), 200);
    assert_int_equal(count_files(), 1);
    assert_int_equal(strncmp(serve_now.text, "Shop-20260102T030405Z-", 22), 0);
    assert_string_equal(serve_now.text + 22 + 16, ".ilprof\n");
    serve_now.text[strlen(serve_now.text) - 1] = 0;
    assert_int_equal(access(path_of(serve_now.text), R_OK), 0);
}

static void runs_are_told_apart_by_all_that_they_say_of_themselves(void **state) {
    (void)state;
    begin(4096, 10);
    const run_of others[] = {{"Shop", "2", "till", first.start, "100", NULL},
                             {"Shop", "1", "till2", first.start, "100", NULL},
                             {"Shop2", "1", "till", first.start, "100", NULL},
                             {"Shop", "1", "till", "1767323045000000100", "100", NULL},
                             {"Shop", "1", "till", first.start, "100", "00112233"},
                             {"Shop", "1", "till", first.start, "100", "00112234"}};
    assert_int_equal(post_run(first), 200);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(post_run(others[i]), 200);
        assert_int_equal(count_files(), i + 2);
    }
    assert_int_equal(post_run(first), 200);
    assert_int_equal(count_files(), 7);
}

static uint64_t kept_wall(void) {
    diag d = {.file = "x"};
    os_map map = OS_MAP_INIT;
    profile p = PROFILE_INIT;
    serve_now.text[strcspn(serve_now.text, "\n")] = 0;
    assert_int_equal(os_map_file(&map, &d, path_of(serve_now.text)), ECMA_OK);
    assert_int_equal(profile_read(&p, map.content, &d), ECMA_OK);
    uint64_t wall = p.run.wall_ticks;
    profile_clear(&p);
    os_unmap(&map);
    return wall;
}

static void a_profile_that_was_overtaken_does_not_replace_the_later_one(void **state) {
    (void)state;
    begin(4096, 10);
    run_of later = first, latest = first;
    later.wall = "200";
    latest.wall = "300";
    assert_int_equal(post_run(later), 200);
    assert_int_equal(post_run(first), 200);
    assert_int_equal(kept_wall(), 200);
    assert_int_equal(post_run(latest), 200);
    assert_int_equal(kept_wall(), 300);
    assert_int_equal(count_files(), 1);
}

static void no_name_leads_out_of_the_folder(void **state) {
    (void)state;
    begin(4096, 10);
    static const char *const names[] = {"../../etc/x",       "..", ".hidden",     "-rf",
                                        "a b;c\n\x1b[H\xff", "",   "caf\xc3\xa9", "Till_3.9-Az09"};
    static const char *const clean[] = {"_._.._etc_x", "_.",      "_hidden", "_rf",
                                        "a_b_c___H_",  "profile", "caf__",   "Till_3.9-Az09"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        run_of r = first;
        r.name = names[i];
        assert_int_equal(post_run(r), 200);
        assert_int_equal(strncmp(serve_now.text, clean[i], strlen(clean[i])), 0);
        assert_int_equal(serve_now.text[strlen(clean[i])], '-');
        assert_int_equal(count_files(), i + 1);
    }
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    run_of r = first;
    r.name = longest;
    assert_int_equal(post_run(r), 200);
    assert_int_equal(strspn(serve_now.text, "x"), 64);
    r.start = "0"; /* not known */
    assert_int_equal(post_run(r), 200);
    assert_int_equal(strlen(serve_now.text), 64 + 1 + 16 + strlen(".ilprof\n"));
}

static void files_are_counted_again_before_one_is_refused(void **state) {
    (void)state;
    begin(4096, 1);
    run_of other = first;
    other.pid = "2";
    assert_int_equal(post_run(first), 200);
    assert_int_equal(post_run(other), 507);
    assert_int_equal(post_run(first), 200);
    serve_now.text[strcspn(serve_now.text, "\n")] = 0;
    unlink(path_of(serve_now.text));
    assert_int_equal(post_run(other), 200);
    assert_int_equal(count_files(), 1);
}

static void a_body_is_refused_while_it_comes(void **state) {
    (void)state;
    begin(1000, 10);
    uint8_t *body = calloc(1, 3 << 20);
    for (size_t step = 1; step < 4096; step *= 7) {
        assert_int_equal(post(bytes_of(body, 1000), step), 400); /* whole, and no profile */
        assert_int_equal(post(bytes_of(body, 1001), step), 413);
    }
    assert_int_equal(post(bytes_of(body, 3 << 20), 4096), 0); /* and is not read for ever */
    free(body);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .length = "1001"}), 413);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .length = "1000"}), 400);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .length = "99999999999999999999"}),
                     413);
    assert_int_equal(count_files(), 0);
}

static void a_body_that_does_not_come_whole_leaves_nothing(void **state) {
    (void)state;
    begin(4096, 10);
    buffer file = BUFFER_INIT;
    make(&file, first);
    for (size_t size = 0; size < file.size; size += 7) {
        serve_now = (serve_call){.path = "/" SERVE_TOKEN, .method = "POST"};
        assert_int_equal(serve_send(&server, bytes_of(file.data, size), 5, false), 0);
        assert_int_equal(count_files(), 0);
    }
    assert_non_null(strstr(warned, "ILJ0722: the connection ended before the profile was whole"));
    for (size_t size = 0; size < file.size; size++)
        assert_int_equal(post(bytes_of(file.data, size), 50), 400);
    assert_int_equal(count_files(), 0);
    buffer_clear(&file);
}

static void a_compressed_profile_is_kept_as_it_was_before(void **state) {
    (void)state;
    begin(4096, 10);
    buffer file = BUFFER_INIT, gzip = BUFFER_INIT;
    make(&file, first);
    compress(&gzip, buffer_bytes(&file));
    static const char *const codings[] = {"gzip", "GZIP", "x-gzip", NULL, "identity"};
    for (size_t i = 0; i < sizeof codings / sizeof codings[0]; i++)
        for (size_t step = 1; step < 5000; step *= 13) {
            assert_int_equal(post_as(codings[i], buffer_bytes(&gzip), step), 200);
            assert_int_equal(count_files(), 1);
            serve_now.text[strcspn(serve_now.text, "\n")] = 0;
            os_map map = OS_MAP_INIT;
            diag d = {.file = "x"};
            assert_int_equal(os_map_file(&map, &d, path_of(serve_now.text)), ECMA_OK);
            assert_int_equal(map.content.size, file.size);
            assert_memory_equal(map.content.data, file.data, file.size);
            os_unmap(&map);
            unlink(path_of(serve_now.text));
        }
    buffer_clear(&file);
    buffer_clear(&gzip);
}

static void other_codings_are_refused(void **state) {
    (void)state;
    begin(4096, 10);
    static const char *const codings[] = {"br", "deflate", "zstd", "compress", "gzip, gzip", "gzip,identity", "", "g"};
    for (size_t i = 0; i < sizeof codings / sizeof codings[0]; i++) {
        assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .coding = codings[i]}), 415);
        assert_string_equal(serve_now.text, "a profile is sent as it is, or with the Content-Encoding gzip\n");
    }
}

static void damaged_gzip_is_refused_with_its_place(void **state) {
    (void)state;
    begin(4096, 10);
    buffer file = BUFFER_INIT, gzip = BUFFER_INIT;
    char expected[128];
    make(&file, first);
    assert_int_equal(post_as("gzip", buffer_bytes(&file), 50), 400);
    assert_string_equal(serve_now.text, "the gzip body is damaged: offset 2: incorrect header check\n");
    compress(&gzip, buffer_bytes(&file));
    for (size_t size = 0; size < gzip.size; size++) {
        assert_int_equal(post_as("gzip", bytes_of(gzip.data, size), 50), 400);
        snprintf(expected, sizeof expected, "the gzip body is damaged: offset %zu: expected more of it\n", size);
        assert_string_equal(serve_now.text, expected);
    }
    size_t whole = gzip.size;
    buffer_u8(&gzip, 0);
    assert_int_equal(post_as("gzip", buffer_bytes(&gzip), 50), 400);
    snprintf(expected, sizeof expected, "the gzip body is damaged: offset %zu: expected nothing after its end\n",
             whole);
    assert_string_equal(serve_now.text, expected);
    gzip.size = whole;
    compress(&gzip, buffer_bytes(&file)); /* a second member, which a program that unpacks files would take */
    assert_int_equal(post_as("gzip", buffer_bytes(&gzip), 50), 400);
    assert_string_equal(serve_now.text, expected);
    for (size_t back = 1; back <= 8; back++) { /* the CRC-32 and the length */
        gzip.data[whole - back] ^= 0x10;
        assert_int_equal(post_as(NULL, bytes_of(gzip.data, whole), 50), 400);
        assert_non_null(strstr(serve_now.text, back > 4 ? "incorrect data check" : "incorrect length check"));
        gzip.data[whole - back] ^= 0x10;
    }
    assert_int_equal(count_files(), 0);
    buffer_clear(&file);
    buffer_clear(&gzip);
}

/* Zeros shrink to a thousandth, so 64 MiB come in 64 KiB. */
static void a_bomb_ends_at_the_first_byte_that_is_too_many(void **state) {
    (void)state;
    enum { LARGE = 64 << 20 };
    buffer gzip = BUFFER_INIT;
    uint8_t *zeros = calloc(1, LARGE);
    begin(100000, 10);
    compress(&gzip, bytes_of(zeros, LARGE));
    assert_in_range(gzip.size, 60000, 100000);
    assert_int_equal(post_as("gzip", buffer_bytes(&gzip), 4096), 413);
    assert_string_equal(serve_now.text, "a profile may have 100000 bytes, and this one is larger\n");
    gzip.size = 0;
    compress(&gzip, bytes_of(zeros, 100000));
    assert_int_equal(post_as("gzip", buffer_bytes(&gzip), 4096), 400); /* as much as may be, and no profile */
    assert_non_null(strstr(serve_now.text, "not a profile: offset 0"));
    gzip.size = 0;
    compress(&gzip, bytes_of(zeros, 100001));
    assert_int_equal(post_as("gzip", buffer_bytes(&gzip), 4096), 413);
    assert_int_equal(count_files(), 0);
    free(zeros);
    buffer_clear(&gzip);
}

static void only_the_tokens_own_path_is_let_in(void **state) {
    (void)state;
    begin(4096, 10);
    static const char *const wrong[] = {"",
                                        "/",
                                        "//" SERVE_TOKEN,
                                        SERVE_TOKEN,
                                        "/" SERVE_TOKEN "/",
                                        "/" SERVE_TOKEN SERVE_TOKEN,
                                        "/" SERVE_TOKEN "/" SERVE_TOKEN,
                                        "/0123456789abcdeg",
                                        "/1123456789abcdef",
                                        "/0123456789abcde",
                                        "x" SERVE_TOKEN,
                                        "/0123456789ABCDEF",
                                        "*"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(ask((serve_call){.path = wrong[i], .method = "POST"}), 403);
    assert_string_equal(serve_now.text, "forbidden\n");
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST"}), 400);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "GET"}), 405);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .coding = "br"}), 415);
    assert_int_equal(ask((serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .coding = "identity"}), 400);
    assert_int_equal(ask((serve_call){.path = "/x", .method = "OPTIONS"}), 204);
    assert_int_equal(ask((serve_call){.path = "/crossdomain.xml", .method = "HEAD"}), 200);
    assert_int_equal(ask((serve_call){.path = "/crossdomain.xml", .method = "POST"}), 403);
}

static void who_waits_for_an_answer_before_sending_gets_it(void **state) {
    (void)state;
    begin(4096, 10);
    serve_now = (serve_call){.path = "/x", .method = "POST", .length = "9", .expect = "100-continue"};
    assert_int_equal(serve_send(&server, (bytes){0}, 1, false), 403);
    serve_now = (serve_call){.path = "/x", .method = "POST", .length = "99999999"};
    assert_int_equal(serve_send(&server, (bytes){0}, 1, false), 403);
    /* Not so who may be sending already. */
    serve_now = (serve_call){.path = "/" SERVE_TOKEN, .method = "POST", .length = "1050000"};
    assert_int_equal(serve_send(&server, (bytes){0}, 1, false), 0);
    assert_int_equal(serve_send(&server, (bytes){0}, 1, true), 413);
}

static void a_rate_is_a_minutes_worth_at_once_and_then_a_steady_one(void **state) {
    (void)state;
    const uint64_t second = 1000000000;
    serve_rate r = serve_rate_of(6);
    uint64_t now = r.last_ns;
    for (int i = 0; i < 6; i++)
        assert_true(serve_rate_try(&r, now));
    assert_false(serve_rate_try(&r, now));
    assert_false(serve_rate_try(&r, now + 9 * second));
    assert_true(serve_rate_try(&r, now + 10 * second));
    assert_false(serve_rate_try(&r, now + 10 * second));
    for (int i = 0; i < 6; i++)
        assert_true(serve_rate_try(&r, now + 10000 * second));
    assert_false(serve_rate_try(&r, now + 10000 * second));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(a_profile_is_kept_under_its_runs_name),
        TEST(runs_are_told_apart_by_all_that_they_say_of_themselves),
        TEST(a_profile_that_was_overtaken_does_not_replace_the_later_one),
        TEST(no_name_leads_out_of_the_folder),
        TEST(files_are_counted_again_before_one_is_refused),
        TEST(a_body_is_refused_while_it_comes),
        TEST(a_body_that_does_not_come_whole_leaves_nothing),
        TEST(a_compressed_profile_is_kept_as_it_was_before),
        TEST(other_codings_are_refused),
        TEST(damaged_gzip_is_refused_with_its_place),
        TEST(a_bomb_ends_at_the_first_byte_that_is_too_many),
        TEST(only_the_tokens_own_path_is_let_in),
        TEST(who_waits_for_an_answer_before_sending_gets_it),
        TEST(a_rate_is_a_minutes_worth_at_once_and_then_a_steady_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
