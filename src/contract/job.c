/* The public side of contracts. */
#include <stdio.h>
#include <stdlib.h>

#include "contract/judge.h"
#include "input/context.h"
#include "platform/os.h"
#include "report/model/ticks.h"

/* Reads one profile and adds it as a run, when `add`. */
static ecma_status add_file(contract *c, ilj_context *context, const char *file, const ilj_check_options *options,
                            bool add) {
    diag d = context_diag(context, file);
    os_map map = OS_MAP_INIT;
    profile p = {.used = os_discard};
    matched_profile matched = {.uses_up = true};
    aggregate sum = AGGREGATE_INIT;
    ecma_status status = os_read_file(&map, &d, file);
    if (status == ECMA_OK)
        status = profile_read(&p, map.content, &d);
    if (status == ECMA_OK && add) {
        status = aggregate_profile(&sum, &p, 0, &matched, &d);
        if (status == ECMA_OK)
            status = aggregate_finish(&sum, &d);
        if (status == ECMA_OK)
            status = contract_gather(c, &sum, options, &d);
    }
    aggregate_clear(&sum);
    matched_profile_clear(&matched);
    profile_clear(&p);
    os_unmap(&map);
    return status;
}

/* All are read, so that each bad one is reported; the first failure counts. */
static ecma_status add_files(contract *c, ilj_context *context, const char *const *files, size_t count,
                             const ilj_check_options *options) {
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count; i++) {
        ecma_status one = add_file(c, context, files[i], options, status == ECMA_OK);
        status = status == ECMA_OK ? one : status;
    }
    contract_finish(c);
    return status;
}

static ecma_status end_writing(printer *out, bool done, diag *d) {
    done = done && !out->no_memory;
    bool written = print_flush(out);
    free(out);
    return !done ? diag_no_memory(d) : written ? ECMA_OK : ECMA_IO;
}

static printer *begin_writing(ilj_write_fn *write, void *user) {
    printer *out = calloc(1, sizeof *out);
    if (out) {
        out->write = write;
        out->user = user;
    }
    return out;
}

ilj_status ilj_baseline(ilj_context *context, const char *const *profiles, size_t profile_count,
                        const ilj_baseline_options *options, ilj_write_fn *write, void *user) {
    ilj_baseline_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_baseline_options", context);
    if (status)
        return status;
    diag d = context_diag(context, own.previous ? own.previous : "");
    if (profile_count == 0)
        return diag_report(&d, DIAG_NO_PROFILE, "no profile was given");
    contract before = CONTRACT_INIT, c = CONTRACT_INIT;
    os_map map = OS_MAP_INIT;
    const ilj_check_options none = {.size = sizeof none};
    if (own.previous)
        status = os_read_file(&map, &d, own.previous);
    if (own.previous && status == ECMA_OK)
        status = contract_read(&before, map.content, &d);
    if (status == ECMA_OK)
        status = add_files(&c, context, profiles, profile_count, &none);
    if (status == ECMA_OK) {
        printer *out = begin_writing(write, user);
        c.head = before.head;
        status = out ? end_writing(out, contract_write(out, &c), &d) : diag_no_memory(&d);
    }
    contract_clear(&before);
    contract_clear(&c);
    os_unmap(&map);
    return status;
}

/* What cannot be compared, and rules that name nothing. */
static void report_gaps(const contract *before, const contract *after, diag *d) {
    char missing[100] = "";
    for (int m = 0; m < CONTRACT_METRICS; m++)
        if (before->known[m] && !after->known[m])
            snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s", missing[0] ? ", " : "",
                     contract_metric_names[m]);
    if (missing[0])
        diag_report(d, DIAG_BASELINE_COLUMN, "the profiles have not recorded all that it holds; not compared: %s",
                    missing);
    for (uint32_t i = 0; i < before->rule_count; i++)
        if (before->rules[i].named == 0)
            diag_report(d, DIAG_BASELINE_RULE, "line %u: the pattern names no method that was called: %s",
                        before->rules[i].line, before->rules[i].pattern.text);
}

static ecma_status write_outcome(judgement *j, ilj_write_fn *write, void *user, diag *d) {
    printer *out = begin_writing(write, user);
    if (!out)
        return diag_no_memory(d);
    bool done = true;
    out->color = j->options->color;
    if (j->options->format == ILJ_CHECK_TEXT)
        check_text(out, j);
    else if (j->options->format == ILJ_CHECK_MARKDOWN)
        check_markdown(out, j);
    else
        done = check_findings(out, j);
    return end_writing(out, done, d);
}

ilj_status ilj_check(bool *changed, ilj_context *context, const char *baseline, const char *const *profiles,
                     size_t profile_count, const ilj_check_options *options, ilj_write_fn *write, void *user) {
    ilj_check_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_check_options", context);
    if (status)
        return status;
    diag d = context_diag(context, baseline);
    if (profile_count == 0)
        return diag_report(&d, DIAG_NO_PROFILE, "no profile was given");
    contract before = CONTRACT_INIT, after = CONTRACT_INIT;
    judgement j = {.before = &before, .after = &after, .options = &own};
    os_map map = OS_MAP_INIT;
    status = os_read_file(&map, &d, baseline);
    if (status == ECMA_OK)
        status = contract_read(&before, map.content, &d);
    ecma_status of_profiles = add_files(&after, context, profiles, profile_count, &own);
    status = status == ECMA_OK ? of_profiles : status;
    if (status == ECMA_OK && !judge(&j))
        status = diag_no_memory(&d);
    if (status == ECMA_OK) {
        report_gaps(&before, &after, &d);
        status = write_outcome(&j, write, user, &d);
    }
    if (status == ECMA_OK && j.count > 0) {
        j.scratch.size = 0;
        judgement_summary(&j.scratch, &j);
        diag_report(&d, DIAG_BASELINE_CHANGED, "%.*s", (int)j.scratch.size, (const char *)j.scratch.data);
    }
    if (status == ECMA_OK)
        *changed = j.count > 0;
    judgement_clear(&j);
    contract_clear(&before);
    contract_clear(&after);
    os_unmap(&map);
    return status;
}
