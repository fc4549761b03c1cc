#include "naming/code.h"

#include "metadata/types.h"

bool method_code(const ilj_image *image, uint32_t method, il_body *body) {
    const md_view *v = &image->metadata;
    bytes from;
    il_fault fault;
    uint32_t rva = md_cell(v, MD_MethodDef_RVA, method);
    return rva && md_has_il(md_cell(v, MD_MethodDef_Flags, method), md_cell(v, MD_MethodDef_ImplFlags, method)) &&
           pe_try_bytes_from(&image->pe, rva, &from) && il_body_try_read(body, from, &fault);
}
