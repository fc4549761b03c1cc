/* The system's answers about the terminal, as ilinject(1) promises: COLUMNS and LINES where the output is none. */
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/system.h"

typedef unsigned size_of(void);

/* The size with the output to a file; 0 for `value` takes the variable away. */
static unsigned with(const char *variable, const char *value, size_of *size) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(kept >= 0 && nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0);
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
    unsigned found = size();
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nothing);
    return found;
}

static void sizes_come_from_the_environment_in_decimal(void **state) {
    (void)state;
    static const struct {
        const char *value;
        unsigned columns, lines;
    } cases[] = {
        {NULL, 120, 24}, {"97", 97, 97},        {"10", 10, 10},     {"1", 1, 1},      {"10000", 10000, 10000},
        {"", 120, 24},   {"10001", 120, 24}, {"wide", 120, 24}, {"-80", 120, 24}, {"0", 120, 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(with("COLUMNS", cases[i].value, system_width), cases[i].columns);
        assert_int_equal(with("LINES", cases[i].value, system_height), cases[i].lines);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_come_from_the_environment_in_decimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
