#include "hotset/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool num_parse_u64(const char *s, size_t len, uint64_t *out)
{
	if (len == 0 || len > 20)
		return false;
	uint64_t v = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned d = (unsigned)(s[i] - '0');
		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

bool num_parse_i64(const char *s, size_t len, int64_t *out)
{
	bool neg = len > 0 && s[0] == '-';
	uint64_t v;
	if (!num_parse_u64(s + neg, len - neg, &v))
		return false;
	if (neg ? v > (uint64_t)INT64_MAX + 1 : v > INT64_MAX)
		return false;
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/*
 * strtod would read "nan", "0x10" and, under some locales, "1,5". So the shape is checked first and
 * a value in the C locale's notation is what remains: the program never sets LC_NUMERIC.
 */
bool num_parse_f64(const char *s, size_t len, double *out)
{
	char buf[64];
	if (len == 0 || len >= sizeof(buf))
		return false;
	size_t i = 0, digits = 0;
	if (s[i] == '-' || s[i] == '+')
		i++;
	for (; i < len && s[i] >= '0' && s[i] <= '9'; i++)
		digits++;
	if (i < len && s[i] == '.')
		for (i++; i < len && s[i] >= '0' && s[i] <= '9'; i++)
			digits++;
	if (digits == 0)
		return false;
	if (i < len && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < len && (s[i] == '-' || s[i] == '+'))
			i++;
		size_t from = i;
		while (i < len && s[i] >= '0' && s[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	if (i != len)
		return false;
	memcpy(buf, s, len);
	buf[len] = '\0';
	char *end;
	double v = strtod(buf, &end);
	if (end != buf + len || !isfinite(v))
		return false;
	*out = v;
	return true;
}

bool num_parse_size(const char *s, size_t len, uint64_t *out)
{
	size_t n = 0;
	while (n < len && ((s[n] >= '0' && s[n] <= '9') || s[n] == '.'))
		n++;
	double v;
	if (!num_parse_f64(s, n, &v))
		return false;
	static const char units[] = "kmgtp";
	double factor = 1;
	size_t i = n;
	if (i < len) {
		char c = (char)(s[i] | 0x20);
		const char *u = strchr(units, c);
		if (u && c) {
			factor = exp2(10.0 * (double)(u - units + 1));
			i++;
			if (i < len && s[i] == 'i' && i + 1 < len)
				i++;
		}
		if (i < len && (s[i] | 0x20) == 'b')
			i++;
	}
	if (i != len || v * factor >= 18446744073709551616.0)
		return false;
	*out = (uint64_t)(v * factor + 0.5);
	return true;
}

/*
 * Three significant digits, a width that does not change within a decade: 1.23 12.3 123. Rounding
 * may carry into the next decade (9.996 is "10.0"), so the limits are those of the rounded value.
 */
static int three_digits(char *buf, size_t cap, double v, const char *suffix)
{
	double a = fabs(v);
	int prec = a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
	return snprintf(buf, cap, "%.*f%s", prec, v, suffix);
}

/* Scales by `base` until below `base` (as printed) and appends the unit of that power. */
static void scaled(char buf[NUM_MAX], double v, double base, const char *const *units, unsigned n)
{
	unsigned i = 0;
	while (i + 1 < n && fabs(v) >= (base == 1000 ? 999.5 : base - 0.5)) {
		v /= base;
		i++;
	}
	if (i == 0 && v == floor(v))
		(void)snprintf(buf, NUM_MAX, "%.0f%s", v, units[0]);
	else if (fabs(v) >= 1e6)
		(void)snprintf(buf, NUM_MAX, "%.3g%s", v, units[i]);
	else
		(void)three_digits(buf, NUM_MAX, v, units[i]);
}

static const char *not_available(char buf[NUM_MAX])
{
	(void)snprintf(buf, NUM_MAX, "n/a");
	return buf;
}

const char *num_short(char buf[NUM_MAX], double v)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
	if (!isfinite(v))
		return not_available(buf);
	scaled(buf, v, 1000, units, 7);
	return buf;
}

/* Events per second: whole numbers below a thousand, since an interval is never quite a second. */
static const char *format_rate(char buf[NUM_MAX], double v)
{
	if (fabs(v) >= 999.5 || v == 0)
		return num_short(buf, v);
	(void)snprintf(buf, NUM_MAX, "%.*f", fabs(v) < 9.95 ? 1 : 0, v);
	return buf;
}

static void format_bytes(char buf[NUM_MAX], double v, bool per_second)
{
	static const char *const plain[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
	static const char *const rate[] = {" B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s", " PiB/s",
		" EiB/s"};
	if (v != floor(v) && fabs(v) < 1023.5)
		v = round(v);
	scaled(buf, v, 1024, per_second ? rate : plain, 7);
}

/* From microseconds: "11 µs", "1.23 ms", "4.56 s". */
static void format_time(char buf[NUM_MAX], double usec, bool ascii)
{
	double a = fabs(usec);
	if (a < 999.5)
		(void)snprintf(buf, NUM_MAX, "%.*f %s", a < 9.95 && usec != floor(usec) ? 1 : 0,
			usec, ascii ? "us" : "µs");
	else if (a < 999.5e3)
		(void)three_digits(buf, NUM_MAX, usec / 1e3, " ms");
	else if (a < 999.5e6)
		(void)three_digits(buf, NUM_MAX, usec / 1e6, " s");
	else
		(void)num_duration(buf, usec / 1e6);
}

const char *num_duration(char buf[NUM_MAX], double seconds)
{
	if (!isfinite(seconds) || fabs(seconds) > 1e12)
		return not_available(buf);
	double s = round(seconds);
	if (s == 0 && fabs(seconds) >= 0.05) /* not nothing */
		(void)snprintf(buf, NUM_MAX, "%.1f s", seconds);
	else if (fabs(s) < 600)
		(void)snprintf(buf, NUM_MAX, "%.0f s", s);
	else if (fabs(s) < 3600)
		(void)snprintf(buf, NUM_MAX, "%.0f:%02.0f", trunc(s / 60), fabs(fmod(s, 60)));
	else if (fabs(s) < 2 * 86400)
		(void)snprintf(buf, NUM_MAX, "%.0f h %02.0f", trunc(s / 3600),
			trunc(fabs(fmod(s, 3600)) / 60));
	else if (fabs(s) < 100 * 86400.0)
		(void)snprintf(buf, NUM_MAX, "%.0f d %02.0f h", trunc(s / 86400),
			trunc(fabs(fmod(s, 86400)) / 3600));
	else
		(void)snprintf(buf, NUM_MAX, "%.0f d", trunc(s / 86400));
	return buf;
}

const char *num_format(char buf[NUM_MAX], enum metric_unit unit, double v, bool ascii)
{
	char n[NUM_MAX];
	if (!isfinite(v))
		return not_available(buf);
	switch (unit) {
	case UNIT_BYTES:
	case UNIT_BYTES_PER_SEC:
		format_bytes(buf, v, unit == UNIT_BYTES_PER_SEC);
		break;
	case UNIT_PER_SEC:
		(void)snprintf(buf, NUM_MAX, "%.18s/s", format_rate(n, v));
		break;
	case UNIT_MSEC_PER_SEC:
		(void)snprintf(buf, NUM_MAX, "%.16s ms/s", num_short(n, v));
		break;
	case UNIT_PERCENT:
		(void)snprintf(buf, NUM_MAX, fabs(v) < 1e6 ? "%.1f %%" : "%.3g %%", v);
		break;
	case UNIT_RATIO:
		(void)snprintf(buf, NUM_MAX, fabs(v) < 1e6 ? "%.2f" : "%.3g", v);
		break;
	case UNIT_TIMES:
		(void)snprintf(buf, NUM_MAX, fabs(v) < 9.995 ? "%.2f%s" : "%.3g%s", v,
			ascii ? "x" : "×");
		break;
	case UNIT_USEC:
		format_time(buf, v, ascii);
		break;
	case UNIT_MSEC:
		format_time(buf, v * 1e3, ascii);
		break;
	case UNIT_SEC:
		return num_duration(buf, v);
	case UNIT_SCORE:
		(void)snprintf(buf, NUM_MAX, fabs(v) < 1e6 ? "%.0f" : "%.3g", v);
		break;
	case UNIT_NONE:
	case UNIT_COUNT:
	case UNIT_PAGES:
		return num_short(buf, v);
	}
	return buf;
}

const char *num_json(char buf[32], double v)
{
	if (!isfinite(v)) {
		(void)snprintf(buf, 32, "null");
		return buf;
	}
	if (v == floor(v) && fabs(v) < 9007199254740992.0) {
		(void)snprintf(buf, 32, "%" PRId64, (int64_t)v);
		return buf;
	}
	for (int prec = 15; prec <= 17; prec++) {
		(void)snprintf(buf, 32, "%.*g", prec, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}
