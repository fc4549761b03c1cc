#include "tracker/tracker.h"

#include "metadata/flags.h"
#include "metadata/signature.h"
#include "pe/strong_name.h"

extern const uint8_t tracker_image_start[], tracker_image_end[];

bool tracker_is_told_of_machines(const tracker *t) {
    bool told = false;
    for (unsigned i = 0; i < TRACKER_FIRST_ASYNC; i++)
        told |= t->has_machine_method[i];
    return told;
}

bytes tracker_built_in(void) {
    return bytes_of(tracker_image_start, (size_t)(tracker_image_end - tracker_image_start));
}

static const char known_shapes[] =
    "known are WhenEnteringMethod with (), (int32), (string) or (RuntimeMethodHandle), returning void or a token, "
    "and WhenLeavingMethod with the token, or without one (), (int32), (string) or (RuntimeMethodHandle), returning "
    "void; behind that enter may take an object[], the arguments, and leave an object or the T of a generic method, "
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

/* Has the method one type parameter, which takes every type? */
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

static ecma_status read_identity(tracker *t, diag *d) {
    const md_view *v = &t->image->metadata;
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

/* The methods of the guarded shape. */
enum { BY_EXCEPTION, CATCHING, UNWINDING, FILTERING, PASSES, GUARD_METHODS };
static const struct guard_method {
    const char *name;
    bool takes_exception;
    uint8_t result;
} guard_methods[GUARD_METHODS] = {
    [BY_EXCEPTION] = {"WhenLeavingByException", false, MD_ELEMENT_VOID},
    [CATCHING] = {"WhenCatching", true, MD_ELEMENT_VOID},
    [UNWINDING] = {"WhenUnwinding", false, MD_ELEMENT_VOID},
    [FILTERING] = {"WhenFiltering", true, MD_ELEMENT_VOID},
    [PASSES] = {"WhenExceptionPasses", true, MD_ELEMENT_BOOLEAN},
};

static bool same_value(const value *a, const value *b) {
    return a->kind == b->kind && (a->kind != VALUE_PRIMITIVE || a->element == b->element);
}

/* Has the method the shape that its row and WhenLeavingMethod's parameters ask for? */
static bool is_guard_shape(const shape *s, const struct guard_method *row, const shape *leave) {
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

#define SHAPE(name, text, ...)                                                                                         \
    { name, text, {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}) }
const tracker_method tracker_machine_methods[TRACKER_MACHINE_METHODS] = {
    [TRACKER_ENTERS_MACHINE] = SHAPE("WhenEnteringStateMachine", "int32 (int32, int32)", MD_SIG_DEFAULT, 2,
                                     MD_ELEMENT_I4, MD_ELEMENT_I4, MD_ELEMENT_I4),
    [TRACKER_WANTS_IDENTITY] =
        SHAPE("WantsIdentity", "bool (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_BOOLEAN, MD_ELEMENT_I4),
    [TRACKER_IDENTIFIED] = SHAPE("WhenIdentified", "void (object, int32)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                                 MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_SUSPENDING] = SHAPE("WhenSuspending", "void (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_I4),
    [TRACKER_COMPLETING] = SHAPE("WhenCompleting", "void (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_I4),
    [TRACKER_FAILING] = SHAPE("WhenFailing", "void (object, int32)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                              MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_BUILDER_IDENTIFIES] = SHAPE("WhenBuilderIdentifies", "void (object, int32)", MD_SIG_DEFAULT, 2,
                                         MD_ELEMENT_VOID, MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_HOLDING] = SHAPE("WhenHolding", "void (object, int32)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                              MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_ENTERS_ASYNC] =
        SHAPE("WhenEnteringAsync", "object (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_AWAITING] = SHAPE("WhenAwaiting", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_RESUMING] = SHAPE("WhenResuming", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_LEAVES_ASYNC] =
        SHAPE("WhenLeavingAsync", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_FAILS_ASYNC] =
        SHAPE("WhenFailingAsync", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
};
const tracker_method tracker_capture_methods[TRACKER_CAPTURE_METHODS] = {
    [TRACKER_DESCRIBES] = SHAPE("DescribeCalls", "void (int32, string)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                                MD_ELEMENT_I4, MD_ELEMENT_STRING),
    [TRACKER_CALL_BEGINS] =
        SHAPE("WhenCallBegins", "object (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_OBJECT, MD_ELEMENT_I4),
    [TRACKER_INTEGER] = SHAPE("CallInteger", "void (object, int32, int64, int32)", MD_SIG_DEFAULT, 4, MD_ELEMENT_VOID,
                              MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_I8, MD_ELEMENT_I4),
    [TRACKER_REAL] = SHAPE("CallReal", "void (object, int32, float64, int32)", MD_SIG_DEFAULT, 4, MD_ELEMENT_VOID,
                           MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_R8, MD_ELEMENT_I4),
    [TRACKER_OBJECT] = SHAPE("CallObject", "void (object, int32, object)", MD_SIG_DEFAULT, 3, MD_ELEMENT_VOID,
                             MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_OBJECT),
    [TRACKER_VALUE] = SHAPE("CallValue", "void <T>(object, int32, ref T)", MD_SIG_GENERIC, 1, 3, MD_ELEMENT_VOID,
                            MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_BYREF, MD_ELEMENT_MVAR, 0),
    [TRACKER_CALL_RETURNS] =
        SHAPE("WhenCallReturns", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_FAILS] =
        SHAPE("WhenCallFails", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_THROWS] = SHAPE("WhenCallThrows", "bool (object, object)", MD_SIG_DEFAULT, 2, MD_ELEMENT_BOOLEAN,
                                  MD_ELEMENT_OBJECT, MD_ELEMENT_OBJECT),
};
const tracker_method tracker_awaited_methods[TRACKER_AWAITED_METHODS] = {
    [TRACKER_CALL_RUNS] = SHAPE("WhenCallRuns", "object (int32, object)", MD_SIG_DEFAULT, 2, MD_ELEMENT_OBJECT,
                                MD_ELEMENT_I4, MD_ELEMENT_OBJECT),
    [TRACKER_WANTS_BUILDER] = SHAPE("WantsBuilder", "bool (int32, object)", MD_SIG_DEFAULT, 2, MD_ELEMENT_BOOLEAN,
                                    MD_ELEMENT_I4, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_HAS_BUILDER] = SHAPE("WhenCallHasBuilder", "object (int32, object, object)", MD_SIG_DEFAULT, 3,
                                       MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_OBJECT, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_SUSPENDS] =
        SHAPE("WhenCallSuspends", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_COMPLETES] =
        SHAPE("WhenCallCompletes", "void (object)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT),
    [TRACKER_CALL_FAILS_BY] = SHAPE("WhenCallFailsBy", "void (object, object)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                                    MD_ELEMENT_OBJECT, MD_ELEMENT_OBJECT),
};
const tracker_method tracker_allocation_methods[TRACKER_ALLOCATION_METHODS] = {
    [TRACKER_REGISTERS_ALLOCATIONS] = SHAPE("RegisterAllocations", "int32 (int32, int32)", MD_SIG_DEFAULT, 2,
                                            MD_ELEMENT_I4, MD_ELEMENT_I4, MD_ELEMENT_I4),
    [TRACKER_ALLOCATES] = SHAPE("WhenAllocating", "void (int32, int32)", MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID,
                                MD_ELEMENT_I4, MD_ELEMENT_I4),
    [TRACKER_BOXES] = SHAPE("WhenBoxing", "void <T>(T, int32, int32)", MD_SIG_GENERIC, 1, 3, MD_ELEMENT_VOID,
                            MD_ELEMENT_MVAR, 0, MD_ELEMENT_I4, MD_ELEMENT_I4),
};
const tracker_method tracker_creating_method = SHAPE("WhenCreating", "void <T>(T, int32, int32)", MD_SIG_GENERIC, 1, 3,
                                                     MD_ELEMENT_VOID, MD_ELEMENT_MVAR, 0, MD_ELEMENT_I4, MD_ELEMENT_I4);
const tracker_method tracker_command_methods[TRACKER_COMMAND_METHODS] = {
    [TRACKER_WANTS_TEXT] =
        SHAPE("WantsCommandText", "bool (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_BOOLEAN, MD_ELEMENT_I4),
    [TRACKER_HAS_TEXT] = SHAPE("WhenCommandHasText", "void (object, string, int32)", MD_SIG_DEFAULT, 3, MD_ELEMENT_VOID,
                               MD_ELEMENT_OBJECT, MD_ELEMENT_STRING, MD_ELEMENT_I4),
    [TRACKER_LEAVES_COMMAND] =
        SHAPE("WhenLeavingCommand", "void (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_I4),
};
const tracker_method tracker_switch_methods[TRACKER_SWITCH_METHODS] = {
    [TRACKER_REGISTERS_SWITCHES] = SHAPE("RegisterSwitches", "void (int32, uint8[])", MD_SIG_DEFAULT, 2,
                                         MD_ELEMENT_VOID, MD_ELEMENT_I4, MD_ELEMENT_SZARRAY, MD_ELEMENT_U1),
    [TRACKER_ENTERS_SWITCHED_ON] =
        SHAPE("WhenEnteringSwitchedOn", "int32 (int32)", MD_SIG_DEFAULT, 1, MD_ELEMENT_I4, MD_ELEMENT_I4),
};
#undef SHAPE

/* Has it all of these methods? One alone with another shape is none of them. */
static bool has_all(const tracker *t, md_run methods, const tracker_method *all, unsigned count) {
    const md_view *v = &t->image->metadata;
    unsigned found = 0;
    for (uint32_t at = methods.first; at < methods.end; at++) {
        uint32_t method = md_run_row(v, &methods, at), flags = md_cell(v, MD_MethodDef_Flags, method);
        const char *name = md_name(v, MD_MethodDef_Name, method);
        bytes signature;
        if ((flags & MD_METHOD_ACCESS_MASK) != MD_METHOD_PUBLIC || !(flags & MD_METHOD_STATIC))
            continue;
        for (const tracker_method *wanted = all; wanted < all + count; wanted++)
            found += name[0] == wanted->name[0] && strcmp(name, wanted->name) == 0 &&
                     md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) &&
                     bytes_equal(signature, bytes_of(wanted->signature, wanted->signature_size));
    }
    return found == count;
}

/* For calls that are seen with their values. */
static bool has_capture_methods(const tracker *t, md_run methods) {
    const md_view *v = &t->image->metadata;
    bool can = false; /* its signature names a type of the tracker's core library */
    for (uint32_t at = methods.first; at < methods.end; at++)
        can |= md_name_is(v, MD_MethodDef_Name, md_run_row(v, &methods, at), "CanCallValue");
    return t->registers && can && has_all(t, methods, tracker_capture_methods, TRACKER_CAPTURE_METHODS);
}

/* Which of the methods for state machines the tracker has. */
static ecma_status read_machine_methods(tracker *t, md_run methods, const char *type, diag *d) {
    const md_view *v = &t->image->metadata;
    for (unsigned i = 0; i < TRACKER_MACHINE_METHODS; i++) {
        const tracker_method *wanted = &tracker_machine_methods[i];
        for (uint32_t at = methods.first; at < methods.end; at++) {
            uint32_t method = md_run_row(v, &methods, at);
            shape s = {0};
            bytes signature;
            if (!md_name_is(v, MD_MethodDef_Name, method, wanted->name))
                continue;
            read_shape(&s, v, method);
            if (t->has_machine_method[i] || !s.usable || t->enter != TRACKER_ID || t->takes_arguments ||
                t->result != TRACKER_NO_RESULT || t->token_element != MD_ELEMENT_I4 ||
                !md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) ||
                signature.size != wanted->signature_size ||
                memcmp(signature.data, wanted->signature, signature.size) != 0)
                return diag_report(d, DIAG_TRACKER_SHAPE,
                                   "%s.%s has a shape that is not known; it must be one public static %s, beside an "
                                   "int32 WhenEnteringMethod(int32) and a WhenLeavingMethod(int32)",
                                   type, wanted->name, wanted->shape);
            t->has_machine_method[i] = true;
        }
    }
    return ECMA_OK;
}

ecma_status tracker_count_only(tracker *t, diag *d) {
    if (!t->can_count)
        return diag_report(d, DIAG_TRACKER_SHAPE,
                           "%s has no 'void WhenCounting(int32)' beside a Register, which counting calls needs",
                           t->type_name);
    tracker made = {.image = t->image,
                    .assembly_name = t->assembly_name,
                    .culture = t->culture,
                    .has_public_key = t->has_public_key,
                    .type_namespace = t->type_namespace,
                    .type_name = t->type_name,
                    .enter = TRACKER_ID,
                    .leave = TRACKER_NOTHING,
                    .token_element = MD_ELEMENT_VOID,
                    .registers = true,
                    .takes_settings = t->takes_settings,
                    .can_count = true,
                    .only_counts = true};
    memcpy(made.version, t->version, sizeof made.version);
    memcpy(made.public_key_token, t->public_key_token, sizeof made.public_key_token);
    *t = made;
    return ECMA_OK;
}

ecma_status tracker_read(tracker *t, ilj_image *image, const char *type, diag *d) {
    enum { VISIBILITY = 0x7, PUBLIC_TYPE = 0x1 };
    tracker read = {.image = image, .token_element = MD_ELEMENT_VOID};
    const md_view *v = &image->metadata;
    ecma_status status = read_identity(&read, d);
    if (status)
        return status;
    uint32_t row = find_type(&read, image, type);
    if (!row)
        return diag_report(d, DIAG_TRACKER, "the tracker assembly has no type %s", type);
    if ((md_cell(v, MD_TypeDef_Flags, row) & VISIBILITY) != PUBLIC_TYPE)
        return diag_report(d, DIAG_TRACKER, "the tracker type %s is not public", type);

    shape enter = {0}, leave = {0}, registering = {0}, configuring = {0}, counting = {0}, awaiting = {0}, guard[GUARD_METHODS] = {0};
    md_run methods = md_list(v, MD_TypeDef_MethodList, row);
    for (uint32_t i = methods.first; i < methods.end; i++) {
        uint32_t method = md_run_row(v, &methods, i);
        const char *name = md_name(v, MD_MethodDef_Name, method);
        if (strcmp(name, "WhenEnteringMethod") == 0)
            read_shape(&enter, v, method);
        else if (strcmp(name, "WhenLeavingMethod") == 0)
            read_shape(&leave, v, method);
        else if (strcmp(name, "Register") == 0)
            read_shape(&registering, v, method);
        else if (strcmp(name, "Configure") == 0)
            read_shape(&configuring, v, method);
        else if (strcmp(name, "WhenCounting") == 0)
            read_shape(&counting, v, method);
        else if (strcmp(name, TRACKER_AWAITING_LEAF) == 0)
            read_shape(&awaiting, v, method);
        for (unsigned g = 0; g < GUARD_METHODS; g++)
            if (strcmp(name, guard_methods[g].name) == 0)
                read_shape(&guard[g], v, method);
    }
    if (enter.found != 1 || leave.found != 1)
        return diag_report(d, DIAG_TRACKER,
                           "%s has %u methods WhenEnteringMethod and %u WhenLeavingMethod, expected one of each", type,
                           enter.found, leave.found);
    read.takes_arguments = takes_last(&enter, VALUE_OBJECTS, 0);
    read.result = take_result(&leave, enter.result.kind == VALUE_PRIMITIVE);
    if (leave.generic && read.result != TRACKER_TYPED)
        leave.usable = false;
    if (enter.generic || !argument_of(&enter, &read.enter) ||
        (enter.result.kind != VALUE_VOID && enter.result.kind != VALUE_PRIMITIVE))
        return diag_report(d, DIAG_TRACKER_SHAPE, "%s.WhenEnteringMethod has a shape that is not known; %s", type,
                           known_shapes);
    bool leave_known;
    if (enter.result.kind == VALUE_PRIMITIVE) {
        read.token_element = enter.result.element;
        read.leave = TRACKER_TOKEN;
        leave_known = leave.usable && leave.parameter_count == 1 && leave.parameters[0].kind == VALUE_PRIMITIVE &&
                      leave.parameters[0].element == read.token_element;
    } else {
        leave_known = argument_of(&leave, &read.leave);
    }
    if (!leave_known || leave.result.kind != VALUE_VOID)
        return diag_report(d, DIAG_TRACKER_SHAPE, "%s.WhenLeavingMethod has a shape that is not known; %s", type,
                           known_shapes);
    if (registering.found > 1 ||
        (registering.found == 1 &&
         (!registering.usable || registering.generic || registering.result.kind != VALUE_PRIMITIVE ||
          registering.result.element != MD_ELEMENT_I4 || registering.parameter_count != 2 ||
          registering.parameters[0].kind != VALUE_TYPE_HANDLE || registering.parameters[1].kind != VALUE_PRIMITIVE ||
          registering.parameters[1].element != MD_ELEMENT_I4 || read.enter != TRACKER_ID)))
        return diag_report(
            d, DIAG_TRACKER_SHAPE,
            "%s.Register must be 'int32 Register(RuntimeTypeHandle, int32)' beside a WhenEnteringMethod(int32)", type);
    read.registers = registering.found == 1;
    read.takes_settings = read.registers && configuring.found == 1 && configuring.usable && !configuring.generic &&
                          configuring.result.kind == VALUE_VOID && configuring.parameter_count == 1 &&
                          configuring.parameters[0].kind == VALUE_PRIMITIVE &&
                          configuring.parameters[0].element == MD_ELEMENT_STRING;
    tracker_argument counted;
    read.can_count = read.registers && counting.found == 1 && !counting.generic && argument_of(&counting, &counted) &&
                     counted == TRACKER_ID && counting.result.kind == VALUE_VOID;
    read.awaits_leaves = read.registers && awaiting.found == 1 && awaiting.usable && !awaiting.generic &&
                         awaiting.result.kind == VALUE_VOID && awaiting.parameter_count == 2 &&
                         is_int32(&awaiting.parameters[0]) && is_int32(&awaiting.parameters[1]);
    for (unsigned g = 0; g < GUARD_METHODS; g++)
        if (guard[g].found && !is_guard_shape(&guard[g], &guard_methods[g], &leave))
            return diag_report(d, DIAG_TRACKER_SHAPE,
                               "%s.%s has a shape that is not known; it must be a public static method, returning %s, "
                               "that takes %swhat WhenLeavingMethod takes",
                               type, guard_methods[g].name,
                               guard_methods[g].result == MD_ELEMENT_VOID ? "void" : "bool",
                               guard_methods[g].takes_exception ? "an object and " : "");
    read.leaves_by_exception = guard[BY_EXCEPTION].found;
    read.catches = guard[CATCHING].found;
    read.unwinds = guard[UNWINDING].found;
    read.filters = guard[FILTERING].found;
    read.sees_exceptions_pass = guard[PASSES].found;
    read.captures = has_capture_methods(&read, methods);
    read.awaits = read.captures && has_all(&read, methods, tracker_awaited_methods, TRACKER_AWAITED_METHODS);
    read.allocates = read.registers && read.token_element == MD_ELEMENT_I4 &&
                     has_all(&read, methods, tracker_allocation_methods, TRACKER_ALLOCATION_METHODS);
    read.creates = read.allocates && has_all(&read, methods, &tracker_creating_method, 1);
    read.names_commands = read.registers && read.token_element == MD_ELEMENT_I4 &&
                          has_all(&read, methods, tracker_command_methods, TRACKER_COMMAND_METHODS);
    read.switches = read.registers && read.token_element == MD_ELEMENT_I4 && !read.takes_arguments &&
                    has_all(&read, methods, tracker_switch_methods, TRACKER_SWITCH_METHODS);
    if ((status = read_machine_methods(&read, methods, type, d)))
        return status;
    *t = read;
    return ECMA_OK;
}
