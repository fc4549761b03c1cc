#include "platform/control.h"

#include <string.h>

static const char magic[8] = "ILCTL\r\n\x01";

bool control_read_header(uint32_t *pid, const uint8_t header[CONTROL_REQUEST_AT]) {
    *pid = (uint32_t)header[8] | (uint32_t)header[9] << 8 | (uint32_t)header[10] << 16 | (uint32_t)header[11] << 24;
    return memcmp(header, magic, sizeof magic) == 0;
}
