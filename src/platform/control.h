/* control.h - between control.c, which asks trackers, and the system's process.c, which finds them and reaches what
 * they are asked through: docs/profile-format.md, section 6. */
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
