#include "report/diff/write.h"

/* A story in one sentence. */

bytes story_name(const diff_function *f) {
    size_t start = f->parts.space_bytes;
    if (start > 0 && start < f->name.size && f->name.data[start] == '.')
        start++;
    size_t end = f->parts.parameters > start ? f->parts.parameters : f->name.size;
    return (bytes){f->name.data + start, end - start};
}

static void put_name(story_text *t, const diff *d, uint32_t function) {
    bytes name = story_name(&d->functions[function]);
    t->names[t->name_count].start = t->text.size;
    buffer_append(&t->text, name.data, name.size);
    t->names[t->name_count++].end = t->text.size;
}

/* "4.40 s instead of 500 ms" */
static void put_times(buffer *b, double before, double after) {
    figure f = format_time(diff_ns(after));
    buffer_printf(b, "%s instead of ", format_trimmed(&f));
    f = format_time(diff_ns(before));
    buffer_string(b, format_trimmed(&f));
}

/* "once", "twice", "40 times"; or "40" alone, after such a one. */
static void put_number(buffer *b, double count, bool alone) {
    if (count <= 0)
        buffer_string(b, "never");
    else if (count > 0.95 && count < 1.05)
        buffer_string(b, "once");
    else if (count > 1.95 && count < 2.05)
        buffer_string(b, "twice");
    else
        buffer_printf(b, alone ? "%s" : "%s times", diff_format_count(count).text);
}

/* How often the cause is called: by its caller's call, where that is known. */
static void put_counts(story_text *t, const diff *d, const diff_story *s) {
    buffer *b = &t->text;
    bool each = s->caller != STORY_NONE && s->callers[0] > 1.5 && s->callers[1] > 1.5;
    double counts[2];
    for (int side = 0; side < 2; side++)
        counts[side] = s->of_cause.calls[side] / (each ? s->callers[side] : 1);
    put_name(t, d, s->cause);
    if (s->kind == STORY_GONE) {
        buffer_string(b, " is no longer called");
        return;
    }
    buffer_string(b, s->kind == STORY_NEW ? ", new, is called " : " is called ");
    put_number(b, counts[1], false);
    bool below = s->caller != STORY_NONE && s->caller != s->subject;
    buffer_string(b, each && !below ? " in each" : "");
    if (s->kind == STORY_COUNT) {
        buffer_string(b, " instead of ");
        put_number(b, counts[0], counts[1] > 2.05);
    }
    if (below) {
        buffer_string(b, each ? " in each call of " : " by ");
        put_name(t, d, s->caller);
    }
}

static void put_own(story_text *t, const diff *d, const diff_story *s) {
    buffer *b = &t->text;
    double own[2], waited[2];
    for (int side = 0; side < 2; side++) {
        double calls = s->each && s->whole.calls[side] > 0 ? s->whole.calls[side] : 1;
        own[side] = s->of_cause.own[side] / calls;
        waited[side] = (s->of_cause.own[side] - s->of_cause.work[side]) / calls;
    }
    double change = own[1] - own[0], of_waiting = waited[1] - waited[0];
    bool waits = change > 0 ? of_waiting > 0.8 * change : of_waiting < 0.8 * change;
    bool itself = s->cause == s->subject;
    if (itself)
        buffer_string(b, waits ? "it" : "its");
    else
        put_name(t, d, s->cause);
    buffer_string(b, waits ? " waits " : itself ? " own code takes " : "'s own code takes ");
    put_times(b, waits ? waited[0] : own[0], waits ? waited[1] : own[1]);
    buffer_string(b, itself ? "" : " of that");
}

static void put_subject(story_text *t, const diff *d, const diff_story *s) {
    buffer *b = &t->text;
    double calls[2] = {1, 1};
    for (int side = 0; side < 2 && s->each; side++)
        calls[side] = s->whole.calls[side];
    put_name(t, d, s->subject);
    buffer_string(b, " takes ");
    put_times(b, s->whole.taken[0] / calls[0], s->whole.taken[1] / calls[1]);
    buffer_string(b, s->each ? " a call" : "");
}

/* It has come, or gone, or is called otherwise, by something that is not recorded. */
static void put_whole(story_text *t, const diff *d, const diff_story *s) {
    buffer *b = &t->text;
    put_counts(t, d, s);
    if (s->subject == STORY_NONE)
        return;
    figure only = format_time(diff_ns(s->whole.taken[s->kind == STORY_NEW]));
    if (s->kind == STORY_COUNT) {
        buffer_string(b, ": it takes ");
        put_times(b, s->whole.taken[0], s->whole.taken[1]);
    } else {
        buffer_printf(b, s->kind == STORY_NEW ? ", and takes %s" : "; it took %s", format_trimmed(&only));
    }
}

void story_tell(story_text *t, const diff *d, const diff_story *s) {
    buffer *b = &t->text;
    const char *noise = diff_knows_noise(d) ? "beyond noise" : "by a tenth or more";
    if (s->subject == STORY_NONE && !d->untimed)
        buffer_printf(b, "No time has changed %s%s", noise, s->kind == STORY_NOTHING ? "" : "; ");
    if (s->kind == STORY_NOTHING) {
        buffer_string(b, d->untimed ? "No number of calls has changed" : "");
    } else if (s->subject == STORY_NONE || (s->cause == s->subject && s->kind != STORY_ITSELF)) {
        put_whole(t, d, s);
    } else {
        put_subject(t, d, s);
        buffer_string(b, ": ");
        if (s->kind == STORY_SPREAD)
            buffer_string(b, "no method has half of that");
        else if (s->kind == STORY_ITSELF)
            put_own(t, d, s);
        else
            put_counts(t, d, s);
    }
    buffer_string(b, ".");
}
