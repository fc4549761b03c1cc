/* chosen.c - linked into each unit program: with CHECK in the environment it runs only the tests with the words of
 * CHECK in their names, joined by _. */
#include "unit.h"

#include <stdlib.h>

__attribute__((constructor)) static void choose(void) {
    static char pattern[1024]; /* which cmocka borrows */
    const char *words = getenv("CHECK");
    if (!words || !*words)
        return;
    snprintf(pattern, sizeof pattern, "*%s*", words);
    for (char *p = pattern; *p; p++)
        if (*p == ' ')
            *p = '_';
    cmocka_set_test_filter(pattern);
}
