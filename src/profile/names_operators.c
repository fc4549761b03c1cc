#include "profile/names_operators.h"

static const char *operator_of(bytes name) {
    static const struct {
        const char *name, *symbol;
    } rows[] = {
#define OPERATOR(name, symbol) {name, symbol},
#include "profile/operators.def"
#undef OPERATOR
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(name, rows[i].name))
            return rows[i].symbol;
    return NULL;
}

/* F#'s operators that have no name: op_BangBang is !!. */
static bool try_symbols(buffer *b, bytes name) {
    static const struct {
        const char *name, *symbol;
    } rows[] = {{"Amp", "&"},    {"At", "@"},     {"Bang", "!"},   {"Bar", "|"},    {"Colon", ":"},    {"Comma", ","},
                {"Divide", "/"}, {"Dollar", "$"}, {"Dot", "."},    {"Equals", "="}, {"Greater", ">"},  {"Hash", "#"},
                {"Hat", "^"},    {"LBrack", "["}, {"Less", "<"},   {"Minus", "-"},  {"Multiply", "*"}, {"Percent", "%"},
                {"Plus", "+"},   {"Qmark", "?"},  {"RBrack", "]"}, {"Tilde", "~"},  {"Twiddle", "~"}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    size_t start = b->size;
    while (name.size > 0) {
        size_t i = 0;
        while (i < COUNT && !starts_with(name, rows[i].name))
            i++;
        if (i == COUNT || full(b)) {
            b->size = start;
            return false;
        }
        buffer_string(b, rows[i].symbol);
        name = from(name, strlen(rows[i].name));
    }
    return b->size > start;
}

bool names_try_operator(buffer *b, bytes name, bytes result) {
    char plain[64];
    if (!starts_with(name, "op_"))
        return false;
    bool implicit = is(name, "op_Implicit"), checked = starts_with(name, "op_Checked");
    if (implicit || is(name, "op_Explicit") || is(name, "op_CheckedExplicit")) {
        buffer_string(b, implicit ? "implicit operator" : checked ? "explicit operator checked" : "explicit operator");
        if (result.size > 0)
            buffer_string(b, " ");
        append(b, result);
        return true;
    }
    if (checked && name.size < sizeof plain) {
        memcpy(plain, "op_", 3);
        memcpy(plain + 3, name.data + 10, name.size - 10);
        name = (bytes){(const uint8_t *)plain, name.size - 7};
    }
    const char *symbol = operator_of(name);
    size_t start = b->size;
    buffer_string(b, checked ? "operator checked " : "operator ");
    if (symbol) {
        buffer_string(b, symbol);
        return true;
    }
    if (!checked && try_symbols(b, from(name, 3)))
        return true;
    b->size = start;
    return false;
}
