#include "report/view/timeline.h"

#include "report/model/timeline.h"

uint64_t view_timeline_end(const report *r, size_t profile) {
    const profile_run *run = &r->profiles[profile].run;
    uint64_t end = run->wall_ticks > run->stopped_ticks ? run->wall_ticks - run->stopped_ticks : 0;
    for (uint32_t i = 0; i < r->matched[profile].thread_count; i++) {
        uint64_t last = timeline_last(&r->matched[profile].threads[i].corrected.t);
        end = last > end ? last : end;
    }
    return end;
}
