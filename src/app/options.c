/*
 * The command line. Options may stand anywhere; what is left is a command, targets or files, and
 * the interval and count at the end, as vmstat has them. Settings come from four places; flags are
 * read first and remembered as set, then each weaker place fills only what is still unset.
 */
#include "hotset/options.h"

#include "config.h"
#include "hotset/canvas.h"
#include "hotset/num.h"
#include "hotset/panel.h"

enum opt {
	OPT_DELAY,
	OPT_COUNT,
	OPT_ONCE,
	OPT_BATCH,
	OPT_FORMAT,
	OPT_SIZE,
	OPT_VIEW,
	OPT_RECORD,
	OPT_AT,
	OPT_SPEED,
	OPT_KIND,
	OPT_THEME,
	OPT_ASCII,
	OPT_NO_COLOR,
	OPT_CONFIG,
	OPT_DEFAULT_CONFIG,
	OPT_CREDENTIALS,
	OPT_TIMEOUT,
	OPT_COLLECTIONS,
	OPT_ORIGIN_MS,
	OPT_PROBE,
	OPT_PROBE_KEY,
	OPT_SCRIPT,
	OPT_TARGET,
	OPT_YES,
	OPT_LOG,
	OPT_MARKDOWN,
	OPT_HELP,
	OPT_VERSION,
	OPT_COUNT_OF
};

struct option_desc {
	enum opt id;
	char letter; /* 0: none */
	const char *name;
	bool takes_value;
};

static const struct option_desc option_table[] = {
	{OPT_DELAY, 'd', "delay", true},
	{OPT_COUNT, 'n', "count", true},
	{OPT_ONCE, 0, "once", false},
	{OPT_BATCH, 'b', "batch", false},
	{OPT_FORMAT, 0, "format", true},
	{OPT_SIZE, 0, "size", true},
	{OPT_VIEW, 0, "view", true},
	{OPT_RECORD, 'o', "record", true},
	{OPT_AT, 0, "at", true},
	{OPT_SPEED, 0, "speed", true},
	{OPT_KIND, 0, "kind", true},
	{OPT_THEME, 0, "theme", true},
	{OPT_ASCII, 0, "ascii", false},
	{OPT_NO_COLOR, 0, "no-color", false},
	{OPT_CONFIG, 0, "config", true},
	{OPT_DEFAULT_CONFIG, 0, "default-config", false},
	{OPT_CREDENTIALS, 0, "credentials", true},
	{OPT_TIMEOUT, 0, "timeout", true},
	{OPT_COLLECTIONS, 0, "collections", true},
	{OPT_ORIGIN_MS, 0, "origin-ms", true},
	{OPT_PROBE, 0, "probe", false},
	{OPT_PROBE_KEY, 0, "probe-key", true},
	{OPT_SCRIPT, 0, "script", true},
	{OPT_TARGET, 0, "target", true},
	{OPT_YES, 0, "yes", false},
	{OPT_LOG, 0, "log", true},
	{OPT_MARKDOWN, 0, "markdown", false},
	{OPT_HELP, 'h', "help", false},
	{OPT_VERSION, 'V', "version", false},
};
#define OPTION_COUNT (sizeof option_table / sizeof option_table[0])

/* Announced, not built: said so rather than ignored. */
static const char *const not_yet[] = {"mouse"};

static const struct {
	const char *word;
	enum command command;
} command_table[] = {
	{"record", COMMAND_RECORD},
	{"replay", COMMAND_REPLAY},
	{"inspect", COMMAND_INSPECT},
	{"check", COMMAND_CHECK},
	{"lab", COMMAND_LAB},
	{"metrics", COMMAND_METRICS},
};

struct parser {
	struct options *o;
	const char *(*env)(const char *name);
	struct err *err;
	bool set[OPT_COUNT_OF];
	bool has_command;
	unsigned numbers; /* positional numbers seen: the interval, the count */
	unsigned targets_cap;
};

#define usage(p, ...) err_set((p)->err, ERR_USAGE, __VA_ARGS__)

static bool copy_to(struct parser *p, char **field, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return usage(p, "no memory for %s", value);
	free(*field);
	*field = copy;
	return true;
}

/* ---- values ---- */

static bool number(const char *s, double *out)
{
	return num_parse_f64(s, strlen(s), out);
}

static bool set_delay(struct parser *p, const char *s)
{
	double v;

	if (!number(s, &v))
		return usage(p, "the interval '%s' is no number of seconds", s);
	if (v < 0.1 || v > 86400)
		return usage(p, "the interval %s is not between 0.1 and 86400 seconds", s);
	p->o->delay_s = v;
	return true;
}

static bool set_count(struct parser *p, const char *s)
{
	uint64_t v;

	if (!num_parse_u64(s, strlen(s), &v) || v == 0 || v > 1000000000)
		return usage(p, "the count '%s' is no whole number from 1", s);
	p->o->count = (unsigned)v;
	return true;
}

static bool set_format(struct parser *p, const char *s)
{
	if (strcmp(s, "text") == 0)
		p->o->format = FORMAT_TEXT;
	else if (strcmp(s, "json") == 0)
		p->o->format = FORMAT_JSON;
	else if (strcmp(s, "csv") == 0)
		p->o->format = FORMAT_CSV;
	else if (strcmp(s, "openmetrics") == 0)
		p->o->format = FORMAT_OPENMETRICS;
	else
		return usage(p, "unknown format '%s': text, json, csv or openmetrics", s);
	p->o->format_set = true;
	return true;
}

static bool set_size(struct parser *p, const char *s)
{
	const char *x = strchr(s, 'x');
	uint64_t cols, rows;

	if (!x || !num_parse_u64(s, (size_t)(x - s), &cols) ||
		!num_parse_u64(x + 1, strlen(x + 1), &rows) || cols < 1 || cols > CANVAS_W_MAX ||
		rows < 1 || rows > CANVAS_H_MAX)
		return usage(p, "the size '%s' is not COLSxROWS from 1x1 to 1000x500", s);
	p->o->cols = (int)cols;
	p->o->rows = (int)rows;
	return true;
}

static bool set_view(struct parser *p, const char *s)
{
	enum view v;

	if (!view_find(s, &v))
		return usage(p, "unknown view '%s'", s);
	return copy_to(p, &p->o->view, s);
}

static bool set_speed(struct parser *p, const char *s)
{
	double v;

	if (!number(s, &v) || v < 0.01 || v > 10000)
		return usage(p, "the speed '%s' is not between 0.01 and 10000", s);
	p->o->speed = v;
	return true;
}

static bool set_timeout(struct parser *p, const char *s)
{
	double v;

	if (!number(s, &v) || v < 0.1 || v > 600)
		return usage(p, "the timeout '%s' is not between 0.1 and 600 seconds", s);
	p->o->timeout_s = v;
	return true;
}

static bool set_collections(struct parser *p, const char *s)
{
	if (!config_collections(s, &p->o->collections))
		return usage(p, "--collections takes on, off or auto, not '%s'", s);
	return true;
}

static bool set_origin(struct parser *p, const char *s)
{
	double v;

	if (!number(s, &v) || v < 0.001 || v > 600000)
		return usage(p, "the time of the origin '%s' is not between 0.001 and 600000 ms",
			s);
	p->o->origin_ms = v;
	return true;
}

/* memcached takes at most 250 bytes, none of them a blank or a control character. */
static bool set_probe_key(struct parser *p, const char *s)
{
	size_t len = strlen(s);

	for (const char *c = s; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			len = 0;
	if (len < 1 || len > 250)
		return usage(p, "--probe-key takes a key of memcached: 1 to 250 bytes, no blanks");
	p->o->probe = true;
	return copy_to(p, &p->o->probe_key, s);
}

static bool set_kind(struct parser *p, const char *s)
{
	static const char *const kinds[] = {"redis", "memcached", "mongo", "meminfo", "vmstat",
		"psi", "cgroup", "metrics", "stat"};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(s, kinds[i]) == 0)
			return copy_to(p, &p->o->kind, s);
	return usage(p,
		"unknown kind '%s': redis, memcached, mongo, meminfo, vmstat, psi, cgroup, "
		"metrics or stat",
		s);
}

/* ---- targets ---- */

/* Overwrites a URI in argv, so that ps shows no password from here on. */
static void overwrite(char *arg)
{
	char redacted[1024];
	size_t len = strlen(arg);

	target_redact(arg, redacted, sizeof redacted);
	if (strcmp(arg, redacted) == 0)
		return;
	explicit_bzero(arg, len);
	memcpy(arg, redacted, strlen(redacted) < len ? strlen(redacted) : len);
}

static bool is_duplicate(const struct options *o, const struct target *t)
{
	for (unsigned i = 0; i < o->ntargets; i++)
		if (strcmp(o->targets[i].id, t->id) == 0)
			return true;
	return false;
}

static bool add_target(struct parser *p, const char *text)
{
	struct options *o = p->o;
	struct target t = {0};

	if (o->ntargets == p->targets_cap) {
		unsigned cap = p->targets_cap ? p->targets_cap * 2 : 8;
		struct target *targets = realloc(o->targets, cap * sizeof *targets);
		if (!targets)
			return usage(p, "no memory for the targets");
		o->targets = targets;
		p->targets_cap = cap;
	}
	if (o->ntargets == OPTIONS_ARGS_MAX)
		return usage(p, "more targets than hotset can watch at once");
	if (!target_parse(text, &t, p->err)) {
		p->err->code = ERR_USAGE;
		return false;
	}
	if (is_duplicate(o, &t)) {
		bool ok = usage(p, "the target %s is named twice", t.id);
		target_finish(&t);
		return ok;
	}
	o->targets[o->ntargets++] = t;
	return true;
}

/* A target of the command line: gone from argv whether or not it is one. */
static bool take_target(struct parser *p, char *arg)
{
	if (!strpbrk(arg, ":=/"))
		return usage(p, "'%s' is neither a command nor a target (see hotset --help)", arg);
	bool ok = add_target(p, arg);
	overwrite(arg);
	return ok;
}

/* ---- arguments ---- */

/* Where the text of an option goes as it is, NULL for the others. */
static char **text_of(struct options *o, enum opt id)
{
	char **const texts[OPT_COUNT_OF] = {
		[OPT_RECORD] = &o->record_file,
		[OPT_AT] = &o->at,
		[OPT_THEME] = &o->theme,
		[OPT_CONFIG] = &o->config_file,
		[OPT_CREDENTIALS] = &o->credentials_file,
		[OPT_SCRIPT] = &o->script_file,
		[OPT_LOG] = &o->log_file,
	};

	return texts[id];
}

static bool set_option(struct parser *p, enum opt id, char *value)
{
	struct options *o = p->o;
	char **text = text_of(o, id);

	p->set[id] = true;
	if (text)
		return copy_to(p, text, value);
	switch (id) {
	case OPT_DELAY:
		return set_delay(p, value);
	case OPT_COUNT:
		return set_count(p, value);
	case OPT_ONCE:
		return o->once = true;
	case OPT_BATCH:
		return o->batch = true;
	case OPT_FORMAT:
		return set_format(p, value);
	case OPT_SIZE:
		return set_size(p, value);
	case OPT_VIEW:
		return set_view(p, value);
	case OPT_SPEED:
		return set_speed(p, value);
	case OPT_KIND:
		return set_kind(p, value);
	case OPT_ASCII:
		return o->ascii = true;
	case OPT_NO_COLOR:
		return o->no_color = true;
	case OPT_TIMEOUT:
		return set_timeout(p, value);
	case OPT_COLLECTIONS:
		return set_collections(p, value);
	case OPT_PROBE:
		return o->probe = true;
	case OPT_PROBE_KEY:
		return set_probe_key(p, value);
	case OPT_ORIGIN_MS:
		return set_origin(p, value);
	case OPT_TARGET:
		return take_target(p, value);
	case OPT_YES:
		return o->yes = true;
	case OPT_MARKDOWN:
		return o->markdown = true;
	default: /* flags that options_parse() looks at, and texts */
		break;
	}
	return true;
}

static const struct option_desc *find_long(const char *name, size_t len)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const char *known = option_table[i].name;

		if (strlen(known) == len && strncmp(known, name, len) == 0)
			return &option_table[i];
	}
	return NULL;
}

static const struct option_desc *find_short(char letter)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

static bool unknown_option(struct parser *p, const char *name, size_t len)
{
	char what[64];

	snprintf(what, sizeof what, "%.*s", (int)(len < 60 ? len : 60), name);
	for (size_t i = 0; i < sizeof not_yet / sizeof not_yet[0]; i++)
		if (strcmp(what, not_yet[i]) == 0)
			return usage(p, "--%s is not supported yet", what);
	return usage(p, "unknown option '--%s' (see hotset --help)", what);
}

/* "--name", "--name=value", "--name value". *i moves past a value taken from the next argument. */
static bool take_long(struct parser *p, int argc, char **argv, int *i)
{
	char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	const struct option_desc *d = find_long(name, len);
	char *value = name[len] == '=' ? name + len + 1 : NULL;

	if (!d)
		return unknown_option(p, name, len);
	if (!d->takes_value && value)
		return usage(p, "--%s takes no value", d->name);
	if (d->takes_value && !value) {
		if (*i + 1 == argc)
			return usage(p, "--%s needs a value", d->name);
		value = argv[++*i];
	}
	return set_option(p, d->id, value);
}

/* "-b", "-bn3", "-d 2", "-d2". */
static bool take_short(struct parser *p, int argc, char **argv, int *i)
{
	for (char *s = argv[*i] + 1; *s; s++) {
		const struct option_desc *d = find_short(*s);
		char letter[2] = {*s, '\0'};

		if (!d)
			return usage(p, "unknown option '-%s' (see hotset --help)", letter);
		if (!d->takes_value) {
			if (!set_option(p, d->id, NULL))
				return false;
			continue;
		}
		if (s[1] != '\0')
			return set_option(p, d->id, s + 1);
		if (*i + 1 == argc)
			return usage(p, "-%s needs a value", letter);
		return set_option(p, d->id, argv[++*i]);
	}
	return true;
}

static bool find_command(const char *word, enum command *out)
{
	for (size_t i = 0; i < sizeof command_table / sizeof command_table[0]; i++) {
		if (strcmp(word, command_table[i].word) != 0)
			continue;
		*out = command_table[i].command;
		return true;
	}
	return false;
}

static bool takes_targets(enum command c)
{
	return c == COMMAND_LIVE || c == COMMAND_RECORD || c == COMMAND_CHECK;
}

/* The interval and the count, at the end of the line. */
static bool take_number(struct parser *p, const char *arg)
{
	switch (p->numbers++) {
	case 0:
		p->set[OPT_DELAY] = true;
		return set_delay(p, arg);
	case 1:
		p->set[OPT_COUNT] = true;
		return set_count(p, arg);
	default:
		return usage(p, "'%s' is one number too many: INTERVAL [COUNT]", arg);
	}
}

static bool take_argument(struct parser *p, char *arg)
{
	struct options *o = p->o;
	double v;

	if (!p->has_command && o->ntargets == 0 && p->numbers == 0 &&
		find_command(arg, &o->command))
		return p->has_command = true;
	if (takes_targets(o->command)) {
		if (number(arg, &v))
			return take_number(p, arg);
		if (p->numbers > 0) {
			overwrite(arg);
			return usage(p, "'%s' stands behind the interval: targets come first", arg);
		}
		return take_target(p, arg);
	}
	if (o->nargs == OPTIONS_ARGS_MAX)
		return usage(p, "too many arguments at '%s'", arg);
	if (!copy_to(p, &o->args[o->nargs], arg))
		return false;
	o->nargs++;
	return true;
}

static bool take_arguments(struct parser *p, int argc, char **argv)
{
	bool options_end = false;

	for (int i = 1; i < argc; i++) {
		char *arg = argv[i];
		bool ok;

		if (!options_end && strcmp(arg, "--") == 0) {
			options_end = true;
			continue;
		}
		if (!options_end && arg[0] == '-' && arg[1] == '-')
			ok = take_long(p, argc, argv, &i);
		else if (!options_end && arg[0] == '-' && arg[1] != '\0')
			ok = take_short(p, argc, argv, &i);
		else
			ok = take_argument(p, arg);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- the weaker places ---- */

/* The user's file: --config, $HOTSET_CONFIG, $XDG_CONFIG_HOME/hotset/config, ~/.config/... */
static bool user_config(struct parser *p, struct config *c)
{
	const char *path = p->o->config_file ? p->o->config_file : p->env("HOTSET_CONFIG");
	const char *xdg = p->env("XDG_CONFIG_HOME"), *home = p->env("HOME");
	char *made = NULL;

	if (path && *path)
		return config_read(c, path, true, p->err);
	if (xdg && *xdg == '/') {
		if (asprintf(&made, "%s/hotset/config", xdg) < 0)
			return usage(p, "no memory for %s", xdg);
	} else if (home && *home == '/') {
		if (asprintf(&made, "%s/.config/hotset/config", home) < 0)
			return usage(p, "no memory for %s", home);
	} else {
		return true;
	}
	bool ok = config_read(c, made, false, p->err);
	free(made);
	return ok;
}

static bool apply_config(struct parser *p, const struct config *c)
{
	struct options *o = p->o;

	if (c->has_delay && !p->set[OPT_DELAY])
		o->delay_s = c->delay_s;
	if (c->has_timeout && !p->set[OPT_TIMEOUT])
		o->timeout_s = c->timeout_s;
	if (c->has_collections && !p->set[OPT_COLLECTIONS])
		o->collections = c->collections;
	if (c->has_ascii && !p->set[OPT_ASCII])
		o->ascii = c->ascii;
	if (c->theme && !p->set[OPT_THEME] && !copy_to(p, &o->theme, c->theme))
		return false;
	if (c->view && !p->set[OPT_VIEW] && !copy_to(p, &o->view, c->view))
		return false;
	if (o->ntargets > 0 || (o->command != COMMAND_LIVE && o->command != COMMAND_RECORD))
		return true;
	for (unsigned i = 0; i < c->ntargets; i++)
		if (!add_target(p, c->targets[i]))
			return false;
	return true;
}

static bool read_configs(struct parser *p)
{
	struct config c = {0};
	bool ok = (p->o->config_file || config_read(&c, "/etc/hotset/config", false, p->err)) &&
		  user_config(p, &c) && apply_config(p, &c);

	config_finish(&c);
	return ok;
}

/* ---- what must hold at the end ---- */

static bool may_probe(const struct options *o)
{
	if (o->command != COMMAND_LIVE && o->command != COMMAND_RECORD)
		return false;
	for (unsigned i = 0; i < o->ntargets; i++)
		if (o->targets[i].ops->kind == KIND_MEMCACHED)
			return true;
	return o->ntargets == 0; /* one may be discovered */
}

static bool check_use(struct parser *p)
{
	struct options *o = p->o;

	if (p->set[OPT_TARGET] && o->command != COMMAND_LAB)
		return usage(p, "--target belongs to hotset lab: name the target itself");
	if (o->command == COMMAND_RECORD && !o->record_file)
		return usage(p, "hotset record needs -o FILE");
	if (o->command == COMMAND_REPLAY && o->nargs != 1)
		return usage(p, "hotset replay needs one recording");
	if (o->command == COMMAND_INSPECT && (o->nargs < 1 || o->nargs > 2))
		return usage(p, "hotset inspect needs a file, or two of the same server");
	if (o->command == COMMAND_CHECK && o->ntargets == 0)
		return usage(p, "hotset check needs a target");
	if (o->command == COMMAND_LAB && o->nargs > 1)
		return usage(p, "hotset lab runs one lab at a time, not also '%s'", o->args[1]);
	if (o->command == COMMAND_METRICS && o->nargs > 0)
		return usage(p, "hotset metrics takes no argument '%s'", o->args[0]);
	if (p->set[OPT_KIND] && o->command != COMMAND_INSPECT)
		return usage(p, "--kind belongs to hotset inspect");
	if ((p->set[OPT_AT] || p->set[OPT_SPEED]) && o->command != COMMAND_REPLAY)
		return usage(p, "--at and --speed belong to hotset replay");
	if (o->probe && !may_probe(o))
		return usage(p, "--probe times gets of a memcached that is watched live or "
				"recorded: name one (memcached://HOST)");
	if (p->set[OPT_RECORD] && !(o->command == COMMAND_LIVE || o->command == COMMAND_RECORD ||
					  o->command == COMMAND_LAB))
		return usage(p, "--record belongs to the live screen, hotset record and labs");
	return true;
}

static bool finish_parse(struct parser *p)
{
	struct options *o = p->o;
	const char *no_color = p->env("NO_COLOR");

	if (!check_use(p) || !read_configs(p))
		return false;
	if (no_color && *no_color)
		o->no_color = true;
	o->no_targets = o->ntargets == 0;
	if (o->credentials_file &&
		!credentials_read(o->credentials_file, o->targets, o->ntargets, p->err))
		return false;
	credentials_from_env(o->targets, o->ntargets, p->env);
	return true;
}

bool options_parse(struct options *o, int argc, char **argv, const char *(*env)(const char *name),
	struct err *err)
{
	struct err local;
	struct parser p = {.o = o, .env = env, .err = err ? err : &local};

	*o = (struct options){.command = COMMAND_LIVE, .delay_s = 1, .speed = 1, .timeout_s = 5};
	bool ok = take_arguments(&p, argc, argv);
	if (ok && p.set[OPT_HELP])
		o->command = COMMAND_HELP;
	else if (ok && p.set[OPT_VERSION])
		o->command = COMMAND_VERSION;
	else if (ok && p.set[OPT_DEFAULT_CONFIG])
		o->command = COMMAND_DEFAULT_CONFIG;
	else
		ok = ok && finish_parse(&p);
	if (!ok) {
		enum command command = o->command;
		options_finish(o);
		o->command = command;
	}
	return ok;
}

void options_finish(struct options *o)
{
	for (unsigned i = 0; i < o->nargs; i++)
		free(o->args[i]);
	for (unsigned i = 0; i < o->ntargets; i++)
		target_finish(&o->targets[i]);
	free(o->targets);
	free(o->record_file);
	free(o->at);
	free(o->theme);
	free(o->config_file);
	free(o->credentials_file);
	free(o->script_file);
	free(o->log_file);
	free(o->kind);
	free(o->probe_key);
	free(o->view);
	*o = (struct options){.command = COMMAND_LIVE};
}
