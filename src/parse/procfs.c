/*
 * The files of /proc that concern memory and disks. The kernel ends every line with a newline, so
 * a last line without one was cut off by a buffer and is not believed.
 */
#include "hotset/fields.h"
#include "hotset/hostparse.h"
#include "hotset/parse.h"

#include <string.h>
#include <strings.h>

#define SECTOR 512u /* bytes, in /proc/diskstats whatever the device's own sector is */

static void set_product(struct sample *out)
{
	if (!out->product[0])
		(void)snprintf(out->product, sizeof(out->product), "linux");
}

/* "16777216 kB" to bytes. The kernel pads with blanks up to a width that large values exceed. */
static struct raw read_kb(struct span value)
{
	struct span v = span_trim(value);
	if (v.len < 2 || strncasecmp(v.s + v.len - 2, "kB", 2) != 0)
		return field_none(REASON_TEXT);
	v.len -= 2;
	struct raw kb = field_read(v, FIELD_COUNT);
	if (kb.type == RAW_U64 && !__builtin_mul_overflow(kb.u, UINT64_C(1024), &kb.u))
		return kb;
	return kb.type == RAW_NONE ? kb : field_none(REASON_IMPLAUSIBLE);
}

bool parse_meminfo(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct meminfo m;
	struct lines l;
	struct span line, name, value;
	enum meminfo_key key;
	unsigned known = 0;
	meminfo_init(&m);
	lines_init(&l, buf, len);
	while (lines_next(&l, &line)) {
		if (l.cut || !span_split(line, ':', &name, &value) ||
			!meminfo_find(span_trim(name), &key))
			continue;
		m.v[key] = meminfo_is_pages(key) ? field_read(value, FIELD_COUNT) : read_kb(value);
		known++;
	}
	if (known == 0)
		return err_set(err, ERR_FORMAT, "not a meminfo: no line of it is known");
	set_product(out);
	meminfo_store(&m, out, REASON_NO_KERNEL);
	return true;
}

bool parse_vmstat(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct vmstat v;
	struct lines l;
	struct span line, name;
	vmstat_init(&v);
	lines_init(&l, buf, len);
	while (lines_next(&l, &line))
		if (!l.cut && span_word(&line, &name))
			vmstat_add(&v, out, name, field_read(line, FIELD_COUNT));
	if (v.known == 0)
		return err_set(err, ERR_FORMAT, "not a vmstat: no line of it is known");
	set_product(out);
	vmstat_store(&v, out, REASON_NO_KERNEL);
	return true;
}

bool parse_stat(const char *buf, size_t len, struct sample *out, struct err *err)
{
	static const struct field fields[] = {
		{"ctxt", METRIC_HOST_CONTEXT_SWITCHES_TOTAL, FIELD_COUNT},
		{"btime", METRIC_HOST_BTIME, FIELD_COUNT},
	};
	struct lines l;
	struct span line, name;
	unsigned known = 0;
	lines_init(&l, buf, len);
	while (lines_next(&l, &line)) {
		if (l.cut || !span_word(&line, &name))
			continue;
		const struct field *f =
			field_find(fields, sizeof(fields) / sizeof(fields[0]), name);
		if (f)
			field_store(out, f, line);
		known += f || span_is(name, "cpu");
	}
	if (known == 0)
		return err_set(err, ERR_FORMAT, "not a /proc/stat: no line of it is known");
	set_product(out);
	if (out->raw[METRIC_HOST_BTIME].type == RAW_U64)
		field_set_run(out, 0, (int64_t)out->raw[METRIC_HOST_BTIME].u);
	return true;
}

static struct raw read_sectors(struct span word)
{
	struct raw v = field_read(word, FIELD_COUNT);
	if (v.type == RAW_U64 && __builtin_mul_overflow(v.u, SECTOR, &v.u))
		return field_none(REASON_IMPLAUSIBLE);
	return v;
}

/* major minor name reads merged SECTORS ms writes merged SECTORS ms ... */
static void take_disk(struct disks *d, struct span line)
{
	enum { NAME = 2, SECTORS_READ = 5, SECTORS_WRITTEN = 9, WORDS };
	struct span word[WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		if (!span_word(&line, &word[i]))
			return;
	if (!span_numbered(word[0], "", NULL) || !span_numbered(word[1], "", NULL))
		return;
	struct disk *disk = disks_get(d, word[NAME]);
	if (disk) {
		disk->read = read_sectors(word[SECTORS_READ]);
		disk->written = read_sectors(word[SECTORS_WRITTEN]);
	}
}

bool parse_diskstats(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct disks d = {.n = 0};
	struct lines l;
	struct span line;
	lines_init(&l, buf, len);
	while (lines_next(&l, &line))
		if (!l.cut)
			take_disk(&d, line);
	if (d.n == 0 && span_trim((struct span){buf, len}).len > 0)
		return err_set(err, ERR_FORMAT, "not a diskstats: no line of it is a disk");
	set_product(out);
	disks_store(&d, out);
	return true;
}
