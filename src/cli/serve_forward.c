#include "serve_forward.h"

#include "platform/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS ((uint64_t)60 * 1000000000)

/* ---- The thread ------------------------------------------------------------------------------------------------- */

static bool is_given_up(void *user) {
    forward *f = user;
    system_monitor_enter(f->monitor);
    const bool is = f->given_up;
    system_monitor_leave(f->monitor);
    return is;
}

/* The first error of a profile. */
static void keep_problem(void *user, const ilj_diagnostic *d) {
    char *problem = user;
    if (d->severity == ILJ_ERROR && !*problem)
        snprintf(problem, sizeof((forward *)0)->problem, "%s", d->text);
}

/* Takes the next name; false: there will be none. */
static bool next_name(forward *f, char name[FORWARD_NAME_BYTES]) {
    system_monitor_enter(f->monitor);
    while (f->count == 0 && !f->ending)
        system_monitor_wait(f->monitor);
    const bool found = f->count > 0 && !f->given_up;
    if (found) {
        memcpy(name, f->names[f->first], FORWARD_NAME_BYTES);
        f->first = (f->first + 1) % FORWARD_MOST;
        f->count--;
    }
    system_monitor_leave(f->monitor);
    return found;
}

static bool send_one(forward *f, const char *name, char *problem) {
    ilj_context *context = NULL;
    const ilj_report_options report = {.size = sizeof report};
    const ilj_post_options to = {
        .size = sizeof to, .url = f->url, .patient = true, .ends = is_given_up, .user = f, .headers = f->headers};
    const size_t size = strlen(f->folder) + FORWARD_NAME_BYTES + 2;
    char *path = malloc(size);
    ilj_status status = path ? ilj_context_new(&context, keep_problem, problem) : ILJ_NO_MEMORY;
    if (status == ILJ_OK) {
        snprintf(path, size, "%s/%s", f->folder, name);
        status = ilj_post(context, (const char *const *)&path, 1, &report, &to);
    }
    ilj_context_free(context);
    free(path);
    return status == ILJ_OK;
}

static void work(void *user) {
    forward *f = user;
    char name[FORWARD_NAME_BYTES];
    (void)system_confine(f->folder, true);
    while (next_name(f, name)) {
        char problem[sizeof f->problem] = "";
        const bool sent = send_one(f, name, problem);
        system_monitor_enter(f->monitor);
        f->sent += sent;
        f->dropped += !sent;
        if (!sent)
            memcpy(f->problem, problem, sizeof problem);
        system_monitor_leave(f->monitor);
    }
    system_monitor_enter(f->monitor);
    f->done = true;
    system_monitor_leave(f->monitor);
}

/* ---- The server's side ------------------------------------------------------------------------------------------ */

bool forward_open(forward *f, console *c, const char *url, const char *headers, const char *folder) {
    forward made = {.url = url, .headers = headers, .folder = folder};
    if (!system_can(SYSTEM_THREADS)) {
        console_error(c, "--otlp needs threads, which this build of ilinject has not");
        return false;
    }
    made.names = calloc(FORWARD_MOST, sizeof *made.names);
    made.monitor = made.names ? system_monitor_new() : NULL;
    *f = made;
    if (f->monitor && system_threads_start(&f->threads, 1, work, f) == 1)
        return true;
    console_error(c, "no thread can be started that forwards profiles");
    if (f->monitor)
        system_monitor_free(f->monitor);
    free(f->names);
    *f = FORWARD_INIT;
    return false;
}

void forward_add(forward *f, const char *name) {
    if (!f->monitor)
        return;
    system_monitor_enter(f->monitor);
    bool waits = false;
    for (unsigned i = 0; i < f->count && !waits; i++)
        waits = strcmp(f->names[(f->first + i) % FORWARD_MOST], name) == 0;
    if (!waits && f->count == FORWARD_MOST) {
        f->first = (f->first + 1) % FORWARD_MOST;
        f->count--;
        f->dropped++;
        snprintf(f->problem, sizeof f->problem, "%d others wait", FORWARD_MOST);
    }
    if (!waits)
        snprintf(f->names[(f->first + f->count++) % FORWARD_MOST], FORWARD_NAME_BYTES, "%s", name);
    system_monitor_changed(f->monitor);
    system_monitor_leave(f->monitor);
}

void forward_tell(forward *f, console *c) {
    if (!f->monitor)
        return;
    char problem[sizeof f->problem];
    const uint64_t now = system_now_ns();
    system_monitor_enter(f->monitor);
    const uint64_t dropped = f->dropped - f->told_dropped;
    memcpy(problem, f->problem, sizeof problem);
    system_monitor_leave(f->monitor);
    if (dropped == 0 || (f->told_ns != 0 && now - f->told_ns < MINUTE_NS))
        return;
    f->told_ns = now;
    f->told_dropped += dropped;
    console_warning(c, "%" PRIu64 " profile%s not forwarded to %s, and kept here: %s", dropped,
                    dropped == 1 ? " was" : "s were", f->url, problem);
}

void forward_end(forward *f) {
    if (!f->monitor)
        return;
    system_monitor_enter(f->monitor);
    f->ending = true;
    system_monitor_changed(f->monitor);
    system_monitor_leave(f->monitor);
}

bool forward_is_done(forward *f) {
    if (!f->monitor)
        return true;
    system_monitor_enter(f->monitor);
    const bool done = f->done;
    system_monitor_leave(f->monitor);
    return done;
}

void forward_close(forward *f, console *c) {
    if (!f->monitor)
        return;
    system_monitor_enter(f->monitor);
    f->ending = f->given_up = true;
    system_monitor_changed(f->monitor);
    system_monitor_leave(f->monitor);
    system_threads_join(f->threads);
    if (f->count > 0)
        snprintf(f->problem, sizeof f->problem, "the server has ended");
    f->dropped += f->count;
    f->told_ns = 0;
    forward_tell(f, c);
    if (!c->quiet)
        console_printf(c, "%" PRIu64 " profile%s forwarded, %" PRIu64 " dropped\n", f->sent, f->sent == 1 ? "" : "s",
                       f->dropped);
    system_monitor_free(f->monitor);
    free(f->names);
    *f = FORWARD_INIT;
}
