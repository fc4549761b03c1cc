#include "inject/body/result_types.h"

#include "inject/body/guard.h"

/* The type that md_result_type has for a blob of the view. */
static bool result_type_of(result_types *r, const md_view *view, bytes signature, bool runtime_async, bytes *type) {
    enum { SPREAD = 0x9E3779B1u, BITS = 32 }; /* 2^32 by the golden ratio */
    *type = (bytes){0};
    if (signature.size == 0)
        return false;
    if (runtime_async)
        return md_result_type(signature, true, type);
    const uint32_t offset = (uint32_t)(signature.data - view->blobs.data) + 1;
    const uint32_t slot = offset * SPREAD >> (BITS - RESULT_TYPES_BITS);
    if (r->recent[slot].signature == offset) {
        if (r->recent[slot].size)
            *type = bytes_of(signature.data + r->recent[slot].at, r->recent[slot].size);
        return true;
    }
    if (!md_result_type(signature, false, type))
        return false;
    const size_t at = type->size ? (size_t)(type->data - signature.data) : 0;
    if (at <= UINT16_MAX && type->size <= UINT16_MAX) {
        r->recent[slot].signature = offset;
        r->recent[slot].at = (uint16_t)at;
        r->recent[slot].size = (uint16_t)type->size;
    }
    return true;
}

void result_find(result_types *r, const md_view *view, uint32_t method_row, returned *what) {
    if (what->asked)
        return;
    what->asked = true;
    what->runtime_async = !r->no_runtime_async && md_is_runtime_async(view, method_row);
    if (!md_try_blob(view, md_cell(view, MD_MethodDef_Signature, method_row), &what->signature))
        what->signature = (bytes){0};
    what->known = result_type_of(r, view, what->signature, what->runtime_async, &what->type);
    if (!what->known)
        what->type = (bytes){0};
}
