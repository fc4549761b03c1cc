/* The tracker's settings as docs/configuration.md lists them: the least and the most of each number, units of times. */
#include "unit.h"

#include "ilinject.h"

static bool fits(const char *setting) {
    char problem[ILJ_SETTING_PROBLEM] = "";
    bool found = ilj_setting_check(problem, setting);
    assert_true(found == (problem[0] == 0));
    return found;
}

static void numbers_have_their_bounds(void **state) {
    (void)state;
    static const struct {
        const char *name;
        long least, most;
    } numbers[] = {
#define NUMBER(name, least, most) {name, least, most},
#define OTHER(name, least, most)
#define PATH OTHER
#define PERCENT NUMBER
#define FLAG OTHER
#define FLAG_ON OTHER
#define CHOICE OTHER
#define START OTHER
#define STOP OTHER
#define METHOD OTHER
#define CLOCK OTHER
#define ADDRESS OTHER
#define PATTERNS OTHER
#define TIME OTHER
#define LABELS OTHER
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning) KIND(#name, least, most)
#include "facts/settings.def"
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct {
            long value;
            bool fits;
        } cases[] = {{numbers[i].least, true}, {numbers[i].least - 1, false}, {numbers[i].least + 1, true},
                     {numbers[i].most, true},  {numbers[i].most + 1, false},  {numbers[i].most - 1, true}};
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            char setting[64];
            snprintf(setting, sizeof setting, "%s=%ld", numbers[i].name, cases[k].value);
            if (fits(setting) != cases[k].fits)
                fail_msg("%s", setting);
        }
    }
}

static void times_are_a_number_and_a_unit(void **state) {
    (void)state;
    static const char *const fine[] = {"0", "1ns", "20us", "1.5ms", "7s", "0.25s", "86400s", "86400000ms", "10.125s"};
    static const char *const wrong[] = {"", "1", "s", ".5s", "1.s", "86401s", "86400.5s", "86400001ms", "1 s", "1m", "-1s"};
    char setting[64];
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        snprintf(setting, sizeof setting, "longer=%s", fine[i]);
        if (!fits(setting))
            fail_msg("%s", setting);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(setting, sizeof setting, "longer=%s", wrong[i]);
        if (fits(setting))
            fail_msg("%s", setting);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_their_bounds),
        cmocka_unit_test(times_are_a_number_and_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
