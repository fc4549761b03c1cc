/* names_unit.h - what the suites of names resources share. */
#ifndef TESTS_UNIT_NAMES_UNIT_H
#define TESTS_UNIT_NAMES_UNIT_H

#include "profile_objects.h"
#include "profile_unit.h"

static inline void name_is(const names *n, uint32_t method, bool raw, const char *expected) {
    buffer b = BUFFER_INIT;
    names_parts parts;
    names_of_method(&b, &parts, n, method, raw);
    buffer_u8(&b, 0);
    assert_false(b.failed);
    assert_string_equal((const char *)b.data, expected);
    assert_int_equal(b.data[parts.parameters], '(');
    buffer_clear(&b);
}

static inline void names_fault(const buffer *resource, const char *part) {
    arena a = {.one_by_one = true};
    names n;
    const char *fault = "";
    uint8_t *copy = malloc(resource->size ? resource->size : 1);
    memcpy(copy, resource->data, resource->size);
    assert_int_equal(names_read(&n, &fault, &a, (bytes){copy, resource->size}, &(names_room){0}), ECMA_BAD_FILE);
    if (!fault || !strstr(fault, part))
        fail_msg("'%s' does not say '%s'", fault ? fault : "", part);
    free(copy);
    arena_clear(&a);
}

#endif
