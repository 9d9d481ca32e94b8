/*
 * The text formats of Prometheus (0.0.4) and OpenMetrics, read line by line: name{labels} value
 * and perhaps a time stamp, of which only the names of a node_exporter matter. Names changed over
 * time (0.16 added units) and with the system, so old, new and BSD's names are all looked for.
 */
#include "hotset/fields.h"
#include "hotset/hostparse.h"
#include "hotset/num.h"
#include "hotset/parse.h"
#include "hotset/text.h"

#include <string.h>
#include <strings.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TWO_63 9223372036854775808.0

struct metric_line {
	struct span name, labels, value;
};

/* Other systems know no MemAvailable and other kinds of pages. */
enum bsd_key {
	BSD_SIZE,
	BSD_FREE,
	BSD_INACTIVE,
	BSD_CACHE,
	BSD_BUFFER,
	BSD_SWAP_SIZE,
	BSD_SWAP_USED,
	BSD_COUNT
};
static const struct {
	const char  *name;
	enum bsd_key key;
} bsd_names[] = {
	{"size", BSD_SIZE},
	{"total", BSD_SIZE}, /* macOS */
	{"free", BSD_FREE},
	{"inactive", BSD_INACTIVE},
	{"cache", BSD_CACHE},
	{"buffer", BSD_BUFFER},
	{"swap_size", BSD_SWAP_SIZE},
	{"swap_total", BSD_SWAP_SIZE},
	{"swap_used", BSD_SWAP_USED},
};

static const struct {
	const char    *name;
	enum metric_id id;
	double         scale;
} scalars[] = {
	{"node_pressure_memory_waiting_seconds_total", METRIC_HOST_PSI_MEM_SOME_TOTAL, 1e6},
	{"node_pressure_memory_stalled_seconds_total", METRIC_HOST_PSI_MEM_FULL_TOTAL, 1e6},
	{"node_pressure_io_waiting_seconds_total", METRIC_HOST_PSI_IO_SOME_TOTAL, 1e6},
	{"node_pressure_io_stalled_seconds_total", METRIC_HOST_PSI_IO_FULL_TOTAL, 1e6},
	{"node_context_switches_total", METRIC_HOST_CONTEXT_SWITCHES_TOTAL, 1},
	{"node_context_switches", METRIC_HOST_CONTEXT_SWITCHES_TOTAL, 1},
	{"node_boot_time_seconds", METRIC_HOST_BTIME, 1},
	{"node_boot_time", METRIC_HOST_BTIME, 1},
};

static const struct {
	const char *name;
	bool        written;
	double      scale;
} disk_names[] = {
	{"node_disk_read_bytes_total", false, 1},
	{"node_disk_bytes_read", false, 1},
	{"node_disk_sectors_read", false, 512},
	{"node_disk_written_bytes_total", true, 1},
	{"node_disk_bytes_written", true, 1},
	{"node_disk_sectors_written", true, 512},
};

struct scrape {
	struct sample *out;
	unsigned       samples, nodes; /* lines that are metrics, and of a node_exporter */
	struct raw     now;            /* seconds since the epoch, by the host's clock */
	struct meminfo mem;
	struct raw     bsd[BSD_COUNT];
	struct vmstat  vm;
	struct disks   disks;
};

/* ---- one line ---- */

static bool is_name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
		(!first && c >= '0' && c <= '9');
}

/* Length of "{...}" at the start of s, 0 if it does not end. A brace may stand within quotes. */
static size_t labels_length(struct span s)
{
	bool quoted = false;
	for (size_t i = 1; i < s.len; i++) {
		if (quoted && s.s[i] == '\\')
			i++;
		else if (s.s[i] == '"')
			quoted = !quoted;
		else if (!quoted && s.s[i] == '}')
			return i + 1;
	}
	return 0;
}

static bool is_special(struct span v)
{
	static const char *const words[] = {"nan", "inf", "infinity"};
	if (v.len && (v.s[0] == '+' || v.s[0] == '-'))
		v = span_skip(v, 1);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (v.len == strlen(words[i]) && strncasecmp(v.s, words[i], v.len) == 0)
			return true;
	return false;
}

static bool read_line(struct span line, struct metric_line *m)
{
	size_t n = 0;
	while (n < line.len && is_name_char(line.s[n], n == 0))
		n++;
	m->name = (struct span){line.s, n};
	m->labels = (struct span){"", 0};
	struct span rest = span_trim(span_skip(line, n));
	if (n == 0 || rest.len == 0)
		return false;
	if (rest.s[0] == '{') {
		size_t len = labels_length(rest);
		if (len == 0)
			return false;
		m->labels = (struct span){rest.s + 1, len - 2};
		rest = span_skip(rest, len);
	} else if (rest.s == line.s + n) {
		return false; /* no blank behind the name */
	}
	double number;
	return span_word(&rest, &m->value) &&
		(num_parse_f64(m->value.s, m->value.len, &number) || is_special(m->value));
}

/* The value of name="..." as it stands there; an escaped quote does not end it. */
static bool find_label(struct span labels, const char *name, struct span *value)
{
	struct span key, rest = labels;
	while (span_split(rest, '=', &key, &rest)) {
		if (rest.len == 0 || rest.s[0] != '"')
			return false;
		rest = span_skip(rest, 1);
		size_t n = 0;
		while (n < rest.len && rest.s[n] != '"')
			n += rest.s[n] == '\\' && n + 1 < rest.len ? 2 : 1;
		struct span found = {rest.s, n};
		rest = span_skip(rest, n + 1);
		while (key.len && (key.s[0] == ',' || key.s[0] == ' '))
			key = span_skip(key, 1);
		if (span_is(span_trim(key), name)) {
			*value = found;
			return true;
		}
	}
	return false;
}

/* A count or size. NaN and infinities are values in this format, but not of what we read. */
static struct raw read_value(struct span value, double scale)
{
	double v;
	if (!num_parse_f64(value.s, value.len, &v))
		return field_none(REASON_IMPLAUSIBLE);
	v *= scale;
	if (v < 0 || v >= TWO_63)
		return field_none(REASON_IMPLAUSIBLE);
	return (struct raw){.type = RAW_U64, .u = (uint64_t)(v + (scale == 1 ? 0 : 0.5))};
}

/* ---- what the lines mean ---- */

static void take_memory(struct scrape *s, struct span name, struct span value)
{
	static const char unit[] = "_bytes";
	enum meminfo_key key;
	if (name.len > strlen(unit) && span_is(span_skip(name, name.len - strlen(unit)), unit))
		name.len -= strlen(unit);
	if (meminfo_find(name, &key))
		s->mem.v[key] = read_value(value, 1);
	for (size_t i = 0; i < ARRAY_LEN(bsd_names); i++)
		if (span_is(name, bsd_names[i].name))
			s->bsd[bsd_names[i].key] = read_value(value, 1);
}

static bool take_disk(struct scrape *s, const struct metric_line *m)
{
	struct span device;
	for (size_t i = 0; i < ARRAY_LEN(disk_names); i++) {
		if (!span_is(m->name, disk_names[i].name))
			continue;
		bool named = find_label(m->labels, "device", &device);
		struct disk *d = named ? disks_get(&s->disks, device) : NULL;
		struct raw v = read_value(m->value, disk_names[i].scale);
		if (d && disk_names[i].written)
			d->written = v;
		else if (d)
			d->read = v;
		return true;
	}
	return false;
}

static void take_info(struct scrape *s, const struct metric_line *m)
{
	struct span text;
	if (span_is(m->name, "node_exporter_build_info") && find_label(m->labels, "version", &text))
		(void)text_sanitize(s->out->version, sizeof(s->out->version), text.s, text.len);
	if (span_is(m->name, "node_uname_info") && find_label(m->labels, "release", &text))
		sample_set_text(s->out, METRIC_HOST_KERNEL, text.s, text.len);
	if (span_is(m->name, "node_time_seconds") || span_is(m->name, "node_time"))
		s->now = read_value(m->value, 1);
}

static void take_line(struct scrape *s, struct span line)
{
	static const char memory[] = "node_memory_", vmstat[] = "node_vmstat_";
	struct metric_line m;
	if (line.len == 0 || line.s[0] == '#' || !read_line(line, &m))
		return;
	s->samples++;
	if (!span_starts(m.name, "node_"))
		return;
	s->nodes++;
	if (span_starts(m.name, memory)) {
		take_memory(s, span_skip(m.name, strlen(memory)), m.value);
		return;
	}
	if (span_starts(m.name, vmstat)) {
		vmstat_add(
			&s->vm, s->out, span_skip(m.name, strlen(vmstat)), read_value(m.value, 1));
		return;
	}
	if (take_disk(s, &m))
		return;
	for (size_t i = 0; i < ARRAY_LEN(scalars); i++)
		if (span_is(m.name, scalars[i].name))
			s->out->raw[scalars[i].id] = read_value(m.value, scalars[i].scale);
	take_info(s, &m);
}

/* FreeBSD, OpenBSD and macOS: what is free or can be reclaimed at once, and the method says so. */
static void finish_bsd(struct scrape *s)
{
	static const char method[] = "est.: free + inactive + cache";
	struct sample *out = s->out;
	struct raw *b = s->bsd;
	out->raw[METRIC_HOST_MEM_TOTAL] = b[BSD_SIZE];
	out->raw[METRIC_HOST_MEM_FREE] = b[BSD_FREE];
	out->raw[METRIC_HOST_MEM_BUFFERS] = b[BSD_BUFFER];
	out->raw[METRIC_HOST_SWAP_TOTAL] = b[BSD_SWAP_SIZE];
	out->raw[METRIC_HOST_SWAP_USED] = b[BSD_SWAP_USED];
	if (b[BSD_FREE].type != RAW_U64 || b[BSD_INACTIVE].type != RAW_U64)
		return;
	double sum = (double)b[BSD_FREE].u + (double)b[BSD_INACTIVE].u +
		(b[BSD_CACHE].type == RAW_U64 ? (double)b[BSD_CACHE].u : 0);
	if (sum > (double)b[BSD_SIZE].u)
		return;
	sample_set_u64(out, METRIC_HOST_MEM_AVAILABLE, (uint64_t)sum);
	sample_set_text(out, METRIC_HOST_MEM_AVAILABLE_SOURCE, method, strlen(method));
}

static void finish(struct scrape *s)
{
	struct sample *out = s->out;
	(void)snprintf(out->product, sizeof(out->product), "node_exporter");
	if (s->mem.v[MEMINFO_TOTAL].type == RAW_NONE && s->bsd[BSD_SIZE].type == RAW_U64)
		finish_bsd(s);
	else
		meminfo_store(&s->mem, out, REASON_NOT_EXPORTED);
	vmstat_store(&s->vm, out, REASON_NOT_EXPORTED);
	if (s->disks.n)
		disks_store(&s->disks, out);
	struct raw boot = out->raw[METRIC_HOST_BTIME];
	if (boot.type == RAW_U64) {
		out->raw[METRIC_HOST_UPTIME] = field_minus(s->now, boot);
		field_set_run(out, 0, (int64_t)boot.u);
	}
	sample_explain_missing(out, KIND_HOST, REASON_NOT_EXPORTED);
}

static bool refuse(struct span text, struct err *err)
{
	char quote[64];
	struct span line = span_trim(text);
	if (line.len == 0)
		return err_set(err, ERR_UNSUPPORTED, "no metrics in the reply: it is empty");
	if (line.s[0] == '<')
		return err_set(err, ERR_UNSUPPORTED, "no metrics in the reply: it is a web page");
	if (line.len > 1 && (unsigned char)line.s[0] == 0x1f && (unsigned char)line.s[1] == 0x8b)
		return err_set(err, ERR_UNSUPPORTED, "no metrics in the reply: it is compressed");
	(void)span_next(&line, '\n', &line);
	(void)text_sanitize(quote, sizeof(quote), line.s, line.len);
	return err_set(err, ERR_UNSUPPORTED, "no metrics in the reply: \"%s\"", quote);
}

/* Blank lines at the start are fine, in a web page too. */
static struct span skip_blank(struct span text)
{
	while (text.len && strchr(" \t\r\n", text.s[0]) && text.s[0])
		text = span_skip(text, 1);
	return text;
}

bool parse_node_metrics(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct span text = skip_blank((struct span){buf, len}), line;
	struct scrape s = {.out = out, .now = field_none(REASON_NOT_SENT)};
	struct lines l;
	if (text.len == 0 || text.s[0] == '<')
		return refuse(text, err);
	meminfo_init(&s.mem);
	vmstat_init(&s.vm);
	for (unsigned i = 0; i < BSD_COUNT; i++)
		s.bsd[i] = field_none(REASON_NOT_SENT);
	lines_init(&l, text.s, text.len);
	while (lines_next(&l, &line) && !span_is(span_trim(line), "# EOF"))
		if (!l.cut)
			take_line(&s, span_trim(line));
	if (s.samples == 0)
		return refuse(text, err);
	if (s.nodes == 0)
		return err_set(err, ERR_UNSUPPORTED, "metrics, but none of a node_exporter");
	finish(&s);
	return true;
}
