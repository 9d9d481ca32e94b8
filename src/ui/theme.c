/*
 * Colours of roles. The compiled-in themes keep the terminal's background, and use hues of middle
 * lightness where they have to be read on dark and on light. A theme file need not name every
 * role: what it leaves out stays as in the default theme.
 */
#include "hotset/theme.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define D              THEME_COLOR_DEFAULT
#define THEME_FILE_MAX 16384u /* bytes */

static const struct style default_styles[ROLE_COUNT] = {
	[ROLE_DEFAULT] = {D, D, 0},
	[ROLE_TITLE] = {D, D, ATTR_BOLD},
	[ROLE_BORDER] = {0x767676, D, 0},
	[ROLE_LABEL] = {0x878787, D, 0},
	[ROLE_VALUE] = {D, D, ATTR_BOLD},
	[ROLE_DIM] = {0x808080, D, 0},
	[ROLE_OK] = {0x00af5f, D, 0},
	[ROLE_INFO] = {0x0087d7, D, 0},
	[ROLE_WARN] = {0xd78700, D, ATTR_BOLD},
	[ROLE_CRIT] = {0xff5f5f, D, ATTR_BOLD},
	[ROLE_BAR] = {0x008787, D, 0},
	[ROLE_BAR_WARN] = {0xd78700, D, 0},
	[ROLE_BAR_CRIT] = {0xff5f5f, D, 0},
	[ROLE_BAR_EMPTY] = {0x767676, D, 0},
	[ROLE_MARK_TARGET] = {0xd78700, D, ATTR_BOLD},
	[ROLE_MARK_TRIGGER] = {0xff5f5f, D, ATTR_BOLD},
	[ROLE_GRAPH] = {0x0087d7, D, 0},
	[ROLE_GRAPH_2] = {0xaf87d7, D, 0},
	[ROLE_GRAPH_MARK] = {0xd78700, D, 0},
	[ROLE_AXIS] = {0x878787, D, 0},
	[ROLE_HEADER] = {0x878787, D, ATTR_UNDERLINE},
	[ROLE_SELECTED] = {D, D, ATTR_REVERSE},
	[ROLE_KEY] = {0x0087d7, D, ATTR_BOLD},
	[ROLE_FOOTER] = {0x878787, D, 0},
	[ROLE_MONGO] = {0x5faf5f, D, ATTR_BOLD},
	[ROLE_REDIS] = {0xd75faf, D, ATTR_BOLD},
	[ROLE_MEMCACHED] = {0x00afaf, D, ATTR_BOLD},
	[ROLE_HOST] = {0xaf87d7, D, ATTR_BOLD},
};

static const struct style light_styles[ROLE_COUNT] = {
	[ROLE_DEFAULT] = {D, D, 0},
	[ROLE_TITLE] = {D, D, ATTR_BOLD},
	[ROLE_BORDER] = {0xa8a8a8, D, 0},
	[ROLE_LABEL] = {0x585858, D, 0},
	[ROLE_VALUE] = {D, D, ATTR_BOLD},
	[ROLE_DIM] = {0x6c6c6c, D, 0},
	[ROLE_OK] = {0x00875f, D, 0},
	[ROLE_INFO] = {0x005faf, D, 0},
	[ROLE_WARN] = {0x875f00, D, ATTR_BOLD},
	[ROLE_CRIT] = {0xaf0000, D, ATTR_BOLD},
	[ROLE_BAR] = {0x00875f, D, 0},
	[ROLE_BAR_WARN] = {0xaf5f00, D, 0},
	[ROLE_BAR_CRIT] = {0xaf0000, D, 0},
	[ROLE_BAR_EMPTY] = {0xb2b2b2, D, 0},
	[ROLE_MARK_TARGET] = {0x875f00, D, ATTR_BOLD},
	[ROLE_MARK_TRIGGER] = {0xaf0000, D, ATTR_BOLD},
	[ROLE_GRAPH] = {0x005faf, D, 0},
	[ROLE_GRAPH_2] = {0x87005f, D, 0},
	[ROLE_GRAPH_MARK] = {0x875f00, D, 0},
	[ROLE_AXIS] = {0x6c6c6c, D, 0},
	[ROLE_HEADER] = {0x585858, D, ATTR_UNDERLINE},
	[ROLE_SELECTED] = {D, D, ATTR_REVERSE},
	[ROLE_KEY] = {0x005faf, D, ATTR_BOLD},
	[ROLE_FOOTER] = {0x585858, D, 0},
	[ROLE_MONGO] = {0x005f00, D, ATTR_BOLD},
	[ROLE_REDIS] = {0xaf005f, D, ATTR_BOLD},
	[ROLE_MEMCACHED] = {0x005f87, D, ATTR_BOLD},
	[ROLE_HOST] = {0x5f00af, D, ATTR_BOLD},
};

static const struct style mono_styles[ROLE_COUNT] = {
	[ROLE_DEFAULT] = {D, D, 0},
	[ROLE_TITLE] = {D, D, ATTR_BOLD},
	[ROLE_BORDER] = {D, D, ATTR_DIM},
	[ROLE_LABEL] = {D, D, 0},
	[ROLE_VALUE] = {D, D, ATTR_BOLD},
	[ROLE_DIM] = {D, D, ATTR_DIM},
	[ROLE_OK] = {D, D, 0},
	[ROLE_INFO] = {D, D, 0},
	[ROLE_WARN] = {D, D, ATTR_BOLD},
	[ROLE_CRIT] = {D, D, ATTR_BOLD | ATTR_REVERSE},
	[ROLE_BAR] = {D, D, 0},
	[ROLE_BAR_WARN] = {D, D, ATTR_BOLD},
	[ROLE_BAR_CRIT] = {D, D, ATTR_BOLD},
	[ROLE_BAR_EMPTY] = {D, D, ATTR_DIM},
	[ROLE_MARK_TARGET] = {D, D, ATTR_BOLD},
	[ROLE_MARK_TRIGGER] = {D, D, ATTR_BOLD},
	[ROLE_GRAPH] = {D, D, 0},
	[ROLE_GRAPH_2] = {D, D, 0},
	[ROLE_GRAPH_MARK] = {D, D, ATTR_BOLD},
	[ROLE_AXIS] = {D, D, ATTR_DIM},
	[ROLE_HEADER] = {D, D, ATTR_UNDERLINE},
	[ROLE_SELECTED] = {D, D, ATTR_REVERSE},
	[ROLE_KEY] = {D, D, ATTR_BOLD},
	[ROLE_FOOTER] = {D, D, 0},
	[ROLE_MONGO] = {D, D, ATTR_BOLD},
	[ROLE_REDIS] = {D, D, ATTR_BOLD},
	[ROLE_MEMCACHED] = {D, D, ATTR_BOLD},
	[ROLE_HOST] = {D, D, ATTR_BOLD},
};

static const struct {
	const char *name;
	const struct style *styles;
} builtins[] = {
	{"default", default_styles},
	{"light", light_styles},
	{"mono", mono_styles},
};
#define BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

static void theme_builtin_get(struct theme *t, unsigned i)
{
	*t = (struct theme){0};
	(void)snprintf(t->name, sizeof(t->name), "%s", builtins[i].name);
	memcpy(t->style, builtins[i].styles, sizeof(t->style));
}

void theme_default(struct theme *t)
{
	theme_builtin_get(t, 0);
}

void theme_mono(struct theme *t)
{
	theme_builtin_get(t, 2);
}

const char *theme_builtin(unsigned i)
{
	return i < BUILTINS ? builtins[i].name : NULL;
}

/* ---- parsing -----------------------------------------------------------------------------------
 */

/* clang-format off */
static const struct {
	const char *name;
	int32_t     rgb;
} color_names[] = {
	{"default", D},          {"black", 0x000000},        {"red", 0xcd0000},
	{"green", 0x00cd00},     {"yellow", 0xcdcd00},       {"blue", 0x0000ee},
	{"magenta", 0xcd00cd},   {"cyan", 0x00cdcd},         {"white", 0xe5e5e5},
	{"grey", 0x7f7f7f},      {"gray", 0x7f7f7f},         {"brightred", 0xff0000},
	{"brightgreen", 0x00ff00}, {"brightyellow", 0xffff00}, {"brightblue", 0x5c5cff},
	{"brightmagenta", 0xff00ff}, {"brightcyan", 0x00ffff}, {"brightwhite", 0xffffff},
};
/* clang-format on */

static const struct {
	const char *name;
	uint8_t bit;
} attr_names[] = {
	{"bold", ATTR_BOLD},
	{"underline", ATTR_UNDERLINE},
	{"reverse", ATTR_REVERSE},
	{"dim", ATTR_DIM},
};

static bool parse_color(const char *word, int32_t *out)
{
	if (word[0] == '#') {
		char *end;
		unsigned long rgb = strtoul(word + 1, &end, 16);

		if (strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6 || *end)
			return false;
		*out = (int32_t)rgb;
		return true;
	}
	for (size_t i = 0; i < sizeof(color_names) / sizeof(color_names[0]); i++) {
		if (strcmp(word, color_names[i].name) == 0) {
			*out = color_names[i].rgb;
			return true;
		}
	}
	return false;
}

static bool parse_attr(const char *word, uint8_t *attr)
{
	for (size_t i = 0; i < sizeof(attr_names) / sizeof(attr_names[0]); i++) {
		if (strcmp(word, attr_names[i].name) == 0) {
			*attr |= attr_names[i].bit;
			return true;
		}
	}
	return false;
}

/* "COLOUR [on COLOUR] [ATTRIBUTE]...". On failure *bad is the word that is wrong. */
static bool parse_style(char *text, struct style *out, const char **bad)
{
	struct style s = {D, D, 0};
	char *save = NULL;
	bool first = true;

	for (char *w = strtok_r(text, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		*bad = w;
		if (strcmp(w, "on") == 0) {
			w = strtok_r(NULL, " \t", &save);
			*bad = w ? w : "on";
			if (!w || !parse_color(w, &s.bg))
				return false;
		} else if (!(first && parse_color(w, &s.fg)) && !parse_attr(w, &s.attr)) {
			return false;
		}
		first = false;
	}
	*bad = "";
	if (first)
		return false;
	*out = s;
	return true;
}

struct parse_state {
	struct theme t;
	char problem[128]; /* of the first bad line */
};

static bool find_role(const char *name, enum role *out)
{
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		if (strcmp(name, role_name((enum role)r)) == 0) {
			*out = (enum role)r;
			return true;
		}
	}
	return false;
}

/* inih's handler: 0 is an error, and inih returns the first such line's number. */
static int parse_line(void *user, const char *section, const char *name, const char *value)
{
	struct parse_state *p = user;
	char text[128], problem[sizeof(p->problem)] = "";
	const char *bad = "";
	enum role role;

	(void)snprintf(text, sizeof(text), "%s", value);
	if (*section)
		(void)snprintf(
			problem, sizeof(problem), "a theme has no sections: [%.40s]", section);
	else if (!find_role(name, &role))
		(void)snprintf(problem, sizeof(problem), "no role is called \"%.40s\"", name);
	else if (!parse_style(text, &p->t.style[role], &bad))
		(void)snprintf(problem, sizeof(problem),
			"\"%.40s\" is neither a colour (#rrggbb, yellow, default) nor an attribute",
			bad);
	if (!*problem)
		return 1;
	if (!*p->problem)
		memcpy(p->problem, problem, sizeof(problem));
	return 0;
}

bool theme_parse(struct theme *t, const char *text, const char *what, struct err *err)
{
	struct parse_state p = {.problem = ""};
	const char *base = strrchr(what, '/');
	int line;

	theme_default(&p.t);
	base = base ? base + 1 : what;
	(void)snprintf(p.t.name, sizeof(p.t.name), "%.*s", (int)strcspn(base, "."), base);
	line = ini_parse_string(text, parse_line, &p);
	if (line != 0)
		return err_set(err, ERR_FORMAT, "%s line %d: %s", what, line,
			*p.problem ? p.problem : "not a line of the form role = colour");
	*t = p.t;
	return true;
}

static bool read_theme(struct theme *t, const char *path, FILE *f, struct err *err)
{
	char *text = malloc(THEME_FILE_MAX + 1);
	size_t n;
	bool done;

	if (!text)
		return err_set(err, ERR_LIMIT, "no memory for the theme %s", path);
	n = fread(text, 1, THEME_FILE_MAX + 1, f);
	if (ferror(f)) {
		done = err_sys(err, "cannot read the theme %s", path);
	} else if (n > THEME_FILE_MAX) {
		done = err_set(err, ERR_LIMIT, "the theme %s is larger than %u bytes", path,
			THEME_FILE_MAX);
	} else {
		text[n] = '\0';
		done = theme_parse(t, text, path, err);
	}
	free(text);
	return done;
}

static bool load_path(struct theme *t, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	bool done;

	if (!f)
		return err_sys(err, "cannot open the theme %s", path);
	done = read_theme(t, path, f, err);
	(void)fclose(f);
	return done;
}

bool theme_load(struct theme *t, const char *name, const char *const *dirs, struct err *err)
{
	if (strchr(name, '/'))
		return load_path(t, name, err);
	for (; dirs && *dirs; dirs++) {
		char path[512];
		int len = snprintf(path, sizeof(path), "%s/%s.theme", *dirs, name);
		FILE *f = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;

		if (f) {
			bool done = read_theme(t, path, f, err);

			(void)fclose(f);
			return done;
		}
	}
	for (unsigned i = 0; i < BUILTINS; i++) {
		if (strcmp(name, builtins[i].name) == 0) {
			theme_builtin_get(t, i);
			return true;
		}
	}
	return err_set(
		err, ERR_USAGE, "no theme is called \"%.60s\": try default, light or mono", name);
}

/* ---- fewer colours -----------------------------------------------------------------------------
 */

static int square(int v)
{
	return v * v;
}

static int distance(int32_t a, int32_t b)
{
	return square((a >> 16) - (b >> 16)) + square((a >> 8 & 255) - (b >> 8 & 255)) +
	       square((a & 255) - (b & 255));
}

static void consider(int32_t rgb, int32_t color, int index, int *best, int *best_distance)
{
	int d = distance(rgb, color);

	if (d < *best_distance) {
		*best = index;
		*best_distance = d;
	}
}

int theme_to_256(int32_t rgb)
{
	static const int levels[] = {0, 95, 135, 175, 215, 255};
	int best = 16, best_distance = distance(rgb, 0);

	for (int k = 1; k < 216; k++) /* a cube of 6 x 6 x 6 */
		consider(rgb, levels[k / 36] << 16 | levels[k / 6 % 6] << 8 | levels[k % 6], 16 + k,
			&best, &best_distance);
	for (int k = 0; k < 24; k++) /* a ramp of greys */
		consider(rgb, (8 + 10 * k) * 0x010101, 232 + k, &best, &best_distance);
	return best;
}

/*
 * By hue rather than by distance: the nearest of eight saturated colours to a soft orange would be
 * grey. A colour without a clear hue is black or white.
 */
int theme_to_8(int32_t rgb)
{
	int r = rgb >> 16, g = rgb >> 8 & 255, b = rgb & 255;
	int max = r > g ? (r > b ? r : b) : (g > b ? g : b);
	int min = r < g ? (r < b ? r : b) : (g < b ? g : b);
	int strong = min + (max - min) * 3 / 5;

	if (max - min < 48)
		return max < 64 ? 0 : 7;
	return (r > strong ? 1 : 0) | (g > strong ? 2 : 0) | (b > strong ? 4 : 0);
}
