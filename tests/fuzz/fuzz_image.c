/* Opens any bytes as an assembly, checks it, and prints all that list and dump have to say of it. JSON is read by
 * another reader, which finds every method in it once. */
#include <stdlib.h>

#include <jansson.h>

#include "base/buffer.h"
#include "input/image.h"
#include "metadata/validate.h"
#include "mutate_image.h"
#include "select/eligible.h"

/* The output at which the target loses interest: bodies and blobs can be named by any number of rows. */
enum { MOST_BYTES = 1 << 20 };

typedef struct sink_state {
    buffer text; /* what was written, if it is to be kept */
    bool keeps;
    size_t written;
    unsigned char sum;
} sink_state;

static int swallow(void *user, const char *text, size_t length) {
    sink_state *s = user;
    for (size_t i = 0; i < length; i++)
        s->sum ^= (unsigned char)text[i];
    s->written += length;
    if (s->keeps)
        buffer_append(&s->text, text, length);
    return s->written > MOST_BYTES;
}

static void told(void *user, const ilj_diagnostic *diagnostic) {
    unsigned *count = user;
    if (diagnostic->severity == ILJ_ERROR)
        ++*count;
}

static void must(bool holds) {
    if (!holds)
        abort();
}

static void judge_json(const md_view *view, const buffer *text) {
    json_error_t error;
    json_t *root = json_loadb((const char *)text->data, text->size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error),
           *type;
    size_t i, methods = 0;
    must(root != NULL);
    json_array_foreach(json_object_get(root, "types"), i, type) methods +=
        json_array_size(json_object_get(type, "methods"));
    must(methods == md_row_count(view, MD_TABLE_MethodDef));
    json_decref(root);
}

/* Metadata without an image around it is dumped, and not listed. */
static void judge_list(const ilj_image *image, ilj_status status, const sink_state *list) {
    if (image->bare)
        must(status == ILJ_BAD_FILE && list->written == 0);
    else
        must(status == ILJ_OK || (status == ILJ_IO && list->written > MOST_BYTES));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    unsigned errors = 0;
    must(ilj_context_new(&context, told, &errors) == ILJ_OK);
    ilj_status status = image_open_bytes(&image, context, "fuzz", bytes_of(data, size));
    /* A failure is reported, once. */
    must(errors == (status == ILJ_OK ? 0u : 1u));
    if (status == ILJ_OK) {
        ecma_status valid = md_validate(&image->metadata, &image->diag);
        must(errors == (valid == ECMA_OK ? 0u : 1u));
        sink_state all = {0}, text = {0}, json = {.keeps = true};
        status = ilj_image_dump(image, ILJ_DUMP_ALL, swallow, &all);
        must(status == ILJ_OK || status == ILJ_BAD_FILE || (status == ILJ_IO && all.written > MOST_BYTES));
        status = ilj_image_list(image, ILJ_LIST_TEXT, NULL, swallow, &text);
        judge_list(image, status, &text);
        status = ilj_image_list(image, ILJ_LIST_JSON, NULL, swallow, &json);
        judge_list(image, status, &json);
        if (status == ILJ_OK && !json.text.failed)
            judge_json(&image->metadata, &json.text);
        buffer_clear(&json.text);
    }
    ilj_image_free(image);
    ilj_context_free(context);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(image_mutate, data, size, most, seed);
}
