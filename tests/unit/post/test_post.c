/* URLs and answers: what is read of them, and when there is more to wait for. */
#include "unit.h"

#include "post/answer.h"
#include "post/headers.h"
#include "post/url.h"

static bytes text_of(const char *text) {
    return bytes_of(text, strlen(text));
}

static void is_text(bytes found, const char *expected) {
    assert_int_equal(found.size, strlen(expected));
    if (found.size > 0)
        assert_memory_equal(found.data, expected, found.size);
}

static void a_url_has_host_port_and_path(void **state) {
    (void)state;
    static const struct {
        const char *url, *host, *port, *authority, *path;
    } all[] = {
        {"http://h", "h", "80", "h", "/v1development/profiles"},
        {"http://h/", "h", "80", "h", "/v1development/profiles"},
        {"http://h:4318", "h", "4318", "h:4318", "/v1development/profiles"},
        {"http://[::1]:1/a/b?c=d", "::1", "1", "[::1]:1", "/a/b?c=d"},
        {"http://[::1]", "::1", "80", "[::1]", "/v1development/profiles"},
        {"http://h?c", "h", "80", "h", "/?c"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        post_url url;
        diag d = {.file = "x"};
        assert_int_equal(post_url_read(&url, all[i].url, &d), ECMA_OK);
        assert_string_equal(url.host, all[i].host);
        assert_string_equal(url.port, all[i].port);
        assert_string_equal(url.authority, all[i].authority);
        assert_string_equal(url.path, all[i].path);
    }
}

static ecma_status headers(const char *text, buffer *lines) {
    diag d = {.file = "x"};
    lines->size = 0;
    const ecma_status status = post_headers_read(lines, text, &d);
    buffer_append(lines, "", 1);
    return status;
}

static void headers_are_lines_of_the_head(void **state) {
    (void)state;
    static const struct {
        const char *text, *lines;
    } all[] = {
        {"", ""},
        {"a=b", "a: b\r\n"},
        {" api-key = k==1 , X-B=Basic%20YTpi%2C%25 ,", "api-key: k==1\r\nX-B: Basic YTpi,%\r\n"},
        {"a=", "a: \r\n"},
        {"a=%c3%A9;p=1", "a: \xc3\xa9;p=1\r\n"},
    };
    static const char *const wrong[] = {"a",
                                        "=b",
                                        "a=b,c",
                                        "a b=c",
                                        "a:=b",
                                        "a=%",
                                        "a=%2",
                                        "a=%2g",
                                        "a=%0d%0aB: c",
                                        "a=%00",
                                        "Host=h",
                                        "content-length=1",
                                        "Transfer-Encoding=chunked"};
    buffer lines = BUFFER_INIT;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_int_equal(headers(all[i].text, &lines), ECMA_OK);
        assert_string_equal((const char *)lines.data, all[i].lines);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(headers(wrong[i], &lines), ECMA_CONFIG);
    buffer_clear(&lines);
}

static void an_answer_is_whole_when_its_length_has_come(void **state) {
    (void)state;
    const bytes all = text_of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd");
    buffer joined = BUFFER_INIT;
    post_answer a;
    for (size_t size = 0; size < all.size - 1; size++)
        assert_int_equal(post_answer_read(&a, (bytes){all.data, size}, false, &joined), POST_MORE);
    assert_int_equal(post_answer_read(&a, all, false, &joined), POST_WHOLE);
    assert_int_equal(a.status, 200);
    is_text(a.reason, "OK");
    is_text(a.body, "abc");
    buffer_clear(&joined);
}

static void chunks_are_put_together(void **state) {
    (void)state;
    buffer joined = BUFFER_INIT;
    post_answer a;
    const bytes all = text_of("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 429 Slow\r\nretry-after:  7 \r\n"
                              "Transfer-Encoding: Chunked\r\n\r\n2;x\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n");
    assert_int_equal(post_answer_read(&a, all, false, &joined), POST_WHOLE);
    is_text(a.body, "ab0123456789");
    assert_int_equal(a.status, 429);
    assert_true(a.retries);
    assert_int_equal(a.retry_after, 7);
    buffer_clear(&joined);
}

static void a_date_asks_for_a_while(void **state) {
    (void)state;
    buffer joined = BUFFER_INIT;
    post_answer a;
    const bytes all = text_of("HTTP/1.1 503 X\r\nRetry-After: 7 May\r\n\r\n");
    assert_int_equal(post_answer_read(&a, all, true, &joined), POST_WHOLE);
    assert_false(a.retries);
    buffer_clear(&joined);
}

static void what_is_no_answer_is_refused(void **state) {
    (void)state;
    static const char *const all[] = {"",
                                      "x",
                                      "x\n",
                                      "HTTP/2 200\r\n\r\n",
                                      "HTTP/1.1 20 OK\r\n\r\n",
                                      "HTTP/1.1 2000\r\n\r\n",
                                      "HTTP/1.1 600 X\r\n\r\n",
                                      "HTTP/1.1 200 OK\r\nA: b\r\n",
                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        buffer joined = BUFFER_INIT;
        post_answer a;
        assert_int_equal(post_answer_read(&a, text_of(all[i]), true, &joined), POST_BAD);
        buffer_clear(&joined);
    }
}

static void messages_are_found(void **state) {
    (void)state;
    static const uint8_t partial[] = {0x0A, 0x06, 0x08, 0x03, 0x12, 0x02, 'o', 'h', 0x10, 0x01};
    uint64_t rejected;
    bytes message;
    assert_true(post_read_partial(bytes_of(partial, sizeof partial), &rejected, &message));
    assert_int_equal(rejected, 3);
    is_text(message, "oh");
    assert_false(post_read_partial(bytes_of(partial, 5), &rejected, &message));
    assert_true(post_read_partial((bytes){0}, &rejected, &message));
    assert_int_equal(rejected, 0);
    const post_answer text = {.status = 500, .body = text_of(" a b \nc")};
    is_text(post_read_message(&text), "a b");
    static const uint8_t status[] = {0x08, 0x0E, 0x12, 0x02, 'o', 'h'};
    const post_answer coded = {.status = 500, .is_protobuf = true, .body = bytes_of(status, sizeof status)};
    is_text(post_read_message(&coded), "oh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_has_host_port_and_path),  cmocka_unit_test(an_answer_is_whole_when_its_length_has_come),
        cmocka_unit_test(chunks_are_put_together),       cmocka_unit_test(a_date_asks_for_a_while),
        cmocka_unit_test(what_is_no_answer_is_refused),  cmocka_unit_test(messages_are_found),
        cmocka_unit_test(headers_are_lines_of_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
