/* clock.h - what libilinject_clock exports: readings that no managed interface gives. The tracker calls it by P/Invoke,
 * without a transition of the runtime where that can be had: nothing here waits, allocates or calls back.
 *
 * Counter: the processor's time-stamp counter (x64: RDTSC, Intel SDM volume 2; arm64: CNTVCT_EL0, Arm ARM D13.8). It is
 * of use when it runs at one rate whatever the processor does, and is the same on all of them.
 * No C library is needed, so that it loads on any Linux, glibc or not. */
#ifndef ILINJECT_CLOCK_H
#define ILINJECT_CLOCK_H

#include <stdint.h>

#define CLOCK_EXPORT __attribute__((visibility("default")))

/* The version that this library and the tracker agree on; another one is not used. */
enum { ILINJECT_CLOCK_VERSION = 1 };
CLOCK_EXPORT int64_t ilinject_clock_version(void);

/* 1 when the counter is invariant: x64 CPUID 0x80000007 EDX bit 8 (AMD APM volume 3, appendix E), arm64 always. */
CLOCK_EXPORT int64_t ilinject_clock_invariant(void);

/* The counter's ticks a second as the processor states it (arm64: CNTFRQ_EL0); 0: it has to be measured. */
CLOCK_EXPORT int64_t ilinject_clock_frequency(void);

/* The counter, read after every instruction before it. */
CLOCK_EXPORT int64_t ilinject_clock_fenced(void);

/* The counter, read as soon as the processor likes: some tens of ns of work may stand on the other side of it. */
CLOCK_EXPORT int64_t ilinject_clock_unfenced(void);

/* The address of one of these two, for runtimes that call a function by it. */
CLOCK_EXPORT void *ilinject_clock_function(int32_t fenced);

/* The counter and the monotonic clock (raw where the kernel has it), in ns, at one moment: the counter is returned. The
 * least of several distances decides; it is some 100 ns. 0: the kernel has no such clock. */
CLOCK_EXPORT int64_t ilinject_clock_match(int64_t *nanoseconds);

/* The calling thread's CPU time clock, by a number that other threads can use as well. */
CLOCK_EXPORT int64_t ilinject_clock_thread(void);

/* CPU time of the calling thread, in ns. */
CLOCK_EXPORT int64_t ilinject_clock_cpu(void);

/* CPU time of the thread with that clock, in ns; -1 when it has ended. */
CLOCK_EXPORT int64_t ilinject_clock_cpu_of(int64_t clock);

#endif
