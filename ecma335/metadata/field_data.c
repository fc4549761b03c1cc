#include "metadata/field_data.h"

#include "metadata/signature.h"

uint32_t *md_class_sizes(const md_view *view, arena *a) {
    uint32_t *sizes = arena_alloc_array(a, (size_t)md_row_count(view, MD_TABLE_TypeDef) + 1, sizeof *sizes);
    for (uint32_t row = 1; sizes && row <= md_row_count(view, MD_TABLE_ClassLayout); row++) {
        uint32_t type = md_cell(view, MD_ClassLayout_Parent, row);
        if (md_row_exists(view, MD_TABLE_TypeDef, type) && sizes[type] == 0)
            sizes[type] = md_cell(view, MD_ClassLayout_ClassSize, row);
    }
    return sizes;
}

uint32_t md_field_size(const md_view *view, const uint32_t *class_sizes, uint32_t field_row) {
    static const uint8_t primitives[0x20] = {
        [MD_ELEMENT_BOOLEAN] = 1, [MD_ELEMENT_CHAR] = 2, [MD_ELEMENT_I1] = 1, [MD_ELEMENT_U1] = 1,
        [MD_ELEMENT_I2] = 2,      [MD_ELEMENT_U2] = 2,   [MD_ELEMENT_I4] = 4, [MD_ELEMENT_U4] = 4,
        [MD_ELEMENT_I8] = 8,      [MD_ELEMENT_U8] = 8,   [MD_ELEMENT_R4] = 4, [MD_ELEMENT_R8] = 8,
    };
    bytes signature;
    if (!md_try_blob(view, md_cell(view, MD_Field_Signature, field_row), &signature))
        return 0;
    reader r = reader_of(signature);
    if ((reader_u8(&r) & MD_SIG_KIND) != MD_SIG_FIELD)
        return 0;
    md_skip_modifiers(&r);
    unsigned element = reader_u8(&r);
    if (element < sizeof primitives && primitives[element])
        return primitives[element];
    if (element != MD_ELEMENT_VALUETYPE)
        return 0;
    md_token type = md_read_type_token(&r);
    uint32_t row = md_token_row(type);
    return md_token_table(type) == MD_TABLE_TypeDef && md_row_exists(view, MD_TABLE_TypeDef, row) ? class_sizes[row]
                                                                                                  : 0;
}
