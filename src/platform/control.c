#define _GNU_SOURCE
#include "platform/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"
#include "platform/system.h"

enum { POLL_MS = 10 };

/* ---- Asking --------------------------------------------------------------------------------------------------- */

static void write_request(control_way *way, const char *command, const char *arguments) {
    char line[64];
    size_t size = arguments ? strlen(arguments) : 0;
    way->request = control_number();
    int length = arguments ? snprintf(line, sizeof line, "%" PRIu64 " %s:%zu\n", way->request, command, size)
                           : snprintf(line, sizeof line, "%" PRIu64 " %s\n", way->request, command);
    if (!control_clear(way) || (arguments && !control_put(way, arguments, CONTROL_PAYLOAD_AT, size)) ||
        !control_put(way, line, CONTROL_REQUEST_AT, (size_t)length))
        way->state = WAY_FAILED;
}

/* Takes the answer if it is there. It is whole when its number stands at both ends of the line. */
static void read_answer(control_way *way) {
    char line[160] = {0};
    uint64_t number = 0, again = 0, text = 0, payload = 0;
    int done = 0;
    if (control_has_ended(way)) {
        way->state = WAY_CLOSED;
        return;
    }
    if (control_get(way, line, CONTROL_ANSWER_AT, sizeof line - 1) == 0 || !strchr(line, '\n') ||
        sscanf(line, "%20" SCNu64 " %1d %5" SCNu64 " %10" SCNu64 " %20" SCNu64, &number, &done, &text, &payload,
               &again) != 5 ||
        number != way->request || again != number)
        return;
    if (text > CONTROL_MOST_TEXT || control_get(way, way->profile, CONTROL_TEXT_AT, (size_t)text) != text)
        text = 0;
    way->profile[text] = 0;
    way->payload = payload;
    way->state = done ? WAY_ANSWERED : WAY_FAILED;
}

/* True if one still waits. All askers take the ways in the same order, so that none waits for another in a circle. */
static bool step(control_ways *ways, const char *command, const char *arguments, uint64_t answer_ns,
                 uint64_t turn_end_ns) {
    uint64_t now = system_now_ns();
    bool waits = false, is_mine = true;
    for (size_t i = 0; i < ways->count; i++) {
        control_way *way = &ways->items[i];
        if (way->state != WAY_WAITS)
            continue;
        if (way->request != 0) {
            read_answer(way);
        } else if (is_mine && (is_mine = control_lock(way))) {
            write_request(way, command, arguments);
            way->end_ns = now + answer_ns;
        }
        waits = waits || (way->state == WAY_WAITS && now < (way->request != 0 ? way->end_ns : turn_end_ns));
    }
    return waits;
}

void control_ask(control_ways *ways, uint32_t pid, const char *command, const char *arguments, unsigned answer_ms,
                 unsigned turn_ms) {
    uint64_t turn_end_ns = system_now_ns() + (uint64_t)turn_ms * 1000000u;
    while (step(ways, command, arguments, (uint64_t)answer_ms * 1000000u, turn_end_ns)) {
        if (!control_process_lives(pid)) {
            for (size_t i = 0; i < ways->count; i++)
                if (ways->items[i].state == WAY_WAITS)
                    ways->items[i].state = WAY_CLOSED;
            return;
        }
        control_pause(POLL_MS);
    }
}

/* ---- New files ------------------------------------------------------------------------------------------------ */

FILE *control_new_file(char **name, const char *wanted) {
    const char *base = path_name(wanted), *dot = strrchr(base, '.');
    int stem = dot && dot != base ? (int)(dot - wanted) : (int)strlen(wanted);
    for (unsigned number = 1; number < 10000; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%u", number);
        if (asprintf(name, "%.*s%s%s", stem, wanted, suffix, wanted + stem) < 0)
            break;
        FILE *stream = control_make_file(*name);
        if (stream)
            return stream;
        int error = errno;
        free(*name);
        errno = error;
        if (error != EEXIST)
            break;
    }
    *name = NULL;
    return NULL;
}
