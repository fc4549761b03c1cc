/* ilinject serve */
#include "command.h"
#include "platform/system.h"
#include "serve_forward.h"
#include "serve_live.h"
#include "serve_page.h"
#include "serve_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    common_settings common;
    const char *listen;
    const char *output;
    const char *token;
    const char *token_file;
    const char *otlp;
    option_list page;
    unsigned max_size; /* MiB */
    unsigned max_files;
    unsigned rate;
    bool live;
    bool rows;
} settings = {.listen = "127.0.0.1:" ILJ_SERVE_PORT, .output = ".", .max_size = 64, .max_files = 1000, .rate = 1200};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "DIR", "where the profiles go; the current folder by default"},
    {"listen", 0, OPTION_TEXT, AT(listen), 0, "ADDRESS:PORT",
     "where to wait; 127.0.0.1:" ILJ_SERVE_PORT
     " by default. Port 0: any; no ADDRESS (:PORT): every one of this machine"},
    {"token", 0, OPTION_TEXT, AT(token), 0, "TOKEN", "the secret that senders need; by default a new random one"},
    {"token-file", 0, OPTION_TEXT, AT(token_file), 0, "FILE",
     "the same from a file, which other users of this machine cannot see as they do a command line"},
    {"live", 0, OPTION_FLAG, AT(live), 0, NULL, "show the table of all that was received, and go on showing it"},
    {"page", 0, OPTION_LISTED, AT(page), 0, "TOKEN",
     "a page of the newest runs that renews itself, below a token of its own, and metrics for Prometheus"},
    {"rows", 0, OPTION_FLAG, AT(rows), 0, NULL,
     "also write each one's rows for databases, DIR/rows/DAY/NAME.ndjson, before its sender is answered"},
    {"otlp", 0, OPTION_TEXT, AT(otlp), 0, "URL",
     "send each profile on to a collector of OpenTelemetry, as report --post does; receiving never waits for that"},
    {"max-size", 0, OPTION_NUMBER, AT(max_size), 0, "MIB", "refuse larger profiles; 64 by default"},
    {"max-files", 0, OPTION_NUMBER, AT(max_files), 0, "N", "profiles in the folder, at most; 1000 by default"},
    {"rate", 0, OPTION_NUMBER, AT(rate), 0, "N", "profiles a minute, at most; 1200 by default"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

/* A line for each profile that is received. */
typedef struct receiving {
    console *c;
    live live;
    forward forward;
    live_page page;
    uint64_t profiles, runs;
} receiving;

static void received(void *user, const ilj_received *r) {
    receiving *all = user;
    char line[512], path[PATH_MAX];
    all->profiles++;
    forward_add(&all->forward, r->file);
    if (!settings.rows)
        all->runs += !r->again;
    snprintf(line, sizeof line, "%s: %" PRIu64 " bytes, %" PRIu64 " calls, %u methods%s", r->file, r->bytes, r->calls,
             r->methods, r->again ? ", again" : "");
    snprintf(path, sizeof path, "%s/%s", settings.output, r->file);
    live_page_add(&all->page, path);
    if (settings.live) {
        live_add(&all->live, path, all->profiles, line);
    } else if (!all->c->quiet) {
        console_printf(all->c, "%s\n", line);
        (void)system_flush();
    }
}

/* A sender that has its answer need not send again: the rows are in their place by then. One profile after another, on
 * the one thread: nothing waits here that could be lost or take memory, and senders are as fast as the disk. */
static ilj_status keep_rows(void *user, const ilj_received *r, char *problem) {
    receiving *all = user;
    all->runs += !r->again; /* the file stays, whatever becomes of its rows */
    return serve_rows_write(settings.output, r->file, problem);
}

/* ---- The token --------------------------------------------------------------------------------------------------- */

/* The first line of the file. Returns EXIT_DONE or EXIT_FAILED. */
static int read_token(console *c, char token[ILJ_TOKEN_MOST + 2]) {
    FILE *file = system_open_file(settings.token_file);
    if (file && system_others_read(file)) {
        console_error(c, "the token file %s can be read by others; chmod 600 makes it yours alone",
                      settings.token_file);
        fclose(file);
        return EXIT_FAILED;
    }
    bool read = file && fgets(token, ILJ_TOKEN_MOST + 2, file);
    int error = errno;
    if (file)
        fclose(file);
    if (!read) {
        console_error(c, "the token file %s cannot be read: %s", settings.token_file,
                      file && !error ? "it is empty" : strerror(error));
        return EXIT_FAILED;
    }
    token[strcspn(token, "\r\n")] = 0;
    return EXIT_DONE;
}

/* 128 bits cannot be guessed. */
static int make_token(console *c, char token[ILJ_TOKEN_MOST + 2]) {
    uint64_t random[2];
    if (!system_random(random, sizeof random)) {
        console_error(c, "the system gives no random numbers to make a token of");
        return EXIT_FAILED;
    }
    snprintf(token, ILJ_TOKEN_MOST + 2, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    return EXIT_DONE;
}

/* ---- Serving ----------------------------------------------------------------------------------------------------- */

/* A token that was given stays the caller's secret: logs are read by others. */
static void describe(char *title, size_t size, const char *url, bool secret) {
    const char *end = secret ? strrchr(url, '/') : url + strlen(url);
    snprintf(title, size, "Receiving in %s; instrument with --set post=%.*s%s", settings.output, (int)(end - url), url,
             secret ? "/TOKEN" : "");
}

/* Appends where readers find the page. */
static void describe_page(char *title, size_t size, const char *between, const char *url, bool secret) {
    const char *end = secret ? strchr(url + strlen("http://"), '/') : url + strlen(url);
    const size_t used = strlen(title);
    snprintf(title + used, size - used, "%sShown at %.*s%s; Prometheus' figures in metrics below it", between,
             (int)(end - url), url, secret ? "/TOKEN/" : "");
}

static bool is_on_its_way(ilj_server *server, receiving *all) {
    if (!ilj_server_finish(server))
        return true;
    forward_end(&all->forward);
    return !forward_is_done(&all->forward);
}

static int serve(console *c, ilj_server *server, receiving *all) {
    enum { STEP_MS = 500, LAST_STEP_MS = 20, LAST_MS = 2000 };
    int value = EXIT_DONE;
    while (value == EXIT_DONE && system_endings() == 0) {
        if (settings.live)
            live_draw(&all->live, c, false);
        forward_tell(&all->forward, c);
        live_page_show(&all->page, server);
        value = exit_of(ilj_server_run(server, STEP_MS));
    }
    /* A profile that is on its way may come to its end. */
    uint64_t start = system_now_ns();
    while (value == EXIT_DONE && system_endings() < 2 && is_on_its_way(server, all) &&
           system_now_ns() - start < (uint64_t)LAST_MS * 1000000)
        value = exit_of(ilj_server_run(server, LAST_STEP_MS));
    if (settings.live)
        live_draw(&all->live, c, true);
    if (!c->quiet)
        console_printf(c, "%" PRIu64 " profile%s of %" PRIu64 " run%s received\n", all->profiles,
                       all->profiles == 1 ? "" : "s", all->runs, all->runs == 1 ? "" : "s");
    return value;
}

/* The readers' token: NULL, the one that was given, or a new one. */
static const char *reader_of(console *c, char token[ILJ_TOKEN_MOST + 2], bool *failed) {
    const char *given = settings.page.count ? settings.page.items[settings.page.count - 1].value : NULL;
    if (given && !*given) {
        *failed = make_token(c, token) != EXIT_DONE;
        return token;
    }
    return given;
}

static int start(console *c, ilj_context *context, const char *token, bool secret) {
    receiving all = {.c = c, .live = LIVE_INIT, .forward = FORWARD_INIT, .page = LIVE_PAGE_INIT};
    bool failed = false;
    char made[ILJ_TOKEN_MOST + 2];
    const char *reader = reader_of(c, made, &failed);
    ilj_server *server = NULL;
    char title[1024];
    int error = system_make_directories(settings.output);
    if (error) {
        console_error(c, "%s cannot be made: %s", settings.output, strerror(error));
        return EXIT_FAILED;
    }
    if (settings.rows && !serve_rows_open(c, settings.output))
        return EXIT_FAILED;
    const ilj_server_options wanted = {
        .size = sizeof wanted,
        .listen = settings.listen,
        .token = token,
        .folder = settings.output,
        .max_bytes = (uint64_t)settings.max_size << 20,
        .max_files = settings.max_files,
        .per_minute = settings.rate,
        .received = received,
        .user = &all,
        .reader = reader,
        .keep = settings.rows ? keep_rows : NULL,
    };
    if (failed)
        return EXIT_FAILED;
    system_count_endings();
    ilj_status status = settings.otlp ? ilj_post_check(context, settings.otlp) : ILJ_OK;
    const char *headers = settings.otlp ? system_variable("OTEL_EXPORTER_OTLP_HEADERS") : NULL;
    if (status == ILJ_OK && headers)
        status = ilj_post_check_headers(context, headers);
    if (status == ILJ_OK)
        status = ilj_server_new(&server, context, &wanted);
    if (status != ILJ_OK)
        return exit_of(status);
    if (settings.otlp && !forward_open(&all.forward, c, settings.otlp, headers, settings.output)) {
        ilj_server_free(server);
        return EXIT_FAILED;
    }
    (void)system_confine(settings.output, false);
    describe(title, sizeof title, ilj_server_url(server), secret);
    if (reader)
        describe_page(title, sizeof title, settings.live ? ". " : "\n", ilj_server_reader_url(server), reader != made);
    int value = EXIT_FAILED;
    if (!ilj_server_is_private(server) && !c->quiet)
        console_note(c, "other machines can send here; neither token nor profiles are encrypted on their way");
    if ((settings.live && !live_open(&all.live, title)) || (reader && !live_page_open(&all.page))) {
        console_error(c, "out of memory");
    } else {
        if (!settings.live)
            console_printf(c, "%s\n", title);
        (void)system_flush();
        value = serve(c, server, &all);
    }
    ilj_server_free(server);
    forward_close(&all.forward, c);
    live_page_close(&all.page);
    live_close(&all.live);
    return value;
}

static int run(console *c, ilj_context *context, arguments operands) {
    char token[ILJ_TOKEN_MOST + 2];
    if (operands.count > 0)
        return usage_failure(c, &serve_command, "unexpected '%.60s': --output says where profiles go",
                             operands.items[0]);
    if (settings.token && settings.token_file)
        return usage_failure(c, &serve_command, "--token and --token-file exclude each other");
    if (settings.max_size == 0 || settings.max_files == 0 || settings.rate == 0)
        return usage_failure(c, &serve_command, "--max-size, --max-files and --rate are at least 1");
    if (settings.live && !system_output_is_terminal())
        return usage_failure(c, &serve_command, "--live draws on a terminal, which standard output is not");
    const char *used = settings.token;
    int value = EXIT_DONE;
    if (!used) {
        value = settings.token_file ? read_token(c, token) : make_token(c, token);
        used = token;
    }
    return value == EXIT_DONE ? start(c, context, used, settings.token || settings.token_file) : value;
}

const command serve_command = {
    .name = "serve",
    .synopsis = "[-o DIR] [OPTION...]",
    .summary = "receive profiles over HTTP",
    .text = "Waits for profiles that programs send, by HTTP POST, and writes each to a file in\n"
            "DIR: a later one of a run in place of the earlier one, other runs beside it. The\n"
            "URL to send to is printed: instrument with --set post=URL. For programs that cannot\n"
            "write files, as Silverlight's, and for those on other machines. SIGINT ends it.",
    .options = options,
    .settings = &settings,
    .run = run,
};
