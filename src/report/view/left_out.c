#include "report/view/left_out.h"

#include "report/print/format.h"
#include "report/view/names.h"

static const char within[] = ", within ", outermost[] = ", but for outermost calls", who[] = ": ";

/* Returns the first place of the text, or SIZE_MAX. */
static size_t find(bytes in, const char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= in.size; i++)
        if (memcmp(in.data + i, text, size) == 0)
            return i;
    return SIZE_MAX;
}

bytes view_left_out_reason(const names_left_out *l) {
    size_t at = find(l->reason, within), but = find(l->reason, outermost);
    at = but < at ? but : at;
    return at == SIZE_MAX ? l->reason : bytes_of(l->reason.data, at);
}

/* Appends it with separators in the number of calls, which stands after the last comma. */
static void append_counted(buffer *b, bytes text) {
    size_t at = text.size;
    uint64_t calls = 0;
    while (at > 0 && text.data[at - 1] != ',')
        at--;
    size_t digits = at < text.size ? at + 1 : at, end = digits;
    for (; end < text.size && text.data[end] >= '0' && text.data[end] <= '9' && end - digits < 19; end++)
        calls = calls * 10 + (uint64_t)(text.data[end] - '0');
    if (end == digits) {
        buffer_append(b, text.data, text.size);
        return;
    }
    buffer_append(b, text.data, digits);
    buffer_string(b, format_count(calls).text);
    buffer_append(b, text.data + end, text.size - end);
}

/* "called too often, but for outermost calls: Packing.BestFrom, 8600000 calls" */
static bool describe_outermost(buffer *b, const names_left_out *l) {
    size_t at = find(l->reason, outermost), name = at + sizeof outermost - 1 + sizeof who - 1;
    if (at == SIZE_MAX || name > l->reason.size)
        return false;
    b->size = 0;
    append_counted(b, bytes_of(l->reason.data + name, l->reason.size - name));
    buffer_string(b, ", except the outermost ones");
    return true;
}

static bool describe(buffer *b, const names_left_out *l) {
    size_t at = find(l->reason, within), name = at + sizeof within - 1;
    if (at == SIZE_MAX)
        return describe_outermost(b, l);
    bytes rest = bytes_of(l->reason.data + name, l->reason.size - name);
    size_t end = find(rest, who), others = end + sizeof who - 1;
    if (end == SIZE_MAX)
        return false;
    b->size = 0;
    append_counted(b, bytes_of(rest.data + others, rest.size - others));
    buffer_string(b, l->count == 1 ? ", is within " : ", are within ");
    buffer_append(b, rest.data, end);
    return true;
}

/* The part of the text of a reason that names methods, if it is of those within the holder. */
static bool names_within(bytes *found, const names_left_out *l, bytes holder) {
    size_t at = find(l->reason, within), name = at + sizeof within - 1;
    if (at == SIZE_MAX)
        return false;
    bytes rest = bytes_of(l->reason.data + name, l->reason.size - name);
    size_t end = find(rest, who), first = end + sizeof who - 1, last = rest.size;
    if (end == SIZE_MAX || !bytes_equal(bytes_of(rest.data, end), holder))
        return false;
    while (last > first && rest.data[last - 1] != ',')
        last--;
    *found = bytes_of(rest.data + first, last > first ? last - 1 - first : 0);
    return found->size > 0;
}

bool view_left_out_within(buffer *b, const report *r, bytes holder) {
    for (uint32_t i = 0; i < r->sum->list.module_count; i++) {
        const report_module *m = &r->sum->list.modules[i];
        bytes found;
        for (uint32_t k = 0; m->named && k < m->names->left_out_count; k++)
            if (names_within(&found, &m->names->left_out[k], holder)) {
                view_text(b, found);
                return true;
            }
    }
    return false;
}

bool view_left_out(buffer *b, const report *r, uint32_t number) {
    buffer sentence = BUFFER_INIT;
    bool found = false;
    for (uint32_t i = 0; i < r->sum->list.module_count && !found; i++) {
        const report_module *m = &r->sum->list.modules[i];
        for (uint32_t k = 0; m->named && k < m->names->left_out_count && !found; k++)
            found = describe(&sentence, &m->names->left_out[k]) && number-- == 0;
    }
    if (found)
        view_text(b, buffer_bytes(&sentence));
    b->failed |= sentence.failed;
    buffer_clear(&sentence);
    return found;
}
