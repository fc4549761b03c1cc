#include "output/site_list.h"

#include "input/budget.h"
#include "metadata/names.h"
#include "metadata/types.h"

#include <stdlib.h>

/* The sites' types as texts, each once. */
typedef struct type_names {
    buffer texts; /* strz one after another */
    uint32_t count;
    uint32_t *slots;  /* a hash table of 1 + index; a power of two */
    uint32_t *starts; /* by index */
    uint32_t capacity;
} type_names;

static uint32_t hash_of(const uint8_t *text, size_t size) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ text[i]) * 16777619u;
    return hash;
}

/* The index of the text that stands from `start` on at the end of n->texts, and is taken away again when it is known.
 */
static uint32_t index_of(type_names *n, size_t start) {
    const uint8_t *text = n->texts.data + start;
    uint32_t slot = hash_of(text, n->texts.size - start) & (n->capacity - 1);
    for (; n->slots[slot]; slot = (slot + 1) & (n->capacity - 1)) {
        const uint8_t *known = n->texts.data + n->starts[n->slots[slot] - 1];
        if (strcmp((const char *)known, (const char *)text) == 0) {
            n->texts.size = start;
            return n->slots[slot] - 1;
        }
    }
    n->starts[n->count] = (uint32_t)start;
    n->slots[slot] = ++n->count;
    return n->count - 1;
}

/* Types that C# has a word for, as signatures name them. */
static const char *keyword_of(const md_view *v, md_token type) {
    static const struct {
        const char *name;
        md_element element;
    } words[] = {{"Boolean", MD_ELEMENT_BOOLEAN}, {"Char", MD_ELEMENT_CHAR},    {"SByte", MD_ELEMENT_I1},
                 {"Byte", MD_ELEMENT_U1},         {"Int16", MD_ELEMENT_I2},     {"UInt16", MD_ELEMENT_U2},
                 {"Int32", MD_ELEMENT_I4},        {"UInt32", MD_ELEMENT_U4},    {"Int64", MD_ELEMENT_I8},
                 {"UInt64", MD_ELEMENT_U8},       {"Single", MD_ELEMENT_R4},    {"Double", MD_ELEMENT_R8},
                 {"String", MD_ELEMENT_STRING},   {"Object", MD_ELEMENT_OBJECT}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (md_type_is(v, type, "System", words[i].name))
            return md_element_keyword(words[i].element);
    return NULL;
}

/* The object's type in full: of an array that newarr makes with the brackets after the element. */
static void append_name(buffer *b, const allocations *a, const allocation_site *s) {
    const md_view *v = &a->image->metadata;
    const md_index *index = &a->image->index;
    size_t start = b->size;
    const char *keyword = keyword_of(v, s->type);
    bytes instantiation;
    if (keyword) {
        buffer_string(b, keyword);
    } else if (md_token_table(s->type) == MD_TABLE_MethodSpec &&
               md_try_blob(v, md_cell(v, MD_MethodSpec_Instantiation, md_token_row(s->type)), &instantiation)) {
        reader r = reader_of(instantiation);
        reader_skip(&r, 2); /* convention, number of arguments */
        md_append_type(b, v, index, &r, md_method_type(index, s->row), s->row, MD_NAME_FULL);
    } else
        md_append_type_token(b, v, index, s->type, md_method_type(index, s->row), s->row, MD_NAME_FULL);
    if (!b->failed)
        b->size = start + budget_name((const char *)b->data + start, b->size - start);
    if (s->kind == ALLOCATION_ARRAY)
        buffer_append(b, "[]", 2);
    buffer_u8(b, 0);
}

static void append_sites(buffer *data, type_names *n, const allocations *a) {
    uint32_t count = allocations_count(a), id = 0;
    const allocation_site *sites = (const allocation_site *)(const void *)a->sites.data;
    buffer types = BUFFER_INIT;
    for (uint32_t i = 0; i < count && !n->texts.failed; i++) {
        size_t start = n->texts.size;
        append_name(&n->texts, a, &sites[i]);
        buffer_varuint(&types, n->texts.failed ? 0 : index_of(n, start));
    }
    buffer_varuint(data, n->count);
    buffer_append(data, n->texts.data, n->texts.size);
    buffer_varuint(data, count);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varuint(data, sites[i].id - id);
        id = sites[i].id;
    }
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(data, sites[i].offset);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(data, (uint32_t)sites[i].kind);
    buffer_append(data, types.data, types.size);
    data->failed |= types.failed | n->texts.failed;
    buffer_clear(&types);
}

ecma_status site_list_append(buffer *data, const allocations *a) {
    type_names n = {.texts = BUFFER_INIT, .capacity = 16};
    n.texts.most = data->most;
    while (n.capacity < 2 * allocations_count(a))
        n.capacity *= 2;
    n.slots = calloc(n.capacity, sizeof *n.slots);
    n.starts = calloc(n.capacity, sizeof *n.starts);
    if (n.slots && n.starts)
        append_sites(data, &n, a);
    bool memory = n.slots && n.starts;
    free(n.slots);
    free(n.starts);
    buffer_clear(&n.texts);
    if (!memory)
        return diag_no_memory(&a->image->diag);
    return data->failed ? budget_failed(data, &a->image->diag) : ECMA_OK;
}
