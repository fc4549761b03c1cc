#include "findings/findings.h"

#include <inttypes.h>

#include "util/hash.h"

/* ---- What the formats share -------------------------------------------------------------------------------------- */

static bool is_separator(uint8_t c) {
    return c == '/' || c == '\\';
}

/* The bytes of `path` that are this folder with the separator after it; 0: it lies elsewhere. */
static size_t within(bytes path, const char *folder) {
    size_t size = strlen(folder);
    while (size > 0 && is_separator((uint8_t)folder[size - 1]))
        size--;
    if (path.size <= size + 1 || !is_separator(path.data[size]))
        return 0;
    for (size_t i = 0; i < size; i++)
        if (path.data[i] != (uint8_t)folder[i] && !(is_separator(path.data[i]) && is_separator((uint8_t)folder[i])))
            return 0;
    return size + 1;
}

/* `/a`, `C:\a`, `\\server\a`. */
static bool is_absolute(bytes path) {
    return path.size > 1 &&
           (is_separator(path.data[0]) || (path.size > 2 && path.data[1] == ':' && is_separator(path.data[2])));
}

bool findings_path(buffer *b, bytes path, const char *root) {
    size_t skipped = root && root[0] ? within(path, root) : 0;
    if (skipped == 0)
        skipped = within(path, "/_");
    for (size_t i = skipped; i < path.size; i++)
        buffer_u8(b, path.data[i] == '\\' ? '/' : path.data[i]);
    return skipped > 0 || !is_absolute(path);
}

/* 16 hexadecimal digits that stand for a name and a condition: FNV-1a. */
static void print_fingerprint(printer *out, const finding *f) {
    print_format(out, "\"%016" PRIx64 "\"", hash_bytes(hash_bytes(HASH_START, f->name), f->rule));
}

static void print_code(printer *out, diag_code code) {
    print_format(out, "ILJ%04d", (int)code);
}

/* ---- SARIF --------------------------------------------------------------------------------------------------------
 */

/* Appends what a URI may hold, the rest by percent signs. */
static void append_uri(buffer *b, bytes path) {
    static const char hex[] = "0123456789ABCDEF", plain[] = "-._~/!$&'()*+,;=:@";
    for (size_t i = 0; i < path.size; i++) {
        uint8_t c = path.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(plain, c))) {
            buffer_u8(b, c);
        } else {
            buffer_u8(b, '%');
            buffer_u8(b, (uint8_t)hex[c >> 4]);
            buffer_u8(b, (uint8_t)hex[c & 15]);
        }
    }
}

static void print_uri(printer *out, buffer *scratch, const char *scheme, bytes path, const char *end) {
    scratch->size = 0;
    buffer_string(scratch, scheme);
    append_uri(scratch, path);
    buffer_string(scratch, end);
    out->no_memory |= scratch->failed;
    print_json(out, buffer_bytes(scratch));
}

static void sarif_location(printer *out, const findings *f, const finding *one, buffer *path, buffer *uri) {
    path->size = 0;
    bool relative = findings_path(path, one->path, f->root);
    bytes is = buffer_bytes(path);
    print_string(out, "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    print_uri(out, uri, relative ? "" : is.size && is.data[0] == '/' ? "file://" : "file:///", is, "");
    if (relative && f->root)
        print_string(out, ",\"uriBaseId\":\"SRCROOT\"");
    print_format(out, "},\"region\":{\"startLine\":%" PRIu32 "}}}],", one->line);
}

static void sarif_rules(printer *out, const findings *f) {
    bool any = false;
    for (size_t i = 0; i < f->count; i++) {
        size_t first = 0;
        while (f->list[first].code != f->list[i].code)
            first++;
        if (first < i)
            continue;
        const char *meaning = diag_meaning_of(f->list[i].code);
        print_string(out, any ? "," : "");
        print_string(out, "{\"id\":\"");
        print_code(out, f->list[i].code);
        print_string(out, "\",\"shortDescription\":{\"text\":");
        print_json(out, bytes_of(meaning, strlen(meaning)));
        print_string(out, "},\"defaultConfiguration\":{\"level\":\"error\"}}");
        any = true;
    }
}

void findings_sarif(printer *out, const findings *f) {
    buffer path = BUFFER_INIT, uri = BUFFER_INIT;
    print_string(out,
                 "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
                 "\"tool\":{\"driver\":{\"name\":\"ilinject\",\"version\":\"" ILJ_VERSION "\",\"rules\":[");
    sarif_rules(out, f);
    print_string(out, "]}},\"columnKind\":\"utf16CodeUnits\",");
    if (f->root) {
        size_t size = strlen(f->root);
        buffer_append(&path, f->root, size);
        for (size_t i = 0; i < path.size; i++)
            path.data[i] = path.data[i] == '\\' ? '/' : path.data[i];
        bool ends = size > 0 && path.size > 0 && path.data[path.size - 1] == '/';
        print_string(out, "\"originalUriBaseIds\":{\"SRCROOT\":{\"uri\":");
        print_uri(out, &uri, path.size && path.data[0] == '/' ? "file://" : "file:///", buffer_bytes(&path),
                  ends ? "" : "/");
        print_string(out, "}},");
    }
    print_string(out, "\"results\":[");
    for (size_t i = 0; i < f->count; i++) {
        const finding *one = &f->list[i];
        print_string(out, i ? ",\n{\"ruleId\":\"" : "\n{\"ruleId\":\"");
        print_code(out, one->code);
        print_string(out, "\",\"level\":\"error\",\"message\":{\"text\":");
        print_json(out, one->text);
        print_string(out, "},");
        if (one->line)
            sarif_location(out, f, one, &path, &uri);
        print_string(out, "\"partialFingerprints\":{\"method/v1\":");
        print_fingerprint(out, one);
        print_string(out, "}}");
    }
    print_string(out, "]}]}\n");
    buffer_clear(&path);
    buffer_clear(&uri);
}

/* ---- GitHub -------------------------------------------------------------------------------------------------------
 */

/* What would end a command, or a property of it, is a percent sign and two digits. */
static void print_command_text(printer *out, bytes text, bool property) {
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        uint8_t c = i < text.size ? text.data[i] : '%';
        bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        if (!special)
            continue;
        print_bytes(out, (const char *)text.data + from, i - from);
        if (i < text.size)
            print_format(out, "%%%02X", (unsigned)c);
        from = i + 1;
    }
}

void findings_github(printer *out, const findings *f) {
    buffer path = BUFFER_INIT;
    for (size_t i = 0; i < f->count; i++) {
        const finding *one = &f->list[i];
        print_string(out, "::error ");
        if (one->line) {
            path.size = 0;
            findings_path(&path, one->path, f->root);
            out->no_memory |= path.failed;
            print_string(out, "file=");
            print_command_text(out, buffer_bytes(&path), true);
            print_format(out, ",line=%" PRIu32 ",", one->line);
        }
        print_string(out, "title=");
        print_command_text(out, one->name, true);
        print_string(out, "::");
        print_command_text(out, one->text, false);
        print_string(out, "\n");
    }
    buffer_clear(&path);
}

/* ---- GitLab -------------------------------------------------------------------------------------------------------
 */

void findings_gitlab(printer *out, const findings *f) {
    buffer path = BUFFER_INIT;
    print_string(out, "[");
    for (size_t i = 0; i < f->count; i++) {
        const finding *one = &f->list[i];
        path.size = 0;
        if (one->line)
            findings_path(&path, one->path, f->root);
        else
            buffer_string(&path, "unknown"); /* GitLab drops what has no path */
        out->no_memory |= path.failed;
        print_string(out, i ? ",\n{\"description\":" : "\n{\"description\":");
        print_json(out, one->text);
        print_string(out, ",\"check_name\":\"");
        print_code(out, one->code);
        print_string(out, "\",\"fingerprint\":");
        print_fingerprint(out, one);
        print_string(out, ",\"severity\":\"major\",\"location\":{\"path\":");
        print_json(out, buffer_bytes(&path));
        print_format(out, ",\"lines\":{\"begin\":%" PRIu32 "}}}", one->line ? one->line : 1);
    }
    print_string(out, f->count ? "\n]\n" : "]\n");
    buffer_clear(&path);
}
