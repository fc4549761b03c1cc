/* second_thread.c - preloaded into a program, it runs the program's main on a second thread.
 *
 * CoreCLR asks for the bounds of the stack of the thread that starts it. The C library knows those of
 * a thread that it has made itself; those of the first one it reads from /proc/self/maps. So CoreCLR
 * starts without /proc only on another thread than the first, as in programs that embed it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
typedef void handler(void);
typedef int start_function(main_function *, int, char **, handler *, handler *, handler *, void *);

enum { NOT_STARTED = 125 };

static main_function *program;
static int word_count;
static char **program_words;

static void *run_program(void *unused) {
    (void)unused;
    exit(program(word_count, program_words, environ));
}

static int run_beside(int count, char **words, char **environment) {
    pthread_t thread;
    (void)environment;
    word_count = count;
    program_words = words;
    if (pthread_create(&thread, NULL, run_program, NULL) == 0)
        pthread_join(thread, NULL);
    fputs("second_thread: no second thread runs the program\n", stderr);
    return NOT_STARTED;
}

/* Stands before the C library's function, which the first code of each program calls. */
start_function __libc_start_main;
int __libc_start_main(main_function *first, int count, char **words, handler *init, handler *fini, handler *end,
                      void *stack_end) {
    start_function *next = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!next)
        _exit(NOT_STARTED);
    program = first;
    return next(run_beside, count, words, init, fini, end, stack_end);
}
