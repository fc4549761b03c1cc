#include "platform/windows/der.h"

bool der_next(bytes *rest, uint8_t tag, bytes *content) {
    if (rest->size < 2 || rest->data[0] != tag)
        return false;
    size_t at = 2, size = rest->data[1];
    if (size >= 0x80) {
        size_t count = size - 0x80;
        if (count == 0 || count > 4 || rest->size < 2 + count)
            return false;
        for (size = 0; count > 0; count--)
            size = size << 8 | rest->data[at++];
    }
    if (size > rest->size - at)
        return false;
    bytes found = bytes_of(rest->data + at, size);
    *rest = bytes_of(rest->data + at + size, rest->size - at - size);
    while (tag == DER_INTEGER && found.size > 1 && found.data[0] == 0)
        found = bytes_of(found.data + 1, found.size - 1);
    *content = found;
    return true;
}
