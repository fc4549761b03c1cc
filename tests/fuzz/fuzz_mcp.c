/* Any lines to `ilinject mcp`, in parts of the size that the first byte gives. A small profile is there to be
 * asked for. Each answer is a line of JSON with an id, and a result or an error. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ilinject.h"
#include "profile_maker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

typedef struct conversation {
    const uint8_t *data;
    size_t size, step;
    ilj_write_fn *write;
    void *user;
} conversation;

static size_t give(void *user, char *to, size_t size) {
    conversation *c = user;
    size_t part = c->size < c->step ? c->size : c->step;
    part = part < size ? part : size;
    memcpy(to, c->data, part);
    c->data += part;
    c->size -= part;
    return part;
}

static int take(void *user, const char *text, size_t size) {
    (void)user;
    must(size > 1 && memchr(text, '\n', size) == text + size - 1);
    json_t *answer = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
    must(json_is_object(answer) && json_object_get(answer, "id"));
    must(!json_object_get(answer, "result") != !json_object_get(answer, "error"));
    json_decref(answer);
    return 0;
}

static int pass_on(void *user, const char *text, size_t size) {
    conversation *c = user;
    return c->write(c->user, text, size);
}

static char mcp_root[256];

static void remove_root(void) {
    char path[sizeof mcp_root + 16];
    snprintf(path, sizeof path, "%s/a.ilprof", mcp_root);
    unlink(path);
    rmdir(mcp_root);
}

/* The folder whose profile is asked for, made once for the process. */
static const char *make_root(void) {
    if (mcp_root[0])
        return mcp_root;
    char path[sizeof mcp_root + 16];
    buffer content = BUFFER_INIT;
    const char *folder = getenv("TMPDIR");
    snprintf(mcp_root, sizeof mcp_root, "%s/ilinject-mcp.XXXXXX", folder && *folder ? folder : "/tmp");
    must(mkdtemp(mcp_root) != NULL);
    atexit(remove_root);
    snprintf(path, sizeof path, "%s/a.ilprof", mcp_root);
    sample_profile(&content);
    FILE *file = fopen(path, "wb");
    must(file && fwrite(content.data, 1, content.size, file) == content.size);
    must(fclose(file) == 0);
    buffer_clear(&content);
    return mcp_root;
}

static void converse(const uint8_t *data, size_t size, ilj_write_fn *write, void *user) {
    ilj_context *context = NULL;
    ilj_mcp *mcp = NULL;
    conversation c = {.data = data + 1, .size = size - 1, .step = data[0] + 1u, .user = user, .write = write};
    const ilj_mcp_options options = {.size = sizeof options, .root = make_root()};
    if (ilj_context_new(&context, NULL, NULL) == ILJ_OK && ilj_mcp_new(&mcp, context, &options) == ILJ_OK)
        must(ilj_mcp_serve(mcp, give, pass_on, &c) != ILJ_IO);
    ilj_mcp_free(mcp);
    ilj_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0)
        converse(data, size, take, NULL);
    return 0;
}
