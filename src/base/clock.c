#include "hotset/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;
	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

int64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

/* Splits into whole seconds and the rest, rounding down also before the epoch. */
static time_t whole_seconds(int64_t ns, int64_t *rest)
{
	int64_t s = ns / NS_PER_SEC;
	*rest = ns % NS_PER_SEC;
	if (*rest < 0) {
		*rest += NS_PER_SEC;
		s--;
	}
	return (time_t)s;
}

const char *clock_format_utc(char buf[CLOCK_TEXT_MAX], int64_t wall_ns)
{
	int64_t rest;
	time_t s = whole_seconds(wall_ns, &rest);
	struct tm tm = {0};
	(void)gmtime_r(&s, &tm);
	size_t n = strftime(buf, CLOCK_TEXT_MAX - 6, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(buf + n, CLOCK_TEXT_MAX - n, ".%03dZ", (int)(rest / NS_PER_MS));
	return buf;
}

const char *clock_format_local(char buf[CLOCK_TEXT_MAX], int64_t wall_ns)
{
	int64_t rest;
	time_t s = whole_seconds(wall_ns, &rest);
	struct tm tm = {0};
	(void)localtime_r(&s, &tm);
	(void)strftime(buf, CLOCK_TEXT_MAX, "%H:%M:%S", &tm);
	return buf;
}

/* "2026-11-30T20:00:00[.123]Z" */
static bool parse_rfc3339(const char *s, int64_t *out)
{
	struct tm tm = {0};
	const char *rest = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return false;
	int64_t ns = 0;
	if (*rest == '.') {
		int64_t unit = NS_PER_SEC / 10;
		const char *p = rest + 1;
		for (; *p >= '0' && *p <= '9'; p++, unit /= 10)
			ns += (*p - '0') * unit;
		if (p == rest + 1)
			return false;
		rest = p;
	}
	if (strcmp(rest, "Z") != 0)
		return false;
	*out = (int64_t)timegm(&tm) * NS_PER_SEC + ns;
	return true;
}

/* "-10m": a whole number and a unit, before `last`. */
static bool parse_before(const char *s, int64_t last, int64_t *out)
{
	int64_t n = 0;
	const char *p = s + 1;
	for (; *p >= '0' && *p <= '9' && n < 1000000; p++)
		n = n * 10 + (*p - '0');
	if (p == s + 1 || *p == '\0' || p[1] != '\0')
		return false;
	int64_t unit;
	switch (*p) {
	case 's':
		unit = 1;
		break;
	case 'm':
		unit = 60;
		break;
	case 'h':
		unit = 3600;
		break;
	case 'd':
		unit = 86400;
		break;
	default:
		return false;
	}
	*out = last - n * unit * NS_PER_SEC;
	return true;
}

/* "HH:MM[:SS]" of the day (UTC) that holds `last`. */
static bool parse_time_of_day(const char *s, int64_t last, int64_t *out)
{
	struct tm tm = {0};
	const char *rest = strptime(s, "%H:%M:%S", &tm);
	if (!rest || *rest) {
		tm = (struct tm){0};
		rest = strptime(s, "%H:%M", &tm);
	}
	if (!rest || *rest)
		return false;
	int64_t day = 86400 * NS_PER_SEC;
	int64_t midnight = last - ((last % day) + day) % day;
	*out = midnight + (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * NS_PER_SEC;
	return true;
}

bool clock_parse_at(const char *s, int64_t last_wall_ns, int64_t *out_wall_ns)
{
	if (s[0] == '-')
		return parse_before(s, last_wall_ns, out_wall_ns);
	return parse_rfc3339(s, out_wall_ns) || parse_time_of_day(s, last_wall_ns, out_wall_ns);
}
