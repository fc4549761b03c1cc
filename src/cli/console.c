#define _GNU_SOURCE
#include "console.h"

#include "platform/path.h"
#include "platform/system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void console_open(console *c, color_choice color, bool quiet) {
    const char *no_color = system_variable("NO_COLOR"), *term = system_variable("TERM");
    bool wanted = !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    *c = (console){
        .quiet = quiet,
        .color_out = color == COLOR_ALWAYS || (color == COLOR_AUTO && wanted && system_output_is_terminal()),
        .color_err = color == COLOR_ALWAYS || (color == COLOR_AUTO && wanted && system_error_is_terminal()),
    };
    system_ignore_broken_pipes();
}

static int told_lost(console *c, int error) {
    if (c->write_error == 0)
        c->write_error = error;
    return 1;
}

int console_close(console *c, int status) {
    int error = system_flush();
    if (error)
        told_lost(c, error);
    if (c->write_error == 0 || c->write_error == EPIPE)
        return status;
    console_error(c, "standard output cannot be written: %s", strerror(c->write_error));
    return status == EXIT_DONE ? EXIT_FAILED : status;
}

/* ---- Progress -------------------------------------------------------------------------------------------------- */

enum { SECOND = 1000000000 };

/* True if it is time for a line. */
static bool is_time(console *c) {
    enum { PAUSE = SECOND / 10 };
    if (c->quiet || !system_error_is_terminal())
        return false;
    uint64_t now = system_now_ns();
    if (c->progress_since == 0)
        c->progress_since = now;
    if (now - c->progress_since < SECOND || now - c->progress_shown < PAUSE)
        return false;
    c->progress_shown = now;
    return true;
}

void console_progress(console *c, const char *what, size_t done, size_t count) {
    char line[128];
    if (!is_time(c))
        return;
    snprintf(line, sizeof line, "\r\x1b[K%s %zu of %zu", what, done, count);
    system_put(SYSTEM_ERROR, line, strlen(line));
}

void console_progress_time(console *c, const char *what) {
    char line[128];
    if (!is_time(c))
        return;
    snprintf(line, sizeof line, "\r\x1b[K%s, %u s", what, (unsigned)((c->progress_shown - c->progress_since) / SECOND));
    system_put(SYSTEM_ERROR, line, strlen(line));
}

static void wipe_progress(console *c) {
    if (c->progress_shown)
        system_put(SYSTEM_ERROR, "\r\x1b[K", 4);
    c->progress_shown = 0;
}

void console_progress_end(console *c) {
    wipe_progress(c);
    c->progress_since = 0;
}

/* ---- Names that could steer a terminal -------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at `s`, or 0 when it is not one (overlong forms and surrogates included). */
static size_t sequence_length(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                    : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
                    : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

/* The code point of a sequence of `length` bytes that changes what a terminal shows: a control of either set, an end of
 * a line, a mark that turns the direction of writing. 0: it is another one. */
static unsigned steering(const unsigned char *s, size_t length) {
    unsigned c = length == 1   ? s[0]
                 : length == 2 ? (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
                 : length == 3 ? (s[0] & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu)
                               : 0x10000;
    bool turns =
        c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || turns ? c : 0;
}

typedef enum clean_kind { CLEAN_LINES, CLEAN_NAME, CLEAN_TEXT } clean_kind;

/* Replaces control characters of both sets, and what turns the direction of writing, by `?`. Lines keep their ends and
 * tabs; a text also loses what is not UTF-8, which a file's name may well be. */
static void clean(char *text, clean_kind kind) {
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t length = sequence_length(s);
        bool ends_line = kind == CLEAN_LINES && (*s == '\n' || *s == '\t');
        bool controls = length != 0 && steering(s, length) != 0 && !ends_line;
        if (controls || (length == 0 && kind == CLEAN_TEXT))
            memset(s, '?', length ? length : 1);
        s += length ? length : 1;
    }
}

/* ---- Standard output ------------------------------------------------------------------------------------------- */

int console_write(void *user, const char *text, size_t length) {
    console *c = user;
    if (c->write_error != 0)
        return 1;
    int error = system_put(SYSTEM_OUTPUT, text, length);
    return error ? told_lost(c, error) : 0;
}

void console_printf(console *c, const char *format, ...) {
    char room[8192], *text = room;
    va_list arguments;
    wipe_progress(c);
    va_start(arguments, format);
    int length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof room) {
        va_start(arguments, format);
        length = vasprintf(&text, format, arguments);
        va_end(arguments);
    }
    if (length < 0) {
        told_lost(c, ENOMEM);
    } else if (length >= 0) {
        clean(text, CLEAN_LINES);
        console_write(c, text, (size_t)length);
    }
    if (text != room && length >= 0)
        free(text);
}

void console_json_string(console *c, const char *text) {
    console_write(c, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = sequence_length(s);
        if (*s == '"' || *s == '\\')
            console_printf(c, "\\%c", *s);
        else if (length == 0 || steering(s, length))
            console_printf(c, "\\u%04x", length ? steering(s, length) : 0xFFFDu);
        else
            console_write(c, (const char *)s, length);
        s += length ? length : 1;
    }
    console_write(c, "\"", 1);
}

/* ---- Standard error -------------------------------------------------------------------------------------------- */

/* A line of --trace, after the severities of diagnostics. */
enum { TRACE = ILJ_ERROR + 1 };

/* One line in one write; control characters in names must not reach a terminal. */
static void tell(console *c, unsigned severity, const char *origin, const char *code, const char *text) {
    static const char *const names[] = {"info", "warning", "error", [TRACE] = "trace"};
    static const char *const colors[] = {"\x1b[36m", "\x1b[33m", "\x1b[31m", [TRACE] = "\x1b[2m"};
    char line[8192], label[64];
    snprintf(label, sizeof label, c->color_err ? "%s%s\x1b[0m" : "%.0s%s", colors[severity], names[severity]);
    char name[4096], words[4096];
    snprintf(name, sizeof name, "%s", origin);
    snprintf(words, sizeof words, "%s", text);
    clean(name, CLEAN_NAME);
    clean(words, CLEAN_TEXT);
    int size = snprintf(line, sizeof line, "%s: %s%s%s: %s\n", name, label, *code ? " " : "", code, words);
    if (size >= (int)sizeof line)
        line[sizeof line - 2] = '\n';
    wipe_progress(c);
    (void)system_flush();
    system_put(SYSTEM_ERROR, line, strlen(line));
}

/* The text with the names in place of the paths; cut where it does not fit. */
static const char *with_names(const console *c, const char *text, char *made, size_t room) {
    size_t size = 0;
    if (c->alias_count == 0)
        return text;
    while (*text && size < room - 1) {
        const char *name = NULL;
        for (size_t i = 0; i < c->alias_count && !name; i++) {
            size_t length = strlen(c->aliases[i].path);
            if (strncmp(text, c->aliases[i].path, length) == 0 &&
                (path_is_separator(text[length]) || text[length] == 0)) {
                name = c->aliases[i].name;
                text += length;
            }
        }
        if (!name)
            made[size++] = *text++;
        for (; name && *name && size < room - 1; name++)
            made[size++] = *name;
    }
    made[size] = 0;
    return made;
}

/* Notes about an output. They matter to a user who keeps it or hands it on. */
static bool is_of_output(const char *code) {
    static const char *const codes[] = {"ILJ0110", "ILJ0401", "ILJ0402", "ILJ0406", "ILJ0410", "ILJ0456",
                                        "ILJ0457", "ILJ0458", "ILJ0463", "ILJ0464", "ILJ0502"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strcmp(codes[i], code) == 0)
            return true;
    return false;
}

void console_diagnostic(void *user, const ilj_diagnostic *diagnostic) {
    console *c = user;
    if (diagnostic->severity == ILJ_INFO && (c->quiet || (c->passing && is_of_output(diagnostic->code))))
        return;
    /* The reader of our output went away: what follows from that is no news. */
    if (c->write_error != 0)
        return;
    char origin[4096], text[4096];
    tell(c, diagnostic->severity, with_names(c, diagnostic->file, origin, sizeof origin), diagnostic->code,
         with_names(c, diagnostic->text, text, sizeof text));
}

static void tell_formatted(console *c, ilj_severity severity, const char *format, va_list arguments) {
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    tell(c, severity, "ilinject", "", text);
}

void console_error(console *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_formatted(c, ILJ_ERROR, format, arguments);
    va_end(arguments);
}

void console_warning(console *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_formatted(c, ILJ_WARNING, format, arguments);
    va_end(arguments);
}

void console_note(console *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_formatted(c, ILJ_INFO, format, arguments);
    va_end(arguments);
}

void console_trace(console *c, const char *file, const char *format, ...) {
    char origin[4096], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(c, TRACE, with_names(c, file, origin, sizeof origin), "", text);
}
