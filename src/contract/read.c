/* The text of a baseline, line by line. Its first line names the format; `ignore` and `allow` are rules, which people
 * write; `runs` ends the head, `columns` says which numbers stand before a name; `assembly`, `type` and `objects`
 * begin what the lines after them are of. Empty lines and those that begin with # mean nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "contract/contract.h"
#include "util/list.h"

typedef struct parsing {
    contract *c;
    diag *d;
    const uint8_t *text;
    const uint8_t *at, *end; /* of what is left */
    uint32_t line;
    bytes left; /* of the line */
    bool has_runs, has_columns, has_assembly, of_types;
    contract_entry key; /* of the entries that come */
    contract_entry last;
} parsing;

enum { SHOWN = 60 }; /* bytes of a word in a message */

static ecma_status expected(const parsing *p, const char *what, bytes found) {
    if (found.size == 0)
        return diag_report(p->d, DIAG_BASELINE, "line %u: expected %s, but the line ends", p->line, what);
    return diag_report(p->d, DIAG_BASELINE, "line %u: expected %s, found '%.*s'", p->line, what,
                       (int)(found.size < SHOWN ? found.size : SHOWN), (const char *)found.data);
}

static bool is(bytes word, const char *text) {
    return bytes_equal(word, bytes_of(text, strlen(text)));
}

static bool next_line(parsing *p) {
    if (p->at == p->end)
        return false;
    const uint8_t *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    const uint8_t *stop = end ? end : p->end;
    p->left = (bytes){p->at, (size_t)(stop - p->at)};
    while (p->left.size > 0 && p->left.data[p->left.size - 1] == '\r')
        p->left.size--;
    p->at = end ? end + 1 : stop;
    p->line++;
    return true;
}

/* The text up to the next space, which goes, too. */
static bytes next_word(parsing *p) {
    const uint8_t *space = p->left.size ? memchr(p->left.data, ' ', p->left.size) : NULL;
    bytes word = p->left;
    if (!space) {
        p->left = (bytes){p->left.data + p->left.size, 0};
        return word;
    }
    word.size = (size_t)(space - word.data);
    p->left = (bytes){space + 1, p->left.size - word.size - 1};
    return word;
}

static void skip_spaces(parsing *p) {
    while (p->left.size > 0 && (p->left.data[0] == ' ' || p->left.data[0] == '\t'))
        p->left = (bytes){p->left.data + 1, p->left.size - 1};
    while (p->left.size > 0 && (p->left.data[p->left.size - 1] == ' ' || p->left.data[p->left.size - 1] == '\t'))
        p->left.size--;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* A decimal number at the start of the text, which goes; false: there is none, or it is above PROFILE_MAX. */
static bool take_number(bytes *text, uint64_t *value) {
    size_t i = 0;
    *value = 0;
    for (; i < text->size && text->data[i] >= '0' && text->data[i] <= '9'; i++) {
        if (*value > (PROFILE_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(text->data[i] - '0');
    }
    *text = (bytes){text->data + i, text->size - i};
    return i > 0;
}

static bool take_range(bytes word, contract_range *range) {
    if (is(word, "-")) {
        range->unknown = true;
        return true;
    }
    if (!take_number(&word, &range->least))
        return false;
    range->most = range->least;
    if (word.size == 0)
        return true;
    if (word.size < 3 || word.data[0] != '.' || word.data[1] != '.')
        return false;
    word = (bytes){word.data + 2, word.size - 2};
    return take_number(&word, &range->most) && word.size == 0 && range->most >= range->least;
}

/* "5%", "0.25%", "5%+1000" or "100". */
static bool take_limit(bytes word, contract_rule *rule) {
    uint64_t whole, part = 0;
    if (!take_number(&word, &whole))
        return false;
    rule->limit = whole;
    if (word.size == 0)
        return true;
    rule->percent = true;
    if (word.data[0] == '.') {
        uint64_t scale = 100;
        size_t i = 1;
        for (; i < word.size && i < 4 && word.data[i] >= '0' && word.data[i] <= '9'; i++, scale /= 10)
            part += (uint64_t)(word.data[i] - '0') * scale;
        if (i == 1)
            return false;
        word = (bytes){word.data + i, word.size - i};
    }
    rule->limit = whole > 1000000 ? 1000000000 : whole * 1000 + part;
    if (word.size < 2 || word.data[1] != '+')
        return is(word, "%");
    word = (bytes){word.data + 2, word.size - 2};
    return take_number(&word, &rule->more) && word.size == 0;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static bool find_metric(bytes word, contract_metric *metric) {
    for (int m = 0; m < CONTRACT_METRICS; m++)
        if (is(word, contract_metric_names[m])) {
            *metric = (contract_metric)m;
            return true;
        }
    return false;
}

static ecma_status read_rule(parsing *p, bool ignore) {
    contract *c = p->c;
    contract_rule rule = {.line = p->line, .ignore = ignore, .metric = CONTRACT_METRICS};
    skip_spaces(p);
    if (!ignore) {
        bytes word = next_word(p);
        if (!is(word, "all") && !find_metric(word, &rule.metric))
            return expected(p, "calls, made, bytes, exceptions, objects or all", word);
        skip_spaces(p);
        word = next_word(p);
        if (!take_limit(word, &rule))
            return expected(p, "a limit as 5%, 100 or 5%+100", word);
        skip_spaces(p);
    }
    if (p->left.size == 0)
        return expected(p, "a pattern as Shop.Cache.**", p->left);
    char *text = arena_alloc(&c->memory, p->left.size + 1);
    if (!text)
        return diag_no_memory(p->d);
    memcpy(text, p->left.data, p->left.size);
    text[p->left.size] = 0;
    const char *fault = NULL;
    ecma_status status = pattern_compile(&rule.pattern, text, &c->memory, &fault);
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(p->d);
    if (status == ECMA_OK && rule.pattern.attribute)
        fault = "a baseline knows no attributes";
    if (status != ECMA_OK || fault)
        return diag_report(p->d, DIAG_BASELINE, "line %u: expected a pattern as Shop.Cache.**, found '%.60s': %s",
                           p->line, text, fault);
    if (!list_grow((void **)&c->rules, c->rule_count, &c->rule_capacity, sizeof *c->rules))
        return diag_no_memory(p->d);
    c->rules[c->rule_count++] = rule;
    return ECMA_OK;
}

static ecma_status read_runs(parsing *p, size_t offset) {
    uint64_t runs;
    bytes word = next_word(p), number = word;
    if (p->has_runs)
        return diag_report(p->d, DIAG_BASELINE, "line %u: expected one line `runs`, found a second one", p->line);
    if (!take_number(&number, &runs) || number.size > 0 || runs == 0 || runs > UINT32_MAX)
        return expected(p, "a number of runs", word);
    p->has_runs = true;
    p->c->runs = (uint32_t)runs;
    p->c->head = (bytes){p->text, offset};
    return ECMA_OK;
}

static ecma_status read_columns(parsing *p) {
    int last = -1;
    if (!p->has_runs || p->has_columns)
        return expected(p, "`columns` once, after `runs`", bytes_of("columns", 7));
    while (p->left.size > 0) {
        contract_metric metric;
        bytes word = next_word(p);
        if (!find_metric(word, &metric) || (int)metric <= last)
            return expected(p, "calls, made, bytes, exceptions, objects, in this order", word);
        p->c->known[metric] = true;
        last = (int)metric;
    }
    if (!p->c->known[CONTRACT_CALLS])
        return expected(p, "the column calls", p->left);
    p->has_columns = true;
    p->c->trees = p->c->known[CONTRACT_MADE];
    return ECMA_OK;
}

static ecma_status read_heading(parsing *p, bytes word) {
    if (!p->has_columns)
        return expected(p, "`columns` before it", word);
    if (is(word, "objects")) {
        if (!p->c->known[CONTRACT_OBJECTS])
            return expected(p, "a column objects where there are objects", word);
        p->key = (contract_entry){.is_type = true, .above = MAP_NONE, .runs = p->c->runs};
        p->of_types = true;
    } else if (p->of_types) {
        return expected(p, "objects alone after `objects`", word);
    } else if (is(word, "assembly")) {
        p->key = (contract_entry){.assembly = p->left, .above = MAP_NONE, .runs = p->c->runs};
        p->has_assembly = true;
    } else {
        p->key.type = p->left;
    }
    return ECMA_OK;
}

static ecma_status read_entry(parsing *p, bytes word) {
    contract *c = p->c;
    contract_entry made = p->key;
    int first = p->of_types ? CONTRACT_OBJECTS : 0, end = p->of_types ? CONTRACT_METRICS : CONTRACT_COLUMNS;
    if (!p->has_assembly && !p->of_types)
        return expected(p, "a rule, `runs`, `columns`, `assembly`, `type` or `objects`", word);
    for (int m = first, read = 0; m < end; m++) {
        if (!c->known[m])
            continue;
        word = read++ ? next_word(p) : word;
        if (!take_range(word, &made.values[m]))
            return expected(p, "a number, a range as 3..5, or -", word);
    }
    if (p->left.size == 0)
        return expected(p, "a name after the numbers", p->left);
    made.name = p->left;
    /* Equal ones stand together, as they are written; others than the last one are no equal of it. */
    made.ordinal = p->last.ordinal;
    if (contract_compare(&made, &p->last) == 0)
        made.ordinal++;
    else
        made.ordinal = 0;
    if (contract_find(c, &made) != MAP_NONE)
        return expected(p, "each method once, and methods of one name together", made.name);
    p->last = made;
    return contract_entry_of(c, &made) == MAP_NONE ? diag_no_memory(p->d) : ECMA_OK;
}

static ecma_status read_line(parsing *p) {
    size_t offset = (size_t)(p->left.data - p->text);
    if (p->left.size == 0 || p->left.data[0] == '#')
        return ECMA_OK;
    bytes word = next_word(p);
    if (is(word, "ignore") || is(word, "allow")) {
        if (p->has_runs)
            return expected(p, "rules above the line `runs`", word);
        return read_rule(p, is(word, "ignore"));
    }
    if (is(word, "runs"))
        return read_runs(p, offset);
    if (is(word, "columns"))
        return read_columns(p);
    if (is(word, "assembly") || is(word, "type") || is(word, "objects"))
        return read_heading(p, word);
    return read_entry(p, word);
}

ecma_status contract_read(contract *c, bytes text, diag *d) {
    static const char mark[] = "ilinject baseline ", version[] = "ilinject baseline 1";
    parsing p = {.c = c, .d = d, .text = text.data, .at = text.data, .end = text.data + text.size};
    if (!next_line(&p) || p.left.size < sizeof mark - 1 || memcmp(p.left.data, mark, sizeof mark - 1) != 0) {
        p.line = 1;
        return expected(&p, "`ilinject baseline 1`", p.left);
    }
    if (!is(p.left, version))
        return diag_report(d, DIAG_BASELINE_VERSION, "line 1: expected `%s`, found '%.*s'", version,
                           (int)(p.left.size < SHOWN ? p.left.size : SHOWN), (const char *)p.left.data);
    ecma_status status = ECMA_OK;
    while (status == ECMA_OK && next_line(&p))
        status = read_line(&p);
    if (status == ECMA_OK && !p.has_columns)
        return diag_report(d, DIAG_BASELINE, "line %u: expected `runs` and `columns`, but the file ends", p.line);
    return status;
}
