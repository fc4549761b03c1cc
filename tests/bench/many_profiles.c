/* many_profiles FOLDER COUNT NODES - writes COUNT profiles of one program, each of NODES call-tree nodes over 5,000
 * methods, to FOLDER/0000.ilprof and so on: what a fleet leaves in a day. All but a hundredth of the nodes are in each
 * of them, the others in one alone; calls and times differ. The same arguments give the same bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "profile_maker.h"

enum { METHODS = 5000, BASE = 0x1000000, DEPTH = 60 };

static uint32_t random_of(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void make_names(buffer *names) {
    buffer b = BUFFER_INIT;
    maker_lists l = {0};
    char name[32];
    for (unsigned i = 0; i < METHODS / 20; i++) {
        snprintf(name, sizeof name, "Type%u", i);
        maker_type(&l, 0, "Fleet.Service", name, NULL);
    }
    for (unsigned i = 0; i < METHODS; i++) {
        snprintf(name, sizeof name, "Method%u", i);
        maker_method(&l, i / 20, i + 1, 0, name, NULL, "int, string");
    }
    maker_join(&b, &l, "Fleet.dll", "Fleet", METHODS / 20, METHODS);
    maker_names(names, &b, METHODS, 1);
    buffer_clear(&b);
}

/* The shape that all have, or one of this profile alone: parents in pre-order, a tree of bounded depth. */
static void make_shape(uint32_t *parents, uint32_t *depths, uint32_t from, uint32_t to, uint64_t seed) {
    for (uint32_t i = from; i < to; i++) {
        uint32_t parent = i - 1, up = random_of(&seed) % 4;
        if (i == from)
            parent = 0;
        while (i != from && (up > 0 || depths[parent] >= DEPTH) && parent != 0) {
            parent = parents[parent];
            up -= up > 0;
        }
        parents[i] = parent;
        depths[i] = depths[parent] + 1;
    }
}

static void make_thread(buffer *b, uint32_t nodes, uint32_t number) {
    uint32_t *parents = calloc(nodes, sizeof *parents), *depths = calloc(nodes, sizeof *depths);
    uint32_t *children = calloc(nodes, sizeof *children), *methods = calloc(nodes, sizeof *methods);
    uint64_t *ticks = calloc(nodes, sizeof *ticks), *calls = calloc(nodes, sizeof *calls);
    uint32_t shared = nodes - nodes / 100 - 1;
    uint64_t values = number + 1, shape = 42;
    make_shape(parents, depths, 1, shared, 7);
    make_shape(parents, depths, shared, nodes, number + 1000);
    for (uint32_t i = 1; i < nodes; i++) {
        children[parents[i]]++;
        methods[i] = random_of(i < shared ? &shape : &values) % METHODS;
        calls[i] = 1 + random_of(&values) % 1000;
        ticks[i] += calls[i] * (10 + random_of(&values) % 500);
    }
    for (uint32_t i = nodes; i-- > 1;)
        ticks[parents[i]] += ticks[i];
    maker_thread(b, 1, "main", 1, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        maker_node(b, children[i], i == 0 ? 0 : BASE + methods[i], calls[i], ticks[i], 0, 0, 0);
    free(parents);
    free(depths);
    free(children);
    free(methods);
    free(ticks);
    free(calls);
}

static bool write_one(const char *folder, uint32_t number, uint32_t nodes, const buffer *names) {
    buffer file = BUFFER_INIT, b = BUFFER_INIT;
    char path[4096], pid[16], host[16];
    snprintf(path, sizeof path, "%s/%04u.ilprof", folder, number);
    snprintf(pid, sizeof pid, "%u", 1000 + number);
    snprintf(host, sizeof host, "host-%u", number % 40);
    maker_header(&file, 1, 0);
    maker_run(&file, (const char *const[]){"name", "Fleet", "pid", pid, "host", host, "ticks_per_second", "1000000000",
                                           "clock", "stopwatch", "wall_ticks", "60000000000", "start",
                                           "1767323045000000000", NULL});
    buffer_varuint(&b, 1);
    maker_module(&b, BASE, METHODS, "Fleet, Version=1.0.0.0", 1, buffer_bytes(names));
    maker_section(&file, "MODS", &b);
    make_thread(&b, nodes, number);
    maker_section(&file, "THRD", &b);
    maker_end(&file);
    FILE *out = fopen(path, "wb");
    bool done = out && fwrite(file.data, 1, file.size, out) == file.size;
    if (out && fclose(out) != 0)
        done = false;
    buffer_clear(&file);
    buffer_clear(&b);
    return done;
}

int main(int count, char **arguments) {
    if (count != 4 || atoi(arguments[2]) < 1 || atoi(arguments[3]) < 20) {
        fputs("usage: many_profiles FOLDER COUNT NODES\n", stderr);
        return 2;
    }
    buffer names = BUFFER_INIT;
    make_names(&names);
    bool done = true;
    for (uint32_t i = 0; i < (uint32_t)atoi(arguments[2]) && done; i++)
        done = write_one(arguments[1], i, (uint32_t)atoi(arguments[3]), &names);
    buffer_clear(&names);
    if (!done)
        perror("many_profiles");
    return done ? 0 : 1;
}
