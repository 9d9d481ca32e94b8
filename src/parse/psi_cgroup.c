/* Memory pressure (/proc/pressure and the *.pressure files of a cgroup) and a cgroup's limits. */
#include "hotset/fields.h"
#include "hotset/parse.h"

#include <string.h>

/* ---- pressure: "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" (usec), "full ..." ---- */

static struct raw read_total(struct span words)
{
	struct span word, key, value;
	while (span_word(&words, &word))
		if (span_split(word, '=', &key, &value) && span_is(key, "total"))
			return field_read(value, FIELD_COUNT);
	return field_none(REASON_NOT_SENT);
}

bool parse_psi(const char *buf, size_t len, enum psi_what what, struct sample *out, struct err *err)
{
	struct raw some = field_none(REASON_NO_KERNEL), full = some;
	struct lines l;
	struct span line, word;
	unsigned known = 0;
	lines_init(&l, buf, len);
	while (lines_next(&l, &line)) {
		if (l.cut || !span_word(&line, &word))
			continue;
		if (span_is(word, "some"))
			some = read_total(line);
		else if (span_is(word, "full"))
			full = read_total(line);
		else
			continue;
		known++;
	}
	if (known == 0)
		return err_set(err, ERR_FORMAT, "no pressure file: no line of it is known");
	bool mem = what == PSI_MEMORY;
	out->raw[mem ? METRIC_HOST_PSI_MEM_SOME_TOTAL : METRIC_HOST_PSI_IO_SOME_TOTAL] = some;
	out->raw[mem ? METRIC_HOST_PSI_MEM_FULL_TOTAL : METRIC_HOST_PSI_IO_FULL_TOTAL] = full;
	return true;
}

/* ---- cgroup ---- */

/* One number, or the word "max" of v2. */
static struct raw read_value(const char *text, enum reason absent)
{
	if (!text)
		return field_none(absent);
	struct span rest = span_of(text), line;
	if (!span_next(&rest, '\n', &line))
		return field_none(absent);
	line = span_trim(line);
	return span_is(line, "max") ? field_none(REASON_NO_LIMIT) : field_read(line, FIELD_COUNT);
}

/*
 * No limit is "max" in v2 and a number near 2^63, rounded down to pages, in v1; a limit above the
 * memory there is limits nothing either.
 */
static struct raw read_limit(const struct cgroup_texts *t, const char *text, enum reason absent)
{
	struct raw v = read_value(text, absent);
	bool unlimited = v.type == RAW_U64 && (v.u >= FIELD_BYTES_PLAUSIBLE ||
		(t->host_total && v.u > t->host_total));
	return unlimited || (v.type == RAW_NONE && v.why == REASON_IMPLAUSIBLE) ?
		field_none(REASON_NO_LIMIT) : v;
}

/* The value of the line "key value". */
static struct raw read_key(const char *text, const char *key)
{
	struct span line, word;
	struct lines l;
	lines_init(&l, text, text ? strlen(text) : 0);
	while (lines_next(&l, &line))
		if (!l.cut && span_word(&line, &word) && span_is(word, key))
			return field_read(line, FIELD_COUNT);
	return field_none(REASON_NO_KERNEL);
}

static struct raw read_file_cache(const struct cgroup_texts *t)
{
	if (t->version != 1)
		return read_key(t->stat, "file");
	struct raw total = read_key(t->stat, "total_cache"); /* with the cgroups below */
	return total.type == RAW_NONE ? read_key(t->stat, "cache") : total;
}

/* v2: "8:0 rbytes=1 wbytes=2 ...", v1 (blkio): "8:0 Read 1"; the sum over the devices */
static struct raw read_io(const struct cgroup_texts *t)
{
	struct raw sum = field_none(REASON_OFF);
	struct span line, device, word, key, value;
	struct lines l;
	lines_init(&l, t->io_stat, t->io_stat ? strlen(t->io_stat) : 0);
	if (t->io_stat)
		sum = (struct raw){.type = RAW_U64};
	while (lines_next(&l, &line)) {
		struct raw v = {.type = RAW_U64};
		if (l.cut || !span_word(&line, &device))
			continue;
		while (span_word(&line, &word))
			if (t->version == 1 && span_is(word, "Read"))
				v = field_read(line, FIELD_COUNT);
			else if (span_split(word, '=', &key, &value) && span_is(key, "rbytes"))
				v = field_read(value, FIELD_COUNT);
		if (v.type != RAW_U64 || __builtin_add_overflow(sum.u, v.u, &sum.u))
			return field_none(REASON_IMPLAUSIBLE);
	}
	return sum;
}

struct raw parse_cgroup_reads(const char *text, int version)
{
	return read_io(&(struct cgroup_texts){.version = version, .io_stat = text});
}

/* v1 counts memory and swap together, so both of its numbers contain the memory's. */
static void store_swap(
	const struct cgroup_texts *t, struct sample *out, struct raw used, struct raw max)
{
	struct raw swap_used = read_value(t->swap_current, REASON_NO_KERNEL);
	struct raw swap_max = read_value(t->swap_max, REASON_NO_KERNEL);
	if (t->version == 1) {
		swap_used = field_minus(swap_used, used);
		swap_max = read_limit(
			&(struct cgroup_texts){.version = 1}, t->swap_max, REASON_NO_KERNEL);
		if (swap_max.type != RAW_NONE)
			swap_max = max.type == RAW_NONE ? max : field_minus(swap_max, max);
	}
	out->raw[METRIC_HOST_CGROUP_SWAP_USED] = swap_used;
	out->raw[METRIC_HOST_CGROUP_SWAP_MAX] = swap_max;
}

void parse_cgroup(const struct cgroup_texts *t, struct sample *out)
{
	struct raw used = read_value(t->current, REASON_NO_CGROUP);
	struct raw max = read_limit(t, t->max, REASON_NO_CGROUP);
	out->raw[METRIC_HOST_CGROUP_USED] = used;
	out->raw[METRIC_HOST_CGROUP_MAX] = max;
	out->raw[METRIC_HOST_CGROUP_FILE] =
		t->stat ? read_file_cache(t) : field_none(REASON_NO_CGROUP);
	out->raw[METRIC_HOST_CGROUP_RBYTES_TOTAL] = read_io(t);
	store_swap(t, out, used, max);
	if (t->host_total && !sample_has(out, METRIC_HOST_MEM_TOTAL))
		sample_set_u64(out, METRIC_HOST_MEM_TOTAL, t->host_total);
}
