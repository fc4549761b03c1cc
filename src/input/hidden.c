#define _GNU_SOURCE
#include "input/hidden.h"

#include "platform/path.h"

#include <string.h>
#include <strings.h>

static bool starts_with(bytes content, const char *text, size_t size) {
    return content.size >= size && memcmp(content.data, text, size) == 0;
}

static bool name_starts(const char *name, const char *start) {
    return strncasecmp(name, start, strlen(start)) == 0;
}

static bool name_ends(const char *name, const char *ending) {
    size_t size = strlen(name), length = strlen(ending);
    return size > length && strcasecmp(name + size - length, ending) == 0;
}

static bool is_elf(bytes content) {
    return starts_with(content, "\x7F\x45LF", 4);
}

static bool is_native(bytes content) {
    return is_elf(content) || starts_with(content, "MZ", 2) || starts_with(content, "\xCF\xFA\xED\xFE", 4) ||
           starts_with(content, "\xCA\xFE\xBA\xBE", 4);
}

/* Every launcher of .NET has this mark (the SHA-256 of ".net core bundle\n"); the eight bytes before say where in the
 * file its bundle begins, 0 when it has none (apphost's bundle_marker.cpp). */
static bool is_bundle(bytes content) {
    static const uint8_t mark[32] = {0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
                                     0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
                                     0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae};
    static const uint8_t none[8] = {0};
    const uint8_t *at = is_native(content) ? memmem(content.data, content.size, mark, sizeof mark) : NULL;
    return at && at - content.data >= 8 && memcmp(at - 8, none, 8) != 0;
}

/* NativeAOT's runtime exports this, so that debuggers find it. */
static bool is_native_aot(bytes content) {
    static const char mark[] = "DotNetRuntimeDebugHeader";
    return is_native(content) && memmem(content.data, content.size, mark, sizeof mark - 1) != NULL;
}

/* A webcil file is a small wasm module with the assembly as its data. */
static bool is_webcil(bytes content) {
    enum { WRAPPER = 1024 };
    return starts_with(content, "WbIL", 4) ||
           (starts_with(content, "\0asm", 4) &&
            memmem(content.data, content.size < WRAPPER ? content.size : WRAPPER, "WbIL", 4) != NULL);
}

bool hidden_has_name(const char *path) {
    static const char *const endings[] = {".deploy", ".blob", ".blob.so", ".dll.so", ".exe.so", ".wasm", ".webcil"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (name_ends(path, endings[i]))
            return true;
    return strcasecmp(path_name(path), "global-metadata.dat") == 0;
}

hidden_kind hidden_find(const char *path, bytes content, bool programs) {
    const char *name = path_name(path);
    if (starts_with(content, "XALZ", 4))
        return HIDDEN_ANDROID_COMPRESSED;
    if (starts_with(content, "XABA", 4) ||
        (is_elf(content) && name_starts(name, "libassemblies.") && name_ends(name, ".blob.so")))
        return HIDDEN_ANDROID_STORE;
    if (is_elf(content) && (name_starts(name, "lib_") || name_starts(name, "lib-")) &&
        (name_ends(name, ".dll.so") || name_ends(name, ".exe.so")))
        return HIDDEN_ANDROID_WRAPPED;
    if (is_webcil(content))
        return HIDDEN_WEBCIL;
    if (starts_with(content, "\xAF\x1B\xB1\xFA", 4))
        return HIDDEN_IL2CPP;
    if (starts_with(content, "MZ", 2) && (name_ends(name, ".dll.deploy") || name_ends(name, ".exe.deploy")))
        return HIDDEN_CLICKONCE;
    if (name_ends(name, ".manifest") && memmem(content.data, content.size, "DigestValue", 11))
        return HIDDEN_MANIFEST;
    if (programs && is_bundle(content))
        return HIDDEN_BUNDLE;
    return programs && is_native_aot(content) ? HIDDEN_NATIVE_AOT : HIDDEN_NONE;
}

static const struct {
    diag_code code;
    const char *text;
} facts[HIDDEN_KINDS] = {
#define HIDDEN(id, code, text) [HIDDEN_##id] = {code, text},
#include "input/hidden.def"
#undef HIDDEN
};

ecma_status hidden_report(hidden_kind kind, diag *d, size_t more) {
    return more ? diag_report(d, facts[kind].code, "%s; %zu more like it", facts[kind].text, more)
                : diag_report(d, facts[kind].code, "%s", facts[kind].text);
}

const char *hidden_text(hidden_kind kind) {
    return facts[kind].text;
}
