#include "result.h"

#include "command.h"
#include "platform/system.h"

#include <string.h>

static int make_file(console *c, const char *path, const result_inputs inputs[2], result_maker *make, void *user) {
    result_file file;
    ilj_status status = ILJ_OK;
    int error = result_file_open(&file, path, RESULT_FOLLOW);
    if (!error) {
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < inputs[side].count; i++)
                result_file_within(&file, inputs[side].paths[i]);
        status = make(user, result_file_write, &file);
        error = result_file_close(&file, status == ILJ_OK);
    }
    if (error) {
        console_error(c, "%s cannot be written: %s", path, strerror(error));
        return EXIT_FAILED;
    }
    return exit_of(status);
}

int result_make(console *c, const char *path, const result_inputs inputs[2], result_maker *make, void *user) {
    if (path)
        return make_file(c, path, inputs, make, user);
    ilj_status status = make(user, console_write, c);
    return c->write_error != 0 && status == ILJ_IO ? EXIT_DONE : exit_of(status);
}
