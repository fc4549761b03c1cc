/* The fuzz target of deployment manifests, driven plainly: samples, and changes to them from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#define _GNU_SOURCE
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_manifest.c"

#define HEAD "<Deployment xmlns=\"http://schemas.microsoft.com/client/2007/deployment\" "
#define XAML "xmlns:x=\"http://schemas.microsoft.com/winfx/2006/xaml\""

static const char *const samples[] = {
    "\xEF\xBB\xBF" HEAD XAML " RuntimeVersion=\"5.0\">\r\n  <Deployment.Parts>\r\n    <AssemblyPart x:Name=\"A\" "
    "Source=\"A.dll\" />\r\n  </Deployment.Parts>\r\n</Deployment>",
    HEAD "><Deployment.ExternalParts><ExtensionPart "
         "Source='a.zip'/></Deployment.ExternalParts><Deployment.Parts/></Deployment>",
    "<?xml version='1.0' encoding='utf-8'?><d:Deployment xmlns:d='a'><!-- < --><d:Deployment.Parts "
    "a='>'></d:Deployment.Parts>"
    "<?x y?></d:Deployment>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>" HEAD "><Deployment.Parts>&b;</Deployment.Parts></Deployment>",
    HEAD "><a " XAML "/><Deployment.Parts><b><![CDATA[ </b> ]]></b><AssemblyPart Source='&amp;&#65;'>t</AssemblyPart> "
         "</Deployment.Parts></Deployment>",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Each takes one part more where it should: the text that comes of it. */
static void parts_are_put_in_at_the_right_place(void **state) {
    static const char *const added[] = {
        "\r\n    <AssemblyPart x:Name=\"T\" Source=\"T.dll\" />\r\n  </Deployment.Parts>",
        "<Deployment.Parts><AssemblyPart Source=\"T.dll\" /></Deployment.Parts></Deployment>",
        "<d:Deployment.Parts a='>'><d:AssemblyPart Source=\"T.dll\" /></d:Deployment.Parts>",
        NULL,
        "t</AssemblyPart><AssemblyPart Source=\"T.dll\" /> </Deployment.Parts>",
    };
    (void)state;
    for (unsigned i = 0; i < SAMPLES; i++) {
        diag silent = {0};
        manifest m;
        buffer made = BUFFER_INIT;
        ecma_status status = manifest_read(&m, &silent, bytes_of(samples[i], strlen(samples[i])));
        assert_int_equal(status, added[i] ? ECMA_OK : ECMA_BAD_FILE);
        if (added[i]) {
            assert_int_equal(manifest_add(&made, &silent, &m, "T"), ECMA_OK);
            buffer_u8(&made, 0);
            if (!strstr((const char *)made.data, added[i]))
                fail_msg("%s", (const char *)made.data);
        }
        buffer_clear(&made);
        manifest_clear(&m);
    }
}

static void keep_text(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)severity;
    (void)code;
    snprintf(user, 200, "%s", text);
}

/* Marks of byte order by the Unicode standard, 23.8; none of these has a zero byte near its start. */
static void an_encoding_of_two_bytes_is_known_by_its_mark(void **state) {
    (void)state;
    static const uint8_t marked[][6] = {{0xFF, 0xFE, '<', 'N', 'N', '>'}, {0xFE, 0xFF, 'N', '<', '>', 'N'}};
    for (unsigned i = 0; i < 2; i++) {
        char said[200] = "";
        diag d = {.sink = keep_text, .user = said};
        manifest m;
        assert_int_equal(manifest_read(&m, &d, bytes_of(marked[i], sizeof marked[i])), ECMA_BAD_FILE);
        assert_non_null(strstr(said, "UTF-16"));
        manifest_clear(&m);
    }
}

static void make_sample(buffer *out, unsigned n) {
    buffer_append(out, samples[n], strlen(samples[n]));
}

static void changed_manifests_are_spliced_or_refused_with_a_word(void **state) {
    static const uint8_t edges[] = "<>&;\"'/=? \n\0\xFF\x80:.dAxS";
    (void)state;
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 11,
                             .rounds = 1000,
                             .step = 1,
                             .from = 0,
                             .seldom_from = 0,
                             .edges = edges,
                             .edge_count = sizeof edges - 1});
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_put_in_at_the_right_place),
        cmocka_unit_test(an_encoding_of_two_bytes_is_known_by_its_mark),
        cmocka_unit_test(changed_manifests_are_spliced_or_refused_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
