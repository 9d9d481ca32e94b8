/*
 * A sample of the diagnostic data, as if it came from a poll: the same parsers read the same
 * sections. Its clock is the server's; a poll took no time.
 */
#include "hotset/ftdc.h"

#include "bdoc.h"
#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/parse.h"
#include "mongo_status.h"

enum { PRIMARY = 1, SECONDARY = 2, ARBITER = 7 };

static bool find_view(const bson_t *doc, const char *path, bson_t *out)
{
	bson_iter_t it;

	return doc && bdoc_find(doc, path, &it) && BSON_ITER_HOLDS_DOCUMENT(&it) &&
	       bdoc_view(&it, out);
}

static bool take_time(const bson_t *doc, struct sample *out)
{
	bson_iter_t it;

	if (!bdoc_find(doc, "start", &it) || !BSON_ITER_HOLDS_DATE_TIME(&it))
		return false;
	out->wall_ns = out->mono_ns = bson_iter_date_time(&it) * NS_PER_MS;
	return out->wall_ns > 0;
}

/*
 * hello is not among the data. serverStatus told the role of a router and of most members; a
 * standalone is who has neither a set nor that. replSetGetStatus is newer.
 */
static void take_set(const bson_t *doc, struct sample *out)
{
	int64_t state = -1;
	size_t len;
	const char *name;
	bson_t set;

	if (!find_view(doc, "replSetGetStatus", &set)) {
		if (!out->role[0])
			mongo_set_role(out, "standalone");
		return;
	}
	(void)bdoc_find_i64(&set, "myState", &state);
	if (state == PRIMARY)
		mongo_set_role(out, "PRIMARY");
	else if (state == SECONDARY)
		mongo_set_role(out, "SECONDARY");
	else if (state == ARBITER)
		mongo_set_role(out, "ARBITER");
	else
		parse_mongo_member_state(&set, out);
	name = bdoc_find_text(&set, "set", &len);
	if (name)
		sample_set_text(out, METRIC_MONGO_REPL_SET, name, len);
	parse_mongo_lags(&set, REASON_NOT_SENT, out);
}

/* On the command line it is text, in the configuration file it may be a number. */
static void take_limit(const bson_t *metadata, struct sample *out)
{
	static const char path[] =
		"getCmdLineOpts.parsed.setParameter.transactionLifetimeLimitSeconds";
	size_t len;
	const char *text = bdoc_find_text(metadata, path, &len);
	uint64_t limit_s = 0;
	int64_t number;

	if (text)
		(void)num_parse_u64(text, len, &limit_s);
	else if (bdoc_find_i64(metadata, path, &number) && number > 0)
		limit_s = (uint64_t)number;
	if (limit_s)
		sample_set_u64(out, METRIC_MONGO_PINNED_LIMIT, limit_s);
}

/* What was set at start; what was set since is not among the data. */
static void take_thresholds(const bson_t *metadata, struct sample *out)
{
	struct mongo_thresholds_in in = {.readable = metadata != NULL};
	bson_iter_t it;

	if (metadata) {
		in.startup_config = "";
		in.why_unreadable = "not in diagnostic.data";
		if (bdoc_find(metadata,
			    "getCmdLineOpts.parsed.storage.wiredTiger.engineConfig.configString",
			    &it) &&
			BSON_ITER_HOLDS_UTF8(&it))
			in.startup_config = bson_iter_utf8(&it, NULL);
		take_limit(metadata, out);
	}
	if (sample_has(out, METRIC_MONGO_CACHE_MAX))
		parse_mongo_thresholds(&in, out);
}

bool parse_ftdc(const bson_t *doc, const bson_t *metadata, struct sample *out, struct err *err)
{
	bson_t status, system;

	if (!take_time(doc, out) || !find_view(doc, "serverStatus", &status))
		return err_set(err, ERR_FORMAT, "a sample without a time or serverStatus");
	out->status = STATUS_OK;
	if (!parse_mongo_status(&status, out, err))
		return false;
	take_set(doc, out);
	take_thresholds(metadata, out);
	if (find_view(doc, "systemMetrics", &system))
		parse_mongo_system(&system, out);
	return true;
}
