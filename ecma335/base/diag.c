#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct diag_row {
    diag_code code;
    diag_severity severity;
    ecma_status status;
    const char *meaning;
} diag_row;

static const diag_row rows[] = {
#define DIAG(number, name, severity, status, meaning) {DIAG_##name, DIAG_##severity, ECMA_##status, meaning},
#include "base/diagnostics.def"
#undef DIAG
};

static const diag_row *row_of(diag_code code) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return &rows[i];
    return &rows[0];
}

diag_severity diag_severity_of(diag_code code) {
    return row_of(code)->severity;
}
ecma_status diag_status_of(diag_code code) {
    return row_of(code)->status;
}
const char *diag_meaning_of(diag_code code) {
    return row_of(code)->meaning;
}

ecma_status diag_report(diag *d, diag_code code, const char *format, ...) {
    const diag_row *row = row_of(code);
    if (row->severity == DIAG_ERROR)
        d->errors++;
    else if (row->severity == DIAG_WARNING)
        d->warnings++;
    if (!d->sink)
        return row->status;

    char text[1001];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)) {
            if (*c == 0xC2) /* U+0080 to U+009F */
                *c++ = '?';
            *c = '?';
        }
    d->sink(d->user, d->file, row->severity, code, text);
    return row->status;
}

ecma_status diag_no_memory(diag *d) {
    return diag_report(d, DIAG_NO_MEMORY, "out of memory");
}
