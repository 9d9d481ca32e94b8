/*
 * A cgroup is a directory, so a dump of one is many files in one: as a JSON object of file names,
 * or as `grep . memory.* io.stat` prints them, "memory.stat:anon 123".
 */
#include "dump.h"

#include "hotset/parse.h"
#include "hotset/strbuf.h"

#include <bson/bson.h>

#define FILE_MAX (1024u * 1024) /* bytes of one file of the cgroup */

enum file { CURRENT, MAX, STAT, SWAP_CURRENT, SWAP_MAX, IO_STAT, FILES };

static const char *const names_v2[FILES] = {"memory.current", "memory.max", "memory.stat",
	"memory.swap.current", "memory.swap.max", "io.stat"};
static const char *const names_v1[FILES] = {"memory.usage_in_bytes", "memory.limit_in_bytes",
	"memory.stat", "memory.memsw.usage_in_bytes", "memory.memsw.limit_in_bytes",
	"blkio.throttle.io_service_bytes"};

struct files {
	int           version;
	unsigned      known;
	uint64_t      host_total;
	struct strbuf text[FILES];
};

static struct strbuf *find(struct files *f, const char *name, size_t len)
{
	for (int i = 0; i < FILES; i++) {
		bool v2 = strlen(names_v2[i]) == len && strncmp(names_v2[i], name, len) == 0;
		bool v1 = strlen(names_v1[i]) == len && strncmp(names_v1[i], name, len) == 0;

		if (!v1 && !v2)
			continue;
		if (v1 && !v2)
			f->version = 1;
		f->known++;
		return &f->text[i];
	}
	return NULL;
}

static void take_meminfo(const bson_iter_t *object, struct sample *out)
{
	struct strbuf b;
	bson_iter_t it;
	struct err ignored;

	strbuf_init(&b, FILE_MAX);
	if (bson_iter_recurse(object, &it))
		while (bson_iter_next(&it))
			if (BSON_ITER_HOLDS_NUMBER(&it))
				strbuf_printf(&b, "%s: %lld kB\n", bson_iter_key(&it),
					(long long)bson_iter_as_int64(&it));
	(void)!parse_meminfo(b.data, b.len, out, &ignored);
	strbuf_finish(&b);
}

static bool take_json(struct files *f, const char *buf, size_t len, struct sample *out,
	struct err *err)
{
	bool is_array;
	bson_t *doc = parse_ejson(buf, len, &is_array, err);
	bson_iter_t it;

	if (!doc)
		return false;
	if (bson_iter_init(&it, doc)) {
		while (bson_iter_next(&it)) {
			const char *key = bson_iter_key(&it);
			struct strbuf *text = find(f, key, strlen(key));

			if (text && BSON_ITER_HOLDS_UTF8(&it))
				strbuf_puts(text, bson_iter_utf8(&it, NULL));
			else if (text && BSON_ITER_HOLDS_NUMBER(&it))
				strbuf_printf(text, "%lld\n", (long long)bson_iter_as_int64(&it));
			else if (strcmp(key, "host_memtotal_bytes") == 0)
				f->host_total = (uint64_t)bson_iter_as_int64(&it);
			else if (strcmp(key, "meminfo") == 0 && BSON_ITER_HOLDS_DOCUMENT(&it))
				take_meminfo(&it, out);
		}
	}
	bson_destroy(doc);
	return true;
}

/* "/sys/fs/cgroup/memory.stat:anon 123" */
static void take_line(struct files *f, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *slash;
	struct strbuf *text;

	if (!colon)
		return;
	slash = memrchr(line, '/', (size_t)(colon - line));
	const char *name = slash ? slash + 1 : line;
	text = find(f, name, (size_t)(colon - name));
	if (!text)
		return;
	strbuf_add(text, colon + 1, (size_t)(line + len - colon - 1));
	strbuf_putc(text, '\n');
}

static void take_lines(struct files *f, const char *buf)
{
	while (*buf) {
		size_t len = strcspn(buf, "\n");

		take_line(f, buf, len);
		buf += len + (buf[len] == '\n');
	}
}

bool dump_parse_cgroup(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct files f = {.version = 2};
	const char *t[FILES];
	bool ok = true;

	for (int i = 0; i < FILES; i++)
		strbuf_init(&f.text[i], FILE_MAX);
	if (buf[strspn(buf, " \t\r\n")] == '{')
		ok = take_json(&f, buf, len, out, err);
	else
		take_lines(&f, buf);
	if (ok && f.known == 0)
		ok = err_set(err, ERR_FORMAT,
			"no file of a cgroup in it (memory.current, memory.max, ...)");
	for (int i = 0; i < FILES; i++)
		t[i] = f.text[i].len ? f.text[i].data : NULL;
	if (ok)
		parse_cgroup(&(struct cgroup_texts){f.version, t[CURRENT], t[MAX], t[STAT],
			t[SWAP_CURRENT], t[SWAP_MAX], t[IO_STAT], f.host_total}, out);
	for (int i = 0; i < FILES; i++)
		strbuf_finish(&f.text[i]);
	return ok;
}
