#include "select/eligible.h"

const char *ilj_reason_text(ilj_reason reason) {
    switch (reason) {
    case ILJ_INSTRUMENT:
        return "instrument";
    case ILJ_ABSTRACT:
        return "abstract";
    case ILJ_EXTERN:
        return "extern";
    case ILJ_RUNTIME:
        return "runtime";
    case ILJ_INTERNAL_CALL:
        return "internal call";
    case ILJ_UNMANAGED:
        return "unmanaged";
    case ILJ_REFERENCE_ASSEMBLY:
        return "reference assembly";
    case ILJ_HELPER:
        return "instrumenting itself";
    case ILJ_NO_BODY:
        return "no body";
    case ILJ_BAD_BODY:
        return "bad body";
    case ILJ_EXCLUDED:
        return "by rule";
    case ILJ_TOO_SMALL:
        return "too small";
    case ILJ_TRIVIAL_ACCESSOR:
        return "trivial accessor";
    case ILJ_COMPILER_GENERATED:
        return "compiler-generated";
    case ILJ_CALLED_OFTEN:
        return "called too often";
    case ILJ_LIKELY_INLINED:
        return "likely inlined";
    case ILJ_RESOLVER:
        return "assembly resolver";
    case ILJ_REASON_COUNT:
        break;
    }
    return "unknown";
}

ilj_reason select_method(const struct ilj_image *image, uint32_t method_row) {
    const md_view *v = &image->metadata;
    if (marker_is_helper_type(v, md_method_type(&image->index, method_row)))
        return ILJ_HELPER;
    return select_by_flags(md_cell(v, MD_MethodDef_Flags, method_row), md_cell(v, MD_MethodDef_ImplFlags, method_row),
                           md_cell(v, MD_MethodDef_RVA, method_row));
}

static bool is_constructor_of(const struct ilj_image *image, md_token constructor, const char *space,
                              const char *name) {
    const md_view *view = &image->metadata;
    md_token type = 0;
    if (md_token_table(constructor) == MD_TABLE_MemberRef)
        type = md_cell_token(view, MD_MemberRef_Class, md_token_row(constructor));
    else if (md_token_table(constructor) == MD_TABLE_MethodDef)
        type = md_token_of(MD_TABLE_TypeDef, md_method_type(&image->index, md_token_row(constructor)));
    uint32_t row = md_token_row(type);
    switch (md_token_table(type)) {
    case MD_TABLE_TypeRef:
        return md_name_is(view, MD_TypeRef_TypeName, row, name) &&
               md_name_is(view, MD_TypeRef_TypeNamespace, row, space);
    case MD_TABLE_TypeDef:
        return md_name_is(view, MD_TypeDef_TypeName, row, name) &&
               md_name_is(view, MD_TypeDef_TypeNamespace, row, space);
    default:
        return false;
    }
}

bool select_reference_assembly(const struct ilj_image *image) {
    const md_view *view = &image->metadata;
    if (!md_row_exists(view, MD_TABLE_Assembly, 1))
        return false;
    if ((md_cell(view, MD_Assembly_Flags, 1) & MD_ASSEMBLY_ARCHITECTURE_MASK) == MD_ASSEMBLY_NO_PLATFORM)
        return true;
    uint32_t assembly = md_coded_encode(MD_CODED_HasCustomAttribute, md_token_of(MD_TABLE_Assembly, 1));
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_CustomAttribute); row++)
        if (md_cell(view, MD_CustomAttribute_Parent, row) == assembly &&
            is_constructor_of(image, md_cell_token(view, MD_CustomAttribute_Type, row),
                              "System.Runtime.CompilerServices", "ReferenceAssemblyAttribute"))
            return true;
    return false;
}

/* Only .winmd files name the Windows Runtime in the root's version string (II.24.2.1). */
static bool is_windows_metadata(const md_view *v) {
    static const char mark[] = "WindowsRuntime";
    size_t size = sizeof mark - 1;
    for (size_t at = 0; at + size <= v->version.size; at++)
        if (memcmp(v->version.data + at, mark, size) == 0)
            return true;
    return false;
}

const char *select_reason_to_copy(struct ilj_image *image, const char *tracker, bool force) {
    const md_view *v = &image->metadata;
    diag *d = &image->diag;
    if (marker_instrumented_times(v) && !force) {
        diag_report(d, DIAG_INSTRUMENTED_ALREADY, "instrumented already, copied through; --force instruments it again");
        return "instrumented already";
    }
    if (select_reference_assembly(image) && !force) {
        diag_report(d, DIAG_REFERENCE_ASSEMBLY, "a reference assembly, whose code never runs; copied through");
        return "reference assembly";
    }
    if (md_name_is(v, MD_Assembly_Name, 1, tracker)) {
        diag_report(d, DIAG_TRACKER_INPUT, "the tracker itself; copied through");
        return "the tracker itself";
    }
    if (is_windows_metadata(v) && !force) {
        diag_report(d, DIAG_WINDOWS_METADATA, "Windows metadata, which describes native code; copied through");
        return "Windows metadata";
    }
    return NULL;
}

bool select_try_body(const struct ilj_image *image, uint32_t method_row, il_body *body, il_fault *fault) {
    uint32_t rva = md_cell(&image->metadata, MD_MethodDef_RVA, method_row);
    bytes from;
    if (rva == 0 || !pe_try_bytes_from(&image->pe, rva, &from)) {
        *fault = (il_fault){"its RVA is not in the file", 0};
        return false;
    }
    return il_body_try_read(body, from, fault);
}
