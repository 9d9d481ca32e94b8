/*
 * Configuration files. inih finds keys and sections but reports no line numbers to its handler, so
 * the reader that feeds it counts lines: when the handler runs, the line read last is the one that
 * it is about. A line too long for inih's buffer is an error rather than two wrong halves.
 */
#include "config.h"

#include "hotset/num.h"
#include "hotset/panel.h"

#include <errno.h>
#include <ini.h>
#include <sys/stat.h>

const char config_default[] =
	"# hotset configuration: $XDG_CONFIG_HOME/hotset/config (or ~/.config/hotset/config),\n"
	"# after /etc/hotset/config. Command line options win over this file.\n"
	"\n"
	"# seconds between polls, from 0.1\n"
	"delay = 1\n"
	"# seconds that one poll may take\n"
	"timeout = 5\n"
	"# statistics of MongoDB's collections: on, off, or auto (not where there are over 1,000)\n"
	"collections = auto\n"
	"# default, light, mono, or a file: themes/NAME.theme\n"
	"theme = default\n"
	"# yes: draw with ASCII only; no: as the locale allows\n"
	"ascii = no\n"
	"# the view at start: overview, mongo, redis, memcached, host, ops, events\n"
	"view = overview\n"
	"\n"
	"# watched when the command line names no target: name = URI\n"
	"[targets]\n"
	"# orders = mongodb://hotset@db1.example.test:27017/?authSource=admin\n"
	"# sessions = redis://127.0.0.1:6379\n"
	"# here = proc:\n";

struct reader {
	FILE          *f;
	const char    *path;
	unsigned       line;
	struct config *config;
	bool           own_targets; /* this file named one already */
	bool           private;     /* nobody else can read the file */
	struct err    *err;
	bool           failed;
};

static bool fail(struct reader *r, const char *what, const char *name)
{
	if (!r->failed)
		err_set(r->err, ERR_USAGE, "%s:%u: %s '%s'", r->path, r->line, what, name);
	r->failed = true;
	return false;
}

static char *read_line(char *buf, int cap, void *arg)
{
	struct reader *r = arg;

	if (r->failed || !fgets(buf, cap, r->f))
		return NULL;
	r->line++;
	if (!strchr(buf, '\n') && !feof(r->f)) {
		(void)fail(r, "the line is too long: it begins with", "...");
		return NULL;
	}
	return buf;
}

static bool replace(struct reader *r, char **field, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return fail(r, "no memory for", value);
	free(*field);
	*field = copy;
	return true;
}

static bool seconds(struct reader *r, const char *key, const char *value, double *out)
{
	double v;

	if (!num_parse_f64(value, strlen(value), &v) || v < 0.1 || v > 86400)
		return fail(r, "not a number of seconds from 0.1:", key);
	*out = v;
	return true;
}

static bool yes_or_no(struct reader *r, const char *key, const char *value, bool *out)
{
	if (strcmp(value, "yes") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
		*out = true;
	else if (strcmp(value, "no") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
		*out = false;
	else
		return fail(r, "must be yes or no:", key);
	return true;
}

static void forget_targets(struct config *c)
{
	while (c->ntargets > 0)
		free(c->targets[--c->ntargets]);
}

static bool has_password(const char *uri)
{
	char redacted[1024];

	target_redact(uri, redacted, sizeof redacted);
	return strcmp(uri, redacted) != 0;
}

static bool add_target(struct reader *r, const char *name, const char *uri)
{
	struct config *c = r->config;
	char *text;

	if (has_password(uri) && !r->private)
		return fail(r, "others can read this file, but it holds a password (chmod 600, or "
			       "use --credentials): target", name);
	if (!r->own_targets)
		forget_targets(c);
	r->own_targets = true;
	if (c->ntargets == CONFIG_TARGETS_MAX)
		return fail(r, "too many targets at", name);
	if (asprintf(&text, "%s=%s", name, uri) < 0)
		return fail(r, "no memory for", name);
	c->targets[c->ntargets++] = text;
	return true;
}

bool config_collections(const char *word, enum collections *out)
{
	static const char *const words[] = {
		[COLLECTIONS_AUTO] = "auto", [COLLECTIONS_ON] = "on", [COLLECTIONS_OFF] = "off"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = (enum collections)i;
			return true;
		}
	}
	return false;
}

static bool set_key(struct reader *r, const char *key, const char *value)
{
	struct config *c = r->config;
	enum view view;

	if (strcmp(key, "delay") == 0)
		return c->has_delay = seconds(r, key, value, &c->delay_s);
	if (strcmp(key, "timeout") == 0)
		return c->has_timeout = seconds(r, key, value, &c->timeout_s);
	if (strcmp(key, "collections") == 0) {
		c->has_collections = config_collections(value, &c->collections);
		return c->has_collections || fail(r, "collections is on, off or auto, not", value);
	}
	if (strcmp(key, "ascii") == 0)
		return c->has_ascii = yes_or_no(r, key, value, &c->ascii);
	if (strcmp(key, "theme") == 0)
		return replace(r, &c->theme, value);
	if (strcmp(key, "view") == 0)
		return view_find(value, &view) ? replace(r, &c->view, value)
					       : fail(r, "no such view:", value);
	return fail(r, "unknown key", key);
}

static int on_key(void *arg, const char *section, const char *name, const char *value)
{
	struct reader *r = arg;

	if (*section == '\0')
		return set_key(r, name, value);
	if (strcmp(section, "targets") == 0)
		return add_target(r, name, value);
	return fail(r, "unknown section", section);
}

bool config_read(struct config *c, const char *path, bool required, struct err *err)
{
	struct reader r = {.path = path, .config = c, .err = err};
	struct stat st;
	int bad;

	r.f = fopen(path, "re");
	if (!r.f && !required && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return true;
	if (!r.f)
		return err_sys(err, "cannot open the configuration %s", path);
	r.private = fstat(fileno(r.f), &st) == 0 && (st.st_mode & 077) == 0;
	bad = ini_parse_stream(read_line, &r, on_key, &r);
	fclose(r.f);
	if (r.failed)
		return false;
	if (bad != 0)
		return err_set(err, ERR_USAGE,
			"%s:%d: neither 'key = value' nor a [section]", path, bad);
	return true;
}

void config_finish(struct config *c)
{
	forget_targets(c);
	free(c->theme);
	free(c->view);
	*c = (struct config){0};
}
