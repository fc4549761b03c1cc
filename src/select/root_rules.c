#include "select/root_rules.h"

#include "select/rules.h"

static bool is_made(const ilj_image *image, uint32_t row) {
    const md_view *v = &image->metadata;
    return strchr(md_name(v, MD_MethodDef_Name, row), '<') ||
           strchr(md_name(v, MD_TypeDef_TypeName, md_method_type(&image->index, row)), '<');
}

ecma_status roots_asked_find(bool **roots, ilj_selection *selection, ilj_image *image) {
    uint32_t rows = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    chooser chooser;
    *roots = NULL;
    if (!selection || !selection->roots)
        return ECMA_OK;
    bool *found = arena_alloc_array(&image->arena, (size_t)rows + 1, sizeof *found);
    if (!found)
        return diag_no_memory(&image->diag);
    memset(found, 0, ((size_t)rows + 1) * sizeof *found);
    ecma_status status = chooser_begin(&chooser, selection->roots, image);
    for (uint32_t row = 1; row <= rows && status == ECMA_OK; row++) {
        uint32_t rule;
        if (md_method_type(&image->index, row) == 0 || is_made(image, row))
            continue;
        chooser_ask(&chooser, row, &rule);
        found[row] = rule >= RULE_LISTED;
    }
    chooser_end(&chooser);
    *roots = found;
    return status;
}
