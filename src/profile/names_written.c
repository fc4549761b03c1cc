#include "profile/names.h"
#include "profile/names_generated.h"
#include "profile/names_operators.h"

/* Names as people write them. names_generated.h tells those that compilers make up. */

enum { MOST_OWNERS = 8 }; /* of a lambda in a local function in … */

/* `<T, U>`; nothing when there are none. */
static void append_generics(buffer *b, const names *n, uint32_t offset, uint32_t count) {
    for (uint32_t i = 0; i < count && !full(b); i++) {
        bytes name = names_text(n, offset);
        buffer_string(b, i == 0 ? "<" : ", ");
        append(b, name);
        offset += (uint32_t)name.size + 1;
    }
    if (count > 0)
        buffer_string(b, ">");
}

/* "List`1" without the arity. */
static bytes without_arity(bytes name) {
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9')
        end--;
    if (end > 1 && end < name.size && name.data[end - 1] == '`')
        name.size = end - 1;
    return name;
}

/* ---- Types ------------------------------------------------------------------------------------------------------ */

/* A type with those around it, from the inside to the outside. */
typedef struct chain {
    uint32_t types[NAMES_MAX_NESTING];
    uint32_t depth;
    bool cut;      /* there are more */
    uint32_t made; /* that many of the first are closures or state machines */
    bytes owner;   /* of what these are made for; empty: not known */
    generated_type innermost;
} chain;

static bool is_part_of_method(generated_type_kind kind) {
    return kind == GENERATED_CLOSURE || kind == GENERATED_MACHINE || kind == GENERATED_FUNCTION;
}

static chain chain_of(const names *n, uint32_t type) {
    chain c = {.types = {type}, .depth = 1};
    while (n->types[type].enclosing != 0 && c.depth < NAMES_MAX_NESTING) {
        type = n->types[type].enclosing - 1;
        c.types[c.depth++] = type;
    }
    c.cut = n->types[type].enclosing != 0;
    c.innermost = generated_type_of(without_arity(names_text(n, n->types[c.types[0]].name)));
    for (; c.made + 1 < c.depth; c.made++) {
        generated_type t = generated_type_of(without_arity(names_text(n, n->types[c.types[c.made]].name)));
        if (!is_part_of_method(t.kind))
            break;
        if (c.owner.size == 0)
            c.owner = t.owner;
    }
    return c;
}

/* `{ First, Second }`; false when the generic parameters don't tell. */
static bool try_properties(buffer *b, const names *n, const names_type *t) {
    uint32_t offset = t->generics;
    size_t start = b->size;
    for (uint32_t i = 0; i < t->generic_count && !full(b); i++) {
        bytes generic = names_text(n, offset), name = generated_property_of(generic);
        if (name.data == generic.data) {
            b->size = start;
            return false;
        }
        buffer_string(b, i == 0 ? "{ " : ", ");
        append(b, name);
        offset += (uint32_t)generic.size + 1;
    }
    buffer_string(b, t->generic_count > 0 ? " }" : "{ }");
    return true;
}

/* The types of the chain from the outermost to that at `last`. */
static void append_types(buffer *b, names_parts *parts, const names *n, const chain *c, uint32_t last, bool raw) {
    if (c->cut)
        buffer_string(b, "\u2026.");
    for (uint32_t i = c->depth; i-- > last;) {
        const names_type *t = &n->types[c->types[i]];
        bytes space = names_text(n, t->space), name = names_text(n, t->name);
        if (i + 1 < c->depth)
            buffer_string(b, raw ? "/" : ".");
        if (space.size > 0) {
            append(b, space);
            if (i + 1 == c->depth)
                parts->space_bytes = (uint32_t)b->size;
            buffer_string(b, ".");
        }
        generated_type made = generated_type_of(without_arity(name));
        if (raw) {
            append(b, name);
        } else if (made.kind != GENERATED_ANONYMOUS || !try_properties(b, n, t)) {
            append(b, made.kind == GENERATED_FILE_LOCAL ? made.name
                      : t->generic_count > 0            ? without_arity(name)
                                                        : name);
            append_generics(b, n, t->generics, t->generic_count);
        }
    }
}

/* The name of the type that the user wrote, which constructors have too. */
static void append_own_type(buffer *b, const names *n, const chain *c) {
    bytes name = without_arity(names_text(n, n->types[c->types[c->made]].name));
    generated_type made = generated_type_of(name);
    append(b, made.kind == GENERATED_FILE_LOCAL ? made.name : name);
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

/* Where the last of the parameters starts, with the comma before it. */
static size_t last_parameter(bytes parameters) {
    size_t depth = 0, at = parameters.size;
    for (; at > 0; at--) {
        uint8_t c = parameters.data[at - 1];
        depth += c == '>' || c == ')' || c == ']';
        if (depth > 0)
            depth -= c == '<' || c == '(' || c == '[';
        else if (c == ',')
            return at - 1;
    }
    return 0;
}

static bool contains(bytes text, const char *part) {
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++)
        if (memcmp(text.data + at, part, size) == 0)
            return true;
    return false;
}

/* Without those by which a local function gets the variables around it. */
static bytes written_parameters(bytes parameters) {
    for (;;) {
        size_t last = last_parameter(parameters);
        if (parameters.size == 0 || !contains(from(parameters, last), ".<>c__DisplayClass"))
            return parameters;
        parameters.size = last;
    }
}

/* In what a state machine was made for, csc writes a dash for a dot. */
static bool is_separator(uint8_t c) {
    return c == '.' || c == '-';
}

/* Where the member's name starts after the interface in an explicit implementation's; 0: it is none. F# and VB.NET can
 * have any text between backticks or brackets for a name: then there are spaces. */
static size_t behind_interface(bytes name, bool owner) {
    size_t depth = 0, found = 0;
    for (size_t at = name.size; at > 1; at--) {
        uint8_t c = name.data[at - 1];
        depth += c == '>';
        depth -= c == '<' && depth > 0;
        if (depth == 0 && c == ' ')
            return 0;
        if (depth == 0 && found == 0 && (c == '.' || (owner && c == '-')))
            found = at;
    }
    return found;
}

static const char *keyword_of(bytes type) {
    static const char *const rows[][2] = {
        {"System.Boolean", "bool"},  {"System.Byte", "byte"},     {"System.SByte", "sbyte"},
        {"System.Char", "char"},     {"System.Int16", "short"},   {"System.UInt16", "ushort"},
        {"System.Int32", "int"},     {"System.UInt32", "uint"},   {"System.Int64", "long"},
        {"System.UInt64", "ulong"},  {"System.Single", "float"},  {"System.Double", "double"},
        {"System.String", "string"}, {"System.Object", "object"}, {"System.Decimal", "decimal"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(type, rows[i][0]) || (starts_with(type, "System-") && is(from(type, 7), rows[i][0] + 7)))
            return rows[i][1];
    return NULL;
}

/* A type as a name holds it, `System.Collections.Generic.IEnumerable<System.Int32>`, without namespaces. */
static void append_shortened(buffer *b, bytes type) {
    size_t at = 0;
    while (at < type.size && !full(b)) {
        size_t start = at, last = at;
        for (; at < type.size && !strchr("<>,[]&*? ", type.data[at]); at++)
            if (is_separator(type.data[at]))
                last = at + 1;
        const char *keyword = keyword_of((bytes){type.data + start, at - start});
        if (keyword)
            buffer_string(b, keyword);
        else
            append(b, (bytes){type.data + last, at - last});
        for (; at < type.size && (strchr("<>,[]&*? ", type.data[at])); at++) {
            buffer_u8(b, type.data[at]);
            if (type.data[at] == ',' && at + 1 < type.size && type.data[at + 1] != ' ')
                buffer_u8(b, ' ');
        }
    }
}

/* A member that is being written. */
typedef struct member {
    const names *n;
    const chain *c;
    bytes parameters;
    bytes result;
    bool accessor;    /* of a property or event */
    bool owner;       /* its name alone is wanted */
    bool step;        /* MoveNext of a machine, or what F# has in its place */
    bool no_brackets; /* its parameters are reported, or none have to be: set here */
} member;

/* `Name.get`, `this[int].get`, `Changed.add`; false when it is no accessor. */
static bool try_accessor(buffer *b, member *m, bytes name) {
    static const struct {
        const char *prefix, *word;
        bool value; /* the last parameter is the one that is set */
    } rows[] = {{"get_", ".get", false},
                {"set_", ".set", true},
                {"add_", ".add", true},
                {"remove_", ".remove", true},
                {"raise_", ".raise", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!starts_with(name, rows[i].prefix) || name.size == strlen(rows[i].prefix))
            continue;
        bytes indexes = m->parameters, property = from(name, strlen(rows[i].prefix));
        if (rows[i].value)
            indexes.size = last_parameter(indexes);
        bool indexed = i < 2 && indexes.size > 0 && !m->owner;
        if (indexed && is(property, "Item"))
            buffer_string(b, "this");
        else
            append(b, property);
        if (indexed) {
            buffer_string(b, "[");
            append(b, indexes);
            buffer_string(b, "]");
        }
        buffer_string(b, rows[i].word);
        m->no_brackets = i != 4;
        return true;
    }
    return false;
}

static void append_member(buffer *b, member *m, bytes name) {
    if (is(name, ".ctor") || is(name, ".cctor")) {
        if (m->c->innermost.kind == GENERATED_ANONYMOUS) {
            buffer_string(b, "new");
            m->no_brackets = true;
            return;
        }
        buffer_string(b, name.size == 6 ? "static " : "");
        append_own_type(b, m->n, m->c);
        return;
    }
    size_t own = name.size > 0 && name.data[0] == '.' ? 0 : behind_interface(name, m->owner);
    if (own > 0 && own < name.size) {
        append_shortened(b, (bytes){name.data, own - 1});
        buffer_string(b, ".");
        name = from(name, own);
    }
    if ((m->accessor && try_accessor(b, m, name)) || names_try_operator(b, name, m->result))
        return;
    if (own == 0 && is(name, "Finalize") && m->parameters.size == 0) {
        buffer_string(b, "~");
        append_own_type(b, m->n, m->c);
        return;
    }
    append(b, name);
}

/* ---- Methods that belong to a method ---------------------------------------------------------------------------- */

static void append_lambda(buffer *b, uint32_t number) {
    buffer_printf(b, "lambda#%u", (unsigned)number);
}

/* The method in which something was written, with a dot after it; nothing when it is not known. */
static void append_owner(buffer *b, const names *n, const chain *c, bytes owner, unsigned depth) {
    if (owner.size == 0 || depth == MOST_OWNERS)
        return;
    generated_method made = generated_method_of(owner);
    switch (made.kind) {
    case GENERATED_LAMBDA:
        append_owner(b, n, c, made.owner, depth + 1);
        append_lambda(b, made.number + 1);
        break;
    case GENERATED_LOCAL_FUNCTION:
        append_owner(b, n, c, made.owner, depth + 1);
        append(b, made.name);
        break;
    case GENERATED_TOP_LEVEL:
    case GENERATED_ENTRY:
        append(b, made.owner);
        break;
    default:
        append_member(b, &(member){.n = n, .c = c, .accessor = true, .owner = true}, owner);
    }
    buffer_string(b, ".");
}

/* For F#'s sequences and state machines. */
static bool is_fsharp_plumbing(bytes name) {
    static const char *const rows[] = {
        "SetStateMachine", "get_ResumptionPoint", "get_Data",          "set_Data",
        "Close",           "get_CheckClose",      "get_LastGenerated", "GetFreshEnumerator"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(name, rows[i]))
            return true;
    return false;
}

/* Other members of the types that compilers make for a method: constructors, the plumbing of state machines. */
static void append_plumbing(buffer *b, const chain *c, member *m, names_parts *parts, bytes name) {
    if (c->innermost.kind == GENERATED_FUNCTION) { /* F#: what is called is the closure */
        bool call = is(name, "Invoke") || m->step;
        bool constructor = is(name, ".ctor") || is(name, ".cctor");
        parts->helper = constructor || is_fsharp_plumbing(name);
        append(b, c->innermost.name);
        buffer_string(b, call ? "" : constructor ? ".closure" : ".");
        if (!call && !constructor)
            append_member(b, m, name);
        return;
    }
    parts->helper = true;
    bool machine = c->innermost.kind == GENERATED_MACHINE;
    if (is(name, ".ctor"))
        buffer_string(b, machine ? "machine" : "closure");
    else if (is(name, ".cctor"))
        buffer_string(b, machine ? "static machine" : "static closure");
    else
        append_member(b, m, name);
}

/* MoveNext of a machine that nobody is known to have started. */
static void append_unowned(buffer *b, const names *n, const chain *c) {
    append_owner(b, n, c, c->owner, 0);
    if (c->owner.size > 0 && b->size > 0)
        b->size--; /* the dot */
    else
        buffer_string(b, "MoveNext");
}

static void append_method(buffer *b, const names *n, const chain *c, const names_method *own, member *m,
                          names_parts *parts) {
    bytes name = names_text(n, own->name);
    generated_method made = generated_method_of(name);
    bytes owner = made.owner.size > 0 ? made.owner : c->owner;
    switch (made.kind) {
    case GENERATED_LAMBDA:
        append_owner(b, n, c, owner, 0);
        append_lambda(b, own->number > 0 ? own->number : made.number + 1);
        return;
    case GENERATED_LOCAL_FUNCTION:
        append_owner(b, n, c, owner, 0);
        append(b, made.name);
        return;
    case GENERATED_FINALLY:
        append_owner(b, n, c, c->owner, 0);
        buffer_printf(b, "finally#%u", (unsigned)made.number);
        return;
    case GENERATED_BASE_CALL:
        parts->helper = true;
        if (made.name.size > 0) {
            buffer_string(b, "base.");
            append(b, made.name);
        } else
            buffer_printf(b, "base#%u", (unsigned)made.number + 1);
        return;
    case GENERATED_CLONE:
        buffer_string(b, "with");
        return;
    case GENERATED_TOP_LEVEL:
    case GENERATED_ENTRY:
        append(b, made.owner);
        return;
    case GENERATED_PLAIN:
        break;
    }
    if (c->made == 0)
        append_member(b, m, name);
    else if (is(name, "MoveNext") && c->innermost.kind == GENERATED_MACHINE)
        append_unowned(b, n, c);
    else {
        append_owner(b, n, c, c->owner, 0);
        append_plumbing(b, c, m, parts, name);
    }
}

/* Is the name one that a compiler gave: the home's, and more after it? */
static bool is_named_after(bytes name, bytes home) {
    return name.size > home.size && memcmp(name.data, home.data, home.size) == 0 &&
           (name.data[home.size] == '@' || name.data[home.size] == '$');
}

/* What F# has put beside the method that it was written in: `main.total@18`, and `main@29`, which says it already. */
static void append_part(buffer *b, const names *n, const chain *c, const names_method *own, member *m,
                        names_parts *parts) {
    const names_method *home = &n->methods[own->home - 1];
    bytes name = names_text(n, own->name);
    chain around = chain_of(n, home->type);
    if (!is_named_after(c->made > 0 ? c->innermost.name : name, names_text(n, home->name)))
        append_owner(b, n, &around, names_text(n, home->name), 0);
    if (c->made > 0)
        append_plumbing(b, c, m, parts, name);
    else
        append(b, name);
}

/* A step of a sequence or task that is no method's whole body. */
static bool is_step_of_fsharp(const chain *c, const names_method *m) {
    return c->made > 0 && c->innermost.kind == GENERATED_FUNCTION && m->flags & (NAMES_ASYNC | NAMES_ITERATOR);
}

static const char *suffix_of(const names *n, const chain *c, const names_method *m) {
    static const char *const words[] = {"", " [async]", " [iterator]", " [async iterator]"};
    bytes name = names_text(n, m->name);
    uint32_t flags = m->flags >> NAMES_IS_AT;
    if (m->flags & NAMES_LEAF)
        return m->flags & NAMES_OUTERMOST ? " [outermost]" : " [leaf]";
    if (is_step_of_fsharp(c, m))
        return words[m->flags >> 4 & 3];
    if (c->made > 0 && c->innermost.kind == GENERATED_MACHINE && is(name, "MoveNext")) {
        flags = m->flags >> 4 & 3;
        if (flags == 0 && c->innermost.noun)
            flags = c->innermost.noun[0] == 'a' ? 1 : 2;
        return flags == 0 ? " [state machine]" : words[flags];
    }
    return flags == 0 && generated_method_of(name).kind == GENERATED_ENTRY ? " [entry]" : words[flags & 3];
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static void scope_name(buffer *b, names_parts *parts, bytes text) {
    buffer_string(b, "\"");
    append(b, text);
    buffer_string(b, "\"");
    if (full(b))
        b->size = NAMES_MAX_NAME;
    uint32_t size = (uint32_t)b->size;
    *parts = (names_parts){.parameters = size, .suffix = size};
}

static uint32_t within(uint32_t offset, const buffer *b) {
    return offset < b->size ? offset : (uint32_t)b->size;
}

/* Parts after what was cut are empty. */
static void finish(buffer *b, names_parts *parts) {
    if (full(b))
        b->size = NAMES_MAX_NAME;
    parts->space_bytes = within(parts->space_bytes, b);
    parts->type_bytes = within(parts->type_bytes, b);
    parts->method = within(parts->method, b);
    parts->parameters = within(parts->parameters, b);
    parts->suffix = within(parts->suffix, b);
}

/* An endpoint's route is the name of what has none in the source. */
static bool is_route_alone(const names *n, const chain *c, const names_method *m) {
    return m->route != 0 && (c->made > 0 || generated_method_of(names_text(n, m->name)).kind == GENERATED_LAMBDA);
}

/* Was it written within an endpoint's lambda? */
static bool is_in_route(const names *n, const names_method *m) {
    return m->home != 0 && names_is_route(n, m->home - 1);
}

static void route_name(buffer *b, names_parts *parts, const names *n, const names_method *m) {
    chain c = chain_of(n, m->type);
    append(b, names_text(n, m->route));
    parts->parameters = parts->suffix = (uint32_t)b->size;
    buffer_string(b, suffix_of(n, &c, m));
    finish(b, parts);
}

/* `GET /todos.lambda#5(Todo)` */
static void name_in_route(buffer *b, names_parts *parts, const names *n, const names_method *m) {
    generated_method made = generated_method_of(names_text(n, m->name));
    chain c = chain_of(n, m->type);
    append(b, names_text(n, n->methods[m->home - 1].route));
    buffer_string(b, ".");
    if (made.kind == GENERATED_LAMBDA)
        append_lambda(b, m->number > 0 ? m->number : made.number + 1);
    else
        append(b, made.name);
    append_generics(b, n, m->generics, m->generic_count);
    parts->parameters = (uint32_t)b->size;
    buffer_string(b, "(");
    append(b, names_text(n, m->parameters));
    buffer_string(b, ")");
    parts->suffix = (uint32_t)b->size;
    buffer_string(b, suffix_of(n, &c, m));
    finish(b, parts);
}

/* By types and members. */
static void structural_name(buffer *b, names_parts *parts, const names *n, const names_method *m, bool raw) {
    chain c = chain_of(n, m->type);
    bool part = !raw && m->home != 0 && !is_in_route(n, m);
    chain around = part ? chain_of(n, n->methods[m->home - 1].type) : c;
    append_types(b, parts, n, &around, raw ? 0 : around.made, raw);
    parts->type_bytes = (uint32_t)b->size;
    buffer_string(b, raw ? "::" : ".");
    parts->method = (uint32_t)b->size;
    bytes parameters = names_text(n, m->parameters);
    member own = {.n = n, .c = &c, .accessor = (m->flags & NAMES_ACCESSOR) != 0, .parameters = parameters};
    if (m->result != 0)
        own.result = names_text(n, m->result);
    if (raw) {
        append(b, names_text(n, m->name));
    } else {
        own.parameters = parameters = written_parameters(parameters);
        own.step = own.no_brackets = is_step_of_fsharp(&c, m);
        (part ? append_part : append_method)(b, n, &c, m, &own, parts);
    }
    if (!own.no_brackets)
        append_generics(b, n, m->generics, m->generic_count);
    parts->parameters = (uint32_t)b->size;
    if (!own.no_brackets) {
        buffer_string(b, "(");
        append(b, parameters); /* does nothing when the generic parameters filled the name */
        buffer_string(b, ")");
    }
    parts->suffix = (uint32_t)b->size;
    if (!raw && m->route != 0) {
        buffer_string(b, " [");
        append(b, names_text(n, m->route));
        buffer_string(b, "]");
    }
    if (!raw)
        buffer_string(b, suffix_of(n, &c, m));
    finish(b, parts);
}

bool names_is_route(const names *n, uint32_t method) {
    const names_method *m = &n->methods[method];
    chain c = {0};
    if (m->route != 0)
        c = chain_of(n, m->type);
    return m->route != 0 ? is_route_alone(n, &c, m) : is_in_route(n, m);
}

void names_of_place(buffer *b, names_parts *parts, const names *n, uint32_t method) {
    b->size = 0;
    *parts = (names_parts){0};
    structural_name(b, parts, n, &n->methods[method], false);
}

void names_of_method(buffer *b, names_parts *parts, const names *n, uint32_t method, bool raw) {
    const names_method *m = &n->methods[method];
    b->size = 0;
    *parts = (names_parts){0};
    if (m->flags & NAMES_SCOPE)
        scope_name(b, parts, names_text(n, m->name));
    else if (!raw && names_is_route(n, method))
        (m->route != 0 ? route_name : name_in_route)(b, parts, n, m);
    else
        structural_name(b, parts, n, m, raw);
}
