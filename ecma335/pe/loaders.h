/* loaders.h - the rules that the loaders of CoreCLR, Mono and Windows hold an image's headers to
 * (loaders.def). An output is held to them where its input obeys every one: a layout breaks none.
 *
 * The rules are read from the bytes, not from pe_image: opening is lenient, as inputs have to be read
 * that one loader takes and another refuses. */
#ifndef ECMA335_PE_LOADERS_H
#define ECMA335_PE_LOADERS_H

#include "base/bytes.h"
#include "base/diag.h"

typedef enum pe_rule {
#define PE_RULE(name, subject, origin, text, source) PE_RULE_##name,
#include "pe/loaders.def"
#undef PE_RULE
    PE_RULE_COUNT,
} pe_rule;

/* The most that a rule can be asked about: sections (Windows loads 96). */
enum { PE_RULE_SUBJECTS = 96 };

typedef struct pe_verdict {
    bool any; /* one of the others */
    bool broken[PE_RULE_COUNT][PE_RULE_SUBJECTS];
} pe_verdict;

/* Judges the headers of a managed image. Where they cannot be read at all, no rule is broken: opening
 * refuses such a file. Never reads past the file. */
void pe_loaders_judge(pe_verdict *verdict, bytes file);

/* True if loaders find the CLI header: all of it is in one section, in memory and in the file. If not, none of the
 * rules on its content is judged. */
bool pe_loaders_find_cli_header(bytes file);

/* Says which rule `output` breaks that `input` did not: DIAG_READ_BACK names the rule, its source and the section or
 * directory. `anew`: the output has new headers, so the input excuses only what the output takes from it. Returns
 * ECMA_OK, ECMA_BUG (reported). */
ecma_status pe_loaders_check(bytes output, bytes input, bool anew, diag *d);

#endif
