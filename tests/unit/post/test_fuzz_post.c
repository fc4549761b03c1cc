/* The fuzz target of sending, driven plainly: answers and URLs, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_post.c"

#define SAMPLE(text)                                                                                                   \
    { text, sizeof text - 1 }
static const struct {
    const char *text;
    size_t size;
} samples[] = {
    SAMPLE("\x02HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\x0a\x05\x08\x02\x12\x01x"),
    SAMPLE("\x02HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\x0a\x05\x08\r\n"
           "4;a=b\r\n\x02\x12\x01x\r\n0\r\n\r\n"),
    SAMPLE("\x02HTTP/1.1 503 Service Unavailable\r\nRetry-After: 12\r\nContent-Type: application/x-protobuf\r\n\r\n"
           "\x08\x0e\x12\x04"
           "full\x1a\x00\x25"
           "aaaa\x21"
           "bbbbbbbb"),
    SAMPLE("\x02HTTP/1.0 400 \nContent-Type: text/plain\n\nno such\nthing"),
    SAMPLE("\x03http://[::1]:4318/v1development/profiles?a=b"),
    SAMPLE("\x03http://collector.example:80"),
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void make_sample(buffer *out, unsigned n) {
    buffer_append(out, samples[n].text, samples[n].size);
}

static void changed_answers_and_urls_are_read_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = "\r\n: /0159af[]@;\x02\x12\0\xFF";
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 11,
                             .rounds = 1000,
                             .step = 1,
                             .from = 1,
                             .seldom_from = 0,
                             .edges = edges,
                             .edge_count = sizeof edges - 1});
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_answers_and_urls_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
