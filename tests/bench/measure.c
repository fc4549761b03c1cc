/* measure - runs a command and prints its wall time and peak memory: "SECONDS KIB" on the last line of stdout.
 *
 *   measure [-c | -f] COMMAND ARGS…
 *
 * With -c, also the processor seconds of the command and of what it waited for: "SECONDS KIB PROCESSOR". With -f, also
 * its page faults: "SECONDS KIB FAULTS"; no page is a huge one then, which would be one fault instead of 512. The
 * command's own stdout goes to /dev/null. Exits with the command's status, 127 when it could not be started. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv) {
    bool processor = argc > 1 && strcmp(argv[1], "-c") == 0;
    bool faults = argc > 1 && strcmp(argv[1], "-f") == 0;
    argv += processor || faults;
    argc -= processor || faults;
    if (argc < 2) {
        fputs("usage: measure [-c | -f] COMMAND ARGS...\n", stderr);
        return 2;
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 127;
    }
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0)
            dup2(null, STDOUT_FILENO);
        if (faults)
            prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
        execvp(argv[1], argv + 1);
        fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    int status = 0;
    struct rusage usage = {0};
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 127;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.6f %ld", seconds, usage.ru_maxrss);
    if (processor)
        printf(" %.6f", seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    if (faults)
        printf(" %ld", usage.ru_minflt + usage.ru_majflt);
    putchar('\n');
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
