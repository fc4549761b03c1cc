#include "input/other_tools.h"

/* Each tool's marker: something that it adds to every module it rewrites. */
typedef struct marker {
    const char *tool;
    bool measures; /* its own calls will be measured with the rest */
    enum { NAMESPACE_OF_TYPE, END_OF_TYPE, START_OF_REFERENCE } place;
    const char *text;
} marker;

static const marker markers[] = {
    {"coverlet", true, NAMESPACE_OF_TYPE, "Coverlet.Core.Instrumentation.Tracker"},
    {"AltCover", true, START_OF_REFERENCE, "AltCover.Recorder"},
    {"MiniCover", true, START_OF_REFERENCE, "MiniCover.HitServices"},
    {"Fody", false, END_OF_TYPE, "ProcessedByFody"},
};

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + (size - end_size), end) == 0;
}

static bool carries(const md_view *view, const marker *m) {
    if (m->place == START_OF_REFERENCE) {
        for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_AssemblyRef); row++)
            if (starts_with(md_name(view, MD_AssemblyRef_Name, row), m->text))
                return true;
        return false;
    }
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_TypeDef); row++)
        if (m->place == NAMESPACE_OF_TYPE ? md_name_is(view, MD_TypeDef_TypeNamespace, row, m->text)
                                          : ends_with(md_name(view, MD_TypeDef_TypeName, row), m->text))
            return true;
    return false;
}

void other_tools_report(const md_view *view, diag *d) {
    for (const marker *m = markers; m < markers + sizeof markers / sizeof markers[0]; m++) {
        if (!carries(view, m))
            continue;
        if (m->measures)
            diag_report(d, DIAG_FOREIGN_INSTRUMENTED,
                        "instrumented by %s before: what it added is measured too, and measures us", m->tool);
        else
            diag_report(d, DIAG_WOVEN,
                        "%s has woven this: methods that it added or changed are measured as they are now", m->tool);
    }
}
