# The npm package, `make npm`: the WASI build and the script that runs it in node. Neither node nor npm is needed to make it. The same
# files give the same bytes.
NPM_TGZ := $(BUILD)/ilinject-$(VERSION).tgz
NPM     := $(BUILD)/npm

.PHONY: npm
npm: $(NPM_TGZ)

$(NPM_TGZ): $(wildcard src/npm/*) src/packaging/notices src/packaging/libraries.tsv LICENSE README.md wasi
	$(call step,NPM)rm -rf $(NPM) $(BUILD)/ilinject-*.tgz
	@mkdir -p $(NPM)/package
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/npm/package.json >$(NPM)/package/package.json
	$(Q)cp src/npm/ilinject.js build/wasi/ilinject.wasm LICENSE README.md $(NPM)/package
	$(Q)src/packaging/notices wasi >$(NPM)/package/NOTICES
	$(Q)chmod -R u=rwX,go=rX $(NPM)/package && chmod 755 $(NPM)/package/ilinject.js && chmod 644 $(NPM)/package/ilinject.wasm
	$(Q)tar -C $(NPM) --sort=name --mtime=@946684800 --owner=0 --group=0 --numeric-owner --format=ustar -cf $(NPM)/package.tar package
	$(Q)gzip -9 -n <$(NPM)/package.tar >$@
	$(Q)rm $(NPM)/package.tar
