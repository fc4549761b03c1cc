/* The fuzz target of unified diffs, driven plainly: samples, and changes to them from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_changes.c"

static const char *const samples[] = {
    "diff --git a/x.cs b/x.cs\nindex 1..2 100644\n--- a/x.cs\n+++ b/x.cs\n@@ -10,4 +10,4 @@ void M()\n a\n-b\n+c\n d\n "
    "e\n"
    "@@ -20,0 +21,2 @@\n+a\n+b\n",
    "--- \"a/x y.cs\"\t2026\r\n+++ \"b/x y.cs\"\t2026\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n",
    "--- /dev/null\n+++ b/new.cs\n@@ -0,0 +1 @@\n+a\n--- a/old.cs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
    "diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void make_sample(buffer *out, unsigned n) {
    buffer_append(out, samples[n], strlen(samples[n]));
}

static void changed_diffs_are_read_or_refused_with_a_word(void **state) {
    (void)state;
    static const uint8_t edges[] = "+-@ ,\n\r\t\"\\/0\0\xFF";
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 7,
                             .rounds = 2000,
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
        cmocka_unit_test(changed_diffs_are_read_or_refused_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
