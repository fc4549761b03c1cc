# The tracker: one C# assembly for every runtime, compiled by mcs against the oldest core library.
TRACKER    := $(BUILD)/ProfileInfoTracker.dll
TRACKER_CS := $(wildcard runtime-tracker/*.cs)

$(TRACKER): $(TRACKER_CS)
	@mkdir -p $(@D)
	mcs -nologo -target:library -optimize+ -out:$@ $(TRACKER_CS)
