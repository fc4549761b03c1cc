#include "metadata/names.h"
#include "metadata/flags.h"

enum {
    MAX_NAME_BYTES = 1023,       /* of one identifier */
    MAX_OUTPUT_BYTES = 16 << 10, /* of one call */
    MAX_DEPTH = MD_SIG_MAX_DEPTH,
    MAX_ENCLOSING = 32,
};

/* One call's work: where it writes, what VAR and MVAR mean, and what is left of its limits. */
typedef struct writer {
    buffer *b;
    const md_view *view;
    const md_index *index;
    uint32_t type_row, method_row;
    unsigned flags;
    unsigned depth;
    size_t limit; /* of b->size */
    bool cut;
    bool of_method;        /* what was written depends on the method or type at hand, not on the signature alone */
    md_known_names *known; /* NULL: none */
} writer;

static writer writer_of(buffer *b, const md_view *view, const md_index *index, uint32_t type_row, uint32_t method_row,
                        unsigned flags) {
    return (writer){.b = b,
                    .view = view,
                    .index = index,
                    .type_row = type_row,
                    .method_row = method_row,
                    .flags = flags,
                    .limit = b->size + MAX_OUTPUT_BYTES};
}

static __attribute__((noinline)) void put_any(writer *w, bytes text) {
    if (w->cut)
        return;
    if (text.size > MAX_NAME_BYTES)
        text.size = MAX_NAME_BYTES;
    if (text.size > w->limit - w->b->size) {
        w->cut = true;
        buffer_append(w->b, "…", strlen("…"));
        return;
    }
    buffer_append(w->b, text.data, text.size);
}

/* Nearly all texts are short, and there is room for them. */
static inline void put_bytes(writer *w, bytes text) {
    enum { FEW = 32 };
    buffer *b = w->b;
    if (text.size > FEW || w->cut || b->failed || w->limit - b->size < FEW || b->capacity - b->size < FEW) {
        put_any(w, text);
        return;
    }
    copy_run(b->data + b->size, text.data, text.size);
    b->size += text.size;
}

static inline void put(writer *w, const char *text) {
    put_bytes(w, (bytes){(const uint8_t *)text, strlen(text)});
}

static void put_number(writer *w, const char *before, uint32_t number) {
    char digits[10];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put(w, before);
    put_bytes(w, bytes_of(digits + at, sizeof digits - at));
}

static bytes name_of(const md_view *view, md_column column, uint32_t row) {
    bytes name;
    return md_try_string(view, md_cell(view, column, row), &name) ? name : (bytes){0};
}

static void put_generic(writer *w, uint32_t row, const char *fallback, uint32_t number) {
    bytes name = name_of(w->view, MD_GenericParam_Name, row);
    if (name.size)
        put_bytes(w, name);
    else
        put_number(w, fallback, number);
}

static void put_generics(writer *w, md_generics generics) {
    for (uint32_t i = 0; i < generics.count && !w->cut; i++) {
        put(w, i == 0 ? "<" : ", ");
        put_generic(w, generics.rows[i], "!", i);
    }
    if (generics.count)
        put(w, ">");
}

/* A generic parameter used in a signature: VAR of the type, MVAR of the method. */
static void put_variable(writer *w, md_generics generics, const char *fallback, uint32_t number) {
    w->of_method = true;
    put_generic(w, number < generics.count ? generics.rows[number] : 0, fallback, number);
}

/* ---- Types by row ---------------------------------------------------------------------------------------------- */

/* Where a type's name stands, and what it is nested in. */
typedef struct type_place {
    md_table_id table; /* TypeDef or TypeRef */
    uint32_t row;
} type_place;

static bytes place_name(const writer *w, type_place p) {
    bytes name = name_of(w->view, p.table == MD_TABLE_TypeDef ? MD_TypeDef_TypeName : MD_TypeRef_TypeName, p.row);
    return name.size ? name : bytes_of("?", 1);
}

static bytes place_namespace(const writer *w, type_place p) {
    return name_of(w->view, p.table == MD_TABLE_TypeDef ? MD_TypeDef_TypeNamespace : MD_TypeRef_TypeNamespace, p.row);
}

static bool try_outer(const writer *w, type_place *p) {
    if (p->table == MD_TABLE_TypeDef) {
        uint32_t enclosing = md_enclosing_type(w->index, p->row);
        if (enclosing == 0)
            return false;
        p->row = enclosing;
        return true;
    }
    md_token scope = md_cell_token(w->view, MD_TypeRef_ResolutionScope, p->row);
    if (md_token_table(scope) != MD_TABLE_TypeRef || !md_row_exists(w->view, MD_TABLE_TypeRef, md_token_row(scope)))
        return false;
    p->row = md_token_row(scope);
    return true;
}

static void put_type(writer *w, reader *r);

/* The next `count` type arguments of an instantiation. */
static void put_arguments(writer *w, reader *arguments, uint32_t count) {
    for (uint32_t i = 0; i < count && !w->cut && !arguments->failed; i++) {
        put(w, i == 0 ? "<" : ", ");
        put_type(w, arguments);
    }
    if (count)
        put(w, ">");
}

/* A type's name; `own` are its parameters when it is shown as defined, else the arguments (`left` of them) replace the
 * `N of each part of the name. */
static void put_place(writer *w, type_place inner, bool defined, reader *arguments, uint32_t left) {
    type_place chain[MAX_ENCLOSING];
    unsigned count = 0;
    chain[count++] = inner;
    while (count < MAX_ENCLOSING && try_outer(w, &inner))
        chain[count++] = inner;
    if (w->flags & MD_NAME_NAMESPACE) {
        bytes space = place_namespace(w, chain[count - 1]);
        if (space.size) {
            put_bytes(w, space);
            put(w, ".");
        }
    }
    for (unsigned i = count; i-- > 0 && !w->cut;) {
        bool shown = i == 0 || (w->flags & MD_NAME_ENCLOSING);
        bytes name = place_name(w, chain[i]);
        size_t length;
        uint32_t arity = md_name_arity(name, &length);
        md_generics own = {0};
        if (defined && chain[i].table == MD_TABLE_TypeDef)
            own = md_generic_params(w->view, w->index, md_token_of(MD_TABLE_TypeDef, chain[i].row));
        bool replaced = arguments ? arity != 0 && left != 0 : own.count != 0;
        if (shown)
            put_bytes(w, replaced ? (bytes){name.data, length} : name);
        if (arguments) {
            uint32_t taken = i == 0 ? left : arity < left ? arity : left;
            left -= taken;
            if (shown)
                put_arguments(w, arguments, taken);
            else
                for (; taken > 0 && !arguments->failed; taken--)
                    md_skip_type(arguments);
        } else if (shown) {
            put_generics(w, own);
        }
        if (shown && i > 0)
            put(w, ".");
    }
}

static bool is_system_type(const writer *w, md_token token, const char *name) {
    bool defined = md_token_table(token) == MD_TABLE_TypeDef;
    if (!defined && md_token_table(token) != MD_TABLE_TypeRef)
        return false;
    uint32_t row = md_token_row(token);
    return md_name_is(w->view, defined ? MD_TypeDef_TypeName : MD_TypeRef_TypeName, row, name) &&
           md_name_is(w->view, defined ? MD_TypeDef_TypeNamespace : MD_TypeRef_TypeNamespace, row, "System");
}

/* With `arguments`, of an instantiation, which are then read whatever the token is. */
static void put_token(writer *w, md_token token, reader *arguments, uint32_t count) {
    uint32_t row = md_token_row(token);
    md_table_id table = (md_table_id)md_token_table(token);
    bytes blob;
    if ((table == MD_TABLE_TypeDef || table == MD_TABLE_TypeRef) && md_row_exists(w->view, table, row)) {
        put_place(w, (type_place){table, row}, false, arguments, count);
        return;
    }
    if (table == MD_TABLE_TypeSpec && md_row_exists(w->view, table, row) &&
        md_try_blob(w->view, md_cell(w->view, MD_TypeSpec_Signature, row), &blob)) {
        reader r = reader_of(blob);
        put_type(w, &r);
    } else {
        put(w, "?");
    }
    if (arguments)
        put_arguments(w, arguments, count);
}

/* A type without arguments, copied where it stands already. */
static void put_plain_token(writer *w, md_token token) {
    enum { SPREAD = 0x9E3779B1u, BITS = 32, MOST_BYTES = 255 }; /* 2^32 by the golden ratio */
    const md_table_id table = (md_table_id)md_token_table(token);
    if (!w->known || (table != MD_TABLE_TypeDef && table != MD_TABLE_TypeRef)) {
        put_token(w, token, NULL, 0);
        return;
    }
    const uint32_t slot = token * SPREAD >> (BITS - MD_KNOWN_NAMES_BITS), size = w->known->slots[slot].size;
    buffer *b = w->b;
    if (w->known->slots[slot].token == token && size <= w->limit - b->size) {
        uint8_t *copy = buffer_extend(b, size);
        if (copy)
            copy_run(copy, b->data + w->known->slots[slot].at, size);
        return;
    }
    const size_t at = b->size;
    put_token(w, token, NULL, 0);
    if (w->cut || b->failed || b->size > UINT32_MAX || b->size - at > MOST_BYTES)
        return;
    w->known->slots[slot].token = token;
    w->known->slots[slot].at = (uint32_t)at;
    w->known->slots[slot].size = (uint32_t)(b->size - at);
}

/* ---- Types in signatures --------------------------------------------------------------------------------------- */

static void put_function_pointer(writer *w, reader *r) {
    static const char *const conventions[] = {"", "unmanaged[Cdecl]", "unmanaged[Stdcall]", "unmanaged[Thiscall]",
                                              "unmanaged[Fastcall]"};
    md_method_sig sig;
    if (!md_try_method_sig(r, &sig)) {
        put(w, "?");
        return;
    }
    unsigned kind = sig.convention & MD_SIG_KIND;
    put(w, "delegate*");
    if (kind == MD_SIG_UNMANAGED)
        put(w, " unmanaged");
    else if (kind > 0 && kind < sizeof conventions / sizeof conventions[0]) {
        put(w, " ");
        put(w, conventions[kind]);
    }
    /* C# writes the return type last; the signature has it first. */
    reader result = *r;
    md_skip_type(r);
    put(w, "<");
    for (uint32_t i = 0; i < sig.parameter_count && !r->failed && !w->cut; i++) {
        put_type(w, r);
        put(w, ", ");
    }
    put_type(w, &result);
    put(w, ">");
}

/* The rest of a general array, after the element type: rank, sizes, lower bounds. Returns the rank. */
static uint32_t read_array_shape(reader *r) {
    uint32_t rank = reader_compressed(r);
    uint32_t sizes = reader_compressed(r);
    for (uint32_t i = 0; i < sizes && !r->failed; i++)
        reader_compressed(r);
    uint32_t bounds = reader_compressed(r);
    for (uint32_t i = 0; i < bounds && !r->failed; i++)
        reader_compressed_signed(r);
    return rank;
}

/* C# writes the outermost array's brackets first, the signature has its shape last: int[][,] is an array of int[,].
 * `r` stands after the outermost element byte. */
static void put_array(writer *w, reader *r, unsigned element) {
    enum { VECTOR = 0 };
    uint32_t ranks[MAX_DEPTH]; /* outermost first */
    unsigned elements[MAX_DEPTH], levels = 0;
    elements[levels++] = element;
    md_skip_modifiers(r);
    while (levels < MAX_DEPTH && reader_left(r) && (*r->at == MD_ELEMENT_SZARRAY || *r->at == MD_ELEMENT_ARRAY)) {
        elements[levels++] = reader_u8(r);
        md_skip_modifiers(r);
    }
    put_type(w, r);
    for (unsigned i = levels; i-- > 0;)
        ranks[i] = elements[i] == MD_ELEMENT_ARRAY ? read_array_shape(r) : VECTOR;
    for (unsigned i = 0; i < levels; i++) {
        put(w, ranks[i] == 1 ? "[*" : "[");
        for (uint32_t rank = 1; rank < ranks[i] && rank < 32; rank++)
            put(w, ",");
        put(w, "]");
    }
}

static void put_instance(writer *w, reader *r) {
    reader_skip(r, 1); /* CLASS or VALUETYPE */
    md_token token = md_read_type_token(r);
    uint32_t count = reader_compressed(r);
    if (r->failed) {
        put(w, "?");
    } else if (count == 1 && is_system_type(w, token, "Nullable`1")) {
        put_type(w, r);
        put(w, "?");
    } else {
        put_token(w, token, r, count);
    }
}

static void put_nested(writer *w, reader *r) {
    unsigned element = reader_u8(r);
    const char *keyword = md_element_keyword(element);
    if (keyword) {
        put(w, r->failed ? "?" : keyword);
        return;
    }
    switch (element) {
    case MD_ELEMENT_CMOD_REQD:
    case MD_ELEMENT_CMOD_OPT:
        md_read_type_token(r);
        put_type(w, r);
        return;
    case MD_ELEMENT_SENTINEL:
    case MD_ELEMENT_PINNED:
        put_type(w, r);
        return;
    case MD_ELEMENT_PTR:
        put_type(w, r);
        put(w, "*");
        return;
    case MD_ELEMENT_BYREF:
        put(w, "ref ");
        put_type(w, r);
        return;
    case MD_ELEMENT_SZARRAY:
    case MD_ELEMENT_ARRAY:
        put_array(w, r, element);
        return;
    case MD_ELEMENT_VALUETYPE:
    case MD_ELEMENT_CLASS: {
        md_token token = md_read_type_token(r);
        if (element == MD_ELEMENT_VALUETYPE && is_system_type(w, token, "Decimal"))
            put(w, "decimal");
        else
            put_plain_token(w, token);
        return;
    }
    case MD_ELEMENT_GENERICINST:
        put_instance(w, r);
        return;
    case MD_ELEMENT_VAR:
        put_variable(w, md_all_generic_params(w->index, md_token_of(MD_TABLE_TypeDef, w->type_row)), "!",
                     reader_compressed(r));
        return;
    case MD_ELEMENT_MVAR:
        put_variable(w, md_all_generic_params(w->index, md_token_of(MD_TABLE_MethodDef, w->method_row)), "!!",
                     reader_compressed(r));
        return;
    case MD_ELEMENT_FNPTR:
        put_function_pointer(w, r);
        return;
    default:
        r->failed = true;
        r->at = r->end;
        put(w, "?");
        return;
    }
}

static void put_type(writer *w, reader *r) {
    if (w->cut || w->depth >= MAX_DEPTH) {
        put(w, "…");
        w->cut = true;
        return;
    }
    w->depth++;
    put_nested(w, r);
    w->depth--;
}

/* ---- Methods --------------------------------------------------------------------------------------------------- */

/* `ref`, `out` or `in` of a by-reference parameter, from its Param row; `sequence` counts from 1. */
static const char *by_reference(const writer *w, uint32_t sequence) {
    md_run run = md_list(w->view, MD_MethodDef_ParamList, w->method_row);
    for (uint32_t at = run.first; at < run.end && at - run.first <= sequence; at++) {
        uint32_t row = md_run_row(w->view, &run, at);
        if (md_cell(w->view, MD_Param_Sequence, row) != sequence)
            continue;
        switch (md_cell(w->view, MD_Param_Flags, row) & (MD_PARAM_IN | MD_PARAM_OUT)) {
        case MD_PARAM_OUT:
            return "out ";
        case MD_PARAM_IN:
            return "in ";
        default:
            return "ref ";
        }
    }
    return "ref ";
}

/* The parameters of a method signature; by_reference only for a MethodDef's own. */
static void put_signature(writer *w, bytes signature, bool own) {
    reader r = reader_of(signature);
    md_method_sig sig;
    if (!md_try_method_sig(&r, &sig) || !md_skip_type(&r)) {
        put(w, "?");
        return;
    }
    for (uint32_t i = 0; i < sig.parameter_count && !w->cut && !r.failed; i++) {
        if (i > 0)
            put(w, ", ");
        md_skip_modifiers(&r);
        if (own && reader_left(&r) && *r.at == MD_ELEMENT_BYREF) {
            reader_skip(&r, 1);
            put(w, by_reference(w, i + 1));
            w->of_method = true;
        }
        put_type(w, &r);
    }
    if (own && (sig.convention & MD_SIG_KIND) == MD_SIG_VARARG)
        put(w, sig.parameter_count ? ", __arglist" : "__arglist");
}

static void put_parameters(writer *w) {
    bytes blob;
    if (md_try_blob(w->view, md_cell(w->view, MD_MethodDef_Signature, w->method_row), &blob))
        put_signature(w, blob, true);
    else
        put(w, "?");
}

static void put_method(writer *w, const char *name) {
    put_bytes(w, name[0] ? bytes_of(name, strlen(name)) : bytes_of("?", 1));
    put_generics(w, md_all_generic_params(w->index, md_token_of(MD_TABLE_MethodDef, w->method_row)));
    put(w, "(");
    unsigned flags = w->flags;
    w->flags = MD_NAME_ENCLOSING;
    put_parameters(w);
    w->flags = flags;
    put(w, ")");
}

/* ---- The functions of the header ------------------------------------------------------------------------------- */

void md_append_type_name(buffer *b, const md_view *view, const md_index *index, uint32_t typedef_row, unsigned flags) {
    writer w = writer_of(b, view, index, typedef_row, 0, flags);
    if (md_row_exists(view, MD_TABLE_TypeDef, typedef_row))
        put_place(&w, (type_place){MD_TABLE_TypeDef, typedef_row}, true, NULL, 0);
    else
        put(&w, "?");
}

void md_append_type_token(buffer *b, const md_view *view, const md_index *index, md_token token, uint32_t type_row,
                          uint32_t method_row, unsigned flags) {
    writer w = writer_of(b, view, index, type_row, method_row, flags);
    put_token(&w, token, NULL, 0);
}

void md_append_type(buffer *b, const md_view *view, const md_index *index, reader *r, uint32_t type_row,
                    uint32_t method_row, unsigned flags) {
    /* The text may be cut short; the reader always ends after the type. */
    reader past = *r;
    writer w = writer_of(b, view, index, type_row, method_row, flags);
    put_type(&w, r);
    md_skip_type(&past);
    *r = past;
}

void md_append_parameters(buffer *b, const md_view *view, const md_index *index, uint32_t method_row) {
    md_append_parameters_known(b, view, index, method_row, NULL);
}

bool md_append_parameters_known(buffer *b, const md_view *view, const md_index *index, uint32_t method_row,
                                md_known_names *known) {
    writer w = writer_of(b, view, index, md_method_type(index, method_row), method_row, MD_NAME_ENCLOSING);
    w.known = known;
    put_parameters(&w);
    return !w.of_method;
}

void md_append_method_name(buffer *b, const md_view *view, const md_index *index, uint32_t method_row) {
    writer w = writer_of(b, view, index, md_method_type(index, method_row), method_row, MD_NAME_ENCLOSING);
    put_method(&w, md_name(view, MD_MethodDef_Name, method_row));
}

void md_append_full_method_name(buffer *b, const md_view *view, const md_index *index, uint32_t method_row) {
    uint32_t type = md_method_type(index, method_row);
    writer w = writer_of(b, view, index, type, method_row, MD_NAME_FULL);
    const char *name = md_name(view, MD_MethodDef_Name, method_row);
    if (type != 0) {
        put_place(&w, (type_place){MD_TABLE_TypeDef, type}, true, NULL, 0);
        if (name[0] != '.')
            put(&w, ".");
    }
    put_method(&w, name);
}

void md_append_signature_parameters(buffer *b, const md_view *view, const md_index *index, bytes signature) {
    writer w = writer_of(b, view, index, 0, 0, MD_NAME_ENCLOSING);
    put_signature(&w, signature, false);
}
