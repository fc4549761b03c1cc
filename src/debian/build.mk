# Debian's packages, build/ilinject_VERSION_ARCHITECTURE.deb: `make deb` of this machine's processor, `make deb-arm64` with the static program of
# make linux-arm64. The same tree gives the same bytes: times are those of SOURCE_DATE_EPOCH, or of the last commit.
DEB_ARCHITECTURE := $(shell dpkg --print-architecture 2>/dev/null)
DEB_TIME := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)
comma := ,
DEB_MAINTAINER ?= the ilinject authors <ilinject@users.noreply.github.com>

# $(call DEB,ARCHITECTURE,PROGRAM,STRIP,DEPENDS)
define DEB
	$(Q)command -v dpkg-deb >/dev/null || { echo "deb: no dpkg-deb (Debian: dpkg)" >&2; exit 1; }
	$(Q)rm -rf $(BUILD)/deb-$(1) && mkdir -p $(BUILD)/deb-$(1)/DEBIAN $(BUILD)/deb-$(1)/usr/share/doc/ilinject && chmod -R 755 $(BUILD)/deb-$(1)
	$(Q)$(foreach f,$(INSTALLED),install -D -m $(call installed_part,$(f),3) \
	    $(if $(filter bin/ilinject,$(call installed_part,$(f),2)),$(2),$(call installed_part,$(f),1)) $(BUILD)/deb-$(1)/usr/$(patsubst share/zsh/site-functions/%,share/zsh/vendor-completions/%,$(call installed_part,$(f),2)) &&) true
	$(Q)$(3) $(BUILD)/deb-$(1)/usr/bin/ilinject && gzip -9n $(BUILD)/deb-$(1)/usr/share/man/man1/ilinject.1
	$(Q)$(if $(4),,install -D -m 644 src/debian/static.lintian-overrides $(BUILD)/deb-$(1)/usr/share/lintian/overrides/ilinject)
	$(Q)install -m 644 src/debian/copyright $(BUILD)/deb-$(1)/usr/share/doc/ilinject/copyright
	$(Q)printf 'ilinject (%s) unstable; urgency=medium\n\n  * As CHANGELOG.md says.\n\n -- %s  %s\n' '$(VERSION)' '$(DEB_MAINTAINER)' "$$(LC_ALL=C date -u -R -d @$(DEB_TIME))" | \
	    gzip -9n >$(BUILD)/deb-$(1)/usr/share/doc/ilinject/changelog.gz
	$(Q)printf '%s\n' 'Package: ilinject' 'Version: $(VERSION)' 'Architecture: $(1)' 'Maintainer: $(DEB_MAINTAINER)' \
	    "Installed-Size: $$(du -k -s --apparent-size $(BUILD)/deb-$(1)/usr | cut -f1)" $(4) 'Section: devel' 'Priority: optional' \
	    'Description: profiles .NET programs by rewriting their assemblies' \
	    ' Each method of an assembly gets a call at its head and before it returns. The' ' program then records its calls, times, call trees and exceptions by itself,' \
	    ' on every .NET runtime, and ilinject shows them as text, a page, or in the' ' formats of other tools.' >$(BUILD)/deb-$(1)/DEBIAN/control
	$(Q)cd $(BUILD)/deb-$(1) && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums
	$(Q)SOURCE_DATE_EPOCH=$(DEB_TIME) dpkg-deb --root-owner-group -Zxz --build $(BUILD)/deb-$(1) $(BUILD)/ilinject_$(VERSION)_$(1).deb >/dev/null
	$(Q)rm -rf $(BUILD)/deb-$(1) && ls -l $(BUILD)/ilinject_$(VERSION)_$(1).deb
endef

.PHONY: deb deb-arm64
deb: all
	$(call DEB,$(DEB_ARCHITECTURE),$(BUILD)/ilinject,strip --remove-section=.comment --remove-section=.note,'Depends: libc6 (>= 2.34)' 'Recommends: libxml2' 'Suggests: libssl3$(comma) libmicrohttpd12')
deb-arm64: linux-arm64
	$(call DEB,arm64,build/linux-arm64/ilinject,aarch64-linux-gnu-strip --remove-section=.comment --remove-section=.note)
