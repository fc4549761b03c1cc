/* The fuzz target of the server, driven plainly: requests, compressed bodies and profiles, cut and changed from a
 * printed seed. With the arguments `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads
 * those files. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_serve.c"
#include "profile_maker.h"

static const char *const requests[] = {
    "\x01\x03/" SERVE_TOKEN "\nPOST\n5\n\n\nabcde",
    "\x01\x03/" SERVE_TOKEN "\nPOST\n65\n\n100-continue\nabcde",
    "\x01\x02/" SERVE_TOKEN "\nPOST\n\n\n\n0123456789012345678901234567890123456789012345678901234567890123456789",
    "\x01\x03/" SERVE_TOKEN "\nPUT\n5\ngzip\n\nabcde",
    "\x01\x05/" SERVE_TOKEN "\nPOST\n5\nidentity\n\nabcde",
    "\x01\x03/clientaccesspolicy.xml\nGET\n\n\n\n",
    "\x01\x03/crossdomain.xml\nHEAD\n\n\n\n",
    "\x01\x03/" READER_TOKEN "/\nGET\n\n\n\n",
    "\x01\x03/" READER_TOKEN "/report.html\nHEAD\n\n\n\n",
    "\x01\x03/" READER_TOKEN "/version\nGET\n3\n\n\nabc",
    "\x01\x03*\nOPTIONS\n\n\n\n",
};
enum { REQUESTS = sizeof requests / sizeof requests[0], COMPRESSED_REQUEST = REQUESTS, COMPRESSED, PROFILE, SAMPLES };

static void append_gzip(buffer *out, bytes plain) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    size_t most = libdeflate_gzip_compress_bound(c, plain.size);
    uint8_t *at = malloc(most);
    buffer_append(out, at, libdeflate_gzip_compress(c, plain.data, plain.size, at, most));
    free(at);
    libdeflate_free_compressor(c);
}

static void make_sample(buffer *out, unsigned n) {
    if (n < REQUESTS) {
        buffer_string(out, requests[n]);
        return;
    }
    if (n == COMPRESSED_REQUEST) {
        buffer_string(out, "\x01\x09/" SERVE_TOKEN "\nPOST\n\ngzip\n\n");
        append_gzip(out, bytes_of("a profile that is none", 22));
        return;
    }
    buffer profile = BUFFER_INIT;
    sample_profile(&profile);
    buffer_u8(out, n == COMPRESSED ? 255 : 0);
    if (n == COMPRESSED)
        append_gzip(out, buffer_bytes(&profile));
    else
        buffer_append(out, profile.data, profile.size);
    buffer_clear(&profile);
}

static const uint8_t edges[] = {0x00, 0x01, '/', '.', '\n', '0', '9', 0x7F, 0x80, 0xFF};

static void changed_requests_are_decided(void **state) {
    (void)state;
    fuzz_replay(make_sample, 0, COMPRESSED_REQUEST + 1,
                &(fuzz_plan){.seed = 5, .rounds = 200, .step = 1, .edges = edges, .edge_count = sizeof edges});
}

static void changed_gzip_bodies_are_inflated_within_their_limits(void **state) {
    (void)state;
    fuzz_replay(
        make_sample, COMPRESSED, COMPRESSED + 1,
        &(fuzz_plan){.seed = 7, .rounds = 5000, .step = 1, .from = 1, .edges = edges, .edge_count = sizeof edges});
}

static void changed_profiles_have_harmless_names(void **state) {
    (void)state;
    fuzz_replay(
        make_sample, PROFILE, SAMPLES,
        &(fuzz_plan){.seed = 6, .rounds = 20000, .step = 3, .from = 40, .edges = edges, .edge_count = sizeof edges});
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_requests_are_decided),
        cmocka_unit_test(changed_gzip_bodies_are_inflated_within_their_limits),
        cmocka_unit_test(changed_profiles_have_harmless_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
