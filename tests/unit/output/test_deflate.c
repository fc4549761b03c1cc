/* libdeflate gets back what was deflated: names, and data that no names are. */
#include "unit.h"

#include "output/deflate.h"

#include <libdeflate.h>
#include <stdlib.h>

enum { MOST_SIZE = 300000 };

static uint8_t data[MOST_SIZE];
static uint32_t seed = 1;

static uint32_t next(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

/* Returns the deflated size. */
static size_t comes_back(size_t size) {
    static uint8_t inflated[MOST_SIZE];
    uint8_t *exact = malloc(size); /* so that a sanitizer sees what is read after it */
    assert_non_null(exact);
    memcpy(exact, data, size);
    buffer b = BUFFER_INIT;
    buffer_u8(&b, 0xA5);
    deflate_append(&b, bytes_of(exact, size));
    assert_false(b.failed);
    assert_int_equal(b.data[0], 0xA5);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    size_t used = 0, found = 0;
    assert_int_equal(
        libdeflate_deflate_decompress_ex(d, b.data + 1, b.size - 1, inflated, sizeof inflated, &used, &found),
        LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(d);
    assert_int_equal(used, b.size - 1);
    assert_int_equal(found, size);
    assert_memory_equal(inflated, exact, size);
    used = b.size - 1;
    buffer_clear(&b);
    free(exact);
    return used;
}

static void names_come_back_smaller(void **state) {
    (void)state;
    static const char *const words[] = {"get_", "set_", "Value", "Count", "System.", "String", "(int)", "\0", "<T>"};
    size_t size = 0;
    while (size + 16 < MOST_SIZE) {
        const uint32_t word = next(sizeof words / sizeof *words);
        const size_t length = word == 7 ? 1 : strlen(words[word]);
        memcpy(data + size, words[word], length);
        size += length;
    }
    assert_true(comes_back(size) < size / 3);
    for (size_t part = 1; part < 400; part++)
        comes_back(part);
}

static void one_byte_again_and_again(void **state) {
    (void)state;
    memset(data, 0, sizeof data);
    assert_true(comes_back(sizeof data) < sizeof data / 100);
    for (size_t size = 1; size < 600; size++)
        comes_back(size);
}

static void what_never_comes_again(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)next(256);
    assert_true(comes_back(sizeof data) < sizeof data + sizeof data / 100);
    static const size_t sizes[] = {1, 5, 6, 7, 8, 13, 14, 59999, 60000, 60001, 60007, 60008, 120000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        comes_back(sizes[i]);
}

/* Each byte is as frequent as the two before it together. */
static void rare_and_frequent_bytes(void **state) {
    (void)state;
    size_t size = 0, few = 1, more = 1;
    for (uint8_t byte = 0; size + few < 59000; byte++) {
        memset(data + size, byte, few);
        size += few;
        size_t sum = few + more;
        few = more;
        more = sum;
    }
    for (size_t i = size; i-- > 1;) { /* no long runs of one byte */
        size_t other = next((uint32_t)i + 1);
        uint8_t byte = data[i];
        data[i] = data[other];
        data[other] = byte;
    }
    assert_true(comes_back(size) < size / 2);
}

/* Matches of each length, at distances up to the farthest and past it. */
static void all_lengths_and_distances(void **state) {
    (void)state;
    for (uint32_t distance = 1; distance < 40000; distance += 1 + distance / 3) {
        size_t size = 0;
        while (size < distance)
            data[size++] = (uint8_t)next(256);
        for (uint32_t length = 1; length < 600; length += distance < 300 ? 1 : 37) {
            if (size + length + 9 > MOST_SIZE)
                break;
            for (uint32_t i = 0; i < length; i++, size++)
                data[size] = data[size - distance];
            for (uint32_t i = next(9); i > 0; i--)
                data[size++] = (uint8_t)next(256);
        }
        comes_back(size);
    }
    for (uint32_t distance = 32767; distance <= 32770; distance++) {
        for (size_t i = 0; i < distance; i++)
            data[i] = (uint8_t)next(256);
        memcpy(data + distance, data, 1000);
        comes_back(distance + 1000);
    }
}

static void mixtures(void **state) {
    (void)state;
    for (uint32_t run = 0; run < 300; run++) {
        const size_t most = run < 290 ? 3000 : MOST_SIZE;
        const uint32_t symbols = 1 + next(256), copied = next(100);
        size_t size = 0;
        while (size < most) {
            size_t length = 1 + next(40);
            if (length > most - size)
                length = most - size;
            const size_t from = size ? next((uint32_t)size) : 0;
            const bool copies = size && next(100) < copied;
            for (size_t i = 0; i < length; i++)
                data[size + i] = copies ? data[from + i] : (uint8_t)next(symbols);
            size += length;
        }
        comes_back(size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_come_back_smaller),   cmocka_unit_test(one_byte_again_and_again),
        cmocka_unit_test(what_never_comes_again),    cmocka_unit_test(rare_and_frequent_bytes),
        cmocka_unit_test(all_lengths_and_distances), cmocka_unit_test(mixtures),
    };
    return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
