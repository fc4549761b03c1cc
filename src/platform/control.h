/* control.h - between control.c, which asks trackers, and the system's process.c, which finds them and reaches what
 * they are asked through.
 *
 * A tracker with the setting `control` holds a file open that has no name any more: /proc/PID/fd/N leads to something
 * with /.ilinject-ctl- in its path. All text is ASCII but the profile's path.
 *
 *      0   8    magic "ILCTL\r\n" and the version, 01
 *      8   4    the process id, as the process itself sees it (in the innermost PID namespace); 0: not known
 *     12   4    0
 *     16  64    the request, at most: "NUMBER COMMAND\n", with a number below 2^64 that was not used before: status,
 *               start, stop, reset, flush, snapshot, all; or off:BYTES, on:BYTES, only:BYTES, below:BYTES, depth:BYTES,
 *               longer:BYTES, with as many bytes at 8192 (at most 65536): lines of UTF-8. None: the file ends before,
 *               or a zero byte
 *    512        the answer: "NUMBER DONE PATH-BYTES PAYLOAD-BYTES NUMBER\n", decimal; DONE is 1, or 0 when it failed.
 *               Written last; whole when both numbers are the request's
 *   1024  7168  at most: path of the tracker's profile, UTF-8; empty when it has none
 *   8192        of snapshot: the profile; of off to longer, all and status: lines of UTF-8, after '+' what was done,
 *               after '-' a warning or, with DONE 0, the fault. DONE 0 without any: a tracker that does not know the
 *               command
 *
 * The asking process holds a write lock (fcntl) on the file meanwhile, cuts the file to 16 bytes before the request,
 * and again when it has read the answer or waits no longer. The tracker looks at least every 0.4 s and answers a number
 * once. A file of length 0: the tracker has ended. An answer that is not fetched loses its payload after a minute.
 *
 * On Windows the same bytes lie in memory with a name, of 73,728 bytes: ilinject-ctl-PID-SLOT in the process's session
 * (Local\; of services Global\), the first free SLOT from 0 to 15. The owner is the process's, the rights are
 * D:P(A;;GA;;;OW)(A;;GA;;;SY)(A;;GA;;;BA). The mutex NAME-lock takes the place of the lock, zeros from byte 16 on that
 * of cutting the file. The first byte of a request and of an answer is written last: while it is 0, nothing is there.
 * The payload of an answer has memory of its own, NAME-NUMBER with the request's number, which the tracker drops when
 * the request has been wiped. A first byte of 0 in the header: the tracker has ended. */
#ifndef ILINJECT_PLATFORM_CONTROL_H
#define ILINJECT_PLATFORM_CONTROL_H

#include "platform/process.h"

/* Where things stand, in bytes from the beginning. */
enum {
    CONTROL_REQUEST_AT = 16,
    CONTROL_ANSWER_AT = 512,
    CONTROL_TEXT_AT = 1024,
    CONTROL_PAYLOAD_AT = 8192,
    CONTROL_MOST_TEXT = CONTROL_PAYLOAD_AT - CONTROL_TEXT_AT,
};

/* Adds a process to those of control_processes. False: memory ran out. */
bool control_add_process(uint32_t **pids, size_t *count, uint32_t pid);
/* Puts them in order. */
void control_sort_processes(uint32_t *pids, size_t count);

/* The process id in the 16 bytes of a header; false: it is none. */
bool control_read_header(uint32_t *pid, const uint8_t header[CONTROL_REQUEST_AT]);

/* Keeps other askers away until the way is closed; the tracker knows nothing of it. False: another one is at it. */
bool control_lock(control_way *way);
/* Takes away all that was asked and answered before. False: that failed. */
bool control_clear(control_way *way);
/* Puts `size` bytes at `offset`. False: that failed. */
bool control_put(control_way *way, const void *from, uint64_t offset, size_t size);
/* Reads at most `size` bytes from `offset` on. Returns how many there were. */
size_t control_get(const control_way *way, void *to, uint64_t offset, size_t size);
/* True if the tracker has said that it answers no more. */
bool control_has_ended(const control_way *way);
bool control_process_lives(uint32_t pid);
/* Nanoseconds of the system's clock: a number that no request had before. */
uint64_t control_number(void);
void control_pause(unsigned milliseconds);
/* A file that did not exist, for this user alone; NULL: errno says why. */
FILE *control_make_file(const char *name);

#endif
