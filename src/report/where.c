#include "report/where.h"

#include <string.h>

#include "platform/os.h"
#include "profile/profile.h"

/* In how many of its runs a profile has the label. */
static uint64_t runs_with(const profile *p, const char *wanted) {
    const size_t size = strcspn(wanted, "=");
    const profile_label *l = profile_label_of(p, bytes_of(wanted, size));
    const bytes value = bytes_of(wanted + size + 1, strlen(wanted + size + 1));
    for (uint32_t i = 0; l && i < l->of.count; i++)
        if (bytes_equal(l->of.values[i].value, value))
            return l->of.values[i].runs;
    return 0;
}

static bool is_wanted(const profile *p, diag *d, const char *const *wanted, size_t count) {
    bool some = true, all = true;
    const uint64_t runs = profile_runs_in(&p->run);
    uint64_t fewest = runs;
    for (size_t i = 0; i < count; i++) {
        const uint64_t with = runs_with(p, wanted[i]);
        some &= with > 0;
        all &= with >= runs;
        fewest = with < fewest ? with : fewest;
    }
    if (some && !all)
        diag_report(d, DIAG_LABELS_MIXED,
                    "it is of %llu runs, at most %llu of them with the labels of --where, and cannot be parted: "
                    "left out",
                    (unsigned long long)runs, (unsigned long long)fewest);
    return all;
}

static ecma_status look_at(const report_input *input, bool *keep, const char *const *wanted, size_t wanted_count) {
    os_map map = OS_MAP_INIT;
    bytes content = input->content;
    ecma_status status = ECMA_OK;
    if (input->at_path) {
        status = os_read_file(&map, input->d, input->d->file);
        content = map.content;
    }
    profile p = PROFILE_INIT;
    if (status == ECMA_OK)
        status = profile_read_run(&p, content, input->d);
    if (status == ECMA_OK) {
        *keep = is_wanted(&p, input->d, wanted, wanted_count);
        profile_clear(&p);
    }
    os_unmap(&map);
    return status;
}

ecma_status where_keep(report_input *inputs, size_t *count, const char *const *wanted, size_t wanted_count) {
    const size_t all = *count;
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < wanted_count; i++)
        if (wanted[i][0] == '=' || !strchr(wanted[i], '='))
            return diag_report(inputs[0].d, DIAG_LABEL_WANTED, "a label is asked for as NAME=VALUE, found '%.80s'",
                               wanted[i]);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        bool keep = false;
        ecma_status one = look_at(&inputs[i], &keep, wanted, wanted_count);
        if (keep)
            inputs[(*count)++] = inputs[i];
        if (status == ECMA_OK)
            status = one;
    }
    if (status == ECMA_OK && *count == 0)
        return diag_report(inputs[0].d, DIAG_NO_PROFILE, "no run of the %zu profile%s has the label%s of --where", all,
                           all == 1 ? "" : "s", wanted_count == 1 ? "" : "s");
    return status;
}
