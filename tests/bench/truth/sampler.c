/* Runs a program and writes 19,997 samples a second of its threads, as processor time goes (truth.sh).
 *   sampler OUT PROGRAM ARGUMENT...
 * A line for each sample: its period in ns, then the addresses, the innermost first, as the frame pointers lead to
 * them; hexadecimal. A function without a frame (memmove, what allocates, what has not made it yet) hides its caller.
 * So ':' and a word follows an address for each of the first 32 words above the callee's frame that may be the way
 * back to one: those near the address that is next. perf does not record the stack beside frame pointers.
 * Exits 77 where this system has no samples. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FREQUENCY = 19997, WORDS = 32, STACK = 4096, PAGES = 2048, MOST = 64, REG_BP = 6, REG_SP = 7 };

struct ring {
    struct perf_event_mmap_page *head;
    char *data;
    size_t size;
};

static size_t lost;

static int open_event(pid_t pid, int cpu) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .freq = 1,
                                   .sample_freq = FREQUENCY,
                                   .sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER |
                                                  PERF_SAMPLE_STACK_USER,
                                   .sample_regs_user = 1u << REG_BP | 1u << REG_SP,
                                   .sample_stack_user = STACK,
                                   .sample_max_stack = 127,
                                   .disabled = 1,
                                   .inherit = 1,
                                   .enable_on_exec = 1,
                                   .exclude_callchain_kernel = 1,
                                   .wakeup_events = 128};
    return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A frame ends where its callee's does: the words from there on that may lead back to a caller. */
static void write_ways(FILE *out, const uint64_t *stack, uint64_t at, uint64_t end, uint64_t next) {
    const uint64_t near = 1u << 30;
    for (uint64_t i = at; i < end && i < at + WORDS; i++)
        if (stack[i] != next && stack[i] - next + near < 2 * near)
            fprintf(out, ":%llx", (unsigned long long)stack[i]);
}

/* Period, callchain, registers, stack: in the order of their bits, as the kernel writes them. */
static void write_sample(FILE *out, const uint64_t *p) {
    const uint64_t period = *p++, count = *p++, *chain = p;
    p += count;
    uint64_t bp = 0, sp = 0, size = 0;
    if (*p++ != 0) {
        bp = *p++;
        sp = *p++;
    }
    const uint64_t *stack = p + 1;
    if (*p != 0)
        size = stack[*p / 8] / 8;
    fprintf(out, "%llx", (unsigned long long)period);
    uint64_t at = 0, base = (bp - sp) / 8; /* where the frame ends, and where its function has its frame pointer */
    for (uint64_t i = 0; i < count; i++) {
        if (chain[i] >= (uint64_t)-4096)
            continue;
        fprintf(out, " %llx", (unsigned long long)chain[i]);
        if (i + 1 == count || at >= size)
            continue;
        write_ways(out, stack, at, base < size ? base : size, chain[i + 1]);
        bool leads = base >= at && base + 1 < size && stack[base + 1] == chain[i + 1];
        at = leads ? base + 2 : size;
        base = leads ? (stack[base] - sp) / 8 : size;
    }
    fputc('\n', out);
}

static void drain(FILE *out, struct ring *r) {
    static uint64_t whole[8192];
    uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), tail = r->head->data_tail;
    while (tail < head) {
        struct perf_event_header h;
        memcpy(&h, r->data + tail % r->size, sizeof h); /* records begin at multiples of its size */
        for (size_t i = 0; i < h.size; i += 8)
            memcpy((char *)whole + i, r->data + (tail + i) % r->size, 8);
        if (h.type == PERF_RECORD_SAMPLE)
            write_sample(out, whole + 1);
        else if (h.type == PERF_RECORD_LOST)
            lost += whole[2];
        tail += h.size;
    }
    __atomic_store_n(&r->head->data_tail, tail, __ATOMIC_RELEASE);
}

static pid_t start(char **program, int *go) {
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char c = 0;
        close(ends[1]);
        if (read(ends[0], &c, 1) == 1)
            execvp(program[0], program);
        _exit(127);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *go = ends[1];
    return pid;
}

int main(int argc, char **argv) {
    static struct ring rings[MOST];
    static struct pollfd polled[MOST];
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), go = -1, status = 0;
    FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!out || cpus > MOST)
        return 2;
    setvbuf(out, NULL, _IOFBF, 1 << 20);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    pid_t pid = start(argv + 2, &go);
    for (int i = 0; i < cpus; i++) {
        int fd = pid > 0 ? open_event(pid, i) : -1;
        void *at = fd < 0 ? MAP_FAILED : mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED) {
            fprintf(stderr, "no samples here: %s\n", strerror(errno));
            return 77;
        }
        rings[i] = (struct ring){at, (char *)at + page, size};
        polled[i] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    if (write(go, "", 1) != 1)
        return 1;
    for (pid_t ended = 0; ended == 0;) {
        poll(polled, (nfds_t)cpus, 50);
        ended = waitpid(pid, &status, WNOHANG);
        for (int i = 0; i < cpus; i++)
            drain(out, &rings[i]);
    }
    if (lost > 0)
        fprintf(stderr, "%zu samples are lost\n", lost);
    return fclose(out) != 0 ? 1 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
