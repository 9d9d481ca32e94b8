/*
 * The files are read in the order of their names, which begin with the time; metrics.interim, the
 * newest samples of a server that runs or was killed, comes last and may repeat some. Chunks that
 * are damaged or torn are left out and counted, and reading goes on at the next document; so are
 * samples of a clock that was set back, since a recording only goes forward.
 */
#include "diagnostic.h"

#include "hotset/ftdc.h"
#include "hotset/parse.h"
#include "hotset/record.h"
#include "hotset/text.h"
#include "signals.h"

#include <bson/bson.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILE_MAX_BYTES (256u * 1024 * 1024) /* the server begins a new one after 10 MB */
#define FILES_MAX      4096
#define PATH_MAX_BYTES 4096
#define RESUMES_MAX    64 /* of a file: searching for the next document costs time */
#define INTERIM        "metrics.interim" /* and what it is written to first, .temp */

enum { TYPE_METADATA = 0, TYPE_CHUNK = 1 };

struct conversion {
	struct recorder *recorder;
	struct model *model; /* for its one endpoint */
	struct server_run run;
	bson_t *metadata; /* the newest, or NULL */
	int64_t last_ns;  /* wall time of the newest sample */
	int signal_fd;
	bool interim; /* the present file may repeat samples */
	unsigned samples;
	struct diagnostic_lost lost;
};

/* ---- documents of a file ---- */

/* How each goes on after its length: with _id, a date. */
static const uint8_t begins[] = {BSON_TYPE_DATE_TIME, '_', 'i', 'd', 0};

/* Opening a pipe could wait for ever. */
static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool read_file(const char *path, uint8_t **out, size_t *len, struct err *err)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	struct stat st;

	*len = 0;
	if (!f || fstat(fileno(f), &st) != 0) {
		err_sys(err, "%s", path);
	} else if ((uint64_t)st.st_size > FILE_MAX_BYTES) {
		err_set(err, ERR_FORMAT, "%s is too large for a file of diagnostic.data", path);
	} else if (!(data = malloc((size_t)st.st_size + 1))) {
		err_set(err, ERR_SYSTEM, "no memory for %s", path);
	} else {
		*len = fread(data, 1, (size_t)st.st_size, f);
	}
	if (f)
		fclose(f);
	*out = data;
	return data != NULL;
}

/* The document at *at, which moves behind it; false at the end and where the rest makes none. */
static bool next_document(const uint8_t *data, size_t len, size_t *at, bson_t *out)
{
	uint32_t n;

	if (len - *at < 5)
		return false;
	memcpy(&n, data + *at, sizeof(n));
	n = BSON_UINT32_FROM_LE(n);
	if (n < 5 || n > len - *at || !bson_init_static(out, data + *at, n) ||
		!bson_validate(out, BSON_VALIDATE_NONE, NULL))
		return false;
	*at += n;
	return true;
}

/*
 * Moves *at from a document that is none to the next that begins as those of the server do, with
 * its length and _id, a date; false if there is none. A false start is only another damaged one.
 */
static bool resume(const uint8_t *data, size_t len, size_t *at)
{
	const uint8_t *from = data + *at + sizeof(uint32_t) + 1, *found = NULL;

	if (len - *at > sizeof(uint32_t) + 1)
		found = memmem(from, (size_t)(data + len - from), begins, sizeof(begins));
	if (found)
		*at = (size_t)(found - data) - sizeof(uint32_t);
	return found != NULL;
}

static int type_of(const bson_t *doc)
{
	bson_iter_t it;

	if (!bson_iter_init_find(&it, doc, "_id") || !BSON_ITER_HOLDS_DATE_TIME(&it) ||
		!bson_iter_init_find(&it, doc, "type") || !BSON_ITER_HOLDS_NUMBER(&it))
		return -1;
	return (int)bson_iter_as_int64(&it);
}

static bool begins_as_one(const char *path)
{
	uint8_t head[sizeof(uint32_t) + sizeof(begins)];
	FILE *f = is_regular(path) ? fopen(path, "rb") : NULL;
	bool is = f && fread(head, 1, sizeof(head), f) == sizeof(head) &&
		  memcmp(head + sizeof(uint32_t), begins, sizeof(begins)) == 0;

	if (f)
		fclose(f);
	return is;
}

/* ---- samples ---- */

/* The server names itself in each serverStatus. */
static bool add_endpoint(struct conversion *c, const bson_t *sample, struct err *err)
{
	const char *host = "mongod";
	bson_iter_t root, it;
	char name[NAME_MAX_LEN], id[96];
	struct endpoint *ep;

	if (bson_iter_init(&root, sample) &&
		bson_iter_find_descendant(&root, "serverStatus.host", &it) &&
		BSON_ITER_HOLDS_UTF8(&it))
		host = bson_iter_utf8(&it, NULL);
	text_sanitize(name, sizeof(name), host, strlen(host));
	snprintf(id, sizeof(id), "mongo@%s", name);
	ep = model_add(c->model, KIND_MONGO, id, name, name, 1);
	return ep ? recorder_endpoint(c->recorder, ep, err)
		  : err_set(err, ERR_SYSTEM, "no memory for %s", id);
}

/* false: the recording cannot be written; a sample that makes no sense is left out. */
static bool take_sample(struct conversion *c, const bson_t *doc, struct err *err)
{
	struct sample *s = sample_create(0);
	struct err why;
	bool ok = true;

	if (!s)
		return err_set(err, ERR_SYSTEM, "no memory for a sample");
	if (!parse_ftdc(doc, c->metadata, s, &why)) {
		c->lost.damaged++;
	} else if (s->wall_ns <= c->last_ns) {
		c->lost.earlier += !c->interim;
	} else {
		parse_settle_epoch(&c->run, s);
		ok = (c->samples || add_endpoint(c, doc, err)) &&
		     recorder_sample(c->recorder, s, err);
		c->last_ns = s->wall_ns;
		c->samples++;
	}
	sample_destroy(s);
	return ok;
}

static bool take_chunk(struct conversion *c, const bson_t *doc, struct err *err)
{
	struct ftdc_chunk chunk;
	const uint8_t *data = NULL;
	bson_iter_t it;
	struct err why;
	uint32_t len = 0;
	bool ok = true;

	if (bson_iter_init_find(&it, doc, "data") && BSON_ITER_HOLDS_BINARY(&it))
		bson_iter_binary(&it, NULL, &len, &data);
	if (!data || !ftdc_unpack(data, len, &chunk, &why)) {
		c->lost.damaged++;
		return true;
	}
	for (unsigned i = 0; ok && i < chunk.samples; i++) {
		bson_t *sample = ftdc_sample(&chunk, i);

		ok = sample ? take_sample(c, sample, err)
			    : err_set(err, ERR_SYSTEM, "no memory for a sample");
		if (sample)
			bson_destroy(sample);
	}
	ftdc_finish(&chunk);
	return ok;
}

static void take_metadata(struct conversion *c, const bson_t *doc)
{
	const uint8_t *data = NULL;
	bson_iter_t it;
	uint32_t len = 0;

	if (!bson_iter_init_find(&it, doc, "doc") || !BSON_ITER_HOLDS_DOCUMENT(&it))
		return;
	bson_iter_document(&it, &len, &data);
	if (c->metadata)
		bson_destroy(c->metadata);
	c->metadata = bson_new_from_data(data, len);
}

/* false: somebody wants the program to end; a day of samples takes a while. */
static bool goes_on(const struct conversion *c, struct err *err)
{
	int sig;

	while ((sig = signals_take(c->signal_fd)) != 0)
		if (signals_is_end(sig))
			return err_set(err, ERR_SYSTEM, "interrupted while reading");
	return true;
}

static bool take_documents(struct conversion *c, const uint8_t *data, size_t len, struct err *err)
{
	unsigned resumes = 0;
	size_t at = 0;
	bson_t doc;

	while (at < len) {
		if (!goes_on(c, err))
			return false;
		if (!next_document(data, len, &at, &doc)) {
			c->lost.damaged++; /* or torn: the server was killed while it wrote */
			if (resumes++ == RESUMES_MAX || !resume(data, len, &at))
				break;
		} else if (type_of(&doc) == TYPE_METADATA) {
			take_metadata(c, &doc);
		} else if (type_of(&doc) == TYPE_CHUNK && !take_chunk(c, &doc, err)) {
			return false;
		}
	}
	return true;
}

static bool take_file(struct conversion *c, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	uint8_t *data;
	size_t len;
	bool ok;

	if (!read_file(path, &data, &len, err))
		return false;
	c->interim = strncmp(slash ? slash + 1 : path, INTERIM, strlen(INTERIM)) == 0;
	ok = take_documents(c, data, len, err);
	free(data);
	return ok;
}

/* ---- the directory ---- */

static int is_metrics(const struct dirent *d)
{
	return strncmp(d->d_name, "metrics.", 8) == 0;
}

static bool take_directory(struct conversion *c, const char *path, struct err *err)
{
	struct dirent **names;
	int n = scandir(path, &names, is_metrics, alphasort);
	bool ok = true;

	if (n < 0)
		return err_sys(err, "%s", path);
	if (n > FILES_MAX)
		ok = err_set(err, ERR_FORMAT, "%s has more than %d files", path, FILES_MAX);
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX_BYTES];

		if (ok &&
			snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name) <
				(int)sizeof(file) &&
			is_regular(file))
			ok = take_file(c, file, err);
		free(names[i]);
	}
	free(names);
	return ok;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool diagnostic_is(const char *path)
{
	return is_directory(path) || begins_as_one(path);
}

bool diagnostic_convert(const char *path, const char *out, int signal_fd,
	struct diagnostic_lost *lost, struct err *err)
{
	struct conversion c = {.recorder = recorder_open(out, err),
		.model = model_create(),
		.signal_fd = signal_fd};
	struct err closing;
	bool ok = c.recorder && (c.model || err_set(err, ERR_SYSTEM, "no memory"));

	ok = ok && (is_directory(path) ? take_directory(&c, path, err) : take_file(&c, path, err));
	if (ok && !c.samples)
		ok = err_set(err, ERR_FORMAT,
			"%s holds no sample: give a mongod's diagnostic.data, or a file of it",
			path);
	if (c.recorder && !recorder_close(c.recorder, &closing) && ok) {
		*err = closing;
		ok = false;
	}
	model_destroy(c.model);
	if (c.metadata)
		bson_destroy(c.metadata);
	*lost = c.lost;
	return ok;
}
