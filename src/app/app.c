/* From the command line to the subcommand. */
#include "hotset/app.h"

#include "config.h"
#include "hotset/log.h"
#include "hotset/source.h"
#include "hotset/term.h"
#include "output.h"
#include "runner.h"
#include "themes.h"

#include <fcntl.h>
#include <unistd.h>

#define DISCOVER_MS 80 /* the first frame must not wait for it */

static const char *get_env(const char *name)
{
	return getenv(name);
}

static int print_text(const char *text)
{
	struct err err;

	if (output_write(text, strlen(text), &err))
		return 0;
	complain(&err);
	return 1;
}

/* Nothing was named: what answers on this host, and the host itself. */
static bool discover(struct options *o, struct err *err)
{
	enum { MOST = 8 };

	o->targets = calloc(MOST, sizeof *o->targets);
	if (!o->targets)
		return err_set(err, ERR_SYSTEM, "no memory for the targets");
	o->ntargets = target_discover(o->targets, MOST, DISCOVER_MS);
	return o->ntargets > 0 || err_set(err, ERR_SYSTEM,
		"nothing to watch on this host: name a target");
}

static int watch(struct options *o, int (*command)(const struct options *), int failed)
{
	struct err err;
	int code = failed;

	if (!credentials_prompt(o->targets, o->ntargets, &err)) {
		complain(&err);
		return failed;
	}
	source_global_init();
	if ((o->no_targets && !discover(o, &err)))
		complain(&err);
	else
		code = command(o);
	source_global_finish();
	return code;
}

static int dispatch(struct options *o)
{
	switch (o->command) {
	case COMMAND_HELP:
		return print_text(options_help);
	case COMMAND_VERSION:
		return print_text("hotset " HOTSET_VERSION "\n");
	case COMMAND_DEFAULT_CONFIG:
		return print_text(config_default);
	case COMMAND_METRICS:
		return app_metrics(o);
	case COMMAND_INSPECT:
		return app_inspect(o);
	case COMMAND_REPLAY:
		return app_replay(o);
	case COMMAND_LIVE:
		return watch(o, app_live, 1);
	case COMMAND_RECORD:
		return watch(o, app_record, 1);
	case COMMAND_CHECK:
		return watch(o, app_check, 3);
	case COMMAND_LAB:
		return app_lab(o);
	}
	return 2;
}

/* A closed standard descriptor would be given to the next file opened, and output go there. */
static void fill_standard_fds(void)
{
	int fd = open("/dev/null", O_RDONLY);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	if (fd >= 0)
		close(fd);
}

int app_main(int argc, char **argv)
{
	struct options o;
	struct theme theme;
	struct err err;

	fill_standard_fds();
	source_quiet();
	if (!options_parse(&o, argc, argv, get_env, &err)) {
		complain(&err);
		return o.command == COMMAND_CHECK ? 3 : 2;
	}
	if (o.theme && !theme_from_options(&theme, &o, &err)) { /* also where none is drawn with */
		complain(&err);
		options_finish(&o);
		return 2;
	}
	if (o.log_file && !log_open(o.log_file, &err)) {
		complain(&err);
		options_finish(&o);
		return o.command == COMMAND_CHECK ? 3 : 1;
	}
	if (!term_locale())
		o.ascii = true;
	int code = dispatch(&o);
	log_close();
	options_finish(&o);
	return code;
}
