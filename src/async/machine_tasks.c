#include "async/machine_tasks.h"

#include "async/machine_sites.h"
#include "metadata/signature.h"

/* A getter of a builder's Task: on which type, and its signature, which is the same on every instantiation. */
typedef struct getter {
    md_token member; /* MemberRef or MethodDef */
    md_token type;   /* that it is named on */
    md_token definition;
    uint32_t signature; /* blob */
} getter;

/* The findings for one type of builder, as a call names it. */
typedef struct found {
    md_token builder_type;
    md_token get_task, as_task;
    bytes value_task;
} found;

typedef struct search {
    ilj_image *image;
    md_edit *edit;
    buffer getters;
    found *known; /* in no order: a module has few builders' types, and neighbours mostly the same one */
    uint32_t known_count;
    buffer scratch;
} search;

static void add_getter(search *s, md_token member, uint32_t signature) {
    md_token type = md_member_type(&s->image->metadata, &s->image->index, member);
    const getter found = {member, type, md_type_definition(&s->image->metadata, type), signature};
    buffer_append(&s->getters, &found, sizeof found);
}

/* Those among the rows of a table. */
static void find_getters_in(search *s, md_table_id table, md_column name, md_column signature) {
    const md_view *v = &s->image->metadata;
    md_cells names = md_cells_of(v, name);
    for (uint32_t row = 1; row <= names.row_count; row++) {
        const char *text = md_string_at(v, md_cells_take(&names));
        if (text[0] != 'g' || text[1] != 'e' || text[2] != 't' || text[3] != '_' || text[4] != 'T' ||
            strcmp(text, "get_Task") != 0) /* many are properties */
            continue;
        add_getter(s, md_token_of(table, row), md_cell(v, signature, row));
    }
}

static bool find_getters(search *s, bool own_builders) {
    find_getters_in(s, MD_TABLE_MemberRef, MD_MemberRef_Name, MD_MemberRef_Signature);
    if (own_builders)
        find_getters_in(s, MD_TABLE_MethodDef, MD_MethodDef_Name, MD_MethodDef_Signature);
    return !s->getters.failed;
}

/* The first argument of an instantiated type, as it stands in the signature of a TypeSpec. */
static bool first_argument(const md_view *v, md_token type, bytes *argument) {
    bytes signature;
    if (md_token_table(type) != MD_TABLE_TypeSpec ||
        !md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, md_token_row(type)), &signature))
        return false;
    reader r = reader_of(signature);
    reader_skip(&r, 2); /* GENERICINST, CLASS or VALUETYPE */
    md_read_type_token(&r);
    if (reader_compressed(&r) != 1)
        return false;
    argument->data = r.at;
    if (!md_skip_type(&r))
        return false;
    argument->size = (size_t)(r.at - argument->data);
    return true;
}

static md_token type_spec(search *s, bytes signature) {
    const md_view *v = &s->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeSpec); row++) {
        bytes other;
        if (md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, row), &other) && other.size == signature.size &&
            memcmp(other.data, signature.data, signature.size) == 0)
            return md_token_of(MD_TABLE_TypeSpec, row);
    }
    uint32_t blob = md_edit_blob(s->edit, signature);
    return md_edit_row(s->edit, MD_TABLE_TypeSpec, &blob);
}

static bool keep(search *s, bytes *kept) {
    bytes made = buffer_bytes(&s->scratch);
    uint8_t *copy = s->scratch.failed ? NULL : arena_alloc(&s->image->arena, made.size);
    if (!copy)
        return false;
    memcpy(copy, made.data, made.size);
    *kept = bytes_of(copy, made.size);
    return true;
}

/* ValueTask.AsTask, by the type that the getter returns: in f, the method and the type as locals have it. Left out when
 * something is not as it is known. false: no memory. */
static bool find_as_task(search *s, const getter *get, found *f) {
    const md_view *v = &s->image->metadata;
    bytes signature, argument = {0};
    if (!md_try_blob(v, get->signature, &signature))
        return true;
    reader r = reader_of(signature);
    reader_skip(&r, 2); /* convention, number of parameters */
    unsigned element = reader_u8(&r);
    bool generic = element == MD_ELEMENT_GENERICINST;
    if (generic)
        element = reader_u8(&r);
    md_token value_task = md_read_type_token(&r);
    if (r.failed || element != MD_ELEMENT_VALUETYPE ||
        !md_type_is(v, value_task, "System.Threading.Tasks", generic ? "ValueTask`1" : "ValueTask") ||
        (generic && !first_argument(v, f->builder_type, &argument)))
        return true;
    md_token task = references_core_type(s->edit, "System.Threading.Tasks", generic ? "Task`1" : "Task");
    if (!task)
        return true;

    buffer *b = &s->scratch;
    b->size = 0;
    if (generic)
        buffer_u8(b, MD_ELEMENT_GENERICINST);
    buffer_u8(b, MD_ELEMENT_VALUETYPE);
    buffer_compressed(b, md_coded_encode(MD_CODED_TypeDefOrRef, value_task));
    if (generic) {
        buffer_compressed(b, 1);
        buffer_append(b, argument.data, argument.size);
    }
    if (!keep(s, &f->value_task))
        return false;
    md_token type = generic ? type_spec(s, f->value_task) : value_task;

    b->size = 0;
    buffer_u8(b, MD_SIG_HASTHIS);
    buffer_compressed(b, 0);
    if (generic)
        buffer_u8(b, MD_ELEMENT_GENERICINST);
    buffer_u8(b, MD_ELEMENT_CLASS);
    buffer_compressed(b, md_coded_encode(MD_CODED_TypeDefOrRef, task));
    if (generic)
        buffer_append(b, (uint8_t[]){1, MD_ELEMENT_VAR, 0}, 3);
    if (b->failed)
        return false;
    f->as_task = references_member(s->edit, type, "AsTask", buffer_bytes(b));
    return true;
}

/* The task of a builder that is named so. false: no memory. */
static bool find_task(search *s, machine_builder builder, found *f) {
    const getter *of_definition = NULL;
    md_token definition = md_type_definition(&s->image->metadata, f->builder_type);
    for (size_t at = 0; at < s->getters.size; at += sizeof(getter)) {
        const getter *g = (const getter *)(const void *)(s->getters.data + at);
        if (g->definition != definition)
            continue;
        if (!of_definition || g->type == f->builder_type)
            of_definition = g;
        if (g->type == f->builder_type)
            break;
    }
    if (!of_definition)
        return true;
    if (builder == MACHINE_BUILDER_VALUE_TASK) {
        if (!find_as_task(s, of_definition, f))
            return false;
        if (!f->as_task)
            return true;
    }
    if (of_definition->type == f->builder_type) {
        f->get_task = of_definition->member;
    } else {
        uint32_t row[] = {md_coded_encode(MD_CODED_MemberRefParent, f->builder_type),
                          md_edit_string(s->edit, "get_Task"), of_definition->signature};
        f->get_task = md_edit_row(s->edit, MD_TABLE_MemberRef, row);
    }
    return true;
}

static bool find_all(search *s, state_machines *m) {
    s->known = arena_alloc_array(&s->image->arena, m->count + 1u, sizeof *s->known);
    bool own_builders = false; /* the core library's, or a copy of its types */
    for (uint32_t i = 0; i < m->count; i++)
        own_builders |=
            md_token_table(md_type_definition(&s->image->metadata, m->list[i].builder_type)) == MD_TABLE_TypeDef;
    if (!s->known || !find_getters(s, own_builders))
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        state_machine *one = &m->list[i];
        if (one->is_class || !state_machine_has_events(one))
            continue;
        one->by_builder = state_machine_has_builder(one);
        if (one->builder == MACHINE_BUILDER_OTHER)
            continue;
        uint32_t at = s->known_count;
        while (at > 0 && s->known[at - 1].builder_type != one->builder_type)
            at--;
        found *f = at ? &s->known[at - 1] : &s->known[s->known_count++];
        if (!at) {
            f->builder_type = one->builder_type;
            if (!find_task(s, one->builder, f))
                return false;
        }
        one->get_task = f->get_task;
        one->by_builder &= !f->get_task;
        one->as_task = f->as_task;
        one->value_task = f->value_task;
    }
    return true;
}

bool machine_tasks_want_builders(const state_machines *m) {
    bool any = false;
    for (uint32_t i = 0; i < m->count && !any; i++)
        any = m->list[i].by_builder;
    return any;
}

ecma_status machine_tasks_find(state_machines *m, ilj_image *image, md_edit *edit) {
    search s = {.image = image, .edit = edit};
    bool found_all = find_all(&s, m);
    buffer_clear(&s.getters);
    buffer_clear(&s.scratch);
    return found_all ? ECMA_OK : diag_no_memory(&image->diag);
}
