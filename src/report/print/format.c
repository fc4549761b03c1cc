#include "report/print/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

unsigned format_digits(char digits[FORMAT_DIGITS], uint64_t number) {
    unsigned count = 1;
    for (uint64_t rest = number; rest >= 10; rest /= 10)
        count++;
    for (unsigned i = count; i-- > 0; number /= 10)
        digits[i] = (char)('0' + number % 10);
    return count;
}

figure format_count(uint64_t count) {
    figure f;
    char digits[FORMAT_DIGITS];
    unsigned length = format_digits(digits, count), columns = 0;
    for (unsigned i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            f.text[columns++] = ',';
        f.text[columns++] = digits[i];
    }
    f.text[columns] = '\0';
    f.columns = columns;
    return f;
}

static uint64_t rounded(uint64_t value, uint64_t divisor) {
    return value / divisor + (value % divisor >= divisor - value % divisor);
}

/* Three digits, a point after the first or second. Returns the characters. */
static unsigned three_digits(char text[4], uint64_t number, unsigned point) {
    const uint64_t digits[] = {number / 100, number / 10 % 10, number % 10};
    text[point] = '.';
    for (unsigned i = 0; i < 3; i++)
        text[i < point ? i : i + 1] = (char)('0' + digits[i]);
    return 4;
}

typedef struct unit {
    uint64_t size;
    const char *name; /* of two columns */
} unit;

static figure in_units(uint64_t value, const unit *units, size_t count) {
    figure f;
    size_t u = 0;
    while (u + 1 < count && rounded(value, units[u].size) >= 1000)
        u++;
    uint64_t size = units[u].size, hundredths = size > 1 ? rounded(value, size / 100) : 0;
    uint64_t tenths = size > 1 ? rounded(value, size / 10) : 0;
    if (size > 1 && hundredths < 1000)
        f.columns = three_digits(f.text, hundredths, 1);
    else if (size > 1 && tenths < 1000)
        f.columns = three_digits(f.text, tenths, 2);
    else
        f = format_count(rounded(value, size));
    size_t length = strlen(units[u].name);
    f.text[f.columns] = ' ';
    memcpy(f.text + f.columns + 1, units[u].name, length + 1);
    f.columns += 3;
    return f;
}

figure format_time(uint64_t ns) {
    static const unit units[] = {{1, "ns"}, {1000, "\u00b5s"}, {1000000, "ms"}, {1000000000, "s "}};
    return in_units(ns, units, sizeof units / sizeof units[0]);
}

figure format_bytes(uint64_t count) {
    static const unit units[] = {{1, "B "}, {1000, "kB"}, {1000000, "MB"}, {1000000000, "GB"}};
    return in_units(count, units, sizeof units / sizeof units[0]);
}

void format_mark(figure *f, char mark) {
    size_t size = strlen(f->text);
    if (size + 1 >= sizeof f->text)
        return;
    memmove(f->text + 1, f->text, size + 1);
    f->text[0] = mark;
    f->columns++;
}

figure format_range(uint64_t low_ns, uint64_t high_ns) {
    figure low = format_time(low_ns), high = format_time(high_ns), f;
    char *unit = strchr(low.text, ' ');
    if (unit && strchr(high.text, ' ') && strcmp(unit, strchr(high.text, ' ')) == 0) {
        low.columns -= 3; /* a space and the unit */
        *unit = '\0';
    }
    snprintf(f.text, sizeof f.text, "%.17s\u2013%.18s", low.text, high.text);
    f.columns = low.columns + 1 + high.columns;
    return f;
}

const char *format_trimmed(figure *f) {
    size_t size = strlen(f->text);
    if (size > 0 && f->text[size - 1] == ' ') {
        f->text[size - 1] = '\0';
        f->columns--;
    }
    return f->text;
}

figure format_percent(uint64_t part, uint64_t whole) {
    figure f;
    uint64_t tenths = 0;
    if (whole > 0)
        tenths = (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole);
    snprintf(f.text, sizeof f.text, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
    f.columns = (unsigned)strlen(f.text);
    return f;
}
