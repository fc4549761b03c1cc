#include "batch.h"

#include "platform/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- Diagnostics, kept until it is their turn ------------------------------------------------------------------- */

typedef struct message {
    struct message *next;
    ilj_severity severity;
    size_t code, text; /* where these begin in `strings`, which starts with the file */
    char strings[];
} message;

typedef struct mailbox {
    console *direct; /* prints messages at once; NULL: they are kept */
    message *first, **last;
    bool lost;
} mailbox;

static void keep(mailbox *m, const ilj_diagnostic *d) {
    size_t file = strlen(d->file) + 1, code = strlen(d->code) + 1, text = strlen(d->text) + 1;
    message *made = malloc(sizeof *made + file + code + text);
    if (!made) {
        m->lost = true;
        return;
    }
    *made = (message){.severity = d->severity, .code = file, .text = file + code};
    memcpy(made->strings, d->file, file);
    memcpy(made->strings + made->code, d->code, code);
    memcpy(made->strings + made->text, d->text, text);
    *m->last = made;
    m->last = &made->next;
}

static void take(void *user, const ilj_diagnostic *d) {
    mailbox *m = user;
    if (m->direct)
        console_diagnostic(m->direct, d);
    else
        keep(m, d);
}

/* Prints what was kept; from now on each message is printed at once. */
static void empty(mailbox *m, const char *input, console *c) {
    for (message *next, *at = m->first; at; at = next) {
        next = at->next;
        console_diagnostic(
            c, &(ilj_diagnostic){at->strings, at->severity, at->strings + at->code, at->strings + at->text});
        free(at);
    }
    if (m->lost)
        console_error(c, "out of memory: diagnostics of %s are lost", input);
    m->first = NULL;
    m->direct = c;
}

/* ---- The threads' side ----------------------------------------------------------------------------------------- */

/* An item on its way; made by a worker, which hands it on as `ready`. */
typedef struct slot {
    mailbox mailbox;
    ilj_context *context;
    ilj_selection *selection;
    ilj_instrument_options options;
    ilj_job *job;
    ilj_status status;
    uint64_t bytes; /* of the input */
    bool ready;
    struct slot *next_done;
} slot;

typedef struct batch {
    const batch_item *items;
    const ilj_instrument_options *options;
    size_t count;
    system_monitor *monitor; /* guards what follows, the selection of `options`, and `ready` of the slots */
    slot *slots;
    size_t next;                /* to be started */
    size_t written;             /* those before it are done */
    uint64_t bytes, most_bytes; /* of the inputs between the two, and of those not freed yet; the limit */
    slot *done;                 /* to be freed */
} batch;

static bool may_start(const batch *b) {
    if (b->next == b->written)
        return true;
    return !b->items[b->next].after_all && b->bytes <= b->most_bytes &&
           b->slots[b->next].bytes <= b->most_bytes - b->bytes;
}

/* Unmapping takes a while, and who writes has enough to do. */
static void free_done(batch *b, slot *s) {
    ilj_job_free(s->job);
    ilj_context_free(s->context);
    ilj_selection_free(s->selection);
    system_monitor_enter(b->monitor);
    b->bytes -= s->bytes;
    system_monitor_changed(b->monitor);
    system_monitor_leave(b->monitor);
}

/* The next item to make, or one to be freed (*is_done), or NULL. */
static slot *start_next(batch *b, bool *is_done) {
    slot *s = NULL;
    system_monitor_enter(b->monitor);
    while (!b->done && b->next < b->count && !may_start(b))
        system_monitor_wait(b->monitor);
    *is_done = b->done != NULL;
    if (*is_done) {
        s = b->done;
        b->done = s->next_done;
    } else if (b->next < b->count) {
        s = &b->slots[b->next++];
        b->bytes += s->bytes;
        s->status = ilj_selection_copy(&s->selection, b->options->selection);
    }
    system_monitor_leave(b->monitor);
    return s;
}

static void make_job(const batch *b, slot *s) {
    file_result *file = b->items[s - b->slots].file;
    uint64_t start = system_now_ns();
    s->mailbox.last = &s->mailbox.first;
    s->options = *b->options;
    s->options.selection = s->selection;
    if (s->status == ILJ_OK)
        s->status = ilj_context_new(&s->context, take, &s->mailbox);
    if (s->status == ILJ_OK)
        s->status = ilj_job_make(&s->job, &file->summary, s->context, file->input, file->output, &s->options);
    else
        s->mailbox.lost = true;
    file->elapsed_ns = system_now_ns() - start;
}

static void work(void *user) {
    batch *b = user;
    bool is_done;
    for (slot *s; (s = start_next(b, &is_done));) {
        if (is_done) {
            free_done(b, s);
            continue;
        }
        make_job(b, s);
        system_monitor_enter(b->monitor);
        s->ready = true;
        system_monitor_changed(b->monitor);
        system_monitor_leave(b->monitor);
    }
}

/* ---- The caller's side ----------------------------------------------------------------------------------------- */

static void await(batch *b, const slot *s) {
    system_monitor_enter(b->monitor);
    while (!s->ready)
        system_monitor_wait(b->monitor);
    system_monitor_leave(b->monitor);
}

static void write_job(slot *s, file_result *file, console *c) {
    uint64_t start = system_now_ns();
    empty(&s->mailbox, file->input, c);
    if (s->status == ILJ_OK)
        s->status = ilj_job_write(s->job);
    file->elapsed_ns += system_now_ns() - start;
}

/* Hands it to the thread that frees it. */
static void leave(batch *b, slot *s) {
    system_monitor_enter(b->monitor);
    if (s->selection)
        ilj_selection_merge(b->options->selection, s->selection);
    b->written++;
    s->next_done = b->done;
    b->done = s;
    system_monitor_changed(b->monitor);
    system_monitor_leave(b->monitor);
}

static void measure(batch *b, unsigned workers) {
    uint64_t largest = 0;
    for (size_t i = 0; i < b->count; i++) {
        b->slots[i].bytes = system_file_bytes(b->items[i].file->input);
        if (b->slots[i].bytes > largest)
            largest = b->slots[i].bytes;
    }
    b->most_bytes = largest > UINT64_MAX / workers ? UINT64_MAX : largest * workers;
}

bool batch_run(console *c, const batch_order *order, batch_done_fn *done, void *user) {
    const batch_item *items = order->items;
    const size_t count = order->count;
    batch b = {.items = items, .options = order->options, .count = count};
    system_threads *threads = NULL;
    unsigned started = 0;
    b.monitor = system_monitor_new();
    b.slots = calloc(count, sizeof *b.slots);
    if (b.monitor && b.slots) {
        measure(&b, order->workers);
        started = system_threads_start(&threads, order->workers, work, &b);
    }
    for (size_t i = 0; started > 0 && i < count; i++) {
        slot *s = &b.slots[i];
        await(&b, s);
        write_job(s, items[i].file, c);
        leave(&b, s);
        done(user, items[i].file, s->status);
    }
    if (started > 0)
        system_threads_join(threads);
    for (slot *s; (s = b.done);) { /* those that came when all were made */
        b.done = s->next_done;
        free_done(&b, s);
    }
    free(b.slots);
    system_monitor_free(b.monitor);
    return started > 0;
}

/* ---- Something small for each ----------------------------------------------------------------------------------- */

typedef struct visits {
    system_monitor *monitor; /* guards `next` */
    size_t next, count;
    void (*visit)(void *user, size_t index);
    void *user;
} visits;

static void visit_some(void *user) {
    visits *v = user;
    for (;;) {
        if (v->monitor)
            system_monitor_enter(v->monitor);
        size_t index = v->next < v->count ? v->next++ : v->count;
        if (v->monitor)
            system_monitor_leave(v->monitor);
        if (index == v->count)
            return;
        v->visit(v->user, index);
    }
}

void batch_each(size_t count, unsigned workers, void (*visit)(void *user, size_t index), void *user) {
    visits v = {.count = count, .visit = visit, .user = user};
    system_threads *threads = NULL;
    unsigned started = 0;
    if (workers > 1 && (v.monitor = system_monitor_new()))
        started = system_threads_start(&threads, workers - 1, visit_some, &v);
    visit_some(&v);
    if (started > 0)
        system_threads_join(threads);
    system_monitor_free(v.monitor);
}
