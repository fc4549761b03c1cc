#include "tracker/tracker.h"

#include "metadata/flags.h"
#include "metadata/signature.h"
#include "pe/strong_name.h"

bool tracker_is_told_of_machines(const tracker *t) {
    bool told = false;
    for (unsigned i = 0; i < TRACKER_METHODS; i++) {
        const tracker_group group = tracker_methods[i].group;
        bool tells =
            group == TRACKER_GROUP_MACHINES || group == TRACKER_GROUP_BUILDERS || group == TRACKER_GROUP_HOLDERS;
        told |= t->has[i] && tells;
    }
    return told;
}

static const char known_shapes[] =
    "known are WhenEnteringMethod with (), (int32), (string) or (RuntimeMethodHandle), returning void or a token, "
    "and WhenLeavingMethod with the token, or without one (), (int32), (string) or (RuntimeMethodHandle), returning "
    "void; after that enter may take an object[], the arguments, and leave an object or the T of a generic method, "
    "the result";

/* The type of one parameter or return value. */
typedef enum value_kind {
    VALUE_VOID,
    VALUE_PRIMITIVE,
    VALUE_METHOD_HANDLE,
    VALUE_TYPE_HANDLE,
    VALUE_OBJECTS,       /* object[] */
    VALUE_TYPE_ARGUMENT, /* of the method */
    VALUE_OTHER
} value_kind;

typedef struct value {
    value_kind kind;
    uint8_t element; /* VALUE_PRIMITIVE: strings and objects too */
} value;

static bool is_system_type(const md_view *v, md_token token, const char *name) {
    uint32_t row = md_token_row(token);
    if (md_token_table(token) == MD_TABLE_TypeRef)
        return md_name_is(v, MD_TypeRef_TypeNamespace, row, "System") && md_name_is(v, MD_TypeRef_TypeName, row, name);
    return md_token_table(token) == MD_TABLE_TypeDef && md_name_is(v, MD_TypeDef_TypeNamespace, row, "System") &&
           md_name_is(v, MD_TypeDef_TypeName, row, name);
}

static value read_value(const md_view *v, reader *r) {
    value found = {VALUE_OTHER, 0};
    reader peek = *r;
    uint8_t element = reader_u8(&peek);
    if (element == MD_ELEMENT_VOID) {
        found.kind = VALUE_VOID;
    } else if ((element >= MD_ELEMENT_BOOLEAN && element <= MD_ELEMENT_STRING) || element == MD_ELEMENT_I ||
               element == MD_ELEMENT_U || element == MD_ELEMENT_OBJECT) {
        found = (value){VALUE_PRIMITIVE, element};
    } else if (element == MD_ELEMENT_VALUETYPE) {
        md_token token = md_read_type_token(&peek);
        if (is_system_type(v, token, "RuntimeMethodHandle"))
            found.kind = VALUE_METHOD_HANDLE;
        else if (is_system_type(v, token, "RuntimeTypeHandle"))
            found.kind = VALUE_TYPE_HANDLE;
    } else if (element == MD_ELEMENT_SZARRAY && reader_left(&peek) && *peek.at == MD_ELEMENT_OBJECT) {
        found.kind = VALUE_OBJECTS;
    } else if (element == MD_ELEMENT_MVAR) {
        found.kind = VALUE_TYPE_ARGUMENT;
    }
    md_skip_type(r);
    return found;
}

/* A method of the tracker type with at most two parameters. */
typedef struct shape {
    unsigned found; /* overloads with this name */
    bool usable;    /* public, static, understood, not generic but with one type parameter that may be anything */
    bool generic;
    value result;
    uint32_t parameter_count;
    value parameters[2];
} shape;

static bool is_int32(const value *v) {
    return v->kind == VALUE_PRIMITIVE && v->element == MD_ELEMENT_I4;
}

/* True if the method has one type parameter, which takes every type. */
static bool takes_every_type(const md_view *v, uint32_t method) {
    uint32_t own = 0, owner = md_coded_encode(MD_CODED_TypeOrMethodDef, md_token_of(MD_TABLE_MethodDef, method));
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_GenericParam); row++)
        if (md_cell(v, MD_GenericParam_Owner, row) == owner)
            own = row;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_GenericParamConstraint); row++)
        if (md_cell(v, MD_GenericParamConstraint_Owner, row) == own)
            return false;
    return own && !(md_cell(v, MD_GenericParam_Flags, own) & MD_GENERIC_PARAM_SPECIAL_CONSTRAINTS);
}

static void read_shape(shape *s, const md_view *v, uint32_t method) {
    uint32_t flags = md_cell(v, MD_MethodDef_Flags, method);
    bytes signature;
    md_method_sig head;
    s->found++;
    if ((flags & MD_METHOD_ACCESS_MASK) != MD_METHOD_PUBLIC || !(flags & MD_METHOD_STATIC) ||
        !md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature))
        return;
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &head) || head.parameter_count > 2)
        return;
    s->generic = head.convention == MD_SIG_GENERIC && head.generic_count == 1 && takes_every_type(v, method);
    if (head.convention != MD_SIG_DEFAULT && !s->generic)
        return;
    s->result = read_value(v, &r);
    s->parameter_count = head.parameter_count;
    for (uint32_t i = 0; i < head.parameter_count; i++)
        s->parameters[i] = read_value(v, &r);
    s->usable = !r.failed;
}

/* Takes the last parameter off the shape when it is of this kind. */
static bool takes_last(shape *s, value_kind kind, uint8_t element) {
    if (!s->usable || s->parameter_count == 0)
        return false;
    const value *last = &s->parameters[s->parameter_count - 1];
    if (last->kind != kind || (kind == VALUE_PRIMITIVE && last->element != element))
        return false;
    s->parameter_count--;
    return true;
}

/* How leave takes the result, which comes off its shape. The only parameter is the token when there is one. */
static tracker_result take_result(shape *leave, bool has_token) {
    if (leave->generic)
        return takes_last(leave, VALUE_TYPE_ARGUMENT, 0) ? TRACKER_TYPED : TRACKER_NO_RESULT;
    bool may = leave->parameter_count > (has_token ? 1 : 0);
    return may && takes_last(leave, VALUE_PRIMITIVE, MD_ELEMENT_OBJECT) ? TRACKER_OBJECT_RESULT : TRACKER_NO_RESULT;
}

static bool argument_of(const shape *s, tracker_argument *argument) {
    if (!s->usable || s->parameter_count > 1)
        return false;
    if (s->parameter_count == 0)
        *argument = TRACKER_NOTHING;
    else if (s->parameters[0].kind == VALUE_METHOD_HANDLE)
        *argument = TRACKER_HANDLE;
    else if (s->parameters[0].kind == VALUE_PRIMITIVE && s->parameters[0].element == MD_ELEMENT_I4)
        *argument = TRACKER_ID;
    else if (s->parameters[0].kind == VALUE_PRIMITIVE && s->parameters[0].element == MD_ELEMENT_STRING)
        *argument = TRACKER_NAME;
    else
        return false;
    return true;
}

static ecma_status read_identity(tracker *t, const md_view *v, diag *d) {
    if (!md_row_exists(v, MD_TABLE_Assembly, 1))
        return diag_report(d, DIAG_TRACKER, "a module without an assembly manifest cannot be a tracker");
    t->assembly_name = md_name(v, MD_Assembly_Name, 1);
    t->culture = md_name(v, MD_Assembly_Culture, 1);
    static const md_column parts[4] = {MD_Assembly_MajorVersion, MD_Assembly_MinorVersion, MD_Assembly_BuildNumber,
                                       MD_Assembly_RevisionNumber};
    for (int i = 0; i < 4; i++)
        t->version[i] = (uint16_t)md_cell(v, parts[i], 1);
    bytes key;
    if (md_try_blob(v, md_cell(v, MD_Assembly_PublicKey, 1), &key) && key.size) {
        pe_public_key_token(key, t->public_key_token);
        t->has_public_key = true;
    }
    return ECMA_OK;
}

/* Splits a full name at its last dot and finds the TypeDef row; 0 when there is none. */
static uint32_t find_type(tracker *t, ilj_image *image, const char *type) {
    const char *dot = strrchr(type, '.');
    size_t namespace_size = dot ? (size_t)(dot - type) : 0;
    char *namespace = arena_alloc(&image->arena, namespace_size + 1);
    if (!namespace)
        return 0;
    memcpy(namespace, type, namespace_size);
    for (uint32_t row = 1; row <= md_row_count(&image->metadata, MD_TABLE_TypeDef); row++)
        if (md_name_is(&image->metadata, MD_TypeDef_TypeName, row, dot ? dot + 1 : type) &&
            md_name_is(&image->metadata, MD_TypeDef_TypeNamespace, row, namespace)) {
            t->type_namespace = md_name(&image->metadata, MD_TypeDef_TypeNamespace, row);
            t->type_name = md_name(&image->metadata, MD_TypeDef_TypeName, row);
            return row;
        }
    return 0;
}

static bool same_value(const value *a, const value *b) {
    return a->kind == b->kind && (a->kind != VALUE_PRIMITIVE || a->element == b->element);
}

/* True if the method has the shape that its row and WhenLeavingMethod's parameters require. */
static bool is_guard_shape(const shape *s, const tracker_guard_row *row, const shape *leave) {
    uint32_t first = row->takes_exception ? 1 : 0;
    bool result = row->result == MD_ELEMENT_VOID
                      ? s->result.kind == VALUE_VOID
                      : s->result.kind == VALUE_PRIMITIVE && s->result.element == row->result;
    if (s->found != 1 || !s->usable || s->generic || !result || s->parameter_count != first + leave->parameter_count)
        return false;
    if (first && (s->parameters[0].kind != VALUE_PRIMITIVE || s->parameters[0].element != MD_ELEMENT_OBJECT))
        return false;
    for (uint32_t i = 0; i < leave->parameter_count; i++)
        if (!same_value(&s->parameters[first + i], &leave->parameters[i]))
            return false;
    return true;
}

/* True if the module's method has this row's name and signature. */
static bool is_method(const md_view *v, uint32_t method, const tracker_method *row) {
    bytes signature;
    return md_name_is(v, MD_MethodDef_Name, method, row->name) &&
           md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) &&
           bytes_equal(signature, bytes_of(row->signature, row->signature_size));
}

static bool is_public_static(const md_view *v, uint32_t method) {
    uint32_t flags = md_cell(v, MD_MethodDef_Flags, method);
    return (flags & MD_METHOD_ACCESS_MASK) == MD_METHOD_PUBLIC && flags & MD_METHOD_STATIC;
}

/* True if events of async code can name their call by a number. */
static bool takes_numbers(const tracker *t) {
    return t->enter == TRACKER_ID && !t->takes_arguments && t->result == TRACKER_NO_RESULT &&
           t->token_element == MD_ELEMENT_I4;
}

/* Looks which of the rows the type has. One of another shape is none, or of the rows that count alone an error. */
static ecma_status read_methods(tracker *t, const md_view *v, md_run methods, const char *type, diag *d) {
    for (uint32_t at = methods.first; at < methods.end; at++) {
        uint32_t method = md_run_row(v, &methods, at);
        const char *name = md_name(v, MD_MethodDef_Name, method);
        for (unsigned i = 0; i < TRACKER_METHODS; i++) {
            const tracker_method *row = &tracker_methods[i];
            if (name[0] != row->name[0] || strcmp(name, row->name) != 0)
                continue;
            bool fits = is_public_static(v, method) && is_method(v, method, row);
            bool alone = tracker_group_requires[row->group] & TRACKER_REQUIRES_ALONE;
            if (alone && (!fits || t->has[i] || !takes_numbers(t)))
                return diag_report(d, DIAG_TRACKER_SHAPE,
                                   "%s.%s has a shape that is not known; it must be one public static %s, beside an "
                                   "int32 WhenEnteringMethod(int32) and a WhenLeavingMethod(int32)",
                                   type, row->name, row->shape);
            t->has[i] |= fits;
        }
    }
    return ECMA_OK;
}

/* True if the type has a CanCallValue. Its signature names a type of the tracker's core library. */
static bool can_call_value(const md_view *v, md_run methods) {
    bool can = false;
    for (uint32_t at = methods.first; at < methods.end; at++)
        can |= md_name_is(v, MD_MethodDef_Name, md_run_row(v, &methods, at), "CanCallValue");
    return can;
}

/* Which groups are there whole, with what they require? */
static void judge_groups(tracker *t, const md_view *v, md_run methods) {
    const unsigned given = (t->registers ? TRACKER_REQUIRES_REGISTERS : 0u) |
                           (t->token_element == MD_ELEMENT_I4 ? TRACKER_REQUIRES_INT_TOKEN : 0u) |
                           (t->takes_arguments ? 0u : TRACKER_REQUIRES_NO_ARGUMENTS) | TRACKER_REQUIRES_ALONE;
    for (unsigned group = 0; group < TRACKER_GROUPS; group++)
        t->can[group] = (tracker_group_requires[group] & ~given) == 0;
    for (unsigned i = 0; i < TRACKER_METHODS; i++)
        t->can[tracker_methods[i].group] &= t->has[i];
    t->can[TRACKER_GROUP_CAPTURE] &= can_call_value(v, methods);
    t->can[TRACKER_GROUP_AWAITED] &= t->can[TRACKER_GROUP_CAPTURE];
    t->can[TRACKER_GROUP_CREATING] &= t->can[TRACKER_GROUP_ALLOCATIONS];
}

ecma_status tracker_count_only(tracker *t, diag *d) {
    if (!t->can[TRACKER_GROUP_COUNTING])
        return diag_report(d, DIAG_TRACKER_SHAPE,
                           "%s has no 'void WhenCounting(int32)' beside a Register, which counting calls needs",
                           t->type_name);
    tracker made = {.file = t->file,
                    .assembly_name = t->assembly_name,
                    .culture = t->culture,
                    .has_public_key = t->has_public_key,
                    .type_namespace = t->type_namespace,
                    .type_name = t->type_name,
                    .enter = TRACKER_ID,
                    .leave = TRACKER_NOTHING,
                    .token_element = MD_ELEMENT_VOID,
                    .registers = true,
                    .only_counts = true};
    made.can[TRACKER_GROUP_SETTINGS] = t->can[TRACKER_GROUP_SETTINGS];
    memcpy(made.version, t->version, sizeof made.version);
    memcpy(made.public_key_token, t->public_key_token, sizeof made.public_key_token);
    *t = made;
    return ECMA_OK;
}

/* The methods with shapes that follow the tracker's own. */
typedef struct shapes {
    shape enter, leave, registering, guard[TRACKER_GUARD_METHODS];
} shapes;

static void read_shapes(shapes *s, const md_view *v, md_run methods) {
    const struct {
        const char *name;
        shape *of;
    } named[] = {{"WhenEnteringMethod", &s->enter}, {"WhenLeavingMethod", &s->leave}, {"Register", &s->registering}};
    for (uint32_t i = methods.first; i < methods.end; i++) {
        uint32_t method = md_run_row(v, &methods, i);
        for (size_t k = 0; k < sizeof named / sizeof *named; k++)
            if (md_name_is(v, MD_MethodDef_Name, method, named[k].name))
                read_shape(named[k].of, v, method);
        for (unsigned g = 0; g < TRACKER_GUARD_METHODS; g++)
            if (md_name_is(v, MD_MethodDef_Name, method, tracker_guard_methods[g].name))
                read_shape(&s->guard[g], v, method);
    }
}

/* Reads the two methods that each tracker has; the others follow them. */
static ecma_status judge_enter_and_leave(tracker *t, shapes *s, const char *type, diag *d) {
    shape *enter = &s->enter, *leave = &s->leave;
    if (enter->found != 1 || leave->found != 1)
        return diag_report(d, DIAG_TRACKER,
                           "%s has %u methods WhenEnteringMethod and %u WhenLeavingMethod, expected one of each", type,
                           enter->found, leave->found);
    t->takes_arguments = takes_last(enter, VALUE_OBJECTS, 0);
    t->result = take_result(leave, enter->result.kind == VALUE_PRIMITIVE);
    if (leave->generic && t->result != TRACKER_TYPED)
        leave->usable = false;
    if (enter->generic || !argument_of(enter, &t->enter) ||
        (enter->result.kind != VALUE_VOID && enter->result.kind != VALUE_PRIMITIVE))
        return diag_report(d, DIAG_TRACKER_SHAPE, "%s.WhenEnteringMethod has a shape that is not known; %s", type,
                           known_shapes);
    bool leave_known;
    if (enter->result.kind == VALUE_PRIMITIVE) {
        t->token_element = enter->result.element;
        t->leave = TRACKER_TOKEN;
        leave_known = leave->usable && leave->parameter_count == 1 && leave->parameters[0].kind == VALUE_PRIMITIVE &&
                      leave->parameters[0].element == t->token_element;
    } else {
        leave_known = argument_of(leave, &t->leave);
    }
    if (!leave_known || leave->result.kind != VALUE_VOID)
        return diag_report(d, DIAG_TRACKER_SHAPE, "%s.WhenLeavingMethod has a shape that is not known; %s", type,
                           known_shapes);
    return ECMA_OK;
}

static ecma_status judge_register(tracker *t, const shape *s, const char *type, diag *d) {
    bool fits = s->usable && !s->generic && is_int32(&s->result) && s->parameter_count == 2 &&
                s->parameters[0].kind == VALUE_TYPE_HANDLE && is_int32(&s->parameters[1]) && t->enter == TRACKER_ID;
    if (s->found > 1 || (s->found == 1 && !fits))
        return diag_report(
            d, DIAG_TRACKER_SHAPE,
            "%s.Register must be 'int32 Register(RuntimeTypeHandle, int32)' beside a WhenEnteringMethod(int32)", type);
    t->registers = s->found == 1;
    return ECMA_OK;
}

static ecma_status judge_guards(tracker *t, const shapes *s, const char *type, diag *d) {
    for (unsigned g = 0; g < TRACKER_GUARD_METHODS; g++) {
        const tracker_guard_row *row = &tracker_guard_methods[g];
        if (s->guard[g].found && !is_guard_shape(&s->guard[g], row, &s->leave))
            return diag_report(d, DIAG_TRACKER_SHAPE,
                               "%s.%s has a shape that is not known; it must be a public static method, returning %s, "
                               "that takes %swhat WhenLeavingMethod takes",
                               type, row->name, row->result == MD_ELEMENT_VOID ? "void" : "bool",
                               row->takes_exception ? "an object and " : "");
        t->guards[g] = s->guard[g].found;
    }
    return ECMA_OK;
}

ecma_status tracker_read(tracker *t, ilj_image *image, const char *type, diag *d) {
    enum { VISIBILITY = 0x7, PUBLIC_TYPE = 0x1 };
    tracker read = {.file = image->pe.file, .token_element = MD_ELEMENT_VOID};
    const md_view *v = &image->metadata;
    ecma_status status = read_identity(&read, v, d);
    if (status)
        return status;
    uint32_t row = find_type(&read, image, type);
    if (!row)
        return diag_report(d, DIAG_TRACKER, "the tracker assembly has no type %s", type);
    if ((md_cell(v, MD_TypeDef_Flags, row) & VISIBILITY) != PUBLIC_TYPE)
        return diag_report(d, DIAG_TRACKER, "the tracker type %s is not public", type);

    shapes s = {0};
    md_run methods = md_list(v, MD_TypeDef_MethodList, row);
    read_shapes(&s, v, methods);
    if ((status = judge_enter_and_leave(&read, &s, type, d)) ||
        (status = judge_register(&read, &s.registering, type, d)) || (status = judge_guards(&read, &s, type, d)) ||
        (status = read_methods(&read, v, methods, type, d)))
        return status;
    judge_groups(&read, v, methods);
    *t = read;
    return ECMA_OK;
}
