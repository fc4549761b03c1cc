#include "input/marker.h"

md_token marker_find_type(const md_view *v, const char *namespace, const char *name) {
    md_cells names = md_cells_of(v, MD_TypeDef_TypeName);
    for (uint32_t row = 1; row <= names.row_count; row++) {
        const char *text = md_string_at(v, md_cells_take(&names));
        if (text[0] == name[0] && strcmp(text, name) == 0 && md_name_is(v, MD_TypeDef_TypeNamespace, row, namespace))
            return md_token_of(MD_TABLE_TypeDef, row);
    }
    return 0;
}

bool marker_is_core_library(const md_view *v) {
    md_token object = marker_find_type(v, "System", "Object");
    return object != 0 && md_cell(v, MD_TypeDef_Extends, md_token_row(object)) == 0;
}

bool marker_is_names_resource(const md_view *v, uint32_t row) {
    /* A manifest also names the resources in its modules. */
    return md_cell(v, MD_ManifestResource_Implementation, row) == 0 &&
           strncmp(md_name(v, MD_ManifestResource_Name, row), NAMES_RESOURCE_NAME, strlen(NAMES_RESOURCE_NAME)) == 0;
}

uint32_t marker_instrumented_times(const md_view *v) {
    uint32_t times = 0;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_ManifestResource); row++)
        times += marker_is_names_resource(v, row);
    return times;
}

bool marker_is_helper_type(const md_view *view, uint32_t type_row) {
    uint32_t name = md_cell(view, MD_TypeDef_TypeName, type_row);
    return name < view->strings.size && view->strings.data[name] == HELPER_TYPE_NAME[0] &&
           strncmp(md_name(view, MD_TypeDef_TypeName, type_row), HELPER_TYPE_NAME, strlen(HELPER_TYPE_NAME)) == 0 &&
           (md_name_is(view, MD_TypeDef_TypeNamespace, type_row, HELPER_NAMESPACE) ||
            md_name_is(view, MD_TypeDef_TypeNamespace, type_row, ""));
}
