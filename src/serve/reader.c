#include "serve/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The page around the report ---------------------------------------------------------------------------------- */

static const char shell[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Profiles, live</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { margin: 0; height: 100vh; display: flex; flex-direction: column; font: 14px system-ui, sans-serif; }\n"
    "header { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 6px 16px; border-bottom: 1px solid #8888; }\n"
    "header p { margin: 0; flex: 1 0 auto; }\n"
    "main { flex: 1; position: relative; }\n"
    "iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<header><p id=\"state\" role=\"status\">Waiting for the first profile</p>\n"
    "<label><input id=\"hold\" type=\"checkbox\"> hold</label></header>\n"
    "<main></main>\n"
    "<script src=\"live.js\"></script>\n"
    "</body>\n"
    "</html>\n";

/* The next report is loaded out of sight, with the fragment of the one in sight, and takes its place when it is ready.
 * While a control of the report has the focus nothing is renewed. */
static const char script[] =
    "'use strict';\n"
    "(() => {\n"
    "  const PAUSE = 1000, state = document.getElementById('state'), main = document.querySelector('main');\n"
    "  let shown = null, number = '0', renewed = 0;\n"
    "  const root = frame => frame.contentDocument.documentElement;\n"
    "  const wait = ms => new Promise(done => setTimeout(done, ms));\n"
    "  const isBusy = () => shown !== null && (document.getElementById('hold').checked ||\n"
    "    /INPUT|SELECT/.test((shown.contentDocument.activeElement || document.body).tagName));\n"
    "  async function load(wanted) {\n"
    "    const frame = document.createElement('iframe');\n"
    "    frame.title = 'Report';\n"
    "    frame.style.visibility = 'hidden';\n"
    "    frame.src = 'report.html?' + wanted + (shown ? shown.contentWindow.location.hash : location.hash);\n"
    "    const loaded = new Promise(done => frame.addEventListener('load', done));\n"
    "    main.append(frame);\n"
    "    await loaded;\n"
    "    for (let i = 0; i < 600 && !root(frame).dataset.ready && !root(frame).dataset.failed; i++) await wait(50);\n"
    "    if (!root(frame).dataset.ready || isBusy()) return frame.remove();\n"
    "    if (shown) {\n"
    "      const from = shown.contentWindow, to = frame.contentWindow;\n"
    "      if (root(shown).dataset.theme) root(frame).dataset.theme = root(shown).dataset.theme;\n"
    "      if (to.location.hash !== from.location.hash) to.location.replace(from.location.hash || '#');\n"
    "      to.scrollTo(from.scrollX, from.scrollY);\n"
    "    }\n"
    "    frame.style.visibility = '';\n"
    "    if (shown) shown.remove();\n"
    "    shown = frame;\n"
    "    number = wanted;\n"
    "    state.textContent = 'Renewed at ' + new Date().toLocaleTimeString();\n"
    "    document.documentElement.dataset.renewed = ++renewed;\n"
    "  }\n"
    "  async function renew() {\n"
    "    for (;; await wait(PAUSE)) {\n"
    "      if (shown && shown.contentWindow.location.hash !== location.hash)\n"
    "        history.replaceState(null, '', shown.contentWindow.location.hash || location.pathname);\n"
    "      if (document.hidden || isBusy()) continue;\n"
    "      try {\n"
    "        const answer = await fetch('version', { cache: 'no-store' }), wanted = (await answer.text()).trim();\n"
    "        if (answer.ok && wanted !== number) await load(wanted);\n"
    "        else if (answer.ok && state.dataset.lost) state.textContent = 'The server answers again';\n"
    "        delete state.dataset.lost;\n"
    "      } catch {\n"
    "        state.textContent = 'The server does not answer';\n"
    "        state.dataset.lost = 'yes';\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "  renew();\n"
    "})();\n";

/* ---- What is there ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *type, *policy; /* its Content-Security-Policy */
} served[SERVE_SHOWN_COUNT] = {
    [SERVE_SHELL] = {"", "text/html; charset=utf-8",
                     "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; "
                     "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    [SERVE_SCRIPT] = {"live.js", "text/javascript; charset=utf-8", "default-src 'none'"},
    [SERVE_VERSION] = {"version", "text/plain; charset=utf-8", "default-src 'none'"},
    [SERVE_REPORT] = {"report.html", "text/html; charset=utf-8", "frame-ancestors 'self'"},
    [SERVE_METRICS] = {"metrics", "text/plain; version=0.0.4; charset=utf-8", "default-src 'none'"},
};

/* Another content for one of them. False when memory ran out; the one before stays. */
static bool show(ilj_server *s, serve_shown which, const void *content, size_t size) {
    void *made = s->library.MHD_create_response_from_buffer(size, (void *)(uintptr_t)content, HTTPD_COPY_CONTENT);
    const struct {
        const char *name, *value;
    } headers[] = {
        {"Content-Type", served[which].type}, {"Content-Security-Policy", served[which].policy},
        {"Cache-Control", "no-store"},        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"}, /* the address has the token */
    };
    if (!made)
        return false;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        s->library.MHD_add_response_header(made, headers[i].name, headers[i].value);
    if (s->shown[which])
        s->library.MHD_destroy_response(s->shown[which]);
    s->shown[which] = made;
    return true;
}

static bool show_version(ilj_server *s) {
    char text[32];
    const int size = snprintf(text, sizeof text, "%" PRIu64 "\n", s->version);
    return show(s, SERVE_VERSION, text, (size_t)size);
}

bool reader_open(ilj_server *s) {
    return show(s, SERVE_SHELL, shell, sizeof shell - 1) && show(s, SERVE_SCRIPT, script, sizeof script - 1) &&
           show_version(s);
}

void reader_close(ilj_server *s) {
    for (int i = 0; i < SERVE_SHOWN_COUNT; i++)
        if (s->shown[i])
            s->library.MHD_destroy_response(s->shown[i]);
    memset(s->shown, 0, sizeof s->shown);
}

bool reader_knows(const ilj_server *s, const char *path) {
    if (!s->reader)
        return false;
    const size_t expected = strlen(s->reader), size = strlen(path);
    unsigned differs = size < expected + 2;
    for (size_t i = 0; i < expected; i++)
        differs |=
            (unsigned)(unsigned char)s->reader[i] ^ (unsigned)(unsigned char)(size > 0 ? path[(i + 1) % size] : 0);
    return differs == 0 && path[0] == '/' && path[expected + 1] == '/';
}

void *reader_find(const ilj_server *s, const char *path) {
    const char *name = path + strlen(s->reader) + 2;
    for (int i = 0; i < SERVE_SHOWN_COUNT; i++)
        if (strcmp(name, served[i].name) == 0)
            return s->shown[i];
    return NULL;
}

ilj_status ilj_server_show(ilj_server *s, ilj_shown what, const void *content, size_t size) {
    diag d = context_diag(s->context, s->listener.host);
    bool done = show(s, what == ILJ_SHOWN_PAGE ? SERVE_REPORT : SERVE_METRICS, content, size);
    if (done && what == ILJ_SHOWN_PAGE) {
        s->version++;
        done = show_version(s);
    }
    return done ? ILJ_OK : diag_no_memory(&d);
}

const char *ilj_server_reader_url(const ilj_server *s) {
    return s->reader_url;
}
