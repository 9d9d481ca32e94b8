/*
 * What answers when it is no ordinary mongod: another engine, an emulation, a service. All of them
 * are known by what they say or by the host's name, never by a version; what they lack is said in a
 * sentence.
 */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/fields.h"
#include "mongo_status.h"

#include <strings.h>

#define IN_MEMORY "inMemory"

bool mongo_is_in_memory(const struct sample *s)
{
	const char *engine = sample_text(s, METRIC_MONGO_STORAGE_ENGINE);

	return engine && strcmp(engine, IN_MEMORY) == 0;
}

/* The in-memory engine is WiredTiger without files; some builds name its section after itself. */
bson_t *mongo_in_memory_as_wiredtiger(const bson_t *doc)
{
	bson_iter_t it;
	bson_t *copy;

	if (bson_has_field(doc, "wiredTiger") || !bson_iter_init_find(&it, doc, IN_MEMORY) ||
		!BSON_ITER_HOLDS_DOCUMENT(&it))
		return NULL;
	copy = bson_new();
	bson_copy_to_excluding_noinit(doc, copy, IN_MEMORY, NULL);
	bson_append_iter(copy, "wiredTiger", -1, &it);
	return copy;
}

/* ---- the status at best ---- */

static void lower(struct sample *s, enum status to, const char *why)
{
	struct err err;

	err_set(&err, ERR_UNSUPPORTED, "%s", why);
	field_lower_status(s, to, &err);
}

static void judge_without_cache(struct sample *s)
{
	const char *engine = sample_text(s, METRIC_MONGO_STORAGE_ENGINE);
	bool has_figures = sample_has(s, METRIC_MONGO_CONN_CURRENT) ||
			   sample_has(s, METRIC_MONGO_OPS_TOTAL_TOTAL);
	enum status to = has_figures ? STATUS_PARTIAL : STATUS_UNSUPPORTED;
	char why[128];

	if (strcmp(s->product, "ferretdb") == 0) {
		lower(s, to,
			"FerretDB keeps its data in PostgreSQL: it has no cache of its own and "
			"sends no statistics of one");
	} else if (engine && strcmp(engine, "wiredTiger") != 0) {
		snprintf(why, sizeof(why), "no WiredTiger statistics: the storage engine is %.48s",
			engine);
		lower(s, to, why);
	} else if (has_figures) {
		lower(s, to,
			"no WiredTiger statistics: no cache to watch (an emulation of MongoDB, "
			"or a service that hides it)");
	} else {
		lower(s, to, "it answers, but has no statistics to watch");
	}
}

void mongo_judge_status(struct sample *s, const bson_t *doc)
{
	const char *engine = sample_text(s, METRIC_MONGO_STORAGE_ENGINE);
	bson_iter_t it;
	bson_t wt;

	if (strcmp(s->role, "mongos") == 0 || strcmp(s->role, "ARBITER") == 0)
		return;
	if (bdoc_find(doc, "wiredTiger", &it) && bdoc_view(&it, &wt) &&
		bson_has_field(&wt, "cache"))
		return;
	/* 5.0 and later send {} while they cannot take a lock at once, and nothing at their end. */
	if (bson_has_field(doc, "wiredTiger") || (engine && strcmp(engine, "wiredTiger") == 0))
		lower(s, STATUS_PARTIAL,
			"the server left its cache statistics out: it is busy, or starts or ends");
	else
		judge_without_cache(s);
}

/* ---- services, by the host's name ---- */

static const struct {
	const char *suffix, *product, *name;
} services[] = {
	{".docdb.amazonaws.com", "documentdb", "Amazon DocumentDB"},
	{".docdb-elastic.amazonaws.com", "documentdb", "Amazon DocumentDB"},
	{".cosmos.azure.com", "cosmosdb", "Azure Cosmos DB"},
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcasecmp(s + n - k, end) == 0;
}

void parse_mongo_service(const char *host, struct sample *out)
{
	struct err err;

	if (sample_has(out, METRIC_MONGO_CACHE_MAX) || out->status == STATUS_OK)
		return;
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		if (!ends_with(host, services[i].suffix))
			continue;
		snprintf(out->product, sizeof(out->product), "%s", services[i].product);
		if (out->err.code != ERR_UNSUPPORTED)
			return;
		err_set(&err, ERR_UNSUPPORTED,
			"%s is no MongoDB server: it has no WiredTiger cache, and what it sends "
			"about itself is all there is",
			services[i].name);
		out->err = err;
		return;
	}
}
