/* options INPUT OUTPUT PROFILE - calls each function that takes options, and prints what it returns. It is C and C++,
 * and compiled with headers of several times. After a struct stand bytes that no library may take for an option. */
#include <ilinject.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS(type, name)                                                                                            \
    union {                                                                                                            \
        type o;                                                                                                        \
        unsigned char bytes[512];                                                                                      \
    } name;                                                                                                            \
    memset(&name, 0xff, sizeof name);                                                                                  \
    memset(&name.o, 0, sizeof name.o);                                                                                 \
    name.o.size = sizeof name.o

static void tell(void *user, const ilj_diagnostic *d) {
    (void)user;
    printf("%s %s\n", d->file, d->code);
}

static int drop(void *user, const char *text, size_t length) {
    (void)user, (void)text, (void)length;
    return 0;
}

static int keep(void *user, const char *text, size_t length) {
    return fwrite(text, 1, length, (FILE *)user) == length ? 0 : 1;
}

static void show(const char *function, ilj_status status) {
    printf("%s %d\n", function, (int)status);
}

int main(int argc, char **argv) {
    ilj_context *context;
    if (argc != 4 || ilj_context_new(&context, tell, NULL) != ILJ_OK)
        return 2;
    const char *const profile = argv[3];
    OPTIONS(ilj_selection_options, choice);
    OPTIONS(ilj_instrument_options, how);
    OPTIONS(ilj_report_options, text);
    OPTIONS(ilj_diff_options, both);
    OPTIONS(ilj_baseline_options, first);
    OPTIONS(ilj_check_options, then);
    OPTIONS(ilj_server_options, there);
    ilj_summary summary;
    show("selection", ilj_selection_new(&how.o.selection, context, &choice.o));
    show("instrument", ilj_instrument(&summary, context, argv[1], argv[2], &how.o));
    printf("%u of %u, outcome %d\n", summary.instrumented, summary.methods, (int)summary.outcome);
    ilj_selection_free(how.o.selection);
    text.o.view = ILJ_VIEW_CALLS;
    show("report", ilj_report(context, &profile, 1, &text.o, drop, NULL));
    bool failed = false;
    show("diff", ilj_diff(&failed, context, &profile, 1, &profile, 1, &both.o, drop, NULL));
    FILE *calls = fopen("calls.txt", "w");
    if (!calls)
        return 2;
    show("baseline", ilj_baseline(context, &profile, 1, &first.o, keep, calls));
    fclose(calls);
    show("check", ilj_check(&failed, context, "calls.txt", &profile, 1, &then.o, drop, NULL));
    ilj_server *server = NULL;
    there.o.listen = "127.0.0.1:0";
    there.o.token = "0123456789abcdef";
    there.o.folder = ".";
    there.o.max_bytes = there.o.max_files = there.o.per_minute = 1;
    show("server", ilj_server_new(&server, context, &there.o));
    if (server)
        ilj_server_free(server);
    OPTIONS(ilj_mcp_options, answers);
    answers.o.root = ".";
    ilj_mcp *mcp = NULL;
    show("mcp", ilj_mcp_new(&mcp, context, &answers.o));
    ilj_mcp_free(mcp);
    OPTIONS(ilj_post_options, to);
    to.o.url = "https://x";
    show("post", ilj_post(context, &profile, 1, &text.o, &to.o));
    ilj_context_free(context);
    return 0;
}
