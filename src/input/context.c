#include "input/context.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)DIAG_INFO == (int)ILJ_INFO, "severities differ");
_Static_assert((int)DIAG_WARNING == (int)ILJ_WARNING, "severities differ");
_Static_assert((int)DIAG_ERROR == (int)ILJ_ERROR, "severities differ");

ilj_status ilj_context_new(ilj_context **context, ilj_diagnostic_fn *sink, void *user) {
    ilj_context *made = malloc(sizeof *made);
    if (!made)
        return ILJ_NO_MEMORY;
    *made = (ilj_context){.sink = sink, .user = user};
    *context = made;
    return ILJ_OK;
}

void ilj_context_free(ilj_context *context) {
    free(context);
}

static void forward(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    const ilj_context *context = user;
    char name[] = "ILJ0000";
    unsigned digits = (unsigned)code;
    for (size_t at = sizeof name - 1; digits > 0 && at-- > sizeof "ILJ" - 1; digits /= 10)
        name[at] = (char)('0' + digits % 10);
    context->sink(context->user, &(ilj_diagnostic){file, (ilj_severity)severity, name, text});
}

diag context_diag(ilj_context *context, const char *file) {
    return (diag){.sink = context->sink ? forward : NULL, .user = context, .file = file};
}

ecma_status options_copy(void *own, const void *given, size_t size, const char *name, ilj_context *context) {
    size_t theirs;
    memcpy(&theirs, given, sizeof theirs);
    diag d = context_diag(context, name);
    if (theirs == 0 || theirs % sizeof(size_t) != 0)
        return diag_report(&d, DIAG_OPTIONS_SIZE, "its size is %zu: set it to sizeof(%s)", theirs, name);
    if (theirs > size)
        return diag_report(&d, DIAG_OPTIONS_SIZE,
                           "its size is %zu, and ilinject %s knows %zu bytes of it: load a newer library", theirs,
                           ILJ_VERSION, size);
    memset(own, 0, size);
    memcpy(own, given, theirs);
    memcpy(own, &size, sizeof size);
    return ECMA_OK;
}
