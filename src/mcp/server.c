#include <stdlib.h>

#include "input/context.h"
#include "mcp/protocol.h"
#include "platform/os.h"

/* The public side: the life of a server, and its threads. */

enum { USUAL_BYTES = 512 << 20, OUT_BYTES = 4096, PART_BYTES = 1 << 16 };

ilj_status ilj_mcp_new(ilj_mcp **mcp, ilj_context *context, const ilj_mcp_options *given) {
    ilj_mcp_options own;
    ecma_status status = options_copy(&own, given, sizeof own, "ilj_mcp_options", context);
    if (status)
        return status;
    diag d = context_diag(context, own.root ? own.root : ".");
    ilj_mcp *made = calloc(1, sizeof *made);
    if (!made)
        return diag_no_memory(&d);
    made->context = context;
    made->expected = STORE_NONE;
    made->store.most = own.memory_bytes ? own.memory_bytes : USUAL_BYTES;
    made->program = own.program ? strdup(own.program) : NULL;
    made->tools = tools_make(own.program != NULL);
    bool done = messages_open(&made->in) && made->tools && (made->program || !own.program);
    status = done ? os_full_path(&d, d.file, &made->root) : diag_no_memory(&d);
    if (status == ECMA_OK && !os_is_directory(made->root))
        status = diag_report(&d, DIAG_IO_OPEN, "it is no folder, which --root names");
    if (status == ECMA_OK)
        *mcp = made;
    else
        ilj_mcp_free(made);
    return status;
}

void ilj_mcp_free(ilj_mcp *mcp) {
    if (!mcp)
        return;
    store_close(&mcp->store);
    messages_close(&mcp->in);
    tools_free(mcp->tools);
    free(mcp->root);
    free(mcp->program);
    free(mcp);
}

/* What is read, and where to. */
typedef struct service {
    ilj_mcp *mcp;
    ilj_read_fn *read;
    ilj_write_fn *write;
    void *user;
    buffer out; /* with memory for an error from the start */
    bool refused;
} service;

static void answer_one(service *s, message *m) {
    protocol_answer(&s->out, s->mcp, m);
    json_decref(m->request);
    if (s->out.size > 0 && !s->refused)
        s->refused = s->write(s->user, (const char *)s->out.data, s->out.size) != 0;
}

/* Reads in a thread of its own: a request can be cancelled while it is answered. */
static void read_all(void *user) {
    service *s = user;
    char text[PART_BYTES];
    for (size_t size; (size = s->read(s->user, text, sizeof text)) > 0;)
        for (size_t at = 0; (at += messages_give(&s->mcp->in, text + at, size - at)) < size;)
            messages_wait_for_room(&s->mcp->in);
    while (!messages_end(&s->mcp->in))
        messages_wait_for_room(&s->mcp->in);
}

/* Waits for one; the time is of use till it comes. */
static bool next_message(ilj_mcp *mcp, message *m) {
    if (messages_next(&mcp->in, m, false))
        return true;
    if (mcp->expected != STORE_NONE)
        store_read_ahead(&mcp->store, mcp->expected);
    mcp->expected = STORE_NONE;
    return messages_next(&mcp->in, m, true);
}

static void answer_waiting(service *s) {
    message m;
    while (messages_next(&s->mcp->in, &m, false))
        answer_one(s, &m);
}

/* The same in one thread: a request is cancelled that came in the same part. */
static void read_and_answer(service *s) {
    char text[1 << 12];
    for (size_t size; (size = s->read(s->user, text, sizeof text)) > 0;) {
        for (size_t at = 0; (at += messages_give(&s->mcp->in, text + at, size - at)) < size;)
            answer_waiting(s);
        answer_waiting(s);
    }
    while (!messages_end(&s->mcp->in))
        answer_waiting(s);
    answer_waiting(s);
}

ilj_status ilj_mcp_serve(ilj_mcp *mcp, ilj_read_fn *read, ilj_write_fn *write, void *user) {
    service s = {.mcp = mcp, .read = read, .write = write, .user = user, .out = BUFFER_INIT};
    diag d = context_diag(mcp->context, "");
    system_threads *reader = NULL;
    message m;
    if (!buffer_reserve(&s.out, OUT_BYTES))
        return diag_no_memory(&d);
    if (system_can(SYSTEM_THREADS) && system_threads_start(&reader, 1, read_all, &s) == 1) {
        while (next_message(mcp, &m))
            answer_one(&s, &m);
        system_threads_join(reader);
    } else {
        read_and_answer(&s);
    }
    buffer_clear(&s.out);
    return s.refused ? ILJ_IO : ILJ_OK;
}
