#include "themes.h"

#include <unistd.h>

#define PATH_BYTES 1024

struct dirs {
	unsigned    n;
	const char *list[4]; /* NULL-terminated */
	char        text[3][PATH_BYTES];
};

/* Adds base + rest; a path that does not fit is left out. */
static void add(struct dirs *d, const char *base, const char *rest)
{
	char *text = d->text[d->n];
	int len = snprintf(text, PATH_BYTES, "%s%s", base, rest);

	if (len > 0 && len < PATH_BYTES)
		d->list[d->n++] = text;
}

static void find_dirs(struct dirs *d)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char exe[PATH_BYTES / 2];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (xdg && *xdg == '/')
		add(d, xdg, "/hotset/themes");
	else if (home && *home == '/')
		add(d, home, "/.config/hotset/themes");
	exe[len > 0 ? len : 0] = '\0';
	char *slash = strrchr(exe, '/');
	if (!slash)
		return;
	*slash = '\0';
	add(d, exe, "/../share/hotset/themes");
	add(d, exe, "/../themes");
}

bool theme_from_options(struct theme *t, const struct options *o, struct err *err)
{
	struct dirs d = {.n = 0};

	find_dirs(&d);
	if (!theme_load(t, o->theme ? o->theme : "default", d.list, err))
		return false;
	if (o->no_color)
		theme_mono(t);
	return true;
}
