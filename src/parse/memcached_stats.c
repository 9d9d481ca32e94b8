/*
 * All replies of `stats` and its sub-commands have one shape, "STAT name value", so they can be
 * read one after another. Plain names go to metrics or, when a metric is made of several, to slots;
 * names like "items:14:age" and "14:chunk_size" are collected per slab class and become the table.
 */
#include "hotset/fields.h"
#include "hotset/num.h"
#include "hotset/parse.h"
#include "hotset/text.h"

#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CLASSES 256u /* slab classes: 63 since 1.4.24, 200 before */
#define PAGE_STEP (64u * 1024) /* bytes; page sizes are multiples of this */
/* a server's clock outside of these (2001 and 2100, seconds since the epoch) is wrong */
#define CLOCK_MIN INT64_C(1000000000)
#define CLOCK_MAX INT64_C(4102444800)

static const struct field fields[] = {
	{"cmd_set", METRIC_MEMCACHED_SETS_TOTAL, FIELD_COUNT},
	{"limit_maxbytes", METRIC_MEMCACHED_MEM_MAX, FIELD_COUNT},
	{"maxbytes", METRIC_MEMCACHED_MEM_MAX, FIELD_COUNT},
	{"evictions", METRIC_MEMCACHED_EVICTIONS_TOTAL, FIELD_COUNT},
	{"reclaimed", METRIC_MEMCACHED_RECLAIMED_TOTAL, FIELD_COUNT},
	{"direct_reclaims", METRIC_MEMCACHED_DIRECT_RECLAIMS_TOTAL, FIELD_COUNT},
	{"evicted_unfetched", METRIC_MEMCACHED_EVICTED_UNFETCHED, FIELD_COUNT},
	{"evicted_active", METRIC_MEMCACHED_EVICTED_ACTIVE, FIELD_COUNT},
	{"curr_items", METRIC_MEMCACHED_ITEMS, FIELD_COUNT},
	{"curr_connections", METRIC_MEMCACHED_CONNS, FIELD_COUNT},
	{"max_connections", METRIC_MEMCACHED_MAX_CONNS, FIELD_COUNT},
	{"maxconns", METRIC_MEMCACHED_MAX_CONNS, FIELD_COUNT},
	{"rejected_connections", METRIC_MEMCACHED_REJECTED_TOTAL, FIELD_COUNT},
	{"active_slabs", METRIC_MEMCACHED_SLABS_ACTIVE, FIELD_COUNT},
	{"total_malloced", METRIC_MEMCACHED_SLABS_MALLOCED, FIELD_COUNT},
	{"extstore_objects_read", METRIC_MEMCACHED_EXT_READS_TOTAL, FIELD_COUNT},
	{"extstore_bytes_used", METRIC_MEMCACHED_EXT_USED, FIELD_COUNT},
	{"extstore_limit_maxbytes", METRIC_MEMCACHED_EXT_MAX, FIELD_COUNT},
	{"extstore_bytes_fragmented", METRIC_MEMCACHED_EXT_FRAGMENTED, FIELD_COUNT},
	{"extstore_io_queue", METRIC_MEMCACHED_EXT_IO_QUEUE, FIELD_COUNT},
	{"extstore_pages_free", METRIC_MEMCACHED_EXT_PAGES_FREE, FIELD_COUNT},
	{"extstore_page_evictions", METRIC_MEMCACHED_EXT_PAGE_EVICTIONS_TOTAL, FIELD_COUNT},
	{"extstore_bytes_written", METRIC_MEMCACHED_EXT_WRITTEN, FIELD_COUNT},
	{"item_size_max", METRIC_MEMCACHED_ITEM_SIZE_MAX, FIELD_COUNT},
	{"slab_reassign", METRIC_MEMCACHED_SLAB_REASSIGN, FIELD_TEXT},
	{"lru_crawler", METRIC_MEMCACHED_LRU_CRAWLER, FIELD_TEXT},
};

/* Parts of metrics. */
enum slot {
	SLOT_PID,
	SLOT_TIME,
	SLOT_UPTIME,
	SLOT_BYTES,
	SLOT_TOTAL_ITEMS,
	SLOT_GET_HITS,
	SLOT_GET_MISSES,
	SLOT_GET_EXT,
	SLOT_EXT_MISS,
	SLOT_EXT_ABORTED,
	SLOT_EXT_OOM,
	SLOT_COUNT
};
static const char *const slot_names[SLOT_COUNT] = {
	[SLOT_PID] = "pid",
	[SLOT_TIME] = "time",
	[SLOT_UPTIME] = "uptime",
	[SLOT_BYTES] = "bytes",
	[SLOT_TOTAL_ITEMS] = "total_items",
	[SLOT_GET_HITS] = "get_hits",
	[SLOT_GET_MISSES] = "get_misses",
	[SLOT_GET_EXT] = "get_extstore",
	[SLOT_EXT_MISS] = "miss_from_extstore",
	[SLOT_EXT_ABORTED] = "get_aborted_extstore",
	[SLOT_EXT_OOM] = "get_oom_extstore",
};

/* Of one slab class; mem_requested is in `stats slabs` before 1.5, then in `stats items`. */
enum slab_field {
	SLAB_CHUNK,
	SLAB_PER_PAGE,
	SLAB_PAGES,
	SLAB_CHUNKS,
	SLAB_REQUESTED,
	SLAB_ITEMS,
	SLAB_AGE,
	SLAB_EVICTED,
	SLAB_EVICTED_TIME,
	SLAB_OOM,
	SLAB_FIELDS
};
static const char *const slab_names[SLAB_FIELDS] = {
	[SLAB_CHUNK] = "chunk_size",
	[SLAB_PER_PAGE] = "chunks_per_page",
	[SLAB_PAGES] = "total_pages",
	[SLAB_CHUNKS] = "total_chunks",
	[SLAB_REQUESTED] = "mem_requested",
	[SLAB_ITEMS] = "number",
	[SLAB_AGE] = "age",
	[SLAB_EVICTED] = "evicted",
	[SLAB_EVICTED_TIME] = "evicted_time",
	[SLAB_OOM] = "outofmemory",
};

struct slab {
	bool       seen;
	struct raw v[SLAB_FIELDS];
};

struct stats {
	struct sample *out;
	unsigned       lines;   /* STAT lines */
	bool           ended;   /* the last line was END */
	bool           general; /* the plain `stats` is among the replies */
	bool           ext;     /* extstore is on */
	bool           proxy;   /* memcached as a proxy */
	bool           requested_by_items;
	struct span    version;
	struct raw     slots[SLOT_COUNT];
	struct slab    slabs[CLASSES];
};

static size_t name_index(const char *const *names, size_t n, struct span name)
{
	size_t i = 0;
	while (i < n && !span_is(name, names[i]))
		i++;
	return i;
}

/* "items:14:age", "14:chunk_size". `stats conns` and `stats extstore` number other things alike. */
static bool take_slab(struct stats *st, struct span name, struct span value)
{
	bool items = span_starts(name, "items:");
	struct span number, field;
	uint64_t class;
	if (!span_split(items ? span_skip(name, strlen("items:")) : name, ':', &number, &field) ||
		!num_parse_u64(number.s, number.len, &class) || class >= CLASSES)
		return false;
	size_t i = name_index(slab_names, SLAB_FIELDS, field);
	if (i == SLAB_FIELDS)
		return false;
	st->slabs[class].seen = true;
	st->slabs[class].v[i] = field_read(value, FIELD_COUNT);
	st->requested_by_items = st->requested_by_items || (items && i == SLAB_REQUESTED);
	return true;
}

static void take_stat(struct stats *st, struct span name, struct span value)
{
	if (take_slab(st, name, value))
		return;
	const struct field *f = field_find(fields, ARRAY_LEN(fields), name);
	if (f) {
		field_store(st->out, f, value);
		st->ext = st->ext || f->id == METRIC_MEMCACHED_EXT_MAX;
		return;
	}
	size_t slot = name_index(slot_names, SLOT_COUNT, name);
	if (slot < SLOT_COUNT)
		st->slots[slot] = field_read(value, FIELD_COUNT);
	else if (span_is(name, "version"))
		st->version = value;
	else if (span_is(name, "inter") && !span_is(value, "NULL"))
		sample_set_text(st->out, METRIC_MEMCACHED_INTER, value.s, value.len);
	else if (span_is(name, "inter"))
		sample_set_missing(st->out, METRIC_MEMCACHED_INTER, REASON_NOT_SET);
	st->general = st->general || slot == SLOT_PID || slot == SLOT_UPTIME;
	st->proxy = st->proxy || span_starts(name, "proxy_conn_");
}

static bool take_line(struct stats *st, struct span line)
{
	struct span word;
	if (!span_word(&line, &word) || !span_is(word, "STAT") || !span_word(&line, &word))
		return false;
	st->lines++;
	take_stat(st, word, span_trim(line));
	return true;
}

static struct raw slot_sum(const struct stats *st, struct raw sum, const enum slot *parts, size_t n)
{
	for (size_t i = 0; i < n && sum.type == RAW_U64; i++) {
		struct raw v = st->slots[parts[i]];
		if (v.type == RAW_U64)
			sum.u = v.u <= INT64_MAX - sum.u ? sum.u + v.u : INT64_MAX;
		else if (v.why != REASON_NOT_SENT)
			sum = v;
	}
	return sum;
}

/*
 * With extstore the server counts a get as a hit as soon as the key is known, although the value
 * may then be missing on flash: those gets are misses.
 */
static void finish_hits(struct stats *st)
{
	static const enum slot lost_parts[] = {SLOT_EXT_MISS, SLOT_EXT_ABORTED, SLOT_EXT_OOM};
	struct sample *out = st->out;
	struct raw zero = {.type = RAW_U64};
	struct raw lost = slot_sum(st, zero, lost_parts, ARRAY_LEN(lost_parts));
	out->raw[METRIC_MEMCACHED_HITS_TOTAL] = field_minus(st->slots[SLOT_GET_HITS], lost);
	out->raw[METRIC_MEMCACHED_MISSES_TOTAL] =
		slot_sum(st, st->slots[SLOT_GET_MISSES], lost_parts, ARRAY_LEN(lost_parts));
	out->raw[METRIC_MEMCACHED_EXT_MISSES_TOTAL] = st->slots[SLOT_EXT_MISS];
	out->raw[METRIC_MEMCACHED_EXT_HITS_TOTAL] =
		field_minus(st->slots[SLOT_GET_EXT], st->slots[SLOT_EXT_MISS]);
}

/* total_chunks x chunk_size - mem_requested */
static struct raw slab_waste(const struct stats *st, const struct slab *s)
{
	struct raw room = s->v[SLAB_CHUNKS], chunk = s->v[SLAB_CHUNK], asked = s->v[SLAB_REQUESTED];
	if (room.type != RAW_U64 || chunk.type != RAW_U64)
		return room.type == RAW_NONE ? room : chunk;
	if (__builtin_mul_overflow(room.u, chunk.u, &room.u) || room.u > INT64_MAX)
		return field_none(REASON_IMPLAUSIBLE);
	/* `stats items` leaves out the classes that hold no item */
	if (asked.type == RAW_NONE && st->requested_by_items && s->v[SLAB_ITEMS].type == RAW_NONE)
		asked = (struct raw){.type = RAW_U64};
	return field_minus(room, asked);
}

static void add_slab_row(struct stats *st, unsigned class, struct raw waste)
{
	static const struct {
		unsigned        col;
		enum slab_field field;
	} cells[] = {
		{COL_MEMCACHED_SLAB_CHUNK, SLAB_CHUNK},
		{COL_MEMCACHED_SLAB_PAGES, SLAB_PAGES},
		{COL_MEMCACHED_SLAB_ITEMS, SLAB_ITEMS},
		{COL_MEMCACHED_SLAB_EVICTED, SLAB_EVICTED},
		{COL_MEMCACHED_SLAB_AGE, SLAB_AGE},
		{COL_MEMCACHED_SLAB_EVICTED_TIME, SLAB_EVICTED_TIME},
		{COL_MEMCACHED_SLAB_OOM, SLAB_OOM},
	};
	struct raw *row = sample_add_row(st->out, TABLE_MEMCACHED_SLAB);
	if (!row)
		return;
	raw_set_u64(&row[COL_MEMCACHED_SLAB_CLASS], class);
	for (size_t i = 0; i < ARRAY_LEN(cells); i++)
		row[cells[i].col] = st->slabs[class].v[cells[i].field];
	row[COL_MEMCACHED_SLAB_WASTE] = waste;
}

/*
 * The page size is in no reply. A page holds chunks_per_page chunks and less than one chunk more,
 * so the class that fills its pages best shows it.
 */
static struct raw slab_pages_bytes(const struct stats *st)
{
	uint64_t pages = 0, page = 0;
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct raw *v = st->slabs[i].v;
		uint64_t filled;
		if (v[SLAB_PAGES].type == RAW_U64)
			pages += v[SLAB_PAGES].u;
		if (v[SLAB_CHUNK].type == RAW_U64 && v[SLAB_PER_PAGE].type == RAW_U64 &&
			!__builtin_mul_overflow(v[SLAB_CHUNK].u, v[SLAB_PER_PAGE].u, &filled) &&
			filled > page && filled < FIELD_BYTES_PLAUSIBLE)
			page = filled;
	}
	struct raw sum = {.type = RAW_U64};
	if (page == 0)
		return field_none(REASON_NOT_ASKED);
	page = (page + PAGE_STEP - 1) / PAGE_STEP * PAGE_STEP;
	if (__builtin_mul_overflow(pages, page, &sum.u) || sum.u > INT64_MAX)
		return field_none(REASON_IMPLAUSIBLE);
	return sum;
}

static void finish_slabs(struct stats *st)
{
	struct sample *out = st->out;
	struct raw waste = {.type = RAW_U64}, age = field_none(REASON_NOT_SENT);
	bool any = false;
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct slab *s = &st->slabs[i];
		if (!s->seen)
			continue;
		struct raw w = slab_waste(st, s);
		add_slab_row(st, i, w);
		if (w.type == RAW_NONE)
			waste = waste.type == RAW_NONE ? waste : w;
		else if (waste.type == RAW_U64)
			waste.u = w.u <= INT64_MAX - waste.u ? waste.u + w.u : INT64_MAX;
		bool holds = s->v[SLAB_ITEMS].type != RAW_U64 || s->v[SLAB_ITEMS].u > 0;
		if (holds && s->v[SLAB_AGE].type == RAW_U64 &&
			(age.type == RAW_NONE || s->v[SLAB_AGE].u < age.u))
			age = s->v[SLAB_AGE];
		any = true;
	}
	if (any || sample_has(out, METRIC_MEMCACHED_SLABS_ACTIVE))
		out->raw[METRIC_MEMCACHED_SLABS_WASTE] = waste;
	if (sample_has(out, METRIC_MEMCACHED_SLABS_ACTIVE))
		out->tables[TABLE_MEMCACHED_SLAB].asked = true;
	out->raw[METRIC_MEMCACHED_TAIL_AGE] = age;
}

static void finish_memory(struct stats *st)
{
	struct sample *out = st->out;
	struct raw *max = &out->raw[METRIC_MEMCACHED_MEM_MAX];
	out->raw[METRIC_MEMCACHED_MEM_USED] =
		st->ext ? slab_pages_bytes(st) : st->slots[SLOT_BYTES];
	if (max->type == RAW_U64 && max->u == 0)
		*max = field_none(REASON_NO_LIMIT);
}

/* The run's identity: pid, and the start by the server's own clock where that can be true. */
static void finish_run(struct stats *st)
{
	struct sample *out = st->out;
	struct raw up = st->slots[SLOT_UPTIME], now = st->slots[SLOT_TIME];
	const char *state = "ok";
	if (up.type == RAW_U64 && up.u > FIELD_UPTIME_PLAUSIBLE)
		up = field_none(REASON_IMPLAUSIBLE);
	out->raw[METRIC_MEMCACHED_UPTIME] = up;
	if (now.type == RAW_U64 && (now.u < CLOCK_MIN || now.u > CLOCK_MAX))
		state = "the server's clock is wrong";
	sample_set_text(out, METRIC_MEMCACHED_STATE, state, strlen(state));
	struct raw pid = st->slots[SLOT_PID];
	bool known = up.type == RAW_U64 && now.type == RAW_U64;
	if (st->general)
		field_set_run(out, pid.type == RAW_U64 ? pid.u : 0,
			known ? (int64_t)now.u - (int64_t)up.u : 0);
}

/* "1.6.18", or "mcrouter 2.0.0" where another program answers. */
static void finish_version(struct stats *st)
{
	struct sample *out = st->out;
	struct span rest = st->version, name;
	(void)snprintf(out->product, sizeof(out->product), "memcached");
	if (!span_word(&rest, &name))
		return;
	if ((name.s[0] >= '0' && name.s[0] <= '9') || span_trim(rest).len == 0)
		rest = st->version;
	else
		(void)text_sanitize(out->product, sizeof(out->product), name.s, name.len);
	rest = span_trim(rest);
	(void)text_sanitize(out->version, sizeof(out->version), rest.s, rest.len);
}

/*
 * mcrouter sends statistics of its own, without any of a cache; memcached's own proxy sends those
 * of a cache too, but nobody ever stored in it. A reply without its END proves nothing.
 */
static bool is_proxy(const struct stats *st)
{
	if (span_starts(st->version, "mcrouter"))
		return true;
	if (!st->general || !st->ended)
		return false;
	struct raw stored = st->slots[SLOT_TOTAL_ITEMS];
	if (st->proxy && stored.type == RAW_U64 && stored.u == 0)
		return true;
	return st->slots[SLOT_GET_HITS].type == RAW_NONE &&
	       st->slots[SLOT_BYTES].type == RAW_NONE &&
	       !sample_has(st->out, METRIC_MEMCACHED_MEM_MAX);
}

static void finish_proxy(struct stats *st)
{
	struct sample *out = st->out;
	enum metric_id first, end;
	metric_range(KIND_MEMCACHED, &first, &end);
	for (enum metric_id i = first; i < end; i++)
		if (i != METRIC_MEMCACHED_UPTIME)
			sample_set_missing(out, i, REASON_PROXY);
	sample_set_text(out, METRIC_MEMCACHED_KIND, "proxy", strlen("proxy"));
	sample_set_text(out, METRIC_MEMCACHED_STATE, "proxy", strlen("proxy"));
	struct err err;
	err_set(&err, ERR_UNSUPPORTED, "a proxy (%s %s) has no cache: watch the servers behind it",
		out->product, out->version);
	field_lower_status(out, STATUS_UNSUPPORTED, &err);
}

static void explain_extstore(struct sample *out)
{
	enum metric_id last = METRIC_MEMCACHED_EXT_LIFETIME;
	for (enum metric_id i = METRIC_MEMCACHED_EXT_READS; i <= last; i++)
		sample_set_missing(out, i, REASON_NO_EXTSTORE);
}

static void finish(struct stats *st)
{
	struct sample *out = st->out;
	finish_version(st);
	finish_run(st);
	if (is_proxy(st)) {
		finish_proxy(st);
		return;
	}
	finish_hits(st);
	finish_slabs(st);
	finish_memory(st);
	sample_set_text(out, METRIC_MEMCACHED_KIND, "server", strlen("server"));
	if (st->general && !st->ext)
		explain_extstore(out);
	if (!st->ended) {
		struct err err;
		err_set(&err, ERR_PROTOCOL, "the reply has no END: it may be cut off");
		field_lower_status(out, STATUS_PARTIAL, &err);
	}
}

static bool refuse_cut(struct err *err)
{
	return err_set(err, ERR_PROTOCOL, "the reply is cut off in the middle of a line");
}

/* What came instead of statistics. */
static bool refuse(struct span first, struct err *err)
{
	if (first.len == 0)
		return err_set(err, ERR_UNSUPPORTED, "closed without an answer: a proxy?");
	if (span_starts(first, "STAT"))
		return refuse_cut(err);
	(void)parse_memcached_error(first.s, first.len, err);
	return false;
}

static void stats_init(struct stats *st, struct sample *out)
{
	*st = (struct stats){.out = out, .version = {"", 0}};
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		st->slots[i] = field_none(REASON_NOT_SENT);
	for (unsigned i = 0; i < CLASSES; i++)
		for (unsigned k = 0; k < SLAB_FIELDS; k++)
			st->slabs[i].v[k] = field_none(REASON_NOT_SENT);
}

bool parse_memcached_stats(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct stats st;
	struct span line, first_other = {"", 0};
	struct lines l;
	stats_init(&st, out);
	lines_init(&l, buf, len);
	while (lines_next(&l, &line)) {
		line = span_trim(line);
		if (line.len == 0)
			continue;
		st.ended = span_is(line, "END");
		bool cut = l.cut && !st.ended;
		if (cut && l.crlf && st.lines > 0)
			return refuse_cut(err);
		bool believed = st.ended || (!cut && take_line(&st, line));
		if (!believed && first_other.len == 0)
			first_other = line;
	}
	if (st.lines == 0)
		return st.ended || refuse(first_other, err); /* END alone: an empty sub-command */
	finish(&st);
	return true;
}
