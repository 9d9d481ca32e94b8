/*
 * The reader of recordings. The whole text is unpacked into memory and indexed once; a sample is
 * parsed when it is asked for. Nothing in the file is trusted: a line counts only if its CRC holds,
 * ids are looked up by name in what the file itself declared, and what this version does not know
 * is left out.
 */
#include "hotset/num.h"
#include "hotset/record.h"
#include "hotset/text.h"

#include <errno.h>
#include <zlib.h>

#define UNPACKED_MAX   (512u * 1024 * 1024)
#define READ_CHUNK     (256u * 1024)
#define FILE_IDS_MAX   4096u /* ids that a file may declare, each for metrics and tables */
#define CRC_SUFFIX_LEN 10u   /* " *" and eight hexadecimal digits */
#define UNKNOWN        (-1)

struct span {
	const char *p, *end;
};

struct indexed {
	struct span line;
	uint16_t    endpoint;
	int64_t     mono_ns, wall_ns;
};

struct recorded_endpoint {
	enum kind kind;
	unsigned  file_n; /* its number in the file's S lines */
	char      id[96], name[NAME_MAX_LEN], address[64];
	double    interval_s;
};

struct table_map {
	int     table;
	uint8_t ncols;
	int8_t  col[TABLE_COLS_MAX];
};

struct recording {
	char                     *text;
	size_t                    len;
	unsigned                  damaged;
	unsigned                  nendpoints;
	struct recorded_endpoint *endpoints;
	int16_t                  *metrics; /* FILE_IDS_MAX: id in the file -> enum metric_id */
	struct table_map         *tables;  /* FILE_IDS_MAX */
	unsigned                  n, cap;
	struct indexed           *index;
};

/* ---- tokens ---- */

/* The next token; blanks inside quotes belong to it. Empty at the end. */
static struct span next_token(struct span *line)
{
	const char *p = line->p;
	bool quoted = false;

	while (p < line->end && *p == ' ')
		p++;
	struct span t = {p, p};
	for (; p < line->end && (quoted || *p != ' '); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (*p == '\\' && quoted && p + 1 < line->end)
			p++;
	}
	t.end = line->p = p;
	return t;
}

static bool is_empty(struct span s)
{
	return s.p == s.end;
}

static bool span_equal(struct span s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s.end - s.p) == n && memcmp(s.p, word, n) == 0;
}

static bool span_u64(struct span s, uint64_t *out)
{
	return num_parse_u64(s.p, (size_t)(s.end - s.p), out);
}

static bool span_i64(struct span s, int64_t *out)
{
	return num_parse_i64(s.p, (size_t)(s.end - s.p), out);
}

static bool span_hex(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	if (is_empty(s) || s.end - s.p > 16)
		return false;
	for (; s.p < s.end; s.p++) {
		const char *digit = memchr("0123456789abcdef", *s.p, 16);
		if (!digit)
			return false;
		v = v << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	*out = v;
	return true;
}

/* Copies a token as a C string; false if it does not fit. */
static bool span_copy(struct span s, char *out, size_t cap)
{
	size_t n = (size_t)(s.end - s.p);

	if (n >= cap)
		return false;
	memcpy(out, s.p, n);
	out[n] = '\0';
	return true;
}

/* Undoes the quoting of record.c; what does not fit is cut. Returns false if s is not quoted. */
static bool unquote(struct span s, char *out, size_t cap, size_t *len)
{
	size_t n = 0;

	if (s.end - s.p < 2 || *s.p != '"' || s.end[-1] != '"')
		return false;
	for (const char *p = s.p + 1; p < s.end - 1 && n + 1 < cap; p++) {
		uint64_t code;

		if (*p != '\\') {
			out[n++] = *p;
		} else if (p + 3 < s.end - 1 && p[1] == 'x' &&
			span_hex((struct span){p + 2, p + 4}, &code)) {
			out[n++] = (char)code;
			p += 3;
		} else {
			out[n++] = *++p;
		}
	}
	out[n] = '\0';
	*len = n;
	return true;
}

static bool unquote_clean(struct span s, char *out, size_t cap)
{
	char buf[1024];
	size_t n;

	if (!unquote(s, buf, sizeof buf, &n))
		return false;
	text_sanitize(out, cap, buf, n);
	return true;
}

/* Splits "left=right" at the first '='. */
static bool split(struct span token, char at, struct span *left, struct span *right)
{
	const char *p = is_empty(token) ? NULL : memchr(token.p, at, (size_t)(token.end - token.p));

	if (!p)
		return false;
	*left = (struct span){token.p, p};
	*right = (struct span){p + 1, token.end};
	return true;
}

/* ---- loading ---- */

static bool unpack(struct recording *r, gzFile gz, const char *path, struct err *err)
{
	size_t cap = 0;

	for (;;) {
		if (r->len + READ_CHUNK > cap) {
			if (r->len + READ_CHUNK > UNPACKED_MAX)
				return err_set(err, ERR_LIMIT, "%s holds more than %u MiB", path,
					UNPACKED_MAX >> 20);
			cap = cap ? cap * 2 : 4 * READ_CHUNK;
			char *text = realloc(r->text, cap);
			if (!text)
				return err_set(err, ERR_SYSTEM, "no memory to load %s", path);
			r->text = text;
		}
		errno = 0;
		int n = gzread(gz, r->text + r->len, READ_CHUNK);
		if (n < 0 && r->len == 0)
			return errno ? err_sys(err, "cannot read %s", path)
				     : err_set(err, ERR_FORMAT, "%s is damaged at its start", path);
		if (n <= 0) /* an error later: a file that was cut off; what came before counts */
			return true;
		r->len += (size_t)n;
	}
}

/* Takes the CRC off; false when it does not hold. */
static bool check_line(struct span *line)
{
	struct span crc_text;
	uint64_t crc;

	if (line->end - line->p < (ptrdiff_t)CRC_SUFFIX_LEN)
		return false;
	crc_text = (struct span){line->end - 8, line->end};
	if (memcmp(line->end - CRC_SUFFIX_LEN, " *", 2) != 0 || !span_hex(crc_text, &crc))
		return false;
	line->end -= CRC_SUFFIX_LEN;
	return crc32(crc32(0, NULL, 0), (const Bytef *)line->p, (uInt)(line->end - line->p)) == crc;
}

static bool file_id(struct span s, unsigned *out)
{
	uint64_t v;

	if (!span_u64(s, &v) || v >= FILE_IDS_MAX)
		return false;
	*out = (unsigned)v;
	return true;
}

static void load_metric(struct recording *r, struct span line)
{
	char name[128];
	unsigned id;
	enum metric_id metric;

	if (!file_id(next_token(&line), &id) || !span_copy(next_token(&line), name, sizeof name))
		return;
	struct span sem = next_token(&line);
	if (!metric_find(name, &metric))
		return;
	/* a metric that changed its nature keeps no meaning under its old name */
	bool text_now = metric_desc(metric)->sem == SEM_INFO;
	if (text_now == span_equal(sem, "info"))
		r->metrics[id] = (int16_t)metric;
}

static void load_table(struct recording *r, struct span line)
{
	char name[128];
	unsigned id;
	enum table_id table;

	if (!file_id(next_token(&line), &id) || !span_copy(next_token(&line), name, sizeof name) ||
		!table_find(name, &table))
		return;
	struct table_map *map = &r->tables[id];
	map->table = (int)table;
	map->ncols = 0;
	for (;;) {
		struct span col = next_token(&line);

		if (is_empty(col) || map->ncols == TABLE_COLS_MAX)
			return;
		map->col[map->ncols] = UNKNOWN;
		for (unsigned c = 0; c < table_table[table].ncols; c++)
			if (span_equal(col, table_table[table].cols[c].name))
				map->col[map->ncols] = (int8_t)c;
		map->ncols++;
	}
}

static bool find_kind(struct span s, enum kind *out)
{
	for (enum kind k = 0; k < KIND_COUNT; k++) {
		if (!span_equal(s, kind_name(k)))
			continue;
		*out = k;
		return true;
	}
	return false;
}

static void load_endpoint(struct recording *r, struct span line)
{
	struct recorded_endpoint ep;
	unsigned n;
	double v;

	if (!file_id(next_token(&line), &n) || r->nendpoints == ENDPOINTS_MAX ||
		!find_kind(next_token(&line), &ep.kind) ||
		!unquote_clean(next_token(&line), ep.id, sizeof ep.id) ||
		!unquote_clean(next_token(&line), ep.name, sizeof ep.name) ||
		!unquote_clean(next_token(&line), ep.address, sizeof ep.address))
		return;
	struct span interval = next_token(&line);
	ep.file_n = n;
	ep.interval_s = 1;
	if (num_parse_f64(interval.p, (size_t)(interval.end - interval.p), &v) && v > 0)
		ep.interval_s = v;
	r->endpoints[r->nendpoints++] = ep;
}

static bool find_endpoint(const struct recording *r, unsigned file_n, uint16_t *out)
{
	for (unsigned i = 0; i < r->nendpoints; i++) {
		if (r->endpoints[i].file_n != file_n)
			continue;
		*out = (uint16_t)i;
		return true;
	}
	return false;
}

static bool index_sample(struct recording *r, struct span line, struct err *err)
{
	struct indexed x = {.line = line};
	unsigned n;

	if (!file_id(next_token(&line), &n) || !find_endpoint(r, n, &x.endpoint) ||
		!span_i64(next_token(&line), &x.mono_ns) ||
		!span_i64(next_token(&line), &x.wall_ns)) {
		r->damaged++;
		return true;
	}
	if (r->n == r->cap) {
		unsigned cap = r->cap ? r->cap * 2 : 1024;
		struct indexed *index = realloc(r->index, cap * sizeof *index);
		if (!index)
			return err_set(err, ERR_SYSTEM, "no memory for the index of the recording");
		r->index = index;
		r->cap = cap;
	}
	r->index[r->n++] = x;
	return true;
}

static bool load_line(struct recording *r, struct span line, struct err *err)
{
	struct span type;

	if (!check_line(&line)) {
		r->damaged++;
		return true;
	}
	type = next_token(&line);
	if (span_equal(type, "S"))
		return index_sample(r, line, err);
	if (span_equal(type, "M"))
		load_metric(r, line);
	else if (span_equal(type, "T"))
		load_table(r, line);
	else if (span_equal(type, "E"))
		load_endpoint(r, line);
	return true;
}

static bool load(struct recording *r, const char *path, struct err *err)
{
	static const char head[] = "#hotset-rec ";
	struct span rest = {r->text, r->text + r->len};

	if (r->len < sizeof head || memcmp(r->text, head, sizeof head - 1) != 0)
		return err_set(err, ERR_FORMAT, "%s is no recording of hotset", path);
	if (r->text[sizeof head - 1] != '1' || r->text[sizeof head] != ' ')
		return err_set(err, ERR_FORMAT,
			"%s was written by a newer version of hotset", path);
	while (rest.p < rest.end) {
		const char *nl = memchr(rest.p, '\n', (size_t)(rest.end - rest.p));

		if (!nl) { /* torn at its end */
			r->damaged++;
			break;
		}
		if (!load_line(r, (struct span){rest.p, nl}, err))
			return false;
		rest.p = nl + 1;
	}
	if (r->n == 0)
		return err_set(err, ERR_FORMAT, "%s holds no sample", path);
	return true;
}

static struct recording *recording_alloc(void)
{
	struct recording *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->metrics = malloc(FILE_IDS_MAX * sizeof *r->metrics);
	r->tables = malloc(FILE_IDS_MAX * sizeof *r->tables);
	r->endpoints = malloc(ENDPOINTS_MAX * sizeof *r->endpoints);
	if (!r->metrics || !r->tables || !r->endpoints) {
		recording_close(r);
		return NULL;
	}
	for (unsigned i = 0; i < FILE_IDS_MAX; i++) {
		r->metrics[i] = UNKNOWN;
		r->tables[i].table = UNKNOWN;
	}
	return r;
}

struct recording *recording_open(const char *path, struct err *err)
{
	gzFile gz = gzopen(path, "rbe");
	struct recording *r;

	if (!gz) {
		err_sys(err, "cannot open %s", path);
		return NULL;
	}
	r = recording_alloc();
	if (!r) {
		gzclose(gz);
		err_set(err, ERR_SYSTEM, "no memory to load %s", path);
		return NULL;
	}
	bool ok = unpack(r, gz, path, err);
	gzclose(gz);
	if (!ok || !load(r, path, err)) {
		recording_close(r);
		return NULL;
	}
	return r;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	free(r->text);
	free(r->metrics);
	free(r->tables);
	free(r->endpoints);
	free(r->index);
	free(r);
}

/* ---- what is in it ---- */

bool recording_endpoints(const struct recording *r, struct model *m, struct err *err)
{
	for (unsigned i = 0; i < r->nendpoints; i++) {
		const struct recorded_endpoint *ep = &r->endpoints[i];

		struct endpoint *added = model_add(m, ep->kind, ep->id, ep->name, ep->address,
			record_history_steps(r->nendpoints));

		if (!added)
			return err_set(err, ERR_SYSTEM, "no memory for the recording's endpoints");
		added->interval_s = ep->interval_s;
	}
	return true;
}

unsigned recording_count(const struct recording *r)
{
	return r->n;
}

unsigned recording_damaged(const struct recording *r)
{
	return r->damaged;
}

int64_t recording_mono(const struct recording *r, unsigned i)
{
	return r->index[i].mono_ns;
}

int64_t recording_wall(const struct recording *r, unsigned i)
{
	return r->index[i].wall_ns;
}

uint16_t recording_endpoint_of(const struct recording *r, unsigned i)
{
	return r->index[i].endpoint;
}

/* ---- one sample ---- */

static bool parse_reason(struct span s, enum reason *out)
{
	char name[48];

	return span_copy(s, name, sizeof name) && reason_find(name, out);
}

/* A metric or a cell: both are raw values. What does not parse leaves it as it is. */
static void parse_value(struct sample *s, struct raw *cell, struct span v)
{
	char text[4 * SAMPLE_TEXT_MAX + 1];
	size_t len;
	uint64_t u;
	int64_t i;
	double f;
	enum reason why;

	if (is_empty(v))
		return;
	struct span rest = {v.p + 1, v.end};
	size_t n = (size_t)(rest.end - rest.p);
	if (*v.p == '"' && unquote(v, text, sizeof text, &len))
		raw_set_text(s, cell, text, len);
	else if (*v.p == '!' && parse_reason(rest, &why))
		*cell = (struct raw){.type = RAW_NONE, .why = (uint8_t)why};
	else if (*v.p == 'i' && num_parse_i64(rest.p, n, &i))
		*cell = (struct raw){.type = RAW_I64, .i = i};
	else if (*v.p == 'f' && num_parse_f64(rest.p, n, &f))
		raw_set_f64(cell, f);
	else if (span_u64(v, &u))
		raw_set_u64(cell, u);
}

/* "row:col=value"; rows come in order. */
static void parse_cell(struct sample *s, const struct table_map *map, struct span token)
{
	struct span where, value, row_text, col_text;
	uint64_t row, col;

	if (!split(token, '=', &where, &value) || !split(where, ':', &row_text, &col_text) ||
		!span_u64(row_text, &row) || !span_u64(col_text, &col) || col >= map->ncols ||
		map->col[col] == UNKNOWN || row >= TABLE_ROWS_MAX)
		return;
	struct rows *rows = &s->tables[map->table];
	while (rows->n <= row)
		if (!sample_add_row(s, (enum table_id)map->table))
			return;
	size_t at = (size_t)row * table_table[map->table].ncols + (size_t)map->col[col];
	parse_value(s, &rows->cells[at], value);
}

/* The token behind " |": the table's id, "+" when rows were left out. */
static const struct table_map *parse_table_head(const struct recording *r, struct sample *s,
	struct span token)
{
	bool cut = !is_empty(token) && token.end[-1] == '+';
	unsigned id;

	if (cut)
		token.end--;
	if (!file_id(token, &id) || r->tables[id].table == UNKNOWN)
		return NULL;
	s->tables[r->tables[id].table].asked = true;
	s->tables[r->tables[id].table].cut = cut;
	return &r->tables[id];
}

static bool parse_named(struct sample *s, struct span name, struct span value)
{
	uint64_t code;

	if (span_equal(name, "product"))
		return unquote_clean(value, s->product, sizeof s->product);
	if (span_equal(name, "version"))
		return unquote_clean(value, s->version, sizeof s->version);
	if (span_equal(name, "role"))
		return unquote_clean(value, s->role, sizeof s->role);
	if (name.end - name.p > 5 && memcmp(name.p, "error", 5) == 0 &&
		span_u64((struct span){name.p + 5, name.end}, &code) && code <= ERR_LIMIT) {
		s->err.code = (enum err_code)code;
		return unquote_clean(value, s->err.msg, sizeof s->err.msg);
	}
	return false;
}

static bool parse_head(struct sample *s, struct span *line)
{
	char word[24];

	next_token(line); /* the endpoint, known from the index */
	return span_i64(next_token(line), &s->mono_ns) && span_i64(next_token(line), &s->wall_ns) &&
		span_i64(next_token(line), &s->rtt_ns) &&
		span_copy(next_token(line), word, sizeof word) && status_find(word, &s->status) &&
		span_hex(next_token(line), &s->epoch);
}

static void parse_body(const struct recording *r, struct sample *s, struct span line)
{
	const struct table_map *map = NULL;
	bool in_table = false;

	for (;;) {
		struct span token = next_token(&line), name, value;
		unsigned id;

		if (is_empty(token))
			return;
		if (span_equal(token, "|")) {
			map = parse_table_head(r, s, next_token(&line));
			in_table = true;
		} else if (in_table) {
			if (map)
				parse_cell(s, map, token);
		} else if (split(token, '=', &name, &value)) {
			if (!file_id(name, &id))
				(void)parse_named(s, name, value);
			else if (r->metrics[id] != UNKNOWN)
				parse_value(s, &s->raw[r->metrics[id]], value);
		}
	}
}

struct sample *recording_sample(const struct recording *r, unsigned i)
{
	if (i >= r->n)
		return NULL;
	struct span line = r->index[i].line;
	struct sample *s = sample_create(r->index[i].endpoint);

	if (!s)
		return NULL;
	if (!parse_head(s, &line)) {
		sample_destroy(s);
		return NULL;
	}
	parse_body(r, s, line);
	return s;
}
