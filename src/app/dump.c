/*
 * One line of the table below is all that a kind of dump is: its name, how its content gives it
 * away, and its parser. Times come from the dump itself, never from the file: a mail or a download
 * changes those.
 */
#include "dump.h"

#include "hotset/num.h"
#include "hotset/parse.h"
#include "hotset/strbuf.h"

#include <bson/bson.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>

#define DUMP_BYTES_MAX (64u * 1024 * 1024)

/* ---- how content gives itself away ---- */

static bool has_line(const char *text, const char *start)
{
	size_t n = strlen(start);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, start, n) == 0)
			return true;
	}
	return false;
}

/*
 * Where JSON begins, NULL if there is none: a shell writes its greeting or its prompt before it,
 * and the document on lines of its own.
 */
static const char *find_json(const char *text)
{
	const char *p = text + strspn(text, " \t\r\n\xef\xbb\xbf");

	for (; *p != '{' && *p != '['; p++) {
		p = strchr(p, '\n');
		if (!p)
			return NULL;
	}
	return p;
}

/* Up to the last line that closes a document: behind it the prompt comes again. */
static size_t json_length(const char *json, size_t len)
{
	for (size_t i = len; i > 1; i--)
		if (json[i - 2] == '\n' && (json[i - 1] == '}' || json[i - 1] == ']'))
			return i;
	return len;
}

static bool like_cgroup(const char *text)
{
	return strstr(text, "memory.current") || strstr(text, "memory.max") ||
		strstr(text, "memory.swap.") || strstr(text, "memory.limit_in_bytes") ||
		strstr(text, "memory.usage_in_bytes");
}

static bool like_mongo(const char *text)
{
	text = find_json(text);
	return text && (strstr(text, "wiredTiger") || strstr(text, "opcounters") ||
		strstr(text, "serverStatus") || strstr(text, "connections") ||
		strstr(text, "\"ok\"") || strstr(text, " ok:"));
}

static bool like_memcached(const char *text)
{
	return has_line(text, "STAT ") || strncmp(text, "ERROR", 5) == 0 ||
		strncmp(text, "SERVER_ERROR", 12) == 0 || strncmp(text, "CLIENT_ERROR", 12) == 0;
}

static bool like_redis(const char *text)
{
	return *text == '-' || *text == '$' || has_line(text, "redis_version:") ||
		has_line(text, "used_memory:") || has_line(text, "# Server") ||
		has_line(text, "# Memory") || has_line(text, "# Stats") ||
		has_line(text, "# Keyspace") || has_line(text, "# Replication") ||
		has_line(text, "# Commandstats") || has_line(text, "# Errorstats") ||
		has_line(text, "# Clients") || has_line(text, "keyspace_hits:") ||
		has_line(text, "sentinel_masters:");
}

static bool like_meminfo(const char *text)
{
	return has_line(text, "MemTotal:") || has_line(text, "MemFree:");
}

static bool like_vmstat(const char *text)
{
	return has_line(text, "nr_free_pages ") || has_line(text, "pgpgin ") ||
		has_line(text, "pgscan") || has_line(text, "pgmajfault ") ||
		has_line(text, "pgsteal") || has_line(text, "workingset_");
}

static bool like_psi(const char *text)
{
	return has_line(text, "some avg10=") || has_line(text, "full avg10=");
}

static bool like_stat(const char *text)
{
	return has_line(text, "cpu  ") || has_line(text, "btime ");
}

static bool like_metrics(const char *text)
{
	return has_line(text, "# HELP ") || has_line(text, "# TYPE ") || has_line(text, "node_");
}

/* ---- parsers ---- */

struct input {
	const char   *path;
	const char   *text; /* NUL-terminated; may hold more NULs */
	size_t        len;
	bool          named; /* the user said of what kind it is */
	struct dumps *out;
};

static bool add_dump(const struct input *in, struct dump d, struct err *err)
{
	if (in->out->n == DUMPS_MAX) {
		sample_destroy(d.sample);
		return err_set(err, ERR_LIMIT,
			"%s: more than %d replies in one file", in->path, DUMPS_MAX);
	}
	in->out->d[in->out->n++] = d;
	return true;
}

/*
 * After a parser: an error reply is an answer too, and becomes a sample of that status. What is
 * damaged or something else is refused, unless the user said what it is: then that is the answer.
 */
static bool finish_dump(const struct input *in, struct dump d, bool parsed, struct err *err)
{
	bool refused = !parsed && !in->named &&
		(err->code == ERR_FORMAT || err->code == ERR_PROTOCOL);

	if (refused) {
		struct err why = *err;
		sample_destroy(d.sample);
		return err_set(err, why.code, "%s: %s", in->path, why.msg);
	}
	if (!parsed)
		sample_fail(d.sample, status_from_err(err->code), err);
	return add_dump(in, d, err);
}

static bool new_dump(struct dump *d, struct err *err)
{
	*d = (struct dump){.sample = sample_create(0), .time_s = NAN, .uptime_s = NAN};
	if (!d->sample)
		return err_set(err, ERR_SYSTEM, "no memory for a dump");
	d->sample->status = STATUS_OK;
	return true;
}

/* The number behind the first line that starts with `key`, times `scale`; NaN: none. */
static double number_after(const char *text, const char *key, double scale)
{
	size_t n = strlen(key);
	double v;

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, n) != 0)
			continue;
		return num_parse_f64(p + n, strcspn(p + n, "\r\n "), &v) ? v * scale : NAN;
	}
	return NAN;
}

static double number_of(const struct sample *s, enum metric_id id)
{
	return sample_has(s, id) ? sample_f64(s, id) : NAN;
}

static bool parse_text(const struct input *in,
	bool (*parser)(const char *, size_t, struct sample *, struct err *), const char *time_key,
	double time_scale, int uptime_id, struct err *err)
{
	struct dump d;

	if (!new_dump(&d, err))
		return false;
	bool ok = parser(in->text, in->len, d.sample, err);
	if (time_key)
		d.time_s = number_after(in->text, time_key, time_scale);
	if (uptime_id >= 0)
		d.uptime_s = number_of(d.sample, (enum metric_id)uptime_id);
	return finish_dump(in, d, ok, err);
}

static bool read_redis(const struct input *in, struct err *err)
{
	return parse_text(in, parse_redis_info, "server_time_usec:", 1e-6, METRIC_REDIS_UPTIME,
		err);
}

static bool read_memcached(const struct input *in, struct err *err)
{
	return parse_text(in, parse_memcached_stats, "STAT time ", 1, METRIC_MEMCACHED_UPTIME, err);
}

static bool read_meminfo(const struct input *in, struct err *err)
{
	return parse_text(in, parse_meminfo, NULL, 0, -1, err);
}

static bool read_vmstat(const struct input *in, struct err *err)
{
	return parse_text(in, parse_vmstat, NULL, 0, -1, err);
}

static bool read_stat(const struct input *in, struct err *err)
{
	return parse_text(in, parse_stat, NULL, 0, -1, err);
}

static bool read_cgroup(const struct input *in, struct err *err)
{
	return parse_text(in, dump_parse_cgroup, NULL, 0, -1, err);
}

static bool read_metrics(const struct input *in, struct err *err)
{
	return parse_text(in, parse_node_metrics, "node_time_seconds ", 1, -1, err);
}

/* "io" in "pressure-io.txt", but not in "production.psi". */
static bool has_word(const char *name, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = name; (p = strstr(p, word)); p++)
		if ((p == name || !isalpha((unsigned char)p[-1])) && !isalpha((unsigned char)p[n]))
			return true;
	return false;
}

/* The files of /proc/pressure look alike; only the name tells io from memory. */
static bool read_psi(const struct input *in, struct err *err)
{
	const char *name = strrchr(in->path, '/') ? strrchr(in->path, '/') + 1 : in->path;
	enum psi_what what = has_word(name, "io") ? PSI_IO : PSI_MEMORY;
	struct dump d;

	if (has_word(name, "cpu") || has_word(name, "irq"))
		return err_set(err, ERR_UNSUPPORTED,
			"%s: of the pressures hotset knows memory and io", in->path);
	if (!new_dump(&d, err))
		return false;
	return finish_dump(in, d, parse_psi(in->text, in->len, what, d.sample, err), err);
}

/* ---- mongo ---- */

/* A reply wrapped by whoever collected it, or the reply itself. */
static bool unwrap(const bson_t *doc, const char *key, bson_t *inner)
{
	bson_iter_t it;
	const uint8_t *data;
	uint32_t len;

	if (!bson_iter_init_find(&it, doc, key) || !BSON_ITER_HOLDS_DOCUMENT(&it))
		return false;
	bson_iter_document(&it, &len, &data);
	return bson_init_static(inner, data, len);
}

static bool add_reply(const struct input *in, const bson_t *doc, struct err *err)
{
	struct dump d;
	bson_t status, hello;
	bson_iter_t it;
	struct err ignored;
	const bson_t *reply = unwrap(doc, "serverStatus", &status) ? &status : doc;

	if (!new_dump(&d, err))
		return false;
	bool ok = parse_mongo_status(reply, d.sample, err);
	if (ok && unwrap(doc, "hello", &hello))
		(void)!parse_mongo_hello(&hello, d.sample, &ignored);
	if (bson_iter_init_find(&it, reply, "localTime") && BSON_ITER_HOLDS_DATE_TIME(&it))
		d.time_s = (double)bson_iter_date_time(&it) / 1000;
	d.uptime_s = number_of(d.sample, METRIC_MONGO_UPTIME);
	return finish_dump(in, d, ok, err);
}

static const char *command_of(const bson_t *entry)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, entry, "cmd") && BSON_ITER_HOLDS_UTF8(&it)
		? bson_iter_utf8(&it, NULL) : NULL;
}

/* An entry {cmd, reply} of a log: hello names the member, serverStatus has the rest. */
static void take_entry(const bson_t *entry, struct sample *out, bool *have, struct err *err)
{
	const char *cmd = command_of(entry);
	struct err ignored;
	bson_t reply;

	if (!cmd || !unwrap(entry, "reply", &reply))
		return;
	if (strncmp(cmd, "hello", 5) == 0 || strncmp(cmd, "isMaster", 8) == 0)
		(void)!parse_mongo_hello(&reply, out, &ignored);
	else if (strncmp(cmd, "serverStatus", 12) == 0 && !*have)
		*have = parse_mongo_status(&reply, out, err);
}

/* What one connection saw. An arbiter holds no users: without numbers it is as it should be. */
static bool add_log(const struct input *in, const bson_t *list, struct err *err)
{
	struct dump d;
	bson_iter_t it;
	bool have = false;

	if (!new_dump(&d, err))
		return false;
	err_set(err, ERR_UNSUPPORTED, "no reply to serverStatus in it");
	if (bson_iter_init(&it, list)) {
		while (bson_iter_next(&it)) {
			bson_t entry;
			const uint8_t *data;
			uint32_t len;

			if (!BSON_ITER_HOLDS_DOCUMENT(&it))
				continue;
			bson_iter_document(&it, &len, &data);
			if (bson_init_static(&entry, data, len))
				take_entry(&entry, d.sample, &have, err);
		}
	}
	return finish_dump(in, d, have || strcmp(d.sample->role, "ARBITER") == 0, err);
}

static bool is_log(const bson_t *list)
{
	bson_t entry;

	return unwrap(list, "0", &entry) && command_of(&entry) != NULL;
}

static bool add_replies(const struct input *in, const bson_t *list, struct err *err)
{
	bson_iter_t it;
	unsigned before = in->out->n;

	if (bson_iter_init(&it, list)) {
		while (bson_iter_next(&it)) {
			bson_t doc;
			const uint8_t *data;
			uint32_t len;

			if (!BSON_ITER_HOLDS_DOCUMENT(&it))
				continue;
			bson_iter_document(&it, &len, &data);
			if (!bson_init_static(&doc, data, len) || !add_reply(in, &doc, err))
				return false;
		}
	}
	return in->out->n > before ||
		err_set(err, ERR_FORMAT, "%s: the list holds no reply of a server", in->path);
}

static bool read_mongo(const struct input *in, struct err *err)
{
	bool is_array = false;
	const char *json = find_json(in->text);
	size_t len = json ? json_length(json, in->len - (size_t)(json - in->text)) : 0;
	bson_t *doc = json ? parse_ejson(json, len, &is_array, err)
			   : parse_ejson(in->text, in->len, &is_array, err);

	if (!doc) {
		struct err why = *err;
		return err_set(err, why.code, "%s: %s", in->path, why.msg);
	}
	bool ok = !is_array ? add_reply(in, doc, err)
		: is_log(doc) ? add_log(in, doc, err) : add_replies(in, doc, err);
	bson_destroy(doc);
	return ok;
}

/* ---- the table ---- */

/* In the order in which they are tried: a cgroup's JSON before MongoDB's, which is any JSON. */
static const struct dump_kind {
	const char *word;
	enum kind   kind;
	bool (*like)(const char *text);
	bool (*read)(const struct input *in, struct err *err);
} kinds[] = {
	{"cgroup", KIND_HOST, like_cgroup, read_cgroup},
	{"mongo", KIND_MONGO, like_mongo, read_mongo},
	{"memcached", KIND_MEMCACHED, like_memcached, read_memcached},
	{"metrics", KIND_HOST, like_metrics, read_metrics},
	{"redis", KIND_REDIS, like_redis, read_redis},
	{"meminfo", KIND_HOST, like_meminfo, read_meminfo},
	{"vmstat", KIND_HOST, like_vmstat, read_vmstat},
	{"psi", KIND_HOST, like_psi, read_psi},
	{"stat", KIND_HOST, like_stat, read_stat},
};

static const struct dump_kind *find_kind(const char *word, const char *text)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (word ? strcmp(word, kinds[i].word) == 0 : kinds[i].like(text))
			return &kinds[i];
	return NULL;
}

static bool read_stream(FILE *f, const char *path, struct strbuf *b, struct err *err)
{
	char chunk[65536];
	size_t n;

	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		strbuf_add(b, chunk, n);
	if (ferror(f))
		return err_sys(err, "cannot read %s", path);
	if (b->full)
		return err_set(err, ERR_LIMIT,
			"%s is larger than %u MiB", path, DUMP_BYTES_MAX >> 20);
	return true;
}

static bool read_file(const char *path, struct strbuf *b, struct err *err)
{
	FILE *f;

	if (strcmp(path, "-") == 0)
		return read_stream(stdin, "standard input", b, err);
	f = fopen(path, "re");
	if (!f)
		return err_sys(err, "cannot open %s", path);
	bool ok = read_stream(f, path, b, err);
	fclose(f);
	return ok;
}

bool dumps_read(struct dumps *d, const char *path, const char *word, struct err *err)
{
	struct strbuf b;

	strbuf_init(&b, DUMP_BYTES_MAX);
	bool ok = read_file(path, &b, err);
	const struct dump_kind *k = ok ? find_kind(word ? word : d->word, b.data) : NULL;
	if (ok && !k)
		ok = err_set(err, ERR_FORMAT, "%s: not recognised; say what it is with --kind "
			"(redis, memcached, mongo, meminfo, vmstat, psi, cgroup, metrics)", path);
	if (ok) {
		struct input in = {.path = path, .text = b.data, .len = b.len, .named = word,
			.out = d};
		d->kind = k->kind;
		d->word = k->word;
		ok = k->read(&in, err);
	}
	strbuf_finish(&b);
	return ok;
}

void dumps_finish(struct dumps *d)
{
	while (d->n > 0)
		sample_destroy(d->d[--d->n].sample);
}

double dump_seconds(const struct dump *before, const struct dump *later)
{
	uint64_t a = before->sample->epoch, b = later->sample->epoch;
	double s = later->time_s - before->time_s;

	if (!(s > 0)) /* NaN as well */
		s = later->uptime_s - before->uptime_s;
	if (!(s > 0) && a != 0 && b != 0 && a != b)
		s = 1; /* another run: whatever passed, no rate follows from it, and each says so */
	return s > 0 ? s : 0;
}
