#include "inject/result_types.h"

#include "guard.h"
#include "metadata/signature.h"

bool result_type_of(result_types *r, const md_view *view, bytes signature, bool runtime_async, bytes *type) {
    *type = (bytes){0};
    if (signature.size == 0)
        return false;
    if (runtime_async)
        return guard_result_type(signature, true, type);
    size_t at = (size_t)(signature.data - view->blobs.data) % RESULT_TYPES;
    if (r->recent[at].signature != signature.data) {
        r->recent[at].signature = signature.data;
        r->recent[at].type = (bytes){0};
        r->recent[at].known = guard_result_type(signature, false, &r->recent[at].type);
    }
    *type = r->recent[at].type;
    return r->recent[at].known;
}

bool result_stays_on_stack(bytes type) {
    return type.size && (type.data[0] == MD_ELEMENT_BYREF || type.data[0] == MD_ELEMENT_PTR);
}
