/* made_hostile - writes profiles that are large in a way that no program's is.
 *
 *   made_hostile same N OUT      N functions of one name, called by the root
 *   made_hostile chain N OUT     a chain of N calls, of nine functions
 *   made_hostile async N OUT     a chain of N async calls that have awaited
 *   made_hostile comb N OUT      a chain of N / 2 calls; each calls another function, too
 *   made_hostile threads N OUT   N threads with one call each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_maker.h"

enum { NAMES = 9, ID = SAMPLE_BASE };

static void run_and_names(buffer *file, bool same, uint32_t count) {
    buffer b = BUFFER_INIT, names = BUFFER_INIT, data = BUFFER_INIT;
    maker_lists l = {0};
    char name[16];
    maker_type(&l, 0, "N", "T", NULL);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "m%u", (unsigned)i);
        maker_method(&l, 0, i + 1, 0, same ? "m" : name, NULL, "");
    }
    maker_join(&data, &l, "M.dll", "M", 1, count);
    maker_names(&names, &data, count, 1);
    maker_header(file, 1, 0);
    maker_run(file, (const char *const[]){"name", "M", "ticks_per_second", "1000000000", NULL});
    buffer_varuint(&b, 1);
    maker_module(&b, ID, count, "M, Version=1.0.0.0", 1, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
}

static void one_thread(buffer *file, uint32_t nodes) {
    buffer b = BUFFER_INIT;
    maker_thread(&b, 1, "t", 1, nodes + 1);
    maker_node(&b, nodes, 0, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < nodes; i++)
        maker_node(&b, 0, ID + i, 1, 1000, 0, 0, 0);
    maker_section(file, "THRD", &b);
}

static void chain(buffer *file, uint32_t n, bool comb) {
    buffer b = BUFFER_INIT;
    uint32_t deep = comb ? n / 2 : n;
    maker_thread(&b, 1, "t", 1, 1 + (comb ? 2 * deep : deep));
    maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < deep; i++) {
        maker_node(&b, (comb ? 1u : 0u) + (i + 1 < deep), ID + i % (NAMES - 1), 1, 10 * (n - i), 0, 0, 0);
        if (comb)
            maker_node(&b, 0, ID + NAMES - 1, 1, 1, 0, 0, 0);
    }
    maker_section(file, "THRD", &b);
}

static void async(buffer *file, uint32_t n) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, n + 1);
    maker_async(&b, (const uint64_t[11]){1});
    for (uint32_t i = 0; i < n; i++)
        maker_async(&b, (const uint64_t[11]){i + 1 < n, ID + i % NAMES, 0, 1, 0, 1, 0, 10, 1000, 1010, 0});
    maker_section(file, "ASYN", &b);
}

static void threads(buffer *file, uint32_t n) {
    buffer b = BUFFER_INIT;
    for (uint32_t i = 0; i < n; i++) {
        maker_thread(&b, i + 1, "t", 1, 2);
        maker_node(&b, 1, 0, 0, 0, 0, 0, 0);
        maker_node(&b, 0, ID, 1, 1000, 0, 0, 0);
        maker_section(file, "THRD", &b);
    }
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    const char *shape = argv[1];
    uint32_t n = (uint32_t)strtoul(argv[2], NULL, 10);
    buffer file = BUFFER_INIT;
    bool same = strcmp(shape, "same") == 0;
    run_and_names(&file, same, same ? n : NAMES);
    if (same || strcmp(shape, "async") == 0)
        one_thread(&file, same ? n : NAMES);
    if (strcmp(shape, "async") == 0)
        async(&file, n);
    else if (strcmp(shape, "chain") == 0 || strcmp(shape, "comb") == 0)
        chain(&file, n, shape[1] == 'o');
    else if (strcmp(shape, "threads") == 0)
        threads(&file, n);
    else if (!same)
        return 2;
    maker_end(&file);
    FILE *out = fopen(argv[3], "wb");
    return file.failed || !out || fwrite(file.data, 1, file.size, out) != file.size || fclose(out) != 0;
}
