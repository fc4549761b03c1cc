# Debian's packages, build/PACKAGE_VERSION_ARCHITECTURE.deb: `make deb` of this machine's processor (ilinject, and the library's libilinject0 and
# libilinject-dev), `make deb-arm64` with the static program of make linux-arm64. The same tree gives the same bytes: times are those of
# SOURCE_DATE_EPOCH, or of the last commit.
DEB_ARCHITECTURE := $(shell dpkg --print-architecture 2>/dev/null)
DEB_TIME := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)
DEB_LIB := lib/$(MACHINE)
comma := ,
DEB_MAINTAINER ?= the ilinject authors <ilinject@users.noreply.github.com>

# $(call DEB_BEGIN,FOLDER,PACKAGE): what every package has.
define DEB_BEGIN
	$(Q)command -v dpkg-deb >/dev/null || { echo "deb: no dpkg-deb (Debian: dpkg)" >&2; exit 1; }
	$(Q)rm -rf $(1) && mkdir -p $(1)/DEBIAN $(1)/usr/share/doc/$(2) && chmod -R 755 $(1)
	$(Q)install -m 644 src/debian/copyright $(1)/usr/share/doc/$(2)/copyright
	$(Q)printf 'ilinject (%s) unstable; urgency=medium\n\n  * As CHANGELOG.md says.\n\n -- %s  %s\n' '$(VERSION)' '$(DEB_MAINTAINER)' "$$(LC_ALL=C date -u -R -d @$(DEB_TIME))" | \
	    gzip -9n >$(1)/usr/share/doc/$(2)/changelog.gz && chmod 644 $(1)/usr/share/doc/$(2)/changelog.gz
endef

# $(call DEB_END,FOLDER,PACKAGE,ARCHITECTURE,FIELDS,SUMMARY): FIELDS and the lines of the description behind SUMMARY are quoted.
define DEB_END
	$(Q)printf '%s\n' 'Package: $(2)' 'Source: ilinject' 'Version: $(VERSION)' 'Architecture: $(3)' 'Maintainer: $(DEB_MAINTAINER)' \
	    "Installed-Size: $$(du -k -s --apparent-size $(1)/usr | cut -f1)" $(4) 'Priority: optional' 'Description: $(5)' \
	    ' Each method of an assembly gets a call at its head and before it returns. The' ' program then records its calls, times, call trees and exceptions by itself,' \
	    ' on every .NET runtime, and ilinject shows them as text, a page, or in the' ' formats of other tools.' $(6) >$(1)/DEBIAN/control
	$(Q)[ '$(2)' != ilinject ] || sed -i '/^Source: /d' $(1)/DEBIAN/control
	$(Q)cd $(1) && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums && chmod 644 DEBIAN/*
	$(Q)find $(1) -type d -exec chmod 755 {} + && find $(1) -exec touch -h -d @$(DEB_TIME) {} +
	$(Q)SOURCE_DATE_EPOCH=$(DEB_TIME) dpkg-deb --root-owner-group -Zxz --build $(1) $(BUILD)/$(2)_$(VERSION)_$(3).deb >/dev/null
	$(Q)rm -rf $(1) && ls -l $(BUILD)/$(2)_$(VERSION)_$(3).deb
endef

# $(call DEB,ARCHITECTURE,PROGRAM,STRIP,DEPENDS)
define DEB
	$(call DEB_BEGIN,$(BUILD)/deb-$(1),ilinject)
	$(Q)$(foreach f,$(INSTALLED),install -D -m $(call installed_part,$(f),3) \
	    $(if $(filter bin/ilinject,$(call installed_part,$(f),2)),$(2),$(call installed_part,$(f),1)) $(BUILD)/deb-$(1)/usr/$(patsubst share/zsh/site-functions/%,share/zsh/vendor-completions/%,$(call installed_part,$(f),2)) &&) true
	$(Q)$(3) $(BUILD)/deb-$(1)/usr/bin/ilinject && gzip -9n $(BUILD)/deb-$(1)/usr/share/man/man1/ilinject.1
	$(Q)install -D -m 644 src/debian/$(if $(4),program,static).lintian-overrides $(BUILD)/deb-$(1)/usr/share/lintian/overrides/ilinject
	$(Q)$(if $(4),,src/packaging/notices linux-$(1) >$(BUILD)/deb-$(1)/usr/share/doc/ilinject/NOTICES && gzip -9n $(BUILD)/deb-$(1)/usr/share/doc/ilinject/NOTICES && \
	    chmod 644 $(BUILD)/deb-$(1)/usr/share/doc/ilinject/NOTICES.gz)
	$(call DEB_END,$(BUILD)/deb-$(1),ilinject,$(1),$(4) 'Section: devel',profiles .NET programs by rewriting their assemblies)
endef

.PHONY: deb deb-lib deb-arm64
deb: all deb-lib
	$(call DEB,$(DEB_ARCHITECTURE),$(BUILD)/ilinject,strip --remove-section=.comment --remove-section=.note,'Depends: libc6 (>= 2.34)' 'Recommends: libxml2' 'Suggests: libssl3$(comma) libmicrohttpd12')
deb-arm64: linux-arm64
	$(call DEB,arm64,build/linux-arm64/ilinject,$(TARGET_STRIP_linux-arm64))

DEB_RUN := $(BUILD)/deb-library
DEB_DEV := $(BUILD)/deb-development
deb-lib: lib
	$(call DEB_BEGIN,$(DEB_RUN),libilinject$(LIB_ABI))
	$(Q)install -D -m 644 $(SHARED) $(DEB_RUN)/usr/$(DEB_LIB)/$(notdir $(SHARED)) && ln -s $(notdir $(SHARED)) $(DEB_RUN)/usr/$(DEB_LIB)/$(SONAME)
	$(Q)strip --strip-unneeded --remove-section=.comment --remove-section=.note $(DEB_RUN)/usr/$(DEB_LIB)/$(notdir $(SHARED))
	$(Q)echo 'libilinject $(LIB_ABI) libilinject$(LIB_ABI) (>= $(VERSION))' >$(DEB_RUN)/DEBIAN/shlibs && echo activate-noawait ldconfig >$(DEB_RUN)/DEBIAN/triggers
	$(call DEB_END,$(DEB_RUN),libilinject$(LIB_ABI),$(DEB_ARCHITECTURE),'Multi-Arch: same' 'Depends: libc6 (>= 2.34)$(comma) libdeflate0$(comma) libjansson4 (>= 2.11)$(comma) libxxhash0 (>= 0.8.0)$(comma) zlib1g' 'Recommends: libxml2' 'Section: libs',rewrites .NET assemblies so that they profile themselves (library),' .' ' This package has the library that programs load.')
	$(call DEB_BEGIN,$(DEB_DEV),libilinject-dev)
	$(Q)$(foreach h,$(PUBLIC_HEADERS),install -D -m 644 $(h) $(DEB_DEV)/usr/$(h) &&) install -D -m 644 $(STATIC) $(DEB_DEV)/usr/$(DEB_LIB)/libilinject.a
	$(Q)strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives $(DEB_DEV)/usr/$(DEB_LIB)/libilinject.a && ln -s $(SONAME) $(DEB_DEV)/usr/$(DEB_LIB)/libilinject.so
	$(Q)mkdir $(DEB_DEV)/usr/$(DEB_LIB)/pkgconfig && sed -e 's,@PREFIX@,/usr,; s,@LIBDIR@,$(DEB_LIB),; s,@VERSION@,$(VERSION),' src/packaging/ilinject.pc.in >$(DEB_DEV)/usr/$(DEB_LIB)/pkgconfig/ilinject.pc
	$(Q)chmod -R u=rwX,go=rX $(DEB_DEV)/usr
	$(call DEB_END,$(DEB_DEV),libilinject-dev,$(DEB_ARCHITECTURE),'Multi-Arch: same' 'Depends: libilinject$(LIB_ABI) (= $(VERSION))$(comma) libdeflate-dev$(comma) libjansson-dev$(comma) libxxhash-dev$(comma) zlib1g-dev' 'Section: libdevel',rewrites .NET assemblies so that they profile themselves (headers),' .' ' This package has what programs are compiled with.')
