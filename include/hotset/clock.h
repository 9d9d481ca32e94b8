/* Time is a parameter everywhere else: only main loops, workers and sources read these clocks. */
#ifndef HOTSET_CLOCK_H
#define HOTSET_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS  INT64_C(1000000)

int64_t clock_mono_ns(void); /* CLOCK_BOOTTIME: runs on during suspend */
int64_t clock_wall_ns(void); /* since the epoch, UTC */

#define CLOCK_TEXT_MAX 32
/* RFC 3339 in UTC with milliseconds, "2026-11-30T20:00:00.123Z"; returns buf. */
const char *clock_format_utc(char buf[CLOCK_TEXT_MAX], int64_t wall_ns);
/* "14:03:22" in the local zone; returns buf. */
const char *clock_format_local(char buf[CLOCK_TEXT_MAX], int64_t wall_ns);
/*
 * "--at": RFC 3339, "-10m" (s, m, h, d before `last`), or "HH:MM[:SS]" (UTC) of `last`'s day.
 * false if s is none of these.
 */
bool clock_parse_at(const char *s, int64_t last_wall_ns, int64_t *out_wall_ns);

#endif
