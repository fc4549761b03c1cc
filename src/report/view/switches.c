#include "report/view/switches.h"

#include <stdlib.h>

#include "util/list.h"

uint32_t view_switch_count(const report *r) {
    return r->sum->switch_count;
}

view_switch view_switch_at(const report *r, uint32_t i) {
    const report_switch *s = &r->sum->switches[i];
    view_off off = s->of.reasons & PROFILE_BY_GOVERNOR ? VIEW_OFF_BY_GOVERNOR
                   : s->of.reasons & PROFILE_BY_USER   ? VIEW_OFF_BY_USER
                                                       : VIEW_ON_AGAIN;
    return (view_switch){&s->function, s->run, s->of.calls, s->of.at_ns, off, s->of.reasons & PROFILE_OFF};
}

static int by_calls(const void *left, const void *right) {
    const report_switch *a = *(const report_switch *const *)left, *b = *(const report_switch *const *)right;
    int order = list_compare(b->of.calls, a->of.calls);
    if (order == 0)
        order = list_compare(a->run, b->run);
    return order ? order : list_compare(a->of.id, b->of.id);
}

view_switch *view_switches(const report *r, uint32_t *count) {
    const aggregate *a = r->sum;
    const report_switch **sorted = calloc((size_t)a->switch_count + 1, sizeof *sorted);
    view_switch *made = calloc((size_t)a->switch_count + 1, sizeof *made);
    *count = 0;
    for (uint32_t i = 0; sorted && made && i < a->switch_count; i++)
        if (a->switches[i].function.wanted)
            sorted[(*count)++] = &a->switches[i];
    if (*count > 0)
        qsort(sorted, *count, sizeof *sorted, by_calls);
    for (uint32_t i = 0; i < *count; i++)
        made[i] = view_switch_at(r, (uint32_t)(sorted[i] - a->switches));
    bool done = sorted && made;
    free(sorted);
    if (done)
        return made;
    free(made);
    return NULL;
}

void view_switch_facts(const view_switch *s, view_facts *facts) {
    facts->count = 0;
    view_add_number(facts, VIEW_JSON, "run", s->run);
    view_add_number(facts, VIEW_EACH, "calls", s->calls);
    view_add_number(facts, VIEW_EACH, "at_ns", s->at_ns);
    view_add_flag(facts, VIEW_JSON, "off_by_governor", s->off == VIEW_OFF_BY_GOVERNOR);
    view_add_flag(facts, VIEW_JSON, "off_by_user", s->bits & PROFILE_BY_USER);
    view_add_number(facts, VIEW_PAGE, "off", s->bits);
}
