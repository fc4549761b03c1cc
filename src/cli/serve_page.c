#include "serve_page.h"

#include "platform/system.h"

#include <stdlib.h>
#include <string.h>

enum { NEWEST_RUNS = 20, METHODS = 20, SECOND_NS = 1000000000 };

bool live_page_open(live_page *l) {
    *l = LIVE_PAGE_INIT;
    return ilj_context_new(&l->context, NULL, NULL) == ILJ_OK;
}

void live_page_close(live_page *l) {
    for (size_t i = 0; i < l->count; i++)
        free(l->paths[i]);
    free(l->paths);
    ilj_context_free(l->context);
    *l = LIVE_PAGE_INIT;
}

static void take_out(live_page *l, size_t at) {
    free(l->paths[at]);
    memmove(&l->paths[at], &l->paths[at + 1], (--l->count - at) * sizeof *l->paths);
}

void live_page_add(live_page *l, const char *path) {
    if (!l->context)
        return;
    char *copy = strdup(path);
    if (l->count == l->capacity) {
        const size_t wanted = l->capacity ? l->capacity * 2 : 16;
        char **moved = reallocarray(l->paths, wanted, sizeof *moved);
        if (!moved) {
            free(copy);
            return;
        }
        l->paths = moved;
        l->capacity = wanted;
    }
    if (!copy)
        return;
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->paths[i], path) == 0) {
            take_out(l, i);
            break;
        }
    l->paths[l->count++] = copy;
    l->changed = true;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static int gather(void *user, const char *part, size_t size) {
    text *t = user;
    if (size > t->capacity - t->size) {
        const size_t wanted = 2 * (t->size + size);
        char *moved = realloc(t->data, wanted);
        if (!moved)
            return 1;
        t->data = moved;
        t->capacity = wanted;
    }
    memcpy(t->data + t->size, part, size);
    t->size += size;
    return 0;
}

/* `first` is the first of the runs that it is of. */
static void show(live_page *l, ilj_server *server, size_t first, ilj_report_format format, ilj_shown what) {
    text made = {0};
    const ilj_report_options wanted = {
        .size = sizeof wanted, .format = format, .top = format == ILJ_REPORT_PROMETHEUS ? METHODS : 0};
    if (ilj_report(l->context, (const char *const *)l->paths + first, l->count - first, &wanted, gather, &made) ==
        ILJ_OK)
        (void)ilj_server_show(server, what, made.data, made.size);
    free(made.data);
}

void live_page_show(live_page *l, ilj_server *server) {
    const uint64_t start = system_now_ns();
    if (!l->changed || start < l->next_ns)
        return;
    for (size_t i = l->count; i-- > 0;)
        if (!system_exists(l->paths[i])) /* removed meanwhile */
            take_out(l, i);
    l->changed = false;
    if (l->count > 0) {
        show(l, server, l->count > NEWEST_RUNS ? l->count - NEWEST_RUNS : 0, ILJ_REPORT_HTML, ILJ_SHOWN_PAGE);
        show(l, server, 0, ILJ_REPORT_PROMETHEUS, ILJ_SHOWN_METRICS);
    }
    const uint64_t end = system_now_ns(), pause = (end - start) * 4;
    l->next_ns = end + (pause > SECOND_NS ? pause : SECOND_NS);
}
