#include "inject/values/parameters.h"

#include "metadata/flags.h"
#include "metadata/signature.h"

static bool is_constructor(const md_view *v, uint32_t row) {
    return md_cell(v, MD_MethodDef_Flags, row) & MD_METHOD_RT_SPECIAL_NAME &&
           md_name_is(v, MD_MethodDef_Name, row, ".ctor");
}

bool parameters_begin(parameters *p, const ilj_image *image, const attribute_marks *by_ref_like, uint32_t method_row) {
    const md_view *v = &image->metadata;
    bytes signature;
    md_method_sig head;
    *p = (parameters){.image = image,
                      .by_ref_like = by_ref_like,
                      .method_row = method_row,
                      .is_constructor = is_constructor(v, method_row),
                      .rows = md_list(v, MD_MethodDef_ParamList, method_row)};
    if (!md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method_row), &signature))
        return false;
    p->r = reader_of(signature);
    if (!md_try_method_sig(&p->r, &head) || !md_skip_type(&p->r))
        return false;
    p->count = head.parameter_count;
    p->is_instance = head.convention & MD_SIG_HASTHIS && !(head.convention & MD_SIG_EXPLICITTHIS);
    p->first = p->is_instance ? 1 : 0;
    return true;
}

static uint32_t row_of(const parameters *p, uint32_t position) {
    const md_view *v = &p->image->metadata;
    for (uint32_t at = p->rows.first; at < p->rows.end; at++) {
        uint32_t row = md_run_row(v, &p->rows, at);
        if (md_row_exists(v, MD_TABLE_Param, row) && md_cell(v, MD_Param_Sequence, row) == position + 1)
            return row;
    }
    return 0;
}

bool parameters_next(parameters *p, parameter *out) {
    if (p->next == p->count || p->r.failed || !reader_left(&p->r) || *p->r.at == MD_ELEMENT_SENTINEL)
        return false;
    *out = (parameter){.type = capture_type_read(p->image, p->by_ref_like, p->method_row, &p->r),
                       .position = p->next,
                       .argument = p->first + p->next,
                       .row = row_of(p, p->next)};
    uint32_t flags = out->row ? md_cell(&p->image->metadata, MD_Param_Flags, out->row) : 0;
    out->before = !(out->type.by_ref && (flags & (MD_PARAM_IN | MD_PARAM_OUT)) == MD_PARAM_OUT);
    out->after = out->type.by_ref && (flags & (MD_PARAM_IN | MD_PARAM_OUT)) != MD_PARAM_IN;
    p->next++;
    return out->argument <= 0xFFFF;
}
