#include "report/work.h"

#include "choice/counts.h"
#include "report/choice_file.h"

ecma_status work_compare(aggregate *a, const report_input *inputs, size_t count, const ilj_report_options *options) {
    counts now = COUNTS_INIT, before = COUNTS_INIT;
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count && status == ECMA_OK; i++)
        status = choice_file_add(&now, &inputs[i]);
    for (size_t i = 0; i < options->counted_count && status == ECMA_OK; i++) {
        diag its = *inputs[0].d;
        its.file = options->counted[i];
        status = choice_file_add(&before, &(report_input){.d = &its, .at_path = true});
    }
    for (uint32_t i = 0; i < now.count && status == ECMA_OK; i++) {
        const counted *m = &now.list[i], *was = counts_find(&before, m->key);
        if (!was || m->calls == 0 || m->switched_off || m->names->methods[m->method].flags & NAMES_OUTERMOST)
            continue;
        a->work.calls = profile_add(a->work.calls, m->calls);
        a->work.counted = profile_add(a->work.counted, was->calls);
    }
    counts_clear(&now);
    counts_clear(&before);
    return status;
}
