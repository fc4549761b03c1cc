# Programs for other systems, each one file. The libraries are linked statically, from Debian's sources.
#
#   make windows      build/windows/ilinject.exe, by mingw-w64
#   make linux-x64    build/linux-x64/ilinject and
#   make linux-arm64  build/linux-arm64/ilinject, by musl: they run on any Linux
#   make windows-serve  libmicrohttpd-12.dll beside it, which `serve` loads; its licence (LGPL) lets it be no part of the program
#   make wasi         build/wasi/ilinject.wasm, by clang, lld and wasi-libc: it runs in node, and by the .NET tool in Wasmtime
#
# It is this Makefile once more, for a TARGET; the tracker and the native clocks are those of the usual build.

TARGETS := windows linux-x64 linux-arm64 wasi
# The musl of the other processor, unpacked from Debian's package; its compiler's own specs lead to it.
MUSL_ARM64 := build/sources/musl-arm64
TARGET_CC_windows     := x86_64-w64-mingw32-gcc
TARGET_CC_linux-x64   := musl-gcc
TARGET_CC_linux-arm64 := aarch64-linux-gnu-gcc
TARGET_CC_wasi        := clang
# It is there if it makes a program.
TARGET_CHECK_wasi     := echo 'int main(void) { return 0; }' | clang --target=wasm32-wasi -x c -o /dev/null - && command -v llvm-ar-14
TARGET_PACKAGE_windows     := gcc-mingw-w64-x86-64
TARGET_PACKAGE_linux-x64   := musl-tools
TARGET_PACKAGE_linux-arm64 := gcc-aarch64-linux-gnu
TARGET_PACKAGE_wasi        := clang lld llvm-14 wasi-libc libclang-rt-14-dev-wasm32

.PHONY: $(TARGETS)
$(TARGETS): $(TRACKER) $(CLOCK_LIBS)
	@$(or $(TARGET_CHECK_$@),command -v $(TARGET_CC_$@)) >/dev/null 2>&1 || { echo "$@: no $(TARGET_CC_$@) (Debian: $(TARGET_PACKAGE_$@))" >&2; exit 1; }
	$(Q)+$(MAKE) --no-print-directory TARGET=$@ SYSTEM=$(if $(filter windows wasi,$@),$@,posix) BUILD=build/$@ HOST_BUILD=$(BUILD) all

MHD := build/sources/libmicrohttpd-0.9.75
MHD_BUILD := build/windows/libmicrohttpd
MHD_OPTIONS := --enable-shared --disable-static --disable-doc --disable-examples --disable-curl --disable-https --disable-nls
.PHONY: windows-serve
windows-serve: build/windows/libmicrohttpd-12.dll
build/windows/libmicrohttpd-12.dll: src/platform/fetch-sources src/platform/build.mk
	@command -v $(TARGET_CC_windows) >/dev/null 2>&1 || { echo "windows-serve: no $(TARGET_CC_windows) (Debian: $(TARGET_PACKAGE_windows))" >&2; exit 1; }
	$(call step,FETCH)src/platform/fetch-sources build/sources windows-serve
	$(Q)rm -rf $(MHD_BUILD) && mkdir -p $(MHD_BUILD)
	$(Q)cd $(MHD_BUILD) && $(CURDIR)/$(MHD)/configure --host=x86_64-w64-mingw32 $(MHD_OPTIONS) \
	    CFLAGS='-O2 -w -D_WIN32_WINNT=0x0601 -ffile-prefix-map=$(CURDIR)=.' LDFLAGS='-Wl,--no-insert-timestamp,--dynamicbase,--nxcompat' >configure.log 2>&1 || { tail -n 3 configure.log >&2; exit 1; }
	$(Q)+$(MAKE) -C $(MHD_BUILD)/src/microhttpd --no-print-directory AUTOMAKE=: AUTOCONF=: ACLOCAL=: libmicrohttpd.la >$(MHD_BUILD)/make.log 2>&1 || { tail -n 3 $(MHD_BUILD)/make.log >&2; exit 1; }
	$(Q)x86_64-w64-mingw32-strip -o $@ $(MHD_BUILD)/src/microhttpd/.libs/libmicrohttpd-12.dll

ifdef TARGET
TRIPLET_windows     := x86_64-w64-mingw32
TRIPLET_linux-x64   := x86_64-linux-musl
TRIPLET_linux-arm64 := aarch64-linux-musl
TRIPLET_wasi        := wasm32-unknown-none
AR := $(if $(filter wasi,$(TARGET)),llvm-ar-14,ar)
CC := $(TARGET_CC_$(TARGET))$(if $(filter wasi,$(TARGET)), --target=wasm32-wasi)$(if $(filter linux-arm64,$(TARGET)), -specs $(CURDIR)/$(MUSL_ARM64)/musl-gcc.specs)
SOURCES := build/sources
FOREIGN := $(BUILD)/foreign
DEFLATE := $(SOURCES)/libdeflate-1.14
DEFLATE_PARTS := $(foreach w,deflate zlib gzip,$(w)_compress $(w)_decompress) adler32 crc32 utils x86/cpu_features arm/cpu_features
JANSSON := $(SOURCES)/jansson-2.14
XXHASH  := $(SOURCES)/xxHash-0.8.1
ZLIB    := $(SOURCES)/zlib-1.2.13.dfsg
ZLIB_PARTS := adler32 crc32 inffast inflate inftrees zutil
XML     := $(SOURCES)/libxml2-2.9.14

FOREIGN_LIB := $(FOREIGN)/libforeign.a
FOREIGN_CFLAGS := -std=gnu11 -O2 -w -ffile-prefix-map=$(CURDIR)=.
# What of libxml2 reads a configuration and a manifest: no network, no files of its own, no other encodings.
XML_OPTIONS := --disable-shared --with-minimum --without-lzma --without-zlib --without-iconv --without-icu --with-schemas --with-valid --with-tree --with-sax1 --with-output --with-push \
	--with-reader --with-regexps --with-pattern --with-xpath --with-threads=no --without-python

# All that is needed of the libraries is made in one step: they do not change.
$(FOREIGN_LIB): src/platform/fetch-sources src/platform/build.mk
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

$(PROGRAM): $(FOREIGN_LIB)
$(ECMA_O) $(SRC_O) $(CLI_O) $(CARRIED): | $(FOREIGN_LIB)
XML_HEADERS := -isystem $(FOREIGN)/include
STATIC_LIBS := $(FOREIGN_LIB)
endif

ifeq ($(TARGET),windows)
# Formats are those of C, not of Microsoft, as every other build has checked them.
HARDENED := -Wno-format -ffile-prefix-map=$(CURDIR)=. -include src/platform/windows/missing.h -D_GNU_SOURCE= -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0601 -DLIBXML_STATIC
HARDENED_LINK := -static -Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp
STATIC_LIBS += -lbcrypt -lws2_32 -ladvapi32 -lshell32
else ifeq ($(TARGET),wasi)
# A stack as large as elsewhere, below everything else, so that one that overflows ends the program.
HARDENED := -ffile-prefix-map=$(CURDIR)=. -D_GNU_SOURCE= -DLIBXML_STATIC
HARDENED_LINK := -Wl,--stack-first,-z,stack-size=8388608,--strip-all
else ifdef TARGET
HARDENED := -fstack-protector-strong -ffile-prefix-map=$(CURDIR)=. -DLIBXML_STATIC
HARDENED_LINK := -static -Wl,-z,relro,-z,now,-z,noexecstack
endif
