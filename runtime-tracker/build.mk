# The tracker: one C# assembly for every runtime. Compiled by mcs against the oldest core library that Debian has (mono-devel),
# its references made retargetable, signed with the project's own key. The same sources give the same bytes.
TRACKER      := $(BUILD)/ProfileInfoTracker.dll
TRACKER_CS   := $(sort $(wildcard runtime-tracker/*.cs))
TRACKER_KEY  := runtime-tracker/ilinject.snk
TRACKER_API  := /usr/lib/mono/2.0-api
TRACKER_TOOL := $(BUILD)/runtime-tracker/retarget

$(TRACKER_TOOL): runtime-tracker/retarget.c
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

# Made under its own name in a folder of its own: the compiler takes the assembly's name from the file's.
$(TRACKER): $(TRACKER_CS) $(TRACKER_KEY) $(TRACKER_TOOL)
	@mkdir -p $(BUILD)/runtime-tracker/signed
	mcs -nologo -target:library -optimize+ -warnaserror -noconfig -nostdlib -runtimemetadataversion:v2.0.50727 \
	    -r:$(TRACKER_API)/mscorlib.dll -r:$(TRACKER_API)/System.dll -keyfile:$(TRACKER_KEY) \
	    -out:$(BUILD)/runtime-tracker/signed/$(@F) $(TRACKER_CS)
	$(TRACKER_TOOL) $(BUILD)/runtime-tracker/signed/$(@F)
	sn -q -R $(BUILD)/runtime-tracker/signed/$(@F) $(TRACKER_KEY)
	mv $(BUILD)/runtime-tracker/signed/$(@F) $@
