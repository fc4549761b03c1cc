/* contexts.c - different contexts of the library are independent: eight threads, each with contexts of its own, do at once what the
 * command line does.
 *
 *     contexts OUT PROFILE ASSEMBLY…     outputs go to OUT/0.0, OUT/0.1 …: by thread and assembly
 *
 * Exits with 1 when something fails. Others compare the outputs; the sanitizer reports data races. */
#include "ilinject.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8 };

typedef struct worker {
    pthread_t thread;
    unsigned number;
    char **arguments; /* OUT PROFILE ASSEMBLY…, and NULL */
    unsigned failures;
} worker;

static int drop(void *user, const char *text, size_t size) {
    (void)user, (void)text, (void)size;
    return 0;
}

static void tell(void *user, const ilj_diagnostic *d) {
    (void)user;
    fprintf(stderr, "%s: %s: %s\n", d->file, d->code, d->text);
}

static ilj_status instrument(ilj_context *context, const char *input, const char *output) {
    ilj_rule rule = {ILJ_RULE_EXCLUDE, "**.Main"};
    ilj_selection_options choice = {.rules = &rule, .rule_count = 1};
    ilj_instrument_options options = {0};
    ilj_summary summary = {0};
    ilj_status status = ilj_selection_new(&options.selection, context, &choice);
    if (status == ILJ_OK)
        status = ilj_instrument(&summary, context, input, output, &options);
    ilj_selection_free(options.selection);
    return status;
}

static ilj_status show(ilj_context *context, const char *input) {
    ilj_image *image = NULL;
    ilj_status status = ilj_image_open(&image, context, input);
    if (status == ILJ_OK)
        status = ilj_image_dump(image, ILJ_DUMP_HEADERS | ILJ_DUMP_HEAPS | ILJ_DUMP_TABLES | ILJ_DUMP_IL, drop, NULL);
    if (status == ILJ_OK)
        status = ilj_image_list(image, ILJ_LIST_JSON, NULL, drop, NULL);
    ilj_image_free(image);
    return status;
}

static ilj_status report(ilj_context *context, const char *profile) {
    static const ilj_report_format formats[] = {ILJ_REPORT_TEXT, ILJ_REPORT_JSON, ILJ_REPORT_HTML, ILJ_REPORT_PPROF};
    ilj_status status = ILJ_OK;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && status == ILJ_OK; i++) {
        ilj_report_options options = {.format = formats[i]};
        status = ilj_report(context, &profile, 1, &options, drop, NULL);
    }
    ilj_merge *merge = NULL;
    if (status == ILJ_OK)
        status = ilj_merge_new(&merge, context);
    for (int i = 0; i < 2 && status == ILJ_OK; i++)
        status = ilj_merge_add(merge, profile);
    if (status == ILJ_OK)
        status = ilj_merge_write(merge, drop, NULL);
    ilj_merge_free(merge);
    return status;
}

static void *work(void *user) {
    worker *w = user;
    for (unsigned i = 0; w->arguments[2 + i]; i++) {
        char output[4096];
        ilj_context *context = NULL;
        snprintf(output, sizeof output, "%s/%u.%u", w->arguments[0], w->number, i);
        ilj_status status = ilj_context_new(&context, tell, NULL);
        if (status == ILJ_OK)
            status = instrument(context, w->arguments[2 + i], output);
        if (status == ILJ_OK)
            status = show(context, w->arguments[2 + i]);
        if (status == ILJ_OK)
            status = report(context, w->arguments[1]);
        w->failures += status != ILJ_OK;
        ilj_context_free(context);
    }
    return NULL;
}

int main(int argc, char **argv) {
    worker workers[THREADS] = {0};
    unsigned failures = argc < 4;
    for (unsigned i = 0; i < THREADS && argc >= 4; i++) {
        workers[i].number = i;
        workers[i].arguments = argv + 1;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < THREADS && argc >= 4; i++) {
        pthread_join(workers[i].thread, NULL);
        failures += workers[i].failures;
    }
    return failures != 0;
}
