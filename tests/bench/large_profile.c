/* large_profile FILE NODES FUNCTIONS - writes a profile of one thread with that many call-tree nodes. Always the same:
 * nodes in pre-order, chains of 4 to 60 calls, the functions skewed, as in real programs, towards a few. */
#include <stdio.h>

#include "profile_maker.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

typedef struct made_node {
    uint32_t parent, children, function;
    uint64_t calls, ticks;
} made_node;

static void make_tree(made_node *nodes, uint32_t count, uint32_t functions) {
    uint32_t depth = 0, above = 0;
    for (uint32_t i = 1; i < count; i++) {
        /* Mostly a step deeper; at times back to some caller. */
        for (uint64_t up = draw(4) ? 0 : draw(depth + 1); up > 0 || depth > 59; up -= up > 0) {
            above = nodes[above].parent;
            depth--;
        }
        uint64_t skewed = draw(functions) * draw(functions) / functions;
        nodes[i] = (made_node){above, 0, (uint32_t)skewed, 1 + draw(1000), 50 + draw(100000)};
        nodes[above].children++;
        above = i;
        depth++;
    }
    for (uint32_t i = count; i-- > 1;) /* inclusive */
        nodes[nodes[i].parent].ticks += nodes[i].ticks;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10), functions = (uint32_t)strtoul(argv[3], NULL, 10);
    made_node *nodes = calloc(count, sizeof *nodes);
    buffer file = BUFFER_INIT, b = BUFFER_INIT, names = BUFFER_INIT, data = BUFFER_INIT;
    if (!nodes || count < 2 || functions == 0)
        return 1;
    make_tree(nodes, count, functions);
    maker_lists l = {0};
    char name[64];
    for (unsigned i = 0; i < functions; i++) {
        if (i % 20 == 0) {
            snprintf(name, sizeof name, "Type%u", i / 20);
            maker_type(&l, 0, i % 3 ? "Large.Program" : "Large.Library", name, NULL);
        }
        snprintf(name, sizeof name, i % 7 ? "Method%u" : "<Method%u>b__0_0", i);
        maker_method(&l, i / 20, i + 1, 0, name, NULL, "int, List<string>");
    }
    maker_join(&data, &l, "Large.dll", "Large", (functions + 19) / 20, functions);
    maker_names(&names, &data, functions, 1);
    maker_header(&file, 1, 0);
    maker_run(&file, (const char *const[]){"name", "Large", "wall_ticks", "200000000000", "ticks_per_second",
                                           "1000000000", "inside_empty_ps", "20000", "outside_empty_ps", "15000",
                                           "inside_work_ps", "18000", "outside_work_ps", "13000", NULL});
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, functions, "Large, Version=1.0.0.0", 1, buffer_bytes(&names));
    maker_section(&file, "MODS", &b);
    maker_thread(&b, 1, "main", 1, count);
    maker_node(&b, nodes[0].children, 0, 0, nodes[0].ticks, 0, 0, 0);
    for (uint32_t i = 1; i < count; i++)
        maker_node(&b, nodes[i].children, SAMPLE_BASE + nodes[i].function, nodes[i].calls, nodes[i].ticks, 0, 0, 0);
    maker_section(&file, "THRD", &b);
    maker_section(&file, "END ", &b);
    FILE *out = fopen(argv[1], "wb");
    return file.failed || !out || fwrite(file.data, 1, file.size, out) != file.size || fclose(out) != 0;
}
