#include "output/names_resource.h"

#include "base/pages.h"
#include "inject/leaves/leaf_callee.h"
#include "input/budget.h"
#include "metadata/flags.h"
#include "metadata/names.h"
#include "metadata/signature.h"
#include "naming/loops.h"
#include "naming/method_roles.h"
#include "output/call_list.h"
#include "output/name_columns.h"
#include "select/price.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <xxhash.h>

enum { FEW = 256 }; /* methods */

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

/* Those of nested types are empty. */
static bool add_spaces(buffer *b, const ilj_image *image, const type_places *at, const leaves *l, arena *a) {
    const md_view *view = &image->metadata;
    const md_cells spaces = md_cells_of(view, MD_TypeDef_TypeNamespace);
    text_column c;
    if (!text_column_begin(&c, a, at->count + l->type_count, b->most, true))
        return false;
    for (uint32_t i = 0; i < at->count; i++) {
        const uint32_t type = at->order[i],
                       key = md_enclosing_type(&image->index, type) ? 0 : md_cells_at(&spaces, type);
        text_key *slot = text_column_slot(&c, key);
        if (slot->number) {
            text_column_again(&c, slot->number);
            continue;
        }
        add_text(&c.texts, key ? md_string_at(view, key) : "");
        *slot = (text_key){key, text_column_new(&c)};
    }
    for (uint32_t i = 0; i < l->type_count; i++) {
        text_column_add(&c, bytes_of(l->types[i].space, strlen(l->types[i].space) + 1));
    }
    text_column_end(&c, b);
    return true;
}

static bool add_types(buffer *b, const ilj_image *image, const type_places *at, const leaves *l, arena *a) {
    const md_view *view = &image->metadata;
    const md_index *index = &image->index;
    const uint32_t *places = at->places, *order = at->order, count = at->count;
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(b, places[md_enclosing_type(index, order[i])]);
    for (uint32_t i = 0; i < l->type_count; i++)
        buffer_varuint(b, l->types[i].enclosing ? count + l->types[i].enclosing : 0);
    if (!add_spaces(b, image, at, l, a))
        return false;
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
    return true;
}

/* Names that no source can have (C#, VB and F# alike). */
static bool is_made_type(const md_view *view, uint32_t type) {
    return strchr(md_name(view, MD_TypeDef_TypeName, type), '<') != NULL;
}

/* Facts of a name. */
enum { NAMED_CTOR = 1, NAMED_CCTOR = 2, NAMED_BY_COMPILER = 4, NAMED_CONVERSION = 8 };

static bool is_conversion(const char *name) {
    if (name[0] != 'o') /* nearly all */
        return false;
    return strcmp(name, "op_Implicit") == 0 || strcmp(name, "op_Explicit") == 0 ||
           strcmp(name, "op_CheckedExplicit") == 0;
}

static uint8_t facts_of_name(const char *name) {
    if (name[0] == '.')
        return strcmp(name, ".ctor") == 0 ? NAMED_CTOR : strcmp(name, ".cctor") == 0 ? NAMED_CCTOR : 0;
    return (uint8_t)((name[strcspn(name, "<$")] ? NAMED_BY_COMPILER : 0) |
                     (is_conversion(name) ? NAMED_CONVERSION : 0));
}

static unsigned flags_of(const md_index *index, uint32_t row, uint32_t flags, uint32_t impl_flags, unsigned facts,
                         bool in_made_type) {
    unsigned result = flags & MD_METHOD_STATIC ? NAME_STATIC : 0;
    if (flags & MD_METHOD_RT_SPECIAL_NAME && facts & NAMED_CTOR)
        result |= NAME_CONSTRUCTOR;
    if (flags & MD_METHOD_RT_SPECIAL_NAME && facts & NAMED_CCTOR)
        result |= NAME_TYPE_INITIALIZER;
    if (md_method_semantics(index, row))
        result |= NAME_ACCESSOR;
    if (impl_flags & MD_IMPL_ASYNC)
        result |= NAME_RUNTIME_ASYNC;
    if (in_made_type || facts & NAMED_BY_COMPILER)
        result |= NAME_COMPILER_MADE;
    return result;
}

/* Appends the flags, for which names are read, puts these into their column, and lists the conversions: of some methods
 * the index. Returns their number. */
static uint32_t add_flags(buffer *b, const md_view *view, const md_index *index, const ids *ids, const uint16_t *roles,
                          text_column *c, uint8_t *facts, uint32_t *conversions) {
    const md_cells flags = md_cells_of(view, MD_MethodDef_Flags),
                   impl_flags = md_cells_of(view, MD_MethodDef_ImplFlags), names = md_cells_of(view, MD_MethodDef_Name);
    uint32_t type = 0;
    bool made = is_made_type(view, type);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        const uint32_t row = ids->methods[i].row, in_type = md_method_type(index, row), key = md_cells_at(&names, row);
        text_key *slot = text_column_slot(c, key);
        uint32_t number = slot->number;
        if (number) {
            text_column_again(c, number);
        } else {
            const char *name = md_string_at(view, key);
            add_text(&c->texts, name);
            *slot = (text_key){key, number = text_column_new(c)};
            facts[number] = facts_of_name(name);
        }
        if (in_type != type)
            made = is_made_type(view, type = in_type);
        if (facts[number] & NAMED_CONVERSION)
            conversions[count++] = i;
        buffer_varuint(
            b, flags_of(index, row, md_cells_at(&flags, row), md_cells_at(&impl_flags, row), facts[number], made) |
                   ids->methods[i].flags | roles[row]);
    }
    return count;
}

/* The parameters of a signature, as bytes, and where their text is. */
typedef struct known_parameters {
    bytes blob;
    uint32_t count, number; /* 0: none yet */
} known_parameters;

enum { MOST_KNOWN = 4096 };

/* Where the parameters of a signature have their place among those that are known; NULL: they say not all. Signatures
 * that differ in what they return are many. */
static known_parameters *place_of_parameters(known_parameters *known, const md_view *view, uint32_t signature,
                                             known_parameters *these) {
    bytes blob;
    md_method_sig sig;
    if (!md_try_blob(view, signature, &blob))
        return NULL;
    reader r = reader_of(blob);
    if (!md_try_method_sig(&r, &sig) || !md_skip_type(&r) || (sig.convention & MD_SIG_KIND) == MD_SIG_VARARG)
        return NULL;
    *these = (known_parameters){.blob = {r.at, reader_left(&r)}, .count = sig.parameter_count};
    return &known[XXH3_64bits(these->blob.data, these->blob.size) % MOST_KNOWN];
}

/* Many methods have the same signature, and many signatures the same parameters. */
static bool add_parameters(buffer *b, ilj_image *image, const ids *ids, const leaves *l, arena *a) {
    const md_view *view = &image->metadata;
    const md_cells signatures = md_cells_of(view, MD_MethodDef_Signature);
    const bool few = ids->count <= FEW;
    /* Few methods name few types. */
    md_known_names *types = few ? NULL : arena_alloc(a, sizeof *types);
    known_parameters *known = few ? NULL : arena_alloc_array(a, MOST_KNOWN, sizeof *known);
    buffer made = {.most = b->most}; /* what names a type is copied from there */
    text_column c;
    if (!text_column_begin(&c, a, ids->count + l->count, b->most, true) || (!few && (!types || !known)))
        return false;
    for (uint32_t i = 0; i < ids->count && !c.texts.failed; i++) {
        const uint32_t row = ids->methods[i].row, signature = md_cells_at(&signatures, row);
        text_key *slot = text_column_slot(&c, signature);
        if (slot->number) {
            text_column_again(&c, slot->number);
            continue;
        }
        known_parameters these, *place = few ? NULL : place_of_parameters(known, view, signature, &these);
        if (place && place->number && place->count == these.count && bytes_equal(place->blob, these.blob)) {
            *slot = (text_key){signature, place->number};
            text_column_again(&c, place->number);
            continue;
        }
        const size_t start = made.size;
        const bool common = md_append_parameters_known(&made, view, &image->index, row, types);
        buffer_u8(&made, 0);
        if (made.failed)
            break;
        const uint32_t number = text_column_add(&c, bytes_of(made.data + start, made.size - start));
        if (!common)
            continue;
        *slot = (text_key){signature, number};
        if (place) {
            *place = these;
            place->number = number;
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const char *text = (const char *)l->texts.data + l->list[i].parameters;
        text_column_add(&c, bytes_of(text, strlen(text) + 1));
    }
    b->failed |= made.failed;
    b->over |= made.over;
    buffer_clear(&made);
    text_column_end(&c, b);
    return true;
}

/* A type's position less that of the method before. */
static void add_type_step(run_column *c, int64_t *before, int64_t type) {
    int64_t step = type - *before;
    run_column_add(c, (uint64_t)(step >= 0 ? 2 * step : -2 * step - 1));
    *before = type;
}

static void add_method_types(buffer *b, const md_index *index, const type_places *at, const ids *ids, const leaves *l) {
    run_column c = {.to = b};
    int64_t before = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        const uint32_t type = md_method_type(index, ids->methods[i].row);
        if (type == last && i > 0) {
            run_column_add(&c, 0);
            continue;
        }
        const uint32_t place = at->places[last = type];
        add_type_step(&c, &before, place ? place - 1 : 0);
    }
    for (uint32_t i = 0; i < l->count; i++)
        add_type_step(&c, &before, (int64_t)at->count + l->list[i].type);
    run_column_end(&c);
}

/* Leaves are counted after the rows of the module's own methods. */
static void add_rows(buffer *b, const md_view *view, const ids *ids, const leaves *l) {
    run_column c = {.to = b};
    uint32_t before = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        run_column_add(&c, ids->methods[i].row - before);
        before = ids->methods[i].row;
    }
    for (uint32_t i = 0; i < l->count; i++)
        run_column_add(&c, i ? 1 : md_row_count(view, MD_TABLE_MethodDef) + 1 - before);
    run_column_end(&c);
}

static void add_method_generics(buffer *b, const md_view *view, const md_index *index, const ids *ids,
                                const leaves *l) {
    run_column c = {.to = b};
    buffer texts = {.most = b->most};
    for (uint32_t i = 0; i < ids->count; i++) {
        const md_generics generics = md_method_generic_params(index, ids->methods[i].row);
        run_column_add(&c, generics.count);
        if (generics.count)
            add_generics(&texts, view, generics);
    }
    for (uint32_t i = 0; i < l->count; i++)
        run_column_add(&c, l->list[i].generic_count);
    run_column_end(&c);
    b->failed |= texts.failed;
    b->over |= texts.over;
    buffer_append(b, texts.data, texts.size);
    buffer_clear(&texts);
    for (uint32_t i = 0; i < l->count; i++)
        add_leaf_generics(b, true, l->list[i].generic_count);
}

static void add_owners(buffer *b, const ids *ids, const leaves *l) {
    run_column c = {.to = b};
    for (uint32_t i = 0; i < ids->count; i++)
        run_column_add(&c, ids->methods[i].owner);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t caller = l->list[i].caller ? ids_of(ids, l->list[i].caller) : NO_ID;
        run_column_add(&c, caller == NO_ID ? 0 : caller + (uint64_t)1);
    }
    run_column_end(&c);
}

/* Conversions differ by what they give. Malformed signatures give `?`, as everywhere. */
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

static bool add_methods(buffer *b, ilj_image *image, const ids *ids, const leaves *l, const uint16_t *roles, arena *a) {
    const md_view *view = &image->metadata;
    const md_index *index = &image->index;
    uint8_t *facts = arena_alloc_open(a, ids->count + (size_t)1, sizeof *facts);
    uint32_t *conversions = arena_alloc_open(a, ids->count + (size_t)1, sizeof *conversions), converts;
    text_column names;
    if (!facts || !conversions || !text_column_begin(&names, a, ids->count + l->count, b->most, false))
        return false;
    add_rows(b, view, ids, l);
    for (uint32_t i = 0; i < ids->count; i++)
        buffer_varuint(b, ids->methods[i].il_size);
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, 0);
    converts = add_flags(b, view, index, ids, roles, &names, facts, conversions);
    for (uint32_t i = 0; i < l->count; i++)
        buffer_varuint(b, l->list[i].flags);
    for (uint32_t i = 0; i < l->count; i++) {
        add_text(&names.texts, l->list[i].name);
        text_column_new(&names);
    }
    text_column_end(&names, b);
    add_method_generics(b, view, index, ids, l);
    if (!add_parameters(b, image, ids, l, a))
        return false;
    add_owners(b, ids, l);
    for (uint32_t i = 0; i < converts; i++)
        add_result(b, view, index, ids->methods[conversions[i]].row);
    for (uint32_t i = 0; i < l->count; i++)
        if (is_conversion(l->list[i].name))
            add_text(b, (const char *)l->texts.data + l->list[i].result);
    return true;
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
    enum { USUAL_BYTES = 24, COLUMN_BYTES = 64 }; /* of a method; while they are put together */
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
    for (uint32_t i = 0, last = 0; i < count; i++) {
        const uint32_t type = md_method_type(index, methods[i].row);
        if (type != last)
            place_type(places, order, &placed, index, last = type);
    }
    const type_places at = {places, order, placed};
    if (buffer_reserve(data, (size_t)count * USUAL_BYTES) && count >= PAGES_WORTH_ASKING / USUAL_BYTES)
        pages_use(data->data, (size_t)count * USUAL_BYTES);
    add_text(data, md_name(view, MD_Module_Name, 1));
    add_text(data, md_name(view, MD_Assembly_Name, 1));
    buffer_varuint(data, placed + leaves->type_count);
    buffer_varuint(data, count + leaves->count);
    /* Columns of few methods are no more than what an arena of their own takes. */
    const bool much = count + leaves->count > FEW && !arena_has(&image->arena, count * (size_t)COLUMN_BYTES);
    arena own = ARENA_INIT, *memory = much ? &own : &image->arena;
    bool done = add_types(data, image, &at, leaves, memory);
    add_method_types(data, index, &at, ids, leaves);
    if (!done || !add_methods(data, image, ids, leaves, roles, memory))
        data->failed = true;
    arena_clear(&own);
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
    enum { LEVEL = 1, USUAL = 3 /* times as small */ };
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
    size_t bound = compressor ? libdeflate_deflate_compress_bound(compressor, data.size) : 0, start = b->size;
    if (!compressor) {
        b->failed = true;
    } else if (buffer_extend(b, bound)) {
        if (data.size / USUAL >= PAGES_WORTH_ASKING)
            pages_use(b->data + start, data.size / USUAL);
        b->size = start + libdeflate_deflate_compress(compressor, data.data, data.size, b->data + start, bound);
    }
    libdeflate_free_compressor(compressor);
}

ecma_status names_pack(buffer *resource, bytes data, const names_end *end, uint32_t count, uint16_t flags,
                       const uint8_t mvid[16], diag *d) {
    enum { VERSION = 2, MOST_STORED = 256 };
    flags |= (uint16_t)((end->release.size > 0 ? NAMES_FILE_RELEASE : 0) |
                        (end->root_ids.size > 0 ? NAMES_FILE_ROOT_IDS : 0));
    buffer_append(resource, "ILJN", 4);
    buffer_u16(resource, VERSION);
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
