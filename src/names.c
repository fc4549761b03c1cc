#include "names.h"

#include "metadata/names.h"

#include <libdeflate.h>
#include <stdlib.h>

static void add_text(buffer *b, const char *text) {
    size_t size = strlen(text);
    buffer_varuint(b, size);
    buffer_append(b, text, size);
}

static void add_generics(buffer *b, const md_view *view, md_generics params) {
    buffer_varuint(b, params.count);
    for (uint32_t i = 0; i < params.count; i++)
        add_text(b, md_name(view, MD_GenericParam_Name, params.rows[i]));
}

/* Gives a type and those around it a place in the list, outer ones first; positions count from 1. */
static void place_type(uint32_t *places, uint32_t *order, uint32_t *count, const md_index *index, uint32_t type) {
    uint32_t depth = 0;
    for (uint32_t at = type; at && !places[at]; at = md_enclosing_type(index, at))
        depth++;
    *count += depth;
    for (uint32_t place = *count; depth-- > 0; type = md_enclosing_type(index, type)) {
        order[place - 1] = type;
        places[type] = place--;
    }
}

static void add_type(buffer *b, const md_view *view, const md_index *index, const uint32_t *places, uint32_t type) {
    uint32_t outer = md_enclosing_type(index, type);
    buffer_varuint(b, places[outer]);
    add_text(b, outer ? "" : md_name(view, MD_TypeDef_TypeNamespace, type));
    add_text(b, md_name(view, MD_TypeDef_TypeName, type));
    add_generics(b, view, md_generic_params(view, index, md_token_of(MD_TABLE_TypeDef, type)));
}

enum { NAME_STATIC = 1, NAME_CONSTRUCTOR = 2, NAME_TYPE_INITIALIZER = 4, NAME_COMPILER_MADE = 8 };

static unsigned flags_of(const md_view *view, uint32_t row, uint32_t type, const char *name) {
    enum { STATIC = 0x10, RT_SPECIAL_NAME = 0x1000 };
    uint32_t flags = md_cell(view, MD_MethodDef_Flags, row);
    unsigned result = flags & STATIC ? NAME_STATIC : 0;
    if (flags & RT_SPECIAL_NAME && strcmp(name, ".ctor") == 0)
        result |= NAME_CONSTRUCTOR;
    if (flags & RT_SPECIAL_NAME && strcmp(name, ".cctor") == 0)
        result |= NAME_TYPE_INITIALIZER;
    /* Names that no source can have (C#, VB and F# alike). */
    if (strchr(name, '<') || strchr(name, '$') || strchr(md_name(view, MD_TypeDef_TypeName, type), '<'))
        result |= NAME_COMPILER_MADE;
    return result;
}

static void add_method(buffer *b, buffer *parameters, const md_view *view, const md_index *index,
                       const uint32_t *places, const named_method *m) {
    uint32_t type = md_method_type(index, m->row);
    const char *name = md_name(view, MD_MethodDef_Name, m->row);
    buffer_varuint(b, places[type] ? places[type] - 1 : 0);
    buffer_varuint(b, m->row);
    buffer_varuint(b, m->il_size);
    buffer_varuint(b, flags_of(view, m->row, type, name));
    add_text(b, name);
    add_generics(b, view, md_generic_params(view, index, md_token_of(MD_TABLE_MethodDef, m->row)));
    parameters->size = 0;
    md_append_parameters(parameters, view, index, m->row);
    buffer_varuint(b, parameters->size);
    buffer_append(b, parameters->data, parameters->size);
    b->failed |= parameters->failed;
}

ecma_status names_build(buffer *data, const md_view *view, const md_index *index, const named_method *methods,
                        uint32_t count, arena *a, diag *d) {
    uint32_t types = md_row_count(view, MD_TABLE_TypeDef), placed = 0;
    uint32_t *places = arena_alloc_array(a, types + 1u, sizeof *places),
             *order = arena_alloc_array(a, types + 1u, sizeof *order);
    if (!places || !order)
        return diag_no_memory(d);
    for (uint32_t i = 0; i < count; i++)
        place_type(places, order, &placed, index, md_method_type(index, methods[i].row));
    add_text(data, md_name(view, MD_Module_Name, 1));
    add_text(data, md_name(view, MD_Assembly_Name, 1));
    buffer_varuint(data, placed);
    for (uint32_t i = 0; i < placed && data->size <= INT32_MAX; i++)
        add_type(data, view, index, places, order[i]);
    buffer_varuint(data, count);
    buffer parameters = BUFFER_INIT;
    /* Any number of rows can share one long name. */
    for (uint32_t i = 0; i < count && data->size <= INT32_MAX; i++)
        add_method(data, &parameters, view, index, places, &methods[i]);
    buffer_clear(&parameters);
    if (data->size > INT32_MAX)
        return diag_report(d, DIAG_IMAGE_SIZE, "the names of its methods are more than 2 GiB");
    return data->failed ? diag_no_memory(d) : ECMA_OK;
}

ecma_status names_pack(buffer *resource, bytes data, uint32_t count, const uint8_t mvid[16], diag *d) {
    enum { LEVEL = 3 };
    size_t bound = 0, packed = 0;
    struct libdeflate_compressor *compressor = NULL;
    if (data.size) {
        compressor = libdeflate_alloc_compressor(LEVEL);
        if (!compressor)
            return diag_no_memory(d);
        bound = libdeflate_deflate_compress_bound(compressor, data.size);
    }
    buffer_append(resource, "ILJN", 4);
    buffer_u16(resource, 1);
    buffer_u16(resource, 0);
    buffer_u32(resource, count);
    buffer_u32(resource, (uint32_t)data.size);
    size_t packed_at = resource->size;
    buffer_u32(resource, 0);
    buffer_append(resource, mvid, 16);
    size_t start = resource->size;
    if (data.size && buffer_extend(resource, bound))
        packed = libdeflate_deflate_compress(compressor, data.data, data.size, resource->data + start, bound);
    libdeflate_free_compressor(compressor);
    if (resource->failed)
        return diag_no_memory(d);
    resource->size = start + packed;
    store_u32(resource->data + packed_at, (uint32_t)packed);
    return ECMA_OK;
}
