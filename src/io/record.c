/*
 * The writer of recordings. A metric or table is declared (M, T) in front of the first sample that
 * uses it, so a file that was cut off anywhere still explains every line that it holds. Plain files
 * and .gz take the same path: zlib writes both. A plain file is flushed after each sample, a packed
 * one every two seconds, since each flush costs compression.
 */
#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/record.h"
#include "hotset/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include <zlib.h>

#define FLUSH_EVERY_NS (2 * NS_PER_SEC) /* what a crash may cost at most */
#define LINE_MAX_BYTES (8u * 1024 * 1024)

struct recorder {
	gzFile        gz;
	bool          packed;
	bool          failed;
	int64_t       flushed_ns;
	struct strbuf line;
	bool          metric_known[METRIC_COUNT];
	bool          table_known[TABLE_COUNT];
};

/* Quoted; quotes, backslashes and control characters escaped, so that a line stays one line. */
static void put_quoted(struct strbuf *b, const char *s)
{
	strbuf_putc(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			strbuf_printf(b, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			strbuf_printf(b, "\\x%02x", c);
		else
			strbuf_putc(b, *s);
	}
	strbuf_putc(b, '"');
}

static void put_raw(struct strbuf *b, const struct raw *r)
{
	char buf[32];

	switch ((enum raw_type)r->type) {
	case RAW_U64:
		strbuf_printf(b, "%" PRIu64, r->u);
		break;
	case RAW_I64:
		strbuf_printf(b, "i%" PRId64, r->i);
		break;
	case RAW_F64:
		strbuf_printf(b, "f%s", num_json(buf, r->f));
		break;
	case RAW_TEXT:
		put_quoted(b, r->s);
		break;
	case RAW_NONE:
		strbuf_printf(b, "!%s", reason_name((enum reason)r->why));
		break;
	}
}

/* Not worth a token: what a reader assumes anyway. */
static bool is_plain_missing(const struct raw *r)
{
	return r->type == RAW_NONE && (r->why == REASON_NOT_SENT || r->why == REASON_OK);
}

static bool write_failed(struct recorder *r, struct err *err)
{
	int code = Z_OK;
	const char *text = gzerror(r->gz, &code);

	r->failed = true;
	if (code == Z_ERRNO)
		return err_sys(err, "cannot write the recording, it ends here");
	return err_set(err, ERR_SYSTEM, "cannot write the recording, it ends here: %s", text);
}

/* Ends the line with its CRC and writes it. */
static bool write_line(struct recorder *r, struct err *err)
{
	struct strbuf *b = &r->line;
	uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)b->data, (uInt)b->len);

	strbuf_printf(b, " *%08lx\n", crc);
	if (b->full) {
		strbuf_clear(b);
		return err_set(err, ERR_LIMIT,
			"a sample is too large to be recorded (more than %u MiB)",
			LINE_MAX_BYTES >> 20);
	}
	errno = 0;
	int n = gzwrite(r->gz, b->data, (unsigned)b->len);
	bool ok = n > 0 && (size_t)n == b->len;
	strbuf_clear(b);
	return ok || write_failed(r, err);
}

static bool flush(struct recorder *r, struct err *err)
{
	errno = 0;
	return gzflush(r->gz, Z_SYNC_FLUSH) == Z_OK || write_failed(r, err);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

struct recorder *recorder_open(const char *path, struct err *err)
{
	bool packed = ends_with(path, ".gz");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == EEXIST) {
		err_set(err, ERR_USAGE,
			"%s exists already; a recording never overwrites a file", path);
		return NULL;
	}
	if (fd < 0) {
		err_sys(err, "cannot create %s", path);
		return NULL;
	}
	struct recorder *r = calloc(1, sizeof *r);
	if (r)
		r->gz = gzdopen(fd, packed ? "wb6" : "wbT");
	if (!r || !r->gz) {
		close(fd);
		free(r);
		err_set(err, ERR_SYSTEM, "no memory for the recording %s", path);
		return NULL;
	}
	r->packed = packed;
	strbuf_init(&r->line, LINE_MAX_BYTES);
	strbuf_puts(&r->line, "#hotset-rec 1");
	if (!write_line(r, err) || !flush(r, err)) {
		struct err ignored;
		(void)!recorder_close(r, &ignored);
		return NULL;
	}
	return r;
}

bool recorder_endpoint(struct recorder *r, const struct endpoint *ep, struct err *err)
{
	char interval[32];

	if (r->failed)
		return true;
	strbuf_printf(&r->line, "E %u %s ", ep->index, kind_name(ep->kind));
	put_quoted(&r->line, ep->id);
	strbuf_putc(&r->line, ' ');
	put_quoted(&r->line, ep->name);
	strbuf_putc(&r->line, ' ');
	put_quoted(&r->line, ep->address);
	strbuf_printf(&r->line, " %s", num_json(interval, ep->interval_s));
	return write_line(r, err);
}

static const char *sem_word(enum metric_sem sem)
{
	static const char *const words[] = {
		[SEM_GAUGE] = "gauge",
		[SEM_RATE] = "rate",
		[SEM_CALC] = "calc",
		[SEM_COUNTER] = "counter",
		[SEM_INFO] = "info",
	};
	return words[sem];
}

static bool declare(struct recorder *r, const struct sample *s, struct err *err)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric_desc *d = metric_desc(id);

		if (r->metric_known[id] || is_plain_missing(&s->raw[id]))
			continue;
		const char *unit = unit_name(d->unit);
		strbuf_printf(&r->line, "M %u %s %s %s", (unsigned)id, d->name, sem_word(d->sem),
			*unit ? unit : "none");
		if (!write_line(r, err))
			return false;
		r->metric_known[id] = true;
	}
	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		if (r->table_known[t] || !s->tables[t].asked)
			continue;
		strbuf_printf(&r->line, "T %u %s", (unsigned)t, table_table[t].name);
		for (unsigned c = 0; c < table_table[t].ncols; c++)
			strbuf_printf(&r->line, " %s", table_table[t].cols[c].name);
		if (!write_line(r, err))
			return false;
		r->table_known[t] = true;
	}
	return true;
}

static void put_named(struct strbuf *b, const char *name, const char *text)
{
	if (!*text)
		return;
	strbuf_printf(b, " %s=", name);
	put_quoted(b, text);
}

/* " | table row:col=value ...": `+` behind the table's id says that rows were left out. */
static void put_table(struct strbuf *b, const struct sample *s, enum table_id t)
{
	const struct rows *rows = &s->tables[t];
	unsigned ncols = table_table[t].ncols;

	strbuf_printf(b, " | %u%s", (unsigned)t, rows->cut ? "+" : "");
	for (unsigned r = 0; r < rows->n; r++) {
		const struct raw *cells = sample_row(s, t, r);

		for (unsigned c = 0; c < ncols; c++) {
			if (is_plain_missing(&cells[c]))
				continue;
			strbuf_printf(b, " %u:%u=", r, c);
			put_raw(b, &cells[c]);
		}
	}
}

static void put_sample(struct strbuf *b, const struct sample *s)
{
	strbuf_printf(b, "S %u %" PRId64 " %" PRId64 " %" PRId64 " %s %" PRIx64, s->endpoint,
		s->mono_ns, s->wall_ns, s->rtt_ns, status_word(s->status), s->epoch);
	put_named(b, "product", s->product);
	put_named(b, "version", s->version);
	put_named(b, "role", s->role);
	if (s->err.code != ERR_NONE) {
		strbuf_printf(b, " error%d=", (int)s->err.code);
		put_quoted(b, s->err.msg);
	}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (is_plain_missing(&s->raw[id]))
			continue;
		strbuf_printf(b, " %u=", (unsigned)id);
		put_raw(b, &s->raw[id]);
	}
	for (enum table_id t = 0; t < TABLE_COUNT; t++)
		if (s->tables[t].asked)
			put_table(b, s, t);
}

bool recorder_sample(struct recorder *r, const struct sample *s, struct err *err)
{
	if (r->failed)
		return true;
	if (!declare(r, s, err))
		return false;
	put_sample(&r->line, s);
	if (!write_line(r, err))
		return false;
	if (r->packed && s->mono_ns - r->flushed_ns < FLUSH_EVERY_NS)
		return true;
	r->flushed_ns = s->mono_ns;
	return flush(r, err);
}

bool recorder_close(struct recorder *r, struct err *err)
{
	if (!r)
		return true;
	errno = 0;
	int rc = gzclose(r->gz);
	bool ok = rc == Z_OK || r->failed; /* a failure was reported when it happened */

	if (!ok)
		err_sys(err, "cannot finish the recording");
	strbuf_finish(&r->line);
	free(r);
	return ok;
}
