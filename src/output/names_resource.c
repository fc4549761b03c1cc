#include "output/names_resource.h"

#include "inject/leaves/leaf_callee.h"
#include "input/budget.h"
#include "metadata/flags.h"
#include "metadata/names.h"
#include "naming/loops.h"
#include "naming/method_roles.h"
#include "output/call_list.h"
#include "select/price.h"

#include <libdeflate.h>
#include <stdlib.h>

/* A strz; metadata names hold no zero byte. */
static void add_text(buffer *b, const char *text) {
    size_t size = budget_name(text, strlen(text));
    uint8_t *to = buffer_extend(b, size + 1);
    if (to)
        *copy_run(to, (const uint8_t *)text, size) = 0;
}

static void add_generics(buffer *b, const md_view *view, md_generics params) {
    for (uint32_t i = 0; i < params.count; i++)
        add_text(b, md_name(view, MD_GenericParam_Name, params.rows[i]));
}

/* The types that have methods with an id, and those around them. */
typedef struct type_places {
    const uint32_t *places; /* by TypeDef row: 0, or 1 + position */
    const uint32_t *order;  /* by position: rows */
    uint32_t count;
} type_places;

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

static md_generics generics_of_type(const md_view *view, const md_index *index, uint32_t row) {
    return md_generic_params(view, index, md_token_of(MD_TABLE_TypeDef, row));
}

static void add_leaf_generics(buffer *b, bool of_method, uint32_t count) {
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        char name[16];
        leaf_generic_name(name, of_method, i, count);
        add_text(b, name);
    }
}

static void add_types(buffer *b, const ilj_image *image, const type_places *at, const leaves *l) {
    const md_view *view = &image->metadata;
    const md_index *index = &image->index;
    const uint32_t *places = at->places, *order = at->order, count = at->count;
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, places[md_enclosing_type(index, order[i])]);
    for (uint32_t i = 0; i < l->type_count; i++)
        buffer_varuint(b, l->types[i].enclosing ? count + l->types[i].enclosing : 0);
    for (uint32_t i = 0; i < count; i++)
        add_text(b, md_enclosing_type(index, order[i]) ? "" : md_name(view, MD_TypeDef_TypeNamespace, order[i]));
    for (uint32_t i = 0; i < l->type_count; i++)
        add_text(b, l->types[i].space);
    for (uint32_t i = 0; i < count; i++)
        add_text(b, md_name(view, MD_TypeDef_TypeName, order[i]));
    for (uint32_t i = 0; i < l->type_count; i++)
        add_text(b, l->types[i].name);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, generics_of_type(view, index, order[i]).count);
    for (uint32_t i = 0; i < l->type_count; i++)
        buffer_varuint(b, l->types[i].generic_count);
    for (uint32_t i = 0; i < count; i++)
        add_generics(b, view, generics_of_type(view, index, order[i]));
    for (uint32_t i = 0; i < l->type_count; i++)
        add_leaf_generics(b, false, l->types[i].generic_count);
}

/* Names that no source can have (C#, VB and F# alike). */
static bool is_made_type(const md_view *view, uint32_t type) {
    return strchr(md_name(view, MD_TypeDef_TypeName, type), '<') != NULL;
}

static unsigned flags_of(const md_index *index, uint32_t row, uint32_t flags, uint32_t impl_flags, const char *name,
                         bool in_made_type) {
    unsigned result = flags & MD_METHOD_STATIC ? NAME_STATIC : 0;
    if (flags & MD_METHOD_RT_SPECIAL_NAME && strcmp(name, ".ctor") == 0)
        result |= NAME_CONSTRUCTOR;
    if (flags & MD_METHOD_RT_SPECIAL_NAME && strcmp(name, ".cctor") == 0)
        result |= NAME_TYPE_INITIALIZER;
    if (md_method_semantics(index, row))
        result |= NAME_ACCESSOR;
    if (impl_flags & MD_IMPL_ASYNC)
        result |= NAME_RUNTIME_ASYNC;
    if (in_made_type || strchr(name, '<') || strchr(name, '$'))
        result |= NAME_COMPILER_MADE;
    return result;
}

static void add_flags(buffer *b, const md_view *view, const md_index *index, const named_method *methods,
                      uint32_t count, const uint16_t *roles) {
    const md_cells flags = md_cells_of(view, MD_MethodDef_Flags),
                   impl_flags = md_cells_of(view, MD_MethodDef_ImplFlags), names = md_cells_of(view, MD_MethodDef_Name);
    uint32_t type = 0;
    bool made = is_made_type(view, type);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = methods[i].row, in_type = md_method_type(index, row);
        if (in_type != type)
            made = is_made_type(view, type = in_type);
        const char *name = md_string_at(view, md_cells_at(&names, row));
        buffer_varuint(b, flags_of(index, row, md_cells_at(&flags, row), md_cells_at(&impl_flags, row), name, made) |
                              methods[i].flags | roles[row]);
    }
}

/* Where the parameters of a signature stand already. Many methods have the same signature. */
typedef struct known_parameters {
    uint32_t signature; /* offset in #Blob; 0: none */
    uint32_t size;      /* bytes, the last zero too */
    uint32_t at;        /* in the buffer */
} known_parameters;

static void add_parameters(buffer *b, ilj_image *image, const named_method *methods, uint32_t count) {
    enum { FEW = 256, MOST_KNOWN = 14, SPREAD = 0x9E3779B1u, BITS = 32 }; /* the multiplier: 2^32 by the golden ratio */
    const md_view *view = &image->metadata;
    unsigned shift = BITS - 1;
    while (shift > BITS - MOST_KNOWN && count >> (BITS - shift))
        shift--;
    known_parameters *known = arena_alloc_array(&image->arena, (size_t)1 << (BITS - shift), sizeof *known);
    const md_cells signatures = md_cells_of(view, MD_MethodDef_Signature);
    /* Few methods name few types. */
    md_known_names *types = count > FEW ? arena_alloc(&image->arena, sizeof *types) : NULL;
    if (!known || (!types && count > FEW))
        b->failed = true;
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        uint32_t signature = md_cells_at(&signatures, methods[i].row);
        known_parameters *k = &known[signature * SPREAD >> shift];
        uint32_t at = (uint32_t)b->size;
        if (signature && k->signature == signature) {
            uint8_t *copy = buffer_extend(b, k->size);
            if (copy)
                copy_run(copy, b->data + k->at, k->size);
            continue;
        }
        bool common = md_append_parameters_known(b, view, &image->index, methods[i].row, types);
        buffer_u8(b, 0);
        if (common && !b->failed)
            *k = (known_parameters){signature, (uint32_t)b->size - at, at};
    }
}

/* A type's position less that of the method before. */
static void add_type_step(buffer *b, int64_t *before, int64_t type) {
    int64_t step = type - *before;
    buffer_varuint(b, (uint64_t)(step >= 0 ? 2 * step : -2 * step - 1));
    *before = type;
}

static void add_method_types(buffer *b, const md_index *index, const type_places *at, const ids *ids, const leaves *l) {
    int64_t before = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        uint32_t place = at->places[md_method_type(index, ids->methods[i].row)];
        add_type_step(b, &before, place ? place - 1 : 0);
    }
    for (uint32_t i = 0; i < l->count; i++)
        add_type_step(b, &before, (int64_t)at->count + l->list[i].type);
}

/* Leaves are counted after the rows of the module's own methods. */
static void add_rows(buffer *b, const md_view *view, const ids *ids, const leaves *l) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        buffer_varuint(b, ids->methods[i].row - before);
        before = ids->methods[i].row;
    }
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, i ? 1 : md_row_count(view, MD_TABLE_MethodDef) + 1 - before);
}

static void add_methods(buffer *b, ilj_image *image, const ids *ids, const leaves *l, const uint16_t *roles) {
    const md_view *view = &image->metadata;
    const md_index *index = &image->index;
    const named_method *methods = ids->methods;
    const uint32_t count = ids->count;
    const md_cells names = md_cells_of(view, MD_MethodDef_Name);
    add_rows(b, view, ids, l);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, methods[i].il_size);
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, 0);
    add_flags(b, view, index, methods, count, roles);
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, l->list[i].flags);
    for (uint32_t i = 0; i < count; i++)
        add_text(b, md_string_at(view, md_cells_at(&names, methods[i].row)));
    for (uint32_t i = 0; i < l->count; i++)
        add_text(b, l->list[i].name);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, md_method_generic_params(index, methods[i].row).count);
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, l->list[i].generic_count);
    for (uint32_t i = 0; i < count; i++) {
        md_generics generics = md_method_generic_params(index, methods[i].row);
        if (generics.count)
            add_generics(b, view, generics);
    }
    for (uint32_t i = 0; i < l->count; i++)
        add_leaf_generics(b, true, l->list[i].generic_count);
    add_parameters(b, image, methods, count);
    for (uint32_t i = 0; i < l->count; i++)
        add_text(b, (const char *)l->texts.data + l->list[i].parameters);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, methods[i].owner);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t caller = l->list[i].caller ? ids_of(ids, l->list[i].caller) : NO_ID;
        buffer_varuint(b, caller == NO_ID ? 0 : caller + (uint64_t)1);
    }
}

static bool is_conversion(const char *name) {
    if (name[0] != 'o') /* nearly all */
        return false;
    return strcmp(name, "op_Implicit") == 0 || strcmp(name, "op_Explicit") == 0 ||
           strcmp(name, "op_CheckedExplicit") == 0;
}

/* Malformed signatures give `?`, as everywhere. */
static void add_result(buffer *b, const md_view *view, const md_index *index, uint32_t row) {
    bytes blob;
    if (md_try_blob(view, md_cell(view, MD_MethodDef_Signature, row), &blob)) {
        reader r = reader_of(blob);
        reader_u8(&r); /* calling convention: a conversion is not generic */
        reader_compressed(&r);
        md_append_type(b, view, index, &r, md_method_type(index, row), row, MD_NAME_ENCLOSING);
    }
    buffer_u8(b, 0);
}

/* Conversions differ by what they give. */
static void add_results(buffer *b, const md_view *view, const md_index *index, const ids *ids, const leaves *l) {
    const md_cells names = md_cells_of(view, MD_MethodDef_Name);
    for (uint32_t i = 0; i < ids->count; i++)
        if (is_conversion(md_string_at(view, md_cells_at(&names, ids->methods[i].row))))
            add_result(b, view, index, ids->methods[i].row);
    for (uint32_t i = 0; i < l->count; i++)
        if (is_conversion(l->list[i].name))
            add_text(b, (const char *)l->texts.data + l->list[i].result);
}

/* "called too often, within Program.Main: Vector.Dot, Vector.Add and 26 more, 260081 calls" */
static void add_group(buffer *b, const price_group *group) {
    buffer_string(b, ilj_reason_text(ILJ_CALLED_OFTEN));
    buffer_string(b, group->within ? ", within " : ", but for outermost calls");
    if (group->within)
        price_name(b, group->within);
    buffer_string(b, ": ");
    /* All of a few, or two of many. */
    uint64_t names = group->methods <= PRICE_NAMED ? group->methods : PRICE_NAMED - 1;
    for (uint64_t i = 0; i < names; i++) {
        buffer_string(b, i == 0 ? "" : i + 1 == group->methods ? " and " : ", ");
        price_name(b, group->named[i]);
    }
    if (names < group->methods)
        buffer_printf(b, " and %llu more", (unsigned long long)(group->methods - names));
    buffer_printf(b, ", %llu calls", (unsigned long long)group->calls);
    buffer_u8(b, 0);
    buffer_varuint(b, group->methods);
}

static bytes assembly_of(const md_view *view) {
    const char *name = md_row_exists(view, MD_TABLE_Assembly, 1) ? md_name(view, MD_Assembly_Name, 1) : "";
    return bytes_of(name, strlen(name));
}

static uint32_t find_groups(price_group groups[PRICE_GROUPS], const ilj_selection *selection, const ilj_image *image,
                            const leaves *l) {
    uint32_t count = 0, *rows = calloc((size_t)l->count + 1, sizeof *rows);
    for (uint32_t i = 0; i < l->count && rows; i++)
        if (l->list[i].callee)
            rows[count++] = l->list[i].callee;
    count = price_groups(groups, selection, assembly_of(&image->metadata), &(price_rows){image, rows, count});
    free(rows);
    return count;
}

/* Those that are left out for a price stand with the method that has their time, the most called ones. */
static void add_left_out(buffer *b, const uint32_t left_out[ILJ_REASON_COUNT], const ilj_selection *selection,
                         const ilj_image *image, const leaves *l) {
    price_group groups[PRICE_GROUPS];
    uint32_t group_count = find_groups(groups, selection, image, l), often = left_out[ILJ_CALLED_OFTEN];
    uint32_t reasons = 0;
    for (uint32_t i = 0; i < group_count && groups[i].methods <= often; i++) {
        often -= (uint32_t)groups[i].methods;
        reasons++;
    }
    group_count = reasons;
    for (int i = ILJ_INSTRUMENT + 1; i < ILJ_REASON_COUNT; i++)
        reasons += (i == ILJ_CALLED_OFTEN ? often : left_out[i]) > 0;
    buffer_varuint(b, reasons);
    for (uint32_t i = 0; i < group_count; i++)
        add_group(b, &groups[i]);
    for (int i = ILJ_INSTRUMENT + 1; i < ILJ_REASON_COUNT; i++) {
        uint32_t count = i == ILJ_CALLED_OFTEN ? often : left_out[i];
        if (count > 0) {
            add_text(b, ilj_reason_text((ilj_reason)i));
            buffer_varuint(b, count);
        }
    }
}

ecma_status names_build(buffer *data, ilj_image *image, const ids *ids, const leaves *leaves,
                        const ilj_selection *selection, bool calls) {
    const md_view *view = &image->metadata;
    const md_index *index = &image->index;
    enum { USUAL_BYTES = 40 }; /* of a method */
    const named_method *methods = ids->methods;
    const uint32_t count = ids->count;
    uint32_t types = md_row_count(view, MD_TABLE_TypeDef), placed = 0;
    data->most = (size_t)budget_added(image->pe.file.size);
    uint32_t *places = arena_alloc_array(&image->arena, types + 1u, sizeof *places),
             *order = arena_alloc_array(&image->arena, types + 1u, sizeof *order);
    uint16_t *roles = method_roles_find(image);
    if (!places || !order || !roles)
        return diag_no_memory(&image->diag);
    loops_mark(image, roles);
    for (uint32_t i = 0; i < count; i++)
        place_type(places, order, &placed, index, md_method_type(index, methods[i].row));
    const type_places at = {places, order, placed};
    buffer_reserve(data, (size_t)count * USUAL_BYTES);
    add_text(data, md_name(view, MD_Module_Name, 1));
    add_text(data, md_name(view, MD_Assembly_Name, 1));
    buffer_varuint(data, placed + leaves->type_count);
    buffer_varuint(data, count + leaves->count);
    add_types(data, image, &at, leaves);
    add_method_types(data, index, &at, ids, leaves);
    add_methods(data, image, ids, leaves, roles);
    add_results(data, view, index, ids, leaves);
    add_left_out(data, ids->left_out, selection, image, leaves);
    if (calls)
        return call_list_append(data, image, methods, count, leaves->count);
    return data->failed ? budget_failed(data, &image->diag) : ECMA_OK;
}

/* A block that is not compressed (RFC 1951, 3.2.4): compressing few names takes longer than all else together. */
static void store(buffer *b, bytes data) {
    enum { LAST_BLOCK = 1, MOST = 0xFFFF };
    buffer_u8(b, LAST_BLOCK);
    buffer_u16(b, (uint16_t)data.size);
    buffer_u16(b, (uint16_t)(MOST - data.size));
    buffer_append(b, data.data, data.size);
}

/* Level 3 takes half as many instructions again, for 0.2 % of an output. */
static void compress(buffer *b, bytes data) {
    enum { LEVEL = 1 };
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    size_t bound = compressor ? libdeflate_deflate_compress_bound(compressor, data.size) : 0, start = b->size;
    if (!compressor)
        b->failed = true;
    else if (buffer_extend(b, bound))
        b->size = start + libdeflate_deflate_compress(compressor, data.data, data.size, b->data + start, bound);
    libdeflate_free_compressor(compressor);
}

ecma_status names_pack(buffer *resource, bytes data, const names_end *end, uint32_t count, uint16_t flags,
                       const uint8_t mvid[16], diag *d) {
    enum { MOST_STORED = 256 };
    flags |= (uint16_t)((end->release.size > 0 ? NAMES_FILE_RELEASE : 0) |
                        (end->root_ids.size > 0 ? NAMES_FILE_ROOT_IDS : 0));
    buffer_append(resource, "ILJN", 4);
    buffer_u16(resource, 1);
    buffer_u16(resource, flags);
    buffer_u32(resource, count);
    buffer_u32(resource, (uint32_t)data.size);
    size_t packed_at = resource->size;
    buffer_u32(resource, 0);
    buffer_append(resource, mvid, 16);
    size_t start = resource->size;
    if (data.size > MOST_STORED)
        compress(resource, data);
    else if (data.size)
        store(resource, data);
    if (resource->failed)
        return diag_no_memory(d);
    store_u32(resource->data + packed_at, (uint32_t)(resource->size - start));
    if (end->release.size > 0) {
        buffer_append(resource, end->release.data, end->release.size);
        buffer_u8(resource, 0);
    }
    buffer_append(resource, end->root_ids.data, end->root_ids.size);
    return resource->failed ? diag_no_memory(d) : ECMA_OK;
}
