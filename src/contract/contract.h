/* contract.h - what a program does, in counts that repeat from run to run: of each method the calls of it, the calls
 * that it makes, the bytes that its own code allocates, the exceptions that leave it; and objects by type.
 *
 * Two come together where a check is made: one read from a baseline's text, one gathered from profiles. CONTRACT_INIT;
 * contract_read, or contract_gather for each run and contract_finish; use; contract_clear.
 *
 * An entry is known by assembly, type, name, and its position among those that have these in common. Names are those of
 * reports, on one line, with parameters' types without namespaces. */
#ifndef ILINJECT_CONTRACT_CONTRACT_H
#define ILINJECT_CONTRACT_CONTRACT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "ilinject.h"
#include "report/model/aggregate.h"
#include "report/print/print.h"
#include "select/pattern.h"
#include "util/map.h"

typedef enum contract_metric {
#define CONTRACT_METRIC(ID, column, words) CONTRACT_##ID,
#include "contract/metrics.def"
    CONTRACT_METRICS,
    CONTRACT_COLUMNS = CONTRACT_OBJECTS /* of methods; types have objects alone */
} contract_metric;

extern const char *const contract_metric_names[CONTRACT_METRICS];
extern const char *const contract_metric_words[CONTRACT_METRICS];

/* What the runs had, from the least to the most. */
typedef struct contract_range {
    uint64_t least, most;
    bool unknown; /* not judged */
} contract_range;

typedef struct contract_entry {
    bool is_type; /* of objects; its name alone */
    bytes assembly, type, name;
    uint32_t ordinal; /* among equal ones, from 0 */
    contract_range values[CONTRACT_METRICS];
    uint32_t runs; /* in how many it was */
    /* Of what was gathered: */
    bytes path;     /* of the source; empty: not known. A type's: of the method that allocates most of it */
    uint32_t line;  /* 0: not known */
    uint32_t depth; /* in the call tree, the least, from 1; 0: not known */
    uint32_t above; /* its caller there, or MAP_NONE */
} contract_entry;

/* One entry calls another one. */
typedef struct contract_edge {
    uint32_t caller, callee;
    uint64_t calls; /* in the first run; 0: as its IL says */
} contract_edge;

/* A line that people write: `ignore PATTERN`, `allow METRIC LIMIT PATTERN`. */
typedef struct contract_rule {
    pattern pattern;
    uint32_t line;          /* in the file */
    bool ignore;            /* what it names is not judged */
    contract_metric metric; /* CONTRACT_METRICS: all */
    bool percent;           /* `limit` is in thousandths of a percent */
    uint64_t limit;
    uint64_t more;  /* of a percentage: what may be added to it */
    uint32_t named; /* entries that it names; counted when it is judged */
} contract_rule;

typedef struct contract {
    contract_entry *entries;
    uint32_t count, capacity;
    map places;
    arena memory;
    uint32_t runs;
    bool known[CONTRACT_METRICS]; /* in all runs */
    bool trees;                   /* edges are of the call tree */
    bytes head;                   /* of the file: all before `runs` */
    contract_rule *rules;
    uint32_t rule_count, rule_capacity;
    contract_edge *edges; /* by callee, then caller; from contract_finish */
    uint32_t edge_count, edge_capacity;
} contract;

#define CONTRACT_INIT ((contract){0})

/* The entry with this key, made when there is none; MAP_NONE when memory ran out. Texts are copied. */
uint32_t contract_entry_of(contract *c, const contract_entry *key);
/* The same, or MAP_NONE when there is none. */
uint32_t contract_find(const contract *c, const contract_entry *key);

/* Methods before types, then by assembly, type, name and ordinal. */
int contract_compare(const contract_entry *a, const contract_entry *b);

/* Widens the range by a run's value. */
void contract_see(contract_range *range, uint64_t value, bool first);

/* Adds a run. `options` says where sources are. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status contract_gather(contract *c, const aggregate *run, const ilj_check_options *options, diag *d);
/* After the last run. */
void contract_finish(contract *c);

/* Reads the text of a baseline, which must outlive `c`. Reports a fault with its line and what was expected. Returns
 * ECMA_OK, ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status contract_read(contract *c, bytes text, diag *d);

/* Writes it, under the head `c->head`, or under a first one where that is empty. False when memory ran out. */
bool contract_write(printer *out, const contract *c);

/* Makes the full name of an entry the content of `b`. */
void contract_name(buffer *b, const contract_entry *e);

void contract_clear(contract *c);

#endif
