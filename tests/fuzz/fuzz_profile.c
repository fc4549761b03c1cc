/* The profile reader, the names reader, the writers and merging on any bytes. Most inputs would end at a wrong CRC, and
 * no mutation gets through deflate, so the first byte says what the rest is: an even one, a profile whose CRCs are set
 * right first; an odd one, the inflated data of a names resource. */
#include <stdlib.h>

#include "profile_maker.h"
#include "report/merge.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void report_all(bytes content) {
    diag d = {.file = "x"};
    const report_input inputs[2] = {{.content = content, .d = &d}, {.content = content, .d = &d}};
    for (int format = ILJ_REPORT_TEXT; format < ILJ_REPORT_FORMAT_COUNT; format++) {
        ilj_report_options options = {.format = (ilj_report_format)format,
                                      .width = 40,
                                      .top = 5,
                                      .color = true,
                                      .raw_names = format == ILJ_REPORT_CALLTREE,
                                      .threads = content.size % 2,
                                      .async = true};
        size_t written = 0;
        if (report_run(inputs, 2, &options, take, &written) != ECMA_OK && written > 0)
            abort();
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
    buffer other = BUFFER_INIT, a = BUFFER_INIT, b = BUFFER_INIT, again = BUFFER_INIT, twice = BUFFER_INIT;
    sample_profile(&other);
    if (merge_two(&a, content, buffer_bytes(&other))) {
        if (!merge_two(&b, buffer_bytes(&other), content) || !bytes_equal(buffer_bytes(&a), buffer_bytes(&b)))
            abort();
        /* content + other + content, from either end */
        if (merge_two(&again, buffer_bytes(&a), content)) {
            b.size = 0;
            if (!merge_two(&b, content, content) || !merge_two(&twice, buffer_bytes(&b), buffer_bytes(&other)) ||
                !bytes_equal(buffer_bytes(&again), buffer_bytes(&twice)))
                abort();
        }
        report_all(buffer_bytes(&a));
    }
    buffer_clear(&other);
    buffer_clear(&a);
    buffer_clear(&b);
    buffer_clear(&again);
    buffer_clear(&twice);
}

static void name_all(const uint8_t *data, size_t size) {
    buffer resource = BUFFER_INIT, name = BUFFER_INIT, content = BUFFER_INIT;
    buffer_append(&content, data, size);
    maker_names(&resource, &content, size > 0 ? data[size - 1] : 0, 1);
    arena memory = {.one_by_one = true};
    names n;
    const char *fault = NULL;
    if (names_read(&n, &fault, &memory, buffer_bytes(&resource)) == ECMA_OK) {
        for (uint32_t i = 0; i < n.method_count; i++) {
            names_parts parts;
            names_of_method(&name, &parts, &n, i, i % 2);
            if (parts.type_bytes > parts.method || parts.method > parts.parameters ||
                parts.space_bytes > parts.type_bytes || parts.parameters > parts.suffix || parts.suffix > name.size)
                abort();
        }
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
        name_all(data + 1, size - 1);
        return 0;
    }
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    mend_crcs(copy, size - 1);
    report_all((bytes){copy, size - 1});
    merge_all((bytes){copy, size - 1});
    free(copy);
    return 0;
}
