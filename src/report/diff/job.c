#include <stdlib.h>

#include "input/context.h"
#include "platform/os.h"
#include "report/diff/write.h"
#include "report/model/ticks.h"

/* The public side of comparing. */

static ecma_status parse_gates(diff_gate *gates, arena *a, const ilj_diff_options *options, ilj_context *context) {
    diag d = context_diag(context, "--fail-if");
    ecma_status first = ECMA_OK;
    for (size_t i = 0; i < options->fail_if_count; i++) {
        char fault[DIFF_FAULT];
        ecma_status status = diff_gate_parse(&gates[i], options->fail_if[i], a, fault);
        if (status == ECMA_CONFIG)
            diag_report(&d, DIAG_FAIL_IF, "%s: %s", options->fail_if[i], fault);
        else if (status != ECMA_OK)
            return diag_no_memory(&d);
        if (first == ECMA_OK)
            first = status;
    }
    return first;
}

/* Reads one profile and adds it, when `add`. */
static ecma_status add_file(diff *d, uint64_t *runs, ilj_context *context, const char *file,
                            const ilj_diff_options *options, bool add) {
    diag told = context_diag(context, file);
    os_map map = OS_MAP_INIT;
    profile p = {.used = os_discard};
    matched_profile matched = {.uses_up = true};
    aggregate sum = AGGREGATE_INIT;
    sum.offset = options->raw ? ILJ_OFFSET_NONE : ILJ_OFFSET_CALIBRATED;
    ecma_status status = os_read_file(&map, &told, file);
    if (status == ECMA_OK)
        status = profile_read(&p, map.content, &told);
    if (status == ECMA_OK && add) {
        status = aggregate_profile(&sum, &p, 0, &matched, &told);
        if (status == ECMA_OK && !ticks_widen(&sum, &p, 1))
            status = diag_no_memory(&told);
        if (status == ECMA_OK)
            status = aggregate_finish(&sum, &told);
        if (status == ECMA_OK && !diff_add(d, &sum, profile_runs_in(&p.run)))
            status = diag_no_memory(&told);
        *runs = profile_add(*runs, profile_runs_in(&p.run));
    }
    aggregate_clear(&sum);
    matched_profile_clear(&matched);
    profile_clear(&p);
    os_unmap(&map);
    return status;
}

static void tell_held(const diff_gate *g, const diff *d, uint32_t method, diag *told) {
    buffer b = BUFFER_INIT;
    diff_gate_words(&b, g, d, method);
    diag_report(told, DIAG_FAIL_IF_HELD, "%.*s", (int)b.size, b.size ? (const char *)b.data : "");
    buffer_clear(&b);
}

/* A condition whose pattern names no method judges nothing: it fails, too, unless that is allowed. */
static bool is_judged(const diff_gate *g, bool allow_missing, diag *told) {
    if (g->named > 0)
        return true;
    if (allow_missing)
        diag_report(told, DIAG_FAIL_IF_SKIPPED, "the pattern names no method of these profiles: %s", g->text);
    else
        diag_report(
            told, DIAG_FAIL_IF_MISSING,
            "the pattern names no method of these profiles, so nothing is judged (--allow-missing passes it): %s",
            g->text);
    return allow_missing;
}

/* Tells of each method for which a condition holds, the first ones by name. */
static ecma_status check_gates(diff_gate *gates, const ilj_diff_options *options, const diff *d, bool *failed,
                               ilj_context *context) {
    enum { TOLD = 20 };
    diag told = context_diag(context, "--fail-if");
    buffer scratch = BUFFER_INIT;
    for (size_t i = 0; i < options->fail_if_count; i++) {
        if (diff_is_time(gates[i].metric) && d->untimed) {
            diag_report(&told, DIAG_FAIL_IF_MISSING, "calls were only counted, so no time is judged: %s",
                        gates[i].text);
            gates[i].untimed = *failed = true;
            continue;
        }
        profile_figure figure = diff_figure_of(gates[i].metric);
        if (figure != FIGURES && d->without[figure]) {
            diag_report(&told, DIAG_FAIL_IF_MISSING, "some run has not counted %s: %s", figure_kinds[figure].missing,
                        gates[i].text);
            gates[i].uncounted = *failed = true;
            continue;
        }
        for (uint32_t k = 0; k < d->methods.count; k++) {
            if (d->functions[k].switched || !diff_gate_names(&gates[i], &d->functions[k], &scratch))
                continue;
            gates[i].named++;
            if (diff_gate_holds(&gates[i], d, k) && gates[i].held++ < TOLD)
                tell_held(&gates[i], d, k, &told);
        }
        if (gates[i].held > TOLD)
            diag_report(&told, DIAG_FAIL_IF_HELD, "and %u more methods: %s", gates[i].held - TOLD, gates[i].text);
        bool judged = scratch.failed || is_judged(&gates[i], options->allow_missing, &told);
        *failed |= gates[i].held > 0 || !judged;
    }
    bool done = !scratch.failed;
    buffer_clear(&scratch);
    return done ? ECMA_OK : diag_no_memory(&told);
}

static ecma_status write_view(diff_view *v, ilj_write_fn *write, void *user, diag *d) {
    printer *out = calloc(1, sizeof *out);
    if (!out || !diff_view_make(v)) {
        free(out);
        return diag_no_memory(d);
    }
    out->write = write;
    out->user = user;
    out->color = v->options->color;
    switch (v->options->format) {
    case ILJ_DIFF_TEXT:
        diff_write_text(out, v);
        break;
    case ILJ_DIFF_MARKDOWN:
        diff_write_markdown(out, v);
        break;
    case ILJ_DIFF_JSON:
        diff_write_json(out, v);
        break;
    case ILJ_DIFF_SARIF:
    case ILJ_DIFF_GITHUB:
    case ILJ_DIFF_GITLAB:
        out->no_memory |= !diff_write_findings(out, v);
        break;
    }
    v->scratch.failed |= out->no_memory;
    bool written = print_flush(out);
    free(out);
    return v->scratch.failed ? diag_no_memory(d) : written ? ECMA_OK : ECMA_IO;
}

/* The parameters are more than six, as this is a function of the public interface. */
ilj_status ilj_diff(bool *failed, ilj_context *context, const char *const *before, size_t before_count,
                    const char *const *after, size_t after_count, const ilj_diff_options *given, ilj_write_fn *write,
                    void *user) {
    ilj_diff_options own;
    const ilj_diff_options *options = &own;
    ecma_status status = options_copy(&own, given, sizeof own, "ilj_diff_options", context);
    if (status)
        return status;
    diag none = context_diag(context, "");
    if (before_count == 0 || after_count == 0 || before_count > UINT16_MAX || after_count > UINT16_MAX)
        return diag_report(&none, DIAG_NO_PROFILE, "each side needs 1 to %d profiles", UINT16_MAX);
    diff d = DIFF_INIT;
    arena memory = ARENA_INIT;
    bool held = false;
    diff_view v = {.d = &d,
                   .table = options->by_path ? &d.paths : &d.methods,
                   .options = options,
                   .metric = options->inclusive ? DIFF_TAKEN : DIFF_OWN,
                   .sides = {{.files = before}, {.files = after}},
                   .gate_count = options->fail_if_count};
    diff_gate *gates = calloc(options->fail_if_count + 1, sizeof *gates);
    v.gates = gates;
    status = gates ? parse_gates(gates, &memory, options, context) : diag_no_memory(&none);
    if (status == ECMA_OK) {
        diff_start(&d, (uint32_t)before_count, (uint32_t)after_count);
        d.places = options->format >= ILJ_DIFF_SARIF;
        /* All are read, so that each bad one is reported; the first failure counts. */
        for (size_t i = 0; i < before_count + after_count; i++) {
            int side = i >= before_count;
            ecma_status one = add_file(&d, &v.sides[side].runs, context, side ? after[i - before_count] : before[i],
                                       options, status == ECMA_OK);
            if (status == ECMA_OK)
                status = one;
        }
    }
    if (status == ECMA_OK && !diff_judge(&d))
        status = diag_no_memory(&none);
    if (status == ECMA_OK)
        status = check_gates(gates, options, &d, &held, context);
    if (status == ECMA_OK)
        status = write_view(&v, write, user, &none);
    if (status == ECMA_OK)
        *failed = held;
    diff_view_clear(&v);
    diff_clear(&d);
    free(gates);
    arena_clear(&memory);
    return status;
}
