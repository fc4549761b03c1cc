/* mutants.c - assemblies that are changed where their structure is, by the ten thousand:
 *   mutants [--seed N] [--from N] [--count N] [--keep FOLDER --each N] FILE...
 * Case n takes the file n modulo their number, and one to six changes: a field of the headers, of a section or of a
 * directory; of the metadata root, of a stream's header or of the table stream's; a cell, a row in place of another
 * one; the length or the text of a heap's entry; an element of a signature; an instruction, an operand or the header of
 * a body; an exception clause; a field's data; some bytes anywhere. Each result is instrumented, and held against what
 * judge.h expects; every fourth one is dumped and listed as well. A case takes at most LIMIT_SECONDS of processor time,
 * and at most three times the memory that docs/security.md allows to be added. A case depends on --seed and n alone:
 * --from N
 * --count 1 --keep FOLDER makes it again.
 * Every --each'th output goes to FOLDER as N.out, with its input as N.in, for another reader.
 * Prints how many there were of each verdict, and the most memory that one took. */
#define _GNU_SOURCE
#include "changes.h"
#include "judge.h"

#include <malloc.h>
#include <signal.h>
#include <sys/time.h>

enum { LIMIT_SECONDS = 5, SHOWN_EACH = 4, SHOWN_BYTES = 1 << 20 };

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static size_t held, most_held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static void *count(void *made, size_t before) {
    held += malloc_usable_size(made) - before;
    if (held > most_held)
        most_held = held;
    return made;
}
void *__wrap_malloc(size_t size) {
    return count(__real_malloc(size), 0);
}
void *__wrap_calloc(size_t n, size_t size) {
    return count(__real_calloc(n, size), 0);
}
void *__wrap_realloc(void *old, size_t size) {
    size_t before = malloc_usable_size(old);
    void *made = __real_realloc(old, size);
    return made ? count(made, before) : NULL;
}
void __wrap_free(void *old) {
    held -= malloc_usable_size(old);
    __real_free(old);
}

/* ---- A file, and where its parts lie ----------------------------------------------------------------------------- */

typedef struct seed {
    const char *path;
    os_map map;
    ilj_image *image;
} seed;

typedef struct run {
    uint64_t random;
    const seed *seeds;
    unsigned seed_count;
    const char *folder;
    unsigned long each, verdicts[3], shown, kept;
    bool alone; /* the only case: its input is kept, too, whatever comes of it */
} run;

/* ---- One case ------------------------------------------------------------------------------------------------------
 */

static int swallow(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return *(size_t *)user > SHOWN_BYTES;
}

static void show(bytes input) {
    told t = {0};
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    MUST(ilj_context_new(&context, tell, &t) == ILJ_OK);
    if (image_open_bytes(&image, context, "case", input) == ILJ_OK) {
        size_t dumped = 0, listed = 0, json = 0;
        ilj_image_dump(image, ILJ_DUMP_ALL, swallow, &dumped);
        ilj_image_list(image, ILJ_LIST_TEXT, NULL, swallow, &listed);
        ilj_image_list(image, ILJ_LIST_JSON, NULL, swallow, &json);
    }
    ilj_image_free(image);
    ilj_context_free(context);
}

static void write_file(const run *r, unsigned long n, const char *ending, bytes content) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%lu.%s", r->folder, n, ending);
    FILE *f = fopen(path, "wb");
    MUST(f && fwrite(content.data, 1, content.size, f) == content.size && fclose(f) == 0);
}

static void keep(run *r, unsigned long n, bytes input) {
    told t = {0};
    ilj_context *context = NULL;
    buffer out = BUFFER_INIT;
    ilj_summary summary;
    ilj_instrument_options options = {.size = sizeof options, .force = true};
    MUST(ilj_context_new(&context, tell, &t) == ILJ_OK);
    MUST(instrument_bytes(&out, &summary, context, "case", input, &options) == ILJ_OK);
    write_file(r, n, "in", input);
    write_file(r, n, "out", buffer_bytes(&out));
    buffer_clear(&out);
    ilj_context_free(context);
    r->kept++;
}

static void try_case(run *r, unsigned long seed, unsigned long n) {
    char name[200];
    const struct itimerval limit = {{0, 0}, {LIMIT_SECONDS, 0}};
    r->random = (seed << 32 | n) * 0x9E3779B97F4A7C15u + 1;
    for (unsigned i = 0; i < 4; i++)
        next_random(&r->random);
    const struct seed *of = &r->seeds[n % r->seed_count];
    mutant m = {.random = &r->random, .image = of->image, .old = of->map.content, .size = of->map.content.size};
    snprintf(name, sizeof name, "%s, case %lu of seed %lu", of->path, n, seed);
    judged = name;
    m.data = malloc(m.size);
    MUST(m.data);
    memcpy(m.data, m.old.data, m.size);
    change(&m);
    if (r->alone && r->folder)
        write_file(r, n, "in", bytes_of(m.data, m.size));
    setitimer(ITIMER_PROF, &limit, NULL);
    verdict v = judge(bytes_of(m.data, m.size), NULL, n % 7 == 0);
    r->verdicts[v]++;
    if (n % SHOWN_EACH == 0) {
        show(bytes_of(m.data, m.size));
        r->shown++;
    }
    setitimer(ITIMER_PROF, &(const struct itimerval){0}, NULL);
    if (v == INSTRUMENTED && r->folder && r->verdicts[INSTRUMENTED] % r->each == 0)
        keep(r, n, bytes_of(m.data, m.size));
    free(m.data);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void tell_case(void) {
    fprintf(stderr, "the case: %s\n", judged);
}

static void give_up(int signal_number) {
    (void)signal_number;
    fprintf(stderr, "BROKEN: %s: not done within %d s\n", judged, LIMIT_SECONDS);
    abort();
}

int main(int argc, char **argv) {
    unsigned long number = 20, from = 0, cases = 1000;
    size_t worst = 0;
    seed *seeds = calloc((size_t)argc, sizeof *seeds);
    run r = {.seeds = seeds, .each = 1};
    ilj_context *context = NULL;
    signal(SIGPROF, give_up);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_case);
    MUST(seeds && ilj_context_new(&context, NULL, NULL) == ILJ_OK);
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            number = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--from") == 0) {
            from = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--count") == 0) {
            cases = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--keep") == 0) {
            r.folder = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--each") == 0) {
            r.each = strtoul(argv[++i], NULL, 10);
        } else {
            seed *s = &seeds[r.seed_count++];
            diag d = {.file = argv[i]};
            s->path = judged = argv[i];
            MUST(os_map_file(&s->map, &d, argv[i]) == ECMA_OK);
            MUST(image_open_bytes(&s->image, context, argv[i], s->map.content) == ILJ_OK);
        }
    }
    MUST(r.seed_count > 0 && r.each > 0);
    r.alone = cases == 1;
    for (unsigned long n = from; n < from + cases; n++) {
        size_t in = r.seeds[n % r.seed_count].map.content.size, before = most_held = held;
        try_case(&r, number, n);
        if (most_held - before > worst)
            worst = most_held - before;
        MUST(most_held - before <= 3 * (((size_t)64 << 20) + 16 * in));
        MUST(held == before);
        if (n % 10000 == 9999) {
            fprintf(stderr, "%lu\n", n + 1);
            fflush(stderr);
        }
    }
    printf("%lu cases of seed %lu over %u files: %lu refused, %lu copied, %lu instrumented; %lu shown, %lu kept; %zu "
           "KiB at most\n",
           cases, number, r.seed_count, r.verdicts[REFUSED], r.verdicts[COPIED], r.verdicts[INSTRUMENTED], r.shown,
           r.kept, worst >> 10);
    for (unsigned i = 0; i < r.seed_count; i++) {
        ilj_image_free(seeds[i].image);
        os_unmap(&seeds[i].map);
    }
    ilj_context_free(context);
    free(seeds);
    return 0;
}
