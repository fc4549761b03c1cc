# The libraries of a static program, from Debian's sources. They are made anew when this file changes.
SOURCES := build/sources
FOREIGN := $(BUILD)/foreign
DEFLATE := $(SOURCES)/libdeflate-1.14
DEFLATE_PARTS := $(foreach w,deflate zlib gzip,$(w)_compress $(w)_decompress) adler32 crc32 utils x86/cpu_features arm/cpu_features
JANSSON := $(SOURCES)/jansson-2.14
XXHASH  := $(SOURCES)/xxHash-0.8.1
ZLIB    := $(SOURCES)/zlib-1.2.13.dfsg
ZLIB_PARTS := adler32 crc32 inffast inflate inftrees zutil
XML     := $(SOURCES)/libxml2-2.9.14

# Of OpenSSL, what signs: hashes, RSA, and the ciphers of .pfx files, those of old, too. Nothing of the machine's is read:
# neither a configuration nor modules.
SSL     := $(SOURCES)/openssl-3.0.22
SSL_LIB := $(if $(filter linux-%,$(TARGET)),$(BUILD)/ssl/libcrypto.a)
SSL_TARGET_linux-x64   := linux-x86_64
SSL_TARGET_linux-arm64 := linux-aarch64
SSL_OPTIONS := --prefix=/usr --libdir=lib --openssldir=/etc/ssl no-shared no-asm no-module no-dso no-engine no-tests no-sock no-ui-console no-autoload-config \
	no-secure-memory no-tls no-dtls no-comp $(addprefix no-,aria bf blake2 camellia cast chacha cmac cmp cms ct dh dsa ec gost idea md4 mdc2 ocb ocsp poly1305 \
	psk rc4 rfc3779 rmd160 scrypt seed siphash siv sm2 sm3 sm4 srp srtp ts whirlpool)

FOREIGN_LIB := $(FOREIGN)/libforeign.a
FOREIGN_CFLAGS := -std=gnu11 -O2 -w -ffile-prefix-map=$(CURDIR)=.
# What of libxml2 reads a configuration and a manifest: no network, no files of its own, no other encodings.
XML_OPTIONS := --disable-shared --with-minimum --without-lzma --without-zlib --without-iconv --without-icu --with-schemas --with-valid --with-tree --with-sax1 --with-output --with-push \
	--with-reader --with-regexps --with-pattern --with-xpath --with-threads=no --without-python

$(SSL_LIB): src/platform/fetch-sources src/platform/libraries.mk
	$(call step,FETCH)src/platform/fetch-sources $(SOURCES) $(TARGET)
	$(Q)rm -rf $(@D) && mkdir -p $(@D)
	$(Q)cd $(@D) && CC='$(CC)' AR='$(AR)' RANLIB=: $(CURDIR)/$(SSL)/Configure $(SSL_TARGET_$(TARGET)) $(SSL_OPTIONS) -Os -w -ffile-prefix-map=$(CURDIR)=. >configure.log 2>&1 || \
	    { tail -n 3 configure.log >&2; exit 1; }
	$(Q)+{ SOURCE_DATE_EPOCH=0 $(MAKE) -C $(@D) --no-print-directory build_generated && \
	    SOURCE_DATE_EPOCH=0 $(MAKE) -C $(@D) --no-print-directory libcrypto.a; } >$(@D)/make.log 2>&1 || { tail -n 3 $(@D)/make.log >&2; exit 1; }

# All that is needed of the other libraries is made in one step: they do not change.
$(FOREIGN_LIB): src/platform/fetch-sources src/platform/libraries.mk
	$(call step,FETCH)src/platform/fetch-sources $(SOURCES) $(TARGET)
	$(Q)rm -rf $(FOREIGN) && mkdir -p $(FOREIGN)/include $(FOREIGN)/xml $(FOREIGN)/o
	$(Q)cp $(DEFLATE)/libdeflate.h $(XXHASH)/xxhash.h $(JANSSON)/src/jansson.h $(ZLIB)/zlib.h $(ZLIB)/zconf.h $(FOREIGN)/include
	$(Q)sed -e 's/@json_inline@/inline/; s/@json_have_long_long@/1/; s/@json_have_localeconv@/0/; s/@json_have_atomic_builtins@/1/; s/@json_have_sync_builtins@/1/' \
	    $(JANSSON)/src/jansson_config.h.in >$(FOREIGN)/include/jansson_config.h
	$(Q)printf '#define HAVE_STDINT_H 1\n#define INITIAL_HASHTABLE_ORDER 3\n' >$(FOREIGN)/o/jansson_private_config.h
	$(Q)cd $(FOREIGN)/xml && $(CURDIR)/$(XML)/configure --host=$(TRIPLET_$(TARGET)) $(XML_OPTIONS) CC='$(CC)' AR='$(AR)' RANLIB=: \
	    CFLAGS='$(FOREIGN_CFLAGS)' >configure.log 2>&1 || { tail -n 3 configure.log >&2; exit 1; }
	$(Q)+$(MAKE) -C $(FOREIGN)/xml --no-print-directory AUTOMAKE=: AUTOCONF=: ACLOCAL=: libxml2.la >$(FOREIGN)/xml/make.log 2>&1 || { tail -n 3 $(FOREIGN)/xml/make.log >&2; exit 1; }
	$(Q)cp -r $(XML)/include/libxml $(FOREIGN)/include && cp $(FOREIGN)/xml/include/libxml/xmlversion.h $(FOREIGN)/include/libxml
	$(Q)set -e; for f in $(DEFLATE_PARTS:%=$(DEFLATE)/lib/%.c) $(XXHASH)/xxhash.c $(JANSSON)/src/*.c $(ZLIB_PARTS:%=$(ZLIB)/%.c); do \
	    o=$(FOREIGN)/o/$$(echo $$f | tr / _).o; \
	    $(CC) $(FOREIGN_CFLAGS) -DHAVE_CONFIG_H -I$(FOREIGN)/o -I$(FOREIGN)/include -I$(DEFLATE) -c -o $$o $$f; done
	$(Q)cd $(FOREIGN)/o && ar x ../xml/.libs/libxml2.a && $(AR) rcs ../libforeign.a *.o *.obj 2>/dev/null || $(AR) rcs ../libforeign.a *.o
