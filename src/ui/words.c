/* States and levels in words and symbols, so that colour is never the only cue. */
#include <stdio.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

const char *kind_title(enum kind k)
{
	static const char *const titles[KIND_COUNT] = {
		[KIND_MONGO] = "MongoDB",
		[KIND_REDIS] = "Redis",
		[KIND_MEMCACHED] = "memcached",
		[KIND_HOST] = "host",
	};

	return titles[k];
}

enum role kind_role(enum kind k)
{
	static const enum role roles[KIND_COUNT] = {
		[KIND_MONGO] = ROLE_MONGO,
		[KIND_REDIS] = ROLE_REDIS,
		[KIND_MEMCACHED] = ROLE_MEMCACHED,
		[KIND_HOST] = ROLE_HOST,
	};

	return roles[k];
}

enum role level_role(enum level l)
{
	static const enum role roles[] = {
		[LEVEL_OK] = ROLE_OK,
		[LEVEL_INFO] = ROLE_INFO,
		[LEVEL_WARN] = ROLE_WARN,
		[LEVEL_CRIT] = ROLE_CRIT,
	};

	return roles[l];
}

const char *level_symbol(enum level l)
{
	static const char *const symbols[] = {
		[LEVEL_OK] = "✓",
		[LEVEL_INFO] = "●",
		[LEVEL_WARN] = "⚠",
		[LEVEL_CRIT] = "✖",
	};

	return symbols[l];
}

enum level status_level(enum status s)
{
	switch (s) {
	case STATUS_OK:
	case STATUS_PARTIAL:
		return LEVEL_OK;
	case STATUS_WAITING:
		return LEVEL_INFO;
	case STATUS_TIMEOUT:
	case STATUS_REFUSED:
	case STATUS_DNS:
	case STATUS_TLS:
		return LEVEL_CRIT;
	case STATUS_LOADING:
	case STATUS_AUTH:
	case STATUS_PROTOCOL:
	case STATUS_UNSUPPORTED:
	case STATUS_ERROR:
	case STATUS_COUNT:
		break;
	}
	return LEVEL_WARN;
}

/* clang-format off */
const char *status_advice(enum status s)
{
	switch (s) {
	case STATUS_WAITING: return "the screen goes on; figures appear with the first answer";
	case STATUS_LOADING: return "the server is starting; figures appear when it is ready";
	case STATUS_TIMEOUT: return "is it reachable from here? --timeout gives it more time";
	case STATUS_REFUSED: return "is it running, and does it listen on this address?";
	case STATUS_DNS: return "check the host's name in the target";
	case STATUS_TLS: return "see tlsCAFile in hotset(1); a plain port needs a plain scheme";
	case STATUS_AUTH: return "name a user in the target, or give --credentials FILE";
	case STATUS_PROTOCOL: return "is this the port of that kind of server?";
	case STATUS_UNSUPPORTED: return "watch the servers behind it instead";
	case STATUS_ERROR: return "--log FILE has the details";
	default: return "";
	}
}
/* clang-format on */

enum level endpoint_level(const struct model *m, const struct endpoint *ep)
{
	enum level found = model_level(m, ep->index), status = status_level(ep->status);

	if (status < LEVEL_WARN && model_is_stale(m, ep))
		status = LEVEL_WARN;
	return found > status ? found : status;
}

bool endpoint_has_data(const struct endpoint *ep)
{
	return ep->last != NULL;
}

const char *endpoint_state(
	char buf[STATE_TEXT_MAX], const struct model *m, const struct endpoint *ep)
{
	char age[NUM_MAX];

	if (ep->status == STATUS_WAITING && !ep->last && ep->asked_mono_ns) {
		double waited = (double)(m->mono_ns - ep->asked_mono_ns) / 1e9;

		(void)snprintf(buf, STATE_TEXT_MAX, "waiting %s",
			num_duration(age, waited < 0 ? 0 : waited));
	} else if (ep->last && (model_is_stale(m, ep) || !status_has_data(ep->status))) {
		(void)snprintf(buf, STATE_TEXT_MAX, "%s, %s old",
			status_has_data(ep->status) ? "stale" : status_word(ep->status),
			num_duration(age, model_age_s(m, ep)));
	} else {
		(void)snprintf(buf, STATE_TEXT_MAX, "%s", status_word(ep->status));
	}
	return buf;
}

const struct endpoint *model_of_kind(const struct model *m, enum kind k, unsigned i)
{
	for (unsigned e = 0; e < m->n; e++)
		if (m->ep[e]->kind == k && i-- == 0)
			return m->ep[e];
	return NULL;
}

const char *time_text(char buf[TIME_TEXT_MAX], int64_t wall_ns, const struct view_state *s)
{
	char utc[CLOCK_TEXT_MAX];

	if (s->local_time)
		return clock_format_local(buf, wall_ns);
	/* the time of day of "2026-11-30T20:00:00.123Z" */
	(void)snprintf(buf, TIME_TEXT_MAX, "%.8s", strchr(clock_format_utc(utc, wall_ns), 'T') + 1);
	return buf;
}
