/* Can a program have spans (src/spans)? */
#include "instrument/passes.h"
#include "platform/os.h"
#include "platform/path.h"

#define ACTIVITIES "System.Diagnostics.DiagnosticSource"

/* .NET has it since version 5, and what the tracker calls since 6; .NET Standard does not say. */
static bool may_have_activities(const md_view *v) {
    enum { FIRST_MAJOR = 6 };
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_AssemblyRef); row++) {
        const char *name = md_name(v, MD_AssemblyRef_Name, row);
        if (strcmp(name, ACTIVITIES) == 0 || strcmp(name, "netstandard") == 0)
            return true;
        if (strncmp(name, "System.", 7) == 0 && md_cell(v, MD_AssemblyRef_MajorVersion, row) >= FIRST_MAJOR)
            return true;
    }
    return false;
}

/* Does a file stand beside the input, of another name, or of its own with another ending? */
static ecma_status stands_beside(bool *stands, ilj_image *image, const char *input, const char *name, bool ending) {
    const char *file = path_name(input), *dot = strrchr(file, '.');
    const size_t kept = (size_t)((ending && dot ? dot : file) - input), size = kept + strlen(name) + 1;
    char *path = arena_alloc(&image->arena, size);
    if (!path)
        return diag_no_memory(&image->diag);
    memcpy(path, input, kept);
    memcpy(path + kept, name, size - kept);
    *stands |= os_exists(path);
    return ECMA_OK;
}

ecma_status pass_check_for_spans(job *j) {
    if (!j->options->spans)
        return ECMA_OK;
    bool has = may_have_activities(&j->image->metadata);
    ecma_status status = ECMA_OK;
    if (!has && !j->memory)
        status = stands_beside(&has, j->image, j->input, ACTIVITIES ".dll", false);
    if (!has && !status && !j->memory)
        status = stands_beside(&has, j->image, j->input, ".runtimeconfig.json", true);
    if (has || status)
        return status;
    return diag_report(&j->image->diag, DIAG_NO_ACTIVITIES,
                       "its framework has no System.Diagnostics.Activity, and no " ACTIVITIES
                       ".dll stands beside it: no span can be made");
}
