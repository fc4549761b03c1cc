/* switches.h - methods that were switched off while the program ran. */
#ifndef ILINJECT_REPORT_VIEW_SWITCHES_H
#define ILINJECT_REPORT_VIEW_SWITCHES_H

#include "report/model/model.h"
#include "report/view/facts.h"

typedef enum view_off { VIEW_ON_AGAIN, VIEW_OFF_BY_USER, VIEW_OFF_BY_GOVERNOR } view_off;

typedef struct view_switch {
    const report_function *function;
    uint32_t run;
    uint64_t calls, at_ns; /* till then, and since the start */
    view_off off;
    unsigned bits; /* PROFILE_BY_GOVERNOR, PROFILE_BY_USER: both may hold */
} view_switch;

/* All of them are by number, in the order of the profiles. */
uint32_t view_switch_count(const report *r);
view_switch view_switch_at(const report *r, uint32_t i);
/* Those that the filter wants, with the most calls till then first. The array is the caller's to free; NULL: memory ran
 * out. */
view_switch *view_switches(const report *r, uint32_t *count);

/* All but the name. */
void view_switch_facts(const view_switch *s, view_facts *facts);

#endif
