#include "tracker/native_clock.h"

extern const uint8_t clock_x64_start[], clock_x64_end[], clock_arm64_start[], clock_arm64_end[];

#if defined __aarch64__
static const ilj_native_clock host = ILJ_NATIVE_CLOCK_ARM64;
#elif defined __x86_64__
static const ilj_native_clock host = ILJ_NATIVE_CLOCK_X64;
#else
static const ilj_native_clock host = ILJ_NATIVE_CLOCK_HOST; /* no library is for it */
#endif

/* True if the clock that the settings choose stands in the library. The last one of a name holds. */
static bool settings_need_it(const ilj_instrument_options *options) {
    static const char name[] = "clock=";
    for (size_t i = options->setting_count; i-- > 0;) {
        if (strncmp(options->settings[i], name, sizeof name - 1) != 0)
            continue;
        const char *clock = options->settings[i] + sizeof name - 1;
        return strcmp(clock, "fast") == 0 || strcmp(clock, "fast-unfenced") == 0 || strcmp(clock, "cpu") == 0;
    }
    return false;
}

ecma_status native_clock_choose(bytes *library, const ilj_instrument_options *options, diag *d) {
    ilj_native_clock wanted = options->native_clock;
    *library = bytes_of(NULL, 0);
    if (wanted == ILJ_NATIVE_CLOCK_DEFAULT && (options->tracker || !settings_need_it(options)))
        return ECMA_OK;
    if (wanted == ILJ_NATIVE_CLOCK_DEFAULT || wanted == ILJ_NATIVE_CLOCK_HOST)
        wanted = host;
    if (wanted == ILJ_NATIVE_CLOCK_X64)
        *library = bytes_of(clock_x64_start, (size_t)(clock_x64_end - clock_x64_start));
    if (wanted == ILJ_NATIVE_CLOCK_ARM64)
        *library = bytes_of(clock_arm64_start, (size_t)(clock_arm64_end - clock_arm64_start));
    if (library->size > 0)
        return ECMA_OK;
    return diag_report(d, DIAG_NATIVE_CLOCK, "this program has no " NATIVE_CLOCK_FILE " for %s",
                       wanted == ILJ_NATIVE_CLOCK_X64     ? "x64"
                       : wanted == ILJ_NATIVE_CLOCK_ARM64 ? "arm64"
                                                          : "this machine's processor");
}
