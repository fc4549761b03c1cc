#include "output/identity.h"

#include "pe/writer.h"
#include "platform/crypto.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CLI_FLAGS_OFFSET = 16,     /* in the CLI header (II.25.3.3) */
    HASH_ALGORITHM_OFFSET = 4, /* in a public key: after the signature algorithm */
};

/* ---- The key --------------------------------------------------------------------------------------------------- */

ecma_status identity_open(identity *id, ilj_image *image, const ilj_instrument_options *options) {
    *id = (identity){.options = options, .image = image, .key = KEY_INIT};
    if (!options->key)
        return ECMA_OK;
    os_map map = OS_MAP_INIT;
    ecma_status status = os_read_file(&map, &image->diag, options->key);
    if (!status)
        status = key_read(&id->key, map.content, options->key, options->key_password, &image->diag);
    os_unmap(&map);
    return status;
}

void identity_clear(identity *id) {
    key_clear(&id->key);
}

static bytes public_key(const identity *id) {
    bytes blob = {0};
    if (md_row_count(&id->image->metadata, MD_TABLE_Assembly))
        (void)md_try_blob(&id->image->metadata, md_cell(&id->image->metadata, MD_Assembly_PublicKey, 1), &blob);
    return blob;
}

static void token_text(const uint8_t token[8], char text[17]) {
    for (int i = 0; i < 8; i++)
        snprintf(text + i * 2, 3, "%02x", token[i]);
}

/* The tokens of the key and of the assembly's public key. false: memory ran out. */
static bool name_tokens(const identity *id, char ours[17], char theirs[17]) {
    uint8_t token[8];
    if (!key_token(&id->key, token))
        return false;
    token_text(token, ours);
    pe_public_key_token(public_key(id), token);
    token_text(token, theirs);
    return true;
}

ecma_status identity_check(identity *id) {
    const ilj_instrument_options *o = id->options;
    diag *d = &id->image->diag;
    bytes own = public_key(id);
    pe_directory room = id->image->pe.cli.strong_name;
    uint32_t offset;
    /* The manifest's signature covers the hashes of its modules; they have none themselves. */
    if (!o->key || ilj_image_is_netmodule(id->image))
        return ECMA_OK;
    id->fits = own.size > 0 && key_matches(&id->key, own);
    id->strange = !id->fits && o->key_where_it_fits;
    if (id->strange)
        return ECMA_OK;
    if (own.size == 0)
        return diag_report(d, DIAG_NO_STRONG_NAME,
                           "the assembly has no strong name, and a signature would not give it one: leave --key out");
    if (!id->fits) {
        char ours[17], theirs[17];
        if (!name_tokens(id, ours, theirs))
            return diag_no_memory(d);
        return diag_report(d, DIAG_KEY_MISMATCH, "the key in %s has the token %s, the assembly %s", o->key, ours,
                           theirs);
    }
    if (o->delay_sign)
        return ECMA_OK;
    if (id->key.private_key.size == 0)
        return diag_report(d, DIAG_KEY_FILE,
                           "the key file %s cannot sign: it holds the public half alone (--delay-sign leaves room)",
                           o->key);
    if (!pe_try_signature_offset(&id->image->pe, &offset) || room.size != key_modulus_bytes(&id->key))
        return diag_report(d, DIAG_SIGNATURE_ROOM,
                           "the image has room for a signature of %u bytes, the key makes one of %zu (II.25.3.3)",
                           room.size, key_modulus_bytes(&id->key));
    return ECMA_OK;
}

/* ---- Signature and checksum ------------------------------------------------------------------------------------ */

static ecma_status sign(const identity *id, const pe_image *image, const buffer *out) {
    diag *d = &id->image->diag;
    bytes own = public_key(id);
    uint32_t offset, hash = load_u32(own.data + HASH_ALGORITHM_OFFSET);
    if (!pe_try_signature_offset(image, &offset) || image->cli.strong_name.size != key_modulus_bytes(&id->key))
        return diag_report(d, DIAG_READ_BACK,
                           "the output does not read back as planned: the signature's place is gone");
    return crypto_sign_image(out->data + offset, image->cli.strong_name.size, image, hash ? hash : CRYPTO_SHA1,
                             buffer_bytes(&id->key.private_key), d);
}

static void set_flag(const pe_image *image, const buffer *out, bool set) {
    uint32_t flags = image->cli.flags & ~(uint32_t)PE_CLI_STRONG_NAME_SIGNED;
    store_u32(out->data + image->cli.file_offset + CLI_FLAGS_OFFSET, set ? flags | PE_CLI_STRONG_NAME_SIGNED : flags);
}

signature_fate identity_fate(const identity *id, const pe_image *image) {
    const ilj_instrument_options *o = id->options;
    bool flag = image->cli.flags & PE_CLI_STRONG_NAME_SIGNED;
    uint32_t offset;
    if (id->fits && !o->delay_sign)
        return SIGNATURE_MADE;
    if (o->delay_sign && !id->strange && pe_try_signature_offset(image, &offset))
        return SIGNATURE_ZEROED;
    if (flag && image->cli.strong_name.size == 0)
        return SIGNATURE_MISSING;
    if (flag && o->clear_signed_flag)
        return SIGNATURE_UNMARKED;
    return flag ? SIGNATURE_STALE : SIGNATURE_NONE;
}

/* Handles the signature of an output that gets no new one. */
static void leave_unsigned(const identity *id, const pe_image *image, const buffer *out, signature_fate fate) {
    diag *d = &id->image->diag;
    uint32_t offset;
    if (fate == SIGNATURE_ZEROED && pe_try_signature_offset(image, &offset)) {
        memset(out->data + offset, 0, image->cli.strong_name.size);
        set_flag(image, out, false);
        diag_report(d, DIAG_DELAY_SIGNED,
                    "delay-signed: there is room for the signature; .NET Framework loads it once it is signed");
    } else if (fate == SIGNATURE_MISSING) {
        set_flag(image, out, false);
        diag_report(d, DIAG_SIGNED_FLAG, "marked as signed but without a signature: the mark was cleared");
    } else if (fate == SIGNATURE_UNMARKED) {
        set_flag(image, out, false);
        diag_report(d, DIAG_SIGNED_FLAG,
                    "the mark that it is signed was cleared; .NET Framework takes it for delay-signed");
    } else if (fate == SIGNATURE_STALE && id->strange) {
        char ours[17], theirs[17];
        if (name_tokens(id, ours, theirs))
            diag_report(d, DIAG_STRONG_NAME,
                        "the strong-name signature no longer matches, and the key in %s, of the token %s, is not that "
                        "of the assembly, %s",
                        id->options->key, ours, theirs);
    } else if (fate == SIGNATURE_STALE) {
        diag_report(d, DIAG_STRONG_NAME,
                    "the strong-name signature no longer matches; Mono and .NET do not check it, .NET Framework may "
                    "(--key signs)");
    }
}

ecma_status identity_finish(const identity *id, const buffer *out) {
    diag *d = &id->image->diag;
    arena a = ARENA_INIT;
    pe_image image;
    ecma_status status = pe_image_open(&image, buffer_bytes(out), &a, d);
    signature_fate fate = status ? SIGNATURE_NONE : identity_fate(id, &image);
    if (fate == SIGNATURE_MADE) {
        set_flag(&image, out, true);
        status = sign(id, &image, out);
    } else {
        leave_unsigned(id, &image, out, fate);
    }
    arena_clear(&a);
    return status;
}
