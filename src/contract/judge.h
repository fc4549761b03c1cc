/* judge.h - a contract compared with what runs did.
 *
 * A figure has changed when the runs' range and the baseline's do not meet, the latter widened by a rule's limit and,
 * where it is a range, by how far that many runs let the next one lie: its width times 6 / (runs - 1), at least once,
 * and at least 2 % of it. (Of 2 runs of a normal distribution the 3rd lies outside of that in 1 of 20 cases, of 7 in 1
 * of 1,000.)
 *
 * The trees part at a method that was called as often as before, but calls others more or less often. What changes
 * below it follows from that. Where there is no tree, the place is among the callers, by their IL. */
#ifndef ILINJECT_CONTRACT_JUDGE_H
#define ILINJECT_CONTRACT_JUDGE_H

#include "contract/contract.h"
#include "findings/findings.h"

typedef enum change_kind {
    CHANGE_PARTS,   /* it calls others more or less often, itself as often as before */
    CHANGE_OWN,     /* changed by itself, as far as is known */
    CHANGE_FOLLOWS, /* one of its callers has changed, too */
    CHANGE_KINDS
} change_kind;

typedef struct change {
    uint32_t before, after;      /* entries; MAP_NONE: not there */
    const contract_entry *entry; /* the one after, which has a place, else the one before */
    unsigned metrics;            /* a bit for each that changed */
    change_kind kind;
} change;

typedef struct judgement {
    contract *before; /* its rules count what they name */
    const contract *after;
    const ilj_check_options *options;
    change *list; /* those that part first, by depth; then by kind and name */
    uint32_t count;
    uint32_t kinds[CHANGE_KINDS];
    uint32_t same, ignored;
    uint32_t *changes; /* of entries after: 1 + position in `list`; 0: as before */
    buffer scratch;
} judgement;

/* Fills in the list; judgement_clear frees. False when memory ran out. */
bool judge(judgement *j);
void judgement_clear(judgement *j);

/* What the runs of a side had; of an entry that is not there 0. */
contract_range change_range(const judgement *j, const change *c, contract_metric m, bool after);

/* Callees that changed as the caller does where trees part, or callers of what changed by itself: `next` finds the one
 * after the edge `at` (start with 0). Returns an edge's position + 1, or 0. */
uint32_t change_next_callee(const judgement *j, const change *c, uint32_t at);
uint32_t change_next_caller(const judgement *j, const change *c, uint32_t at);

static inline bool change_has(const change *c, contract_metric m) {
    return c->metrics >> m & 1;
}

/* What the formats share (words.c). Each appends; on one line.
 * change_words: "calls 100 -> 101 (+1), bytes 2,400 -> 2,424 (+24)".
 * change_place: "src/Cart.cs:12"; false: it is not known.
 * change_path: the way down the call tree to it, as "Program.Main > Cart.Add"; false: it stands at the top. */
void change_words(buffer *b, const judgement *j, const change *c);
bool change_place(buffer *b, const judgement *j, const contract_entry *e);
bool change_path(buffer *b, const judgement *j, const change *c);
void judgement_summary(buffer *b, const judgement *j);

/* Methods that say where a change comes from: callees that changed where trees part, else callers of what changed by
 * itself. Returns how many there are; the first EDGES_SHOWN stand in `shown`. */
enum { EDGES_SHOWN = 3 };
uint32_t change_edges(const judgement *j, const change *c, const contract_edge *shown[EDGES_SHOWN]);

void check_text(printer *out, judgement *j);
void check_markdown(printer *out, judgement *j);
/* As findings: what parts and what changed by itself. False when memory ran out. */
bool check_findings(printer *out, judgement *j);

#endif
