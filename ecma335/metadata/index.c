#include "metadata/index.h"

/* Runs ascend; where they do not, each position is looked at once all the same. */
static void own_methods(md_index *index, const md_view *view) {
    uint32_t next = 1;
    for (uint32_t type = 1; type <= index->type_count; type++) {
        md_run run = md_list(view, MD_TypeDef_MethodList, type);
        for (uint32_t at = run.first > next ? run.first : next; at < run.end; at++) {
            next = at + 1;
            uint32_t method = run.pointer == MD_NONE ? at : md_run_row(view, &run, at);
            if (md_row_exists(view, MD_TABLE_MethodDef, method) && index->method_type[method] == 0)
                index->method_type[method] = type;
        }
    }
}

/* Records every type's enclosing type, then cuts cycles, so that each walk up a chain ends. `mark` holds for each type
 * the walk that passed it. */
static void nest(md_index *index, const md_view *view, uint32_t *mark) {
    md_cells inner = md_cells_of(view, MD_NestedClass_NestedClass),
             outer = md_cells_of(view, MD_NestedClass_EnclosingClass);
    for (uint32_t row = 1; row <= inner.row_count; row++) {
        uint32_t nested = md_cells_take(&inner), enclosing = md_cells_take(&outer);
        if (md_row_exists(view, MD_TABLE_TypeDef, nested) && md_row_exists(view, MD_TABLE_TypeDef, enclosing) &&
            index->enclosing[nested] == 0)
            index->enclosing[nested] = enclosing;
    }
    for (uint32_t type = 1; type <= index->type_count; type++) {
        uint32_t at = type;
        while (index->enclosing[at] != 0 && mark[at] == 0) {
            mark[at] = type;
            uint32_t next = index->enclosing[at];
            if (mark[next] == type)
                index->enclosing[at] = 0;
            else
                at = next;
        }
    }
}

/* The slot of an owner in the array of firsts: types from 1, then methods. 0: no such owner. */
static uint32_t *owner_first(md_index *index, const md_view *view, uint32_t row) {
    md_token owner = md_cell_token(view, MD_GenericParam_Owner, row);
    uint32_t owner_row = md_token_row(owner);
    switch (md_token_table(owner)) {
    case MD_TABLE_TypeDef:
        return owner_row - 1 < index->type_count ? &index->type_generics[owner_row] : NULL;
    case MD_TABLE_MethodDef:
        return owner_row - 1 < index->method_count ? &index->method_generics[owner_row] : NULL;
    default:
        return NULL;
    }
}

/* Counts to firsts: the array's element n becomes the sum of those before it. */
static uint32_t sum_up(uint32_t *firsts, uint32_t count, uint32_t sum) {
    for (uint32_t i = 0; i <= count + 1; i++) {
        uint32_t here = firsts[i];
        firsts[i] = sum;
        sum += here;
    }
    return sum;
}

/* A counting sort by owner; within an owner a parameter's Number is its place. */
static void group_generics(md_index *index, const md_view *view) {
    uint32_t rows = md_row_count(view, MD_TABLE_GenericParam);
    for (uint32_t row = 1; row <= rows; row++) {
        uint32_t *count = owner_first(index, view, row);
        if (count)
            ++*count;
    }
    sum_up(index->method_generics, index->method_count, sum_up(index->type_generics, index->type_count, 0));
    for (uint32_t row = 1; row <= rows; row++) {
        const uint32_t *first = owner_first(index, view, row);
        if (!first)
            continue;
        uint32_t number = md_cell(view, MD_GenericParam_Number, row);
        if (number < first[1] - first[0] && index->generic_rows[first[0] + number] == 0)
            index->generic_rows[first[0] + number] = row;
    }
}

static void find_roles(md_index *index, const md_view *view) {
    md_cells accessors = md_cells_of(view, MD_MethodSemantics_Method);
    for (uint32_t row = 1; row <= accessors.row_count; row++) {
        uint32_t method = md_cells_take(&accessors);
        if (method - 1 < index->method_count && index->method_semantics[method] == 0)
            index->method_semantics[method] = row;
    }
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_MethodImpl); row++) {
        md_token body = md_cell_token(view, MD_MethodImpl_MethodBody, row);
        uint32_t method = md_token_row(body);
        if (md_token_table(body) == MD_TABLE_MethodDef && method - 1 < index->method_count &&
            index->method_impl[method] == 0)
            index->method_impl[method] = row;
    }
}

bool md_index_build(md_index *index, const md_view *view, arena *a) {
    md_index built = {.type_count = md_row_count(view, MD_TABLE_TypeDef),
                      .method_count = md_row_count(view, MD_TABLE_MethodDef)};
    size_t types = (size_t)built.type_count + 1, methods = (size_t)built.method_count + 1;
    built.method_type = arena_alloc_array(a, methods, sizeof(uint32_t));
    built.method_semantics = arena_alloc_array(a, methods, sizeof(uint32_t));
    built.method_impl = arena_alloc_array(a, methods, sizeof(uint32_t));
    built.method_generics = arena_alloc_array(a, methods + 1, sizeof(uint32_t));
    built.enclosing = arena_alloc_array(a, types, sizeof(uint32_t));
    built.type_generics = arena_alloc_array(a, types + 1, sizeof(uint32_t));
    built.generic_rows = arena_alloc_array(a, (size_t)md_row_count(view, MD_TABLE_GenericParam) + 1, sizeof(uint32_t));
    uint32_t *mark = arena_alloc_array(a, types, sizeof(uint32_t));
    if (!built.method_type || !built.method_semantics || !built.method_impl || !built.method_generics ||
        !built.enclosing || !built.type_generics || !built.generic_rows || !mark)
        return false;
    own_methods(&built, view);
    nest(&built, view, mark);
    group_generics(&built, view);
    find_roles(&built, view);
    *index = built;
    return true;
}

md_generics md_all_generic_params(const md_index *index, md_token owner) {
    uint32_t row = md_token_row(owner);
    const uint32_t *first = NULL;
    if (md_token_table(owner) == MD_TABLE_TypeDef && row - 1 < index->type_count)
        first = &index->type_generics[row];
    else if (md_token_table(owner) == MD_TABLE_MethodDef && row - 1 < index->method_count)
        first = &index->method_generics[row];
    return first ? (md_generics){index->generic_rows + first[0], first[1] - first[0]} : (md_generics){NULL, 0};
}

md_generics md_generic_params(const md_view *view, const md_index *index, md_token owner) {
    md_generics all = md_all_generic_params(index, owner);
    uint32_t enclosing = md_token_table(owner) == MD_TABLE_TypeDef ? md_enclosing_type(index, md_token_row(owner)) : 0;
    if (enclosing == 0 || all.count == 0)
        return all;
    /* The name says how many are the type's own; where it does not, what its enclosing type has is repeated. */
    size_t length;
    bytes name = {0};
    md_try_string(view, md_cell(view, MD_TypeDef_TypeName, md_token_row(owner)), &name);
    uint32_t own = md_name_arity(name, &length);
    uint32_t repeated = md_all_generic_params(index, md_token_of(MD_TABLE_TypeDef, enclosing)).count;
    if (own == 0)
        own = all.count > repeated ? all.count - repeated : 0;
    if (own > all.count)
        own = all.count;
    return (md_generics){all.rows + (all.count - own), own};
}

const char *md_association_name(const md_view *view, uint32_t semantics_row) {
    md_token association = md_cell_token(view, MD_MethodSemantics_Association, semantics_row);
    if (md_token_table(association) == MD_TABLE_Property)
        return md_name(view, MD_Property_Name, md_token_row(association));
    if (md_token_table(association) == MD_TABLE_Event)
        return md_name(view, MD_Event_Name, md_token_row(association));
    return "";
}

uint32_t md_name_arity(bytes name, size_t *base_length) {
    size_t at = name.size;
    while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
        at--;
    *base_length = name.size;
    if (at == 0 || at == name.size || name.size - at > 5 || name.data[at - 1] != '`')
        return 0;
    uint32_t arity = 0;
    for (size_t i = at; i < name.size; i++)
        arity = arity * 10 + (uint32_t)(name.data[i] - '0');
    if (arity != 0)
        *base_length = at - 1;
    return arity;
}
