#include "select/price.h"

#include <stdlib.h>

static int by_holder(const void *left, const void *right) {
    const counted *const *a = left, *const *b = right;
    if ((*a)->within != (*b)->within)
        return (*a)->within < (*b)->within ? -1 : 1;
    if ((*a)->inclusive_ps != (*b)->inclusive_ps)
        return (*a)->inclusive_ps > (*b)->inclusive_ps ? -1 : 1;
    if ((*a)->calls != (*b)->calls)
        return (*a)->calls > (*b)->calls ? -1 : 1;
    return counts_compare(*a, *b);
}

/* Puts the group where it belongs: most calls first. */
static void insert(price_group *groups, uint32_t *count, uint32_t most, price_group added) {
    uint32_t at = *count;
    while (at > 0 && groups[at - 1].calls < added.calls)
        at--;
    if (at == most)
        return;
    *count += *count < most;
    memmove(&groups[at + 1], &groups[at], (*count - 1 - at) * sizeof *groups);
    groups[at] = added;
}

static bool is_one_of(const counted *const *list, uint32_t count, const counted *m) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == m)
            return true;
    return false;
}

/* Puts the methods of the MethodDef rows into `list`, as far as profiles know them. Returns how many there are. */
static uint32_t find_rows(const counted **list, const counts *c, const price_rows *rows) {
    uint32_t found = 0;
    buffer key = BUFFER_INIT;
    for (uint32_t i = 0; i < rows->count; i++) {
        counts_key(&key, rows->image, rows->list[i]);
        const counted *m = key.failed ? NULL : counts_find(c, buffer_bytes(&key));
        if (m && m->left_out)
            list[found++] = m;
    }
    buffer_clear(&key);
    return found;
}

/* Without memory there are none. */
uint32_t price_groups(price_group groups[PRICE_GROUPS], const ilj_selection *s, bytes assembly,
                      const price_rows *outermost) {
    if (!s || !s->price || !s->price->profiles)
        return 0;
    const counts *c = &s->price->counts;
    const counted **left = calloc((size_t)c->count + 1, sizeof *left);
    const counted **recorded = calloc((size_t)outermost->count + 1, sizeof *recorded);
    uint32_t recorded_count = recorded ? find_rows(recorded, c, outermost) : 0, first = 0, count = 0, left_count = 0;
    for (uint32_t i = 0; i < recorded_count; i++)
        insert(groups, &first, PRICE_OUTERMOST, (price_group){NULL, {recorded[i]}, 1, recorded[i]->calls});
    for (uint32_t i = 0; i < c->count && left; i++) {
        const counted *m = &c->list[i];
        if (m->left_out && m->within && m->owner == i && m->calls > 0 && !m->unselected &&
            bytes_equal(m->assembly, assembly) && !(m->outermost && is_one_of(recorded, recorded_count, m)))
            left[left_count++] = m;
    }
    if (left_count > 0)
        qsort(left, left_count, sizeof *left, by_holder);
    for (uint32_t i = 0, next; i < left_count; i = next) {
        price_group group = {&c->list[left[i]->within - 1], {NULL}, 0, 0};
        for (next = i; next < left_count && left[next]->within == left[i]->within; next++) {
            if (group.methods < PRICE_NAMED)
                group.named[group.methods] = left[next];
            group.methods++;
            group.calls = choice_add(group.calls, left[next]->calls);
        }
        insert(groups + first, &count, PRICE_WITHIN, group);
    }
    free(left);
    free(recorded);
    return first + count;
}

void price_name(buffer *b, const counted *m) {
    buffer name = BUFFER_INIT;
    names_parts parts;
    names_of_method(&name, &parts, m->names, m->method, false);
    bytes shown = buffer_bytes(&name);
    size_t from = parts.space_bytes;
    from = from > 0 && from + 1 < parts.parameters && shown.data[from] == '.' ? from + 1 : 0;
    if (shown.size >= parts.parameters)
        buffer_append(b, shown.data + from, parts.parameters - from);
    b->failed |= name.failed;
    buffer_clear(&name);
}
