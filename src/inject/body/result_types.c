#include "inject/body/result_types.h"

#include "inject/body/guard.h"
#include "metadata/signature.h"

/* The type that md_result_type has for a blob of the view. */
static bool result_type_of(result_types *r, const md_view *view, bytes signature, bool runtime_async, bytes *type) {
    *type = (bytes){0};
    if (signature.size == 0)
        return false;
    if (runtime_async)
        return md_result_type(signature, true, type);
    size_t at = (size_t)(signature.data - view->blobs.data) % RESULT_TYPES;
    if (r->recent[at].signature != signature.data) {
        r->recent[at].signature = signature.data;
        r->recent[at].type = (bytes){0};
        r->recent[at].known = md_result_type(signature, false, &r->recent[at].type);
    }
    *type = r->recent[at].type;
    return r->recent[at].known;
}

void result_find(result_types *r, const md_view *view, uint32_t method_row, returned *what) {
    if (what->asked)
        return;
    what->asked = true;
    what->runtime_async = md_is_runtime_async(view, method_row);
    if (!md_try_blob(view, md_cell(view, MD_MethodDef_Signature, method_row), &what->signature))
        what->signature = (bytes){0};
    what->known = result_type_of(r, view, what->signature, what->runtime_async, &what->type);
    if (!what->known)
        what->type = (bytes){0};
}

bool result_stays_on_stack(bytes type) {
    return type.size &&
           (type.data[0] == MD_ELEMENT_BYREF || type.data[0] == MD_ELEMENT_PTR || type.data[0] == MD_ELEMENT_FNPTR);
}
