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
# The compiler's specs for musl, which fetch-sources makes: that of the other processor is unpacked from Debian's package.
MUSL_SPECS = -specs $(CURDIR)/build/sources/musl-$(1).specs
TARGET_CC_windows     := x86_64-w64-mingw32-gcc
TARGET_CC_linux-x64   := gcc
TARGET_CC_linux-arm64 := aarch64-linux-gnu-gcc
TARGET_CC_wasi        := clang
# Programs as they go into packages.
# strip writes the time of the day into a program for Windows, unless it is told another.
TARGET_STRIP_windows     := env SOURCE_DATE_EPOCH=0 x86_64-w64-mingw32-strip
TARGET_STRIP_linux-x64   := strip --remove-section=.comment --remove-section=.note
TARGET_STRIP_linux-arm64 := aarch64-linux-gnu-strip --remove-section=.comment --remove-section=.note
TARGET_CHECK_linux-x64 := command -v musl-gcc
# It is there if it makes a program.
TARGET_CHECK_wasi     := echo 'int main(void) { return 0; }' | clang --target=wasm32-wasi -x c -o /dev/null - && command -v llvm-ar-14
TARGET_PACKAGE_windows     := gcc-mingw-w64-x86-64
TARGET_PACKAGE_linux-x64   := musl-tools
TARGET_PACKAGE_linux-arm64 := gcc-aarch64-linux-gnu
TARGET_PACKAGE_wasi        := clang lld llvm-14 wasi-libc libclang-rt-14-dev-wasm32

.PHONY: $(TARGETS)
$(TARGETS): $(TRACKER) $(SPANS) $(TRACKER_CONSTANTS) $(CLOCK_LIBS)
	@$(or $(TARGET_CHECK_$@),command -v $(TARGET_CC_$@)) >/dev/null 2>&1 || { echo "$@: no $(if $(filter linux-x64,$@),musl-gcc,$(TARGET_CC_$@)) (Debian: $(TARGET_PACKAGE_$@))" >&2; exit 1; }
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
CC := $(TARGET_CC_$(TARGET))$(if $(filter wasi,$(TARGET)), --target=wasm32-wasi)$(if $(filter linux-%,$(TARGET)), $(call MUSL_SPECS,$(TARGET:linux-%=%)))
include src/platform/libraries.mk
$(PROGRAM): $(FOREIGN_LIB) $(SSL_LIB)
$(ECMA_O) $(SRC_O) $(CLI_O) $(CARRIED): | $(FOREIGN_LIB)
XML_HEADERS := -isystem $(FOREIGN)/include
STATIC_LIBS := $(FOREIGN_LIB) $(SSL_LIB)
endif

ifeq ($(TARGET),windows)
# Formats are those of C, not of Microsoft, as every other build has checked them.
HARDENED := -Wno-format -ffile-prefix-map=$(CURDIR)=. -include src/platform/windows/missing.h -D_GNU_SOURCE= -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0601 -DLIBXML_STATIC
HARDENED_LINK := -static -Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp
STATIC_LIBS += -lbcrypt -lws2_32 -ladvapi32
else ifeq ($(TARGET),wasi)
# A stack as large as elsewhere, below everything else, so that one that overflows ends the program.
HARDENED := -ffile-prefix-map=$(CURDIR)=. -D_GNU_SOURCE= -DLIBXML_STATIC
HARDENED_LINK := -Wl,--stack-first,-z,stack-size=8388608,--strip-all
else ifdef TARGET
# The map says which libraries' parts are in it (tests/e2e/lib/py/linked.py).
HARDENED := -fstack-protector-strong -ffile-prefix-map=$(CURDIR)=. -DLIBXML_STATIC -DOS_STATIC
HARDENED_LINK := -static -Wl,-z,relro,-z,now,-z,noexecstack,-Map=$(PROGRAM).map
endif
