/* The profile reader, the names reader, the writers, merging and comparing on any bytes. Most inputs would end at a
 * wrong CRC, and no mutation gets through deflate, so the first byte says what the rest is: an even one, a profile
 * that gets right CRCs first; an odd one, the inflated data of a names resource, with bit 1 one that has places
 * which allocate. */
#include <jansson.h>
#include <stdlib.h>

#include "mutate_profile.h"
#include "profile/names_lambdas.h"
#include "profile_maker.h"
#include "report/diff/write.h"
#include "report/merge/merge.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a report's JSON with another reader and holds it against what the format says of its totals: frames that were
 * entered have left in one of the ways, or are open. Only sums that stop at 2^63 - 1 may be less. */
static void judge_json(const buffer *text) {
    json_error_t error;
    json_t *root = json_loadb((const char *)text->data, text->size, JSON_ALLOW_NUL, &error);
    if (!root && json_error_code(&error) == json_error_null_byte_in_key)
        return; /* a field's name; that reader takes no such names */
    if (!root)
        abort();
    const json_t *totals = json_object_get(root, "totals"), *leaves = json_object_get(totals, "leaves");
    if (!totals)
        abort();
    static const char *const keys[] = {"enters", "by_exception", "resynchronised", "open"};
    unsigned __int128 sum[4];
    bool whole = json_is_integer(leaves);
    for (unsigned i = 0; i < 4; i++) {
        const json_t *figure = json_object_get(totals, keys[i]);
        if (json_integer_value(figure) < 0)
            abort();
        sum[i] = (unsigned __int128)json_integer_value(figure);
        whole = whole && sum[i] < INT64_MAX;
    }
    if (whole && json_integer_value(leaves) > 0 &&
        sum[0] != (unsigned __int128)json_integer_value(leaves) + sum[1] + sum[2] + sum[3])
        abort();
    json_decref(root);
}

static int keep_text(void *user, const char *text, size_t length) {
    buffer_append(user, text, length);
    return 0;
}

static int take(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return 0;
}

static void mend_crcs(uint8_t *file, size_t size) {
    for (size_t at = 16; at <= size && size - at >= 16;) {
        uint64_t payload = load_u64(file + at + 8);
        if (payload > size - at - 16)
            return;
        store_u32(file + at + 4, libdeflate_crc32(0, file + at + 16, (size_t)payload));
        at += 16 + (size_t)payload;
    }
}

static bool is_refused(bytes content) {
    diag d = {.file = "x"};
    profile p = PROFILE_INIT;
    bool refused = profile_read(&p, content, &d) != ECMA_OK;
    if (!refused)
        profile_clear(&p);
    return refused;
}

/* The profile that others are merged and compared with; made once. */
static bytes other_profile(void) {
    static buffer other = BUFFER_INIT;
    if (other.size == 0)
        sample_profile(&other);
    return buffer_bytes(&other);
}

/* In JSON and in one other format, by the content; or in each. */
static void report_all(bytes content, bool each) {
    diag d = {.file = "x"};
    const int other = (int)(libdeflate_crc32(0, content.data, content.size) % ILJ_REPORT_FORMAT_COUNT);
    /* One that is refused, is so before any format is looked at. */
    const int end = is_refused(content) ? ILJ_REPORT_TEXT + 1 : ILJ_REPORT_FORMAT_COUNT;
    const report_input inputs[2] = {{.content = content, .d = &d}, {.content = content, .d = &d}};
    const ilj_report_options calls = {.view = ILJ_VIEW_CALLS, .width = 40, .top = 5, .value = "1"};
    size_t shown = 0;
    report_run(inputs, 2, &calls, take, &shown);
    for (int format = ILJ_REPORT_TEXT; format < end; format++) {
        const bool is_json = format == ILJ_REPORT_JSON;
        if (!each && !is_json && format != other)
            continue;
        ilj_report_options options = {.format = (ilj_report_format)format,
                                      .width = 40,
                                      .top = 5,
                                      .color = true,
                                      .raw_names = format == ILJ_REPORT_CALLTREE,
                                      .threads = content.size % 2,
                                      .offset = (ilj_offset)(((size_t)format + content.size) % 3),
                                      .async = true};
        size_t written = 0;
        buffer text = BUFFER_INIT;
        bool done = is_json ? report_run(inputs, 2, &options, keep_text, &text) == ECMA_OK
                            : report_run(inputs, 2, &options, take, &written) == ECMA_OK;
        if (!done && (written > 0 || text.size > 0))
            abort();
        if (is_json && done && text.size > 0 && !text.failed)
            judge_json(&text);
        buffer_clear(&text);
    }
}

/* False when one of the profiles is refused. */
static bool merge_two(buffer *out, bytes a, bytes b) {
    diag d = {.file = "x"};
    const bytes both[] = {a, b};
    merge *m = calloc(1, sizeof *m);
    bool done = m != NULL;
    for (int i = 0; i < 2 && done; i++) {
        profile p = PROFILE_INIT;
        done = profile_read(&p, both[i], &d) == ECMA_OK;
        if (done) {
            done = merge_add(m, &p, &d) == ECMA_OK;
            profile_clear(&p);
        }
    }
    done = done && merge_write(out, m, &d) == ECMA_OK;
    if (m)
        merge_clear(m);
    free(m);
    return done;
}

/* Either order gives the same bytes, and what comes out is read and merged again. */
static void merge_all(bytes content) {
    const bytes other = other_profile();
    buffer a = BUFFER_INIT, b = BUFFER_INIT, again = BUFFER_INIT, twice = BUFFER_INIT;
    if (merge_two(&a, content, other)) {
        if (!merge_two(&b, other, content) || !bytes_equal(buffer_bytes(&a), buffer_bytes(&b)))
            abort();
        /* content + other + content, from either end */
        if (merge_two(&again, buffer_bytes(&a), content)) {
            b.size = 0;
            if (!merge_two(&b, content, content) || !merge_two(&twice, buffer_bytes(&b), other) ||
                !bytes_equal(buffer_bytes(&again), buffer_bytes(&twice)))
                abort();
        }
        report_all(buffer_bytes(&a), false);
    }
    buffer_clear(&a);
    buffer_clear(&b);
    buffer_clear(&again);
    buffer_clear(&twice);
}

static bool add_run(diff *d, bytes content) {
    diag told = {.file = "x"};
    aggregate sum = AGGREGATE_INIT;
    profile p = PROFILE_INIT;
    bool done = profile_read(&p, content, &told) == ECMA_OK;
    if (done) {
        done = aggregate_profile(&sum, &p, 0, NULL, &told) == ECMA_OK && aggregate_finish(&sum, &told) == ECMA_OK &&
               diff_add(d, &sum, profile_runs_in(&p.run));
        profile_clear(&p);
    }
    aggregate_clear(&sum);
    return done;
}

static void compare_all(bytes content) {
    buffer scratch = BUFFER_INIT;
    diff d = DIFF_INIT;
    arena memory = {.one_by_one = true};
    diff_start(&d, 1, 2);
    if (add_run(&d, other_profile()) && add_run(&d, content) && add_run(&d, content) && diff_judge(&d)) {
        static const char *const files[] = {"a", "b"};
        char fault[DIFF_FAULT];
        diff_gate gate;
        if (diff_gate_parse(&gate, "**.*(int): exclusive > +5% and +1us", &memory, fault) != ECMA_OK)
            abort();
        for (uint32_t i = 0; i < d.methods.count; i++)
            if (diff_gate_names(&gate, &d.functions[i], &scratch) && diff_gate_holds(&gate, &d, i))
                gate.held++;
        for (int format = ILJ_DIFF_TEXT; format <= ILJ_DIFF_JSON; format++) {
            const ilj_diff_options options = {.by_path = (size_t)format % 2 == content.size % 2, .top = 5, .width = 60};
            diff_view v = {.d = &d,
                           .table = options.by_path ? &d.paths : &d.methods,
                           .options = &options,
                           .metric = DIFF_EXCLUSIVE,
                           .sides = {{files, 1}, {files, 2}},
                           .gates = &gate,
                           .gate_count = 1};
            size_t written = 0;
            printer out = {.write = take, .user = &written};
            if (!diff_view_make(&v))
                abort();
            (format == ILJ_DIFF_TEXT       ? diff_write_text
             : format == ILJ_DIFF_MARKDOWN ? diff_write_markdown
                                           : diff_write_json)(&out, &v);
            print_flush(&out);
            diff_view_clear(&v);
        }
    }
    diff_clear(&d);
    arena_clear(&memory);
    buffer_clear(&scratch);
}

/* A condition of --fail-if. */
static void gate_all(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), fault[DIFF_FAULT];
    if (!text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    arena memory = {.one_by_one = true};
    diff_gate gate;
    fault[0] = '\0';
    if (diff_gate_parse(&gate, text, &memory, fault) == ECMA_CONFIG && fault[0] == '\0')
        abort();
    arena_clear(&memory);
    free(text);
}

static void name_all(const uint8_t *data, size_t size, uint16_t flags) {
    buffer resource = BUFFER_INIT, name = BUFFER_INIT, content = BUFFER_INIT;
    buffer_append(&content, data, size);
    maker_flags = flags;
    maker_names(&resource, &content, size > 0 ? data[size - 1] : 0, 1);
    maker_flags = 0;
    arena memory = {.one_by_one = true};
    names n;
    const char *fault = NULL;
    if (names_read(&n, &fault, &memory, buffer_bytes(&resource), &(names_room){0}) == ECMA_OK) {
        if (!names_number_lambdas(&n, &memory))
            abort();
        for (uint32_t i = 0; i < n.method_count; i++) {
            names_parts parts;
            names_of_method(&name, &parts, &n, i, i % 2);
            if (parts.type_bytes > parts.method || parts.method > parts.parameters ||
                parts.space_bytes > parts.type_bytes || parts.parameters > parts.suffix || parts.suffix > name.size)
                abort();
        }
        for (uint32_t i = 0; i < n.site_count; i++)
            if (n.sites[i].method >= n.method_count || n.sites[i].kind >= NAMES_SITE_KINDS ||
                names_text(&n, n.sites[i].type).size > n.data.size)
                abort();
    } else if (!fault) {
        abort();
    }
    arena_clear(&memory);
    buffer_clear(&resource);
    buffer_clear(&name);
    buffer_clear(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    if (data[0] % 2) {
        name_all(data + 1, size - 1, (uint16_t)(data[0] & 2));
        gate_all(data + 1, size - 1);
        return 0;
    }
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    mend_crcs(copy, size - 1);
    report_all((bytes){copy, size - 1}, true);
    merge_all((bytes){copy, size - 1});
    compare_all((bytes){copy, size - 1});
    free(copy);
    return 0;
}

/* The first byte stays: it says what the others are. */
static size_t mutate_behind_choice(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    if (size > 0 && data[0] % 2 == 0)
        return 1 + profile_mutate(data + 1, size - 1, most - 1, random);
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(mutate_behind_choice, data, size, most, seed);
}
