#include "output/release.h"

#include "metadata/signature.h"
#include "metadata/types.h"

/* The string that the attribute of a row was made with (ECMA-335, II.23.3). */
static bytes string_of(const md_view *v, uint32_t row) {
    enum { PROLOG = 1, NO_STRING = 0xFF, MOST = 256 };
    bytes blob;
    if (!md_try_blob(v, md_cell(v, MD_CustomAttribute_Value, row), &blob))
        return (bytes){0};
    reader r = reader_of(blob);
    if (reader_u16(&r) != PROLOG || reader_left(&r) == 0 || blob.data[2] == NO_STRING)
        return (bytes){0};
    const uint32_t size = reader_compressed(&r);
    const bytes text = reader_bytes(&r, size);
    if (r.failed || size > MOST)
        return (bytes){0};
    for (uint32_t i = 0; i < size; i++)
        if (text.data[i] < ' ')
            return (bytes){0};
    return text;
}

/* An assembly that declares the attribute is the framework, which has no release of the program's. */
bytes release_of(const ilj_image *image) {
    const md_view *v = &image->metadata;
    if (!md_row_exists(v, MD_TABLE_Assembly, 1))
        return (bytes){0};
    const uint32_t assembly = md_coded_encode(MD_CODED_HasCustomAttribute, md_token_of(MD_TABLE_Assembly, 1));
    const md_cells parents = md_cells_of(v, MD_CustomAttribute_Parent);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_CustomAttribute); row++) {
        if (md_cells_at(&parents, row) != assembly)
            continue;
        const md_token constructor = md_cell_token(v, MD_CustomAttribute_Type, row);
        if (md_token_table(constructor) != MD_TABLE_MemberRef)
            continue;
        const md_token type = md_cell_token(v, MD_MemberRef_Class, md_token_row(constructor));
        if (md_token_table(type) == MD_TABLE_TypeRef &&
            md_type_is(v, type, "System.Reflection", "AssemblyInformationalVersionAttribute"))
            return string_of(v, row);
    }
    return (bytes){0};
}
