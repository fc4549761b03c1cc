/* The fuzz target of `ilinject mcp`, driven plainly: conversations, cut and changed from a printed seed; and an answer
 * is whole, or an error, when memory runs out. With the arguments `seeds FOLDER` it writes what the fuzzer starts from;
 * with other arguments it reads those files. */
#include "fuzz_unit.h"
#include "report_unit.h"

#include "../../fuzz/fuzz_mcp.c"

/* The bytes that come at a time, less one, then lines. */
static const char *const conversations[] = {
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"method\":\"nothing\"}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
    "protocolVersion\":\"2026-07-28\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
    "protocolVersion\":\"1\"}}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"profiles\",\"arguments\":{}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"summary\",\"arguments\":{\"profile\":\"a.ilprof\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"hot\",\"arguments\":{\"profile\":\"p1\",\"by\":\"calls\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"method\",\"arguments\":{\"profile\":\"p1\",\"method\":\"m1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"compare\",\"arguments\":{\"before\":\"a.ilprof\",\"after\":[\"a.ilprof\"]}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"exceptions\",\"arguments\":{\"profile\":\"a.ilprof\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"explain_left_out\",\"arguments\":{\"profile\":\"a.ilprof\",\"method\":\"Main\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"suggest\",\"arguments\":{\"profile\":\"a.ilprof\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
    "\xFF"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"hot\",\"arguments\":{\"profile\":\"../a.ilprof\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}\n",
};
enum { SAMPLES = sizeof conversations / sizeof conversations[0] };

static void make_sample(buffer *out, unsigned n) {
    buffer_string(out, conversations[n]);
}

static const uint8_t edges[] = {'{', '}', '[', ']', '"', '\\', ',', ':', '\n', '0', 0x00, 0x80, 0xFF};

static void changed_conversations_have_whole_answers(void **state) {
    (void)state;
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 3, .rounds = 100, .step = 5, .edges = edges, .edge_count = sizeof edges});
}

/* ---- Memory that runs out ------------------------------------------------------------------------------------------
 */

/* Takes nothing that could fail. */
typedef struct kept_answers {
    char text[1 << 16];
    size_t size;
} kept_answers;

static int keep_answer(void *user, const char *text, size_t size) {
    kept_answers *kept = user;
    if (size >= sizeof kept->text - kept->size)
        return 1;
    memcpy(kept->text + kept->size, text, size);
    kept->text[kept->size += size] = 0;
    return 0;
}

static void each_answer_is_whole_or_an_error_when_memory_runs_out(void **state) {
    (void)state;
    static kept_answers whole, now;
    make_root();
    for (unsigned n = 0; n < SAMPLES; n++) {
        const uint8_t *data = (const uint8_t *)conversations[n];
        size_t size = strlen(conversations[n]), refused = 0;
        whole.size = 0;
        converse(data, size, keep_answer, &whole);
        one_failed = true;
        for (long left = 0; one_failed; left += 1 + left / 200) {
            now.size = 0;
            now.text[0] = 0;
            one_failed = false;
            later_ones_fail = left % 2 == 0;
            allocations_left = left;
            converse(data, size, keep_answer, &now);
            allocations_left = -1;
            refused += now.size == 0;
            for (char *line = now.text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
                *end = 0;
                bool said = strstr(line, "\"error\":{\"code\":") != NULL;
                refused += said;
                take(NULL, (*end = '\n', line), (size_t)(end + 1 - line));
                *end = 0;
                const char *same = strstr(whole.text, line);
                if (!said && !(same && same[strlen(line)] == '\n'))
                    fail_msg("sample %u, %ld allocations: %s", n, left, line);
            }
        }
        assert_true(refused > 10);
    }
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_conversations_have_whole_answers),
        cmocka_unit_test(each_answer_is_whole_or_an_error_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
