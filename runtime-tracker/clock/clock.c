#include "clock.h"

/* As in the kernel's include/uapi/linux/time.h and include/linux/posix-timers.h. */
enum { MONOTONIC = 1, THREAD_CPU = 3, MONOTONIC_RAW = 4, OF_THREAD_SCHED = 4 | 2 };

typedef struct kernel_time {
    int64_t seconds, nanoseconds;
} kernel_time;

#if defined __x86_64__

enum { CALL_CLOCK_GETTIME = 228, CALL_GETTID = 186 };

static int64_t call(int64_t number, int64_t first, void *second) {
    int64_t result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
    return result;
}

static uint32_t cpuid(uint32_t leaf, uint32_t *edx) {
    uint32_t eax = leaf, ebx, ecx = 0;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(*edx));
    return eax;
}

int64_t ilinject_clock_invariant(void) {
    uint32_t edx;
    if (cpuid(0x80000000, &edx) < 0x80000007)
        return 0;
    cpuid(0x80000007, &edx);
    return edx >> 8 & 1;
}

int64_t ilinject_clock_frequency(void) {
    return 0;
}

int64_t ilinject_clock_fenced(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (int64_t)((uint64_t)high << 32 | low);
}

int64_t ilinject_clock_unfenced(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (int64_t)((uint64_t)high << 32 | low);
}

#elif defined __aarch64__

enum { CALL_CLOCK_GETTIME = 113, CALL_GETTID = 178 };

static int64_t call(int64_t number, int64_t first, void *second) {
    register int64_t x8 __asm__("x8") = number;
    register int64_t x0 __asm__("x0") = first;
    register void *x1 __asm__("x1") = second;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    return x0;
}

/* Arm ARM D11: the system counter's rate never changes. */
int64_t ilinject_clock_invariant(void) {
    return 1;
}

int64_t ilinject_clock_frequency(void) {
    int64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency;
}

int64_t ilinject_clock_fenced(void) {
    int64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

int64_t ilinject_clock_unfenced(void) {
    int64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

#else
#error "libilinject_clock is for x64 and arm64"
#endif

int64_t ilinject_clock_version(void) {
    return ILINJECT_CLOCK_VERSION;
}

void *ilinject_clock_function(int32_t fenced) {
    return (void *)(fenced ? ilinject_clock_fenced : ilinject_clock_unfenced);
}

/* -1 when the kernel does not know the clock. */
static int64_t read_kernel(int64_t clock) {
    kernel_time time;
    return call(CALL_CLOCK_GETTIME, clock, &time) ? -1 : time.seconds * 1000000000 + time.nanoseconds;
}

int64_t ilinject_clock_match(int64_t *nanoseconds) {
    enum { ATTEMPTS = 16 };
    int64_t clock = read_kernel(MONOTONIC_RAW) < 0 ? MONOTONIC : MONOTONIC_RAW;
    int64_t best = INT64_MAX, counter = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        int64_t before = ilinject_clock_fenced(), time = read_kernel(clock), between = ilinject_clock_fenced() - before;
        if (time >= 0 && between >= 0 && between < best) {
            best = between;
            counter = before + between / 2;
            *nanoseconds = time;
        }
    }
    return counter;
}

int64_t ilinject_clock_thread(void) {
    return ~call(CALL_GETTID, 0, 0) * 8 | OF_THREAD_SCHED;
}

int64_t ilinject_clock_cpu(void) {
    return read_kernel(THREAD_CPU);
}

int64_t ilinject_clock_cpu_of(int64_t clock) {
    return read_kernel(clock);
}
