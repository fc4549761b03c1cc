#include "input_list.h"
#include "platform/path.h"

#include <stdlib.h>
#include <string.h>

const char *inputs_joined(inputs *in, const char *folder, const char *name, size_t size) {
    size_t length = strlen(folder);
    char **moved = realloc(in->owned, (in->owned_count + 1) * sizeof *moved);
    if (moved)
        in->owned = moved;
    char *path = moved ? malloc(length + size + 2) : NULL;
    if (!path)
        return NULL;
    memcpy(path, folder, length);
    if (path_takes_slash(path, length))
        path[length++] = '/';
    memcpy(path + length, name, size);
    path[length + size] = 0;
    in->owned[in->owned_count++] = path;
    return path;
}

bool inputs_add_folder(inputs *in, const folder_result *folder, ilj_folder *read) {
    folder_result *folders = realloc(in->folders, (in->folder_count + 1) * sizeof *folders);
    if (folders)
        in->folders = folders;
    ilj_folder **reads = realloc(in->read, (in->folder_count + 1) * sizeof *reads);
    if (reads)
        in->read = reads;
    if (!folders || !reads)
        return false;
    in->folders[in->folder_count] = *folder;
    in->read[in->folder_count++] = read;
    return true;
}
