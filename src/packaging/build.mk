# `make release VERSION=x.y.z`: every artefact into build/release, with SHA256SUMS and the list of what is in them (SPDX 2.3). It is refused
# when the change log, the manual page, the tracker, a document or a package is of another version. The same commit gives the same bytes:
# times are those of SOURCE_DATE_EPOCH, or of the last commit. RELEASE_URL is where the files will be had: with it the manifests of winget
# and Homebrew are made. Programs come first: two packages may not make one of them at the same time.
RELEASE_TIME := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null))
RELEASE_URL ?=
# All that the packages' own rules have made goes into the release as it is; `pack` makes the rest.
RELEASE_MADE = $(BUILD)/ilinject_$(VERSION)_amd64.deb $(BUILD)/ilinject_$(VERSION)_arm64.deb $(BUILD)/libilinject0_$(VERSION)_amd64.deb \
	$(BUILD)/libilinject-dev_$(VERSION)_amd64.deb $(NUPKG) $(BENCHMARK_NUPKG) $(TOOL_NUPKGS) $(NPM_TGZ)

.PHONY: release
release:
	$(Q)src/packaging/agree tree '$(ASKED_VERSION)'
	$(Q)src/packaging/pack tools
	$(Q)[ -n '$(RELEASE_TIME)' ] || { echo "release: neither a commit nor SOURCE_DATE_EPOCH says of which time it is" >&2; exit 1; }
	+$(Q)SOURCE_DATE_EPOCH=$(RELEASE_TIME) $(MAKE) --no-print-directory linux-x64 linux-arm64 windows wasi deb
	+$(Q)SOURCE_DATE_EPOCH=$(RELEASE_TIME) $(MAKE) --no-print-directory deb-arm64
	+$(Q)SOURCE_DATE_EPOCH=$(RELEASE_TIME) $(MAKE) --no-print-directory packages $(if $(NPM_TGZ),npm)
	$(Q)BUILD='$(BUILD)' SOURCE_DATE_EPOCH=$(RELEASE_TIME) MAINTAINER='$(DEB_MAINTAINER)' RELEASE_URL='$(RELEASE_URL)' \
	    src/packaging/pack all $(VERSION) $(RELEASE_MADE)
	$(Q)src/packaging/agree made $(VERSION) $(BUILD)/release.new || { rm -rf $(BUILD)/release.new; exit 1; }
	$(Q)rm -rf $(BUILD)/release && mv $(BUILD)/release.new $(BUILD)/release
	$(Q)cd $(BUILD)/release && find . -type f | LC_ALL=C sort | xargs ls -l
