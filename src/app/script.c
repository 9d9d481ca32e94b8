/*
 * The script sits between the loop and the terminal: it answers when the loop asks for a key, and
 * sees each frame that is shown. A key is given only after the picture that the last one made was
 * drawn, or after a moment in which nothing was, so that scripts need no sleeps.
 */
#include "script.h"

#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/strbuf.h"
#include "hotset/text.h"


#define SCRIPT_BYTES_MAX (1u << 20)
#define WAIT_NS   (10 * NS_PER_SEC)  /* what ":wait" waits for at most */
#define SETTLE_NS (100 * NS_PER_MS)  /* a key that changed nothing draws no frame */
#define CTRL_U    0x15
#define LOOK_MS   20                 /* how often a waiting script looks */

struct script {
	const struct loop_screen *base;
	const struct loop_clock  *clock;
	struct theme              theme;
	int           w, h;
	struct strbuf text;      /* the script */
	size_t        at;        /* of its next line */
	unsigned      line;
	bool          done;
	bool          settled;   /* a frame was shown since the last key */
	int64_t       given_ns;  /* when the last key was given */
	int64_t       begun_ns;  /* when the present line was first looked at, 0: not yet */
	struct canvas shown;
	struct err    err;
};

/* ---- keys ---- */

bool script_key(const char *name, struct key *out)
{
	static const struct {
		const char   *name;
		enum key_code code;
	} names[] = {
		{"Up", KEYC_UP}, {"Down", KEYC_DOWN}, {"Left", KEYC_LEFT}, {"Right", KEYC_RIGHT},
		{"PageUp", KEYC_PGUP}, {"PgUp", KEYC_PGUP}, {"PPage", KEYC_PGUP},
		{"PageDown", KEYC_PGDN}, {"PgDn", KEYC_PGDN}, {"NPage", KEYC_PGDN},
		{"Home", KEYC_HOME}, {"End", KEYC_END}, {"Tab", KEYC_TAB}, {"BTab", KEYC_BACKTAB},
		{"Enter", KEYC_ENTER}, {"Escape", KEYC_ESC}, {"Esc", KEYC_ESC}, {"F1", KEYC_F1},
		{"BSpace", KEYC_BACKSPACE},
		{"C-c", KEYC_CTRL_C}, {"C-l", KEYC_CTRL_L}, {"C-z", KEYC_CTRL_Z},
	};
	size_t len = strlen(name);
	char32_t ch;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(name, names[i].name) != 0)
			continue;
		*out = (struct key){.code = names[i].code};
		return true;
	}
	if (strcmp(name, "Space") == 0 || strcmp(name, "C-u") == 0) {
		*out = (struct key){.code = KEYC_CHAR, .ch = name[0] == 'S' ? U' ' : CTRL_U};
		return true;
	}
	if (len == 0 || text_decode(name, len, &ch) != len)
		return false;
	*out = (struct key){.code = KEYC_CHAR, .ch = ch};
	return true;
}

/* ---- lines ---- */

static int64_t now(const struct script *s)
{
	return s->clock->mono(s->clock->ctx);
}

static void fail(struct script *s, const char *what, const char *arg)
{
	err_set(&s->err, ERR_USAGE, "script line %u: %s '%s'", s->line, what, arg);
	s->done = true;
}

/* The next line without its newline; false at the end. Does not move on. */
static bool peek(const struct script *s, char *out, size_t cap)
{
	const char *p = s->text.data + s->at;
	size_t n = strcspn(p, "\n");

	if (s->at >= s->text.len)
		return false;
	snprintf(out, cap, "%.*s", (int)n, p);
	out[strcspn(out, "\r")] = '\0';
	return true;
}

static void advance(struct script *s)
{
	s->at += strcspn(s->text.data + s->at, "\n");
	s->at += s->text.data[s->at] == '\n';
	s->line++;
	s->begun_ns = 0;
}

static bool shows(const struct script *s, const char *text)
{
	struct strbuf b;

	strbuf_init(&b, 8u << 20);
	canvas_to_text(&s->shown, &b);
	bool found = strstr(b.data, text) != NULL;
	strbuf_finish(&b);
	return found;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static void dump(struct script *s, const char *path)
{
	struct strbuf b;
	FILE *f = fopen(path, "we");

	if (!f) {
		fail(s, "cannot create", path);
		return;
	}
	strbuf_init(&b, 32u << 20);
	if (ends_with(path, ".svg"))
		canvas_to_svg(&s->shown, &s->theme, strcmp(s->theme.name, "light") == 0, &b);
	else if (ends_with(path, ".ansi"))
		canvas_to_ansi(&s->shown, &s->theme, &b);
	else if (ends_with(path, ".snap"))
		canvas_to_snapshot(&s->shown, &b);
	else
		canvas_to_text(&s->shown, &b);
	bool ok = fwrite(b.data, 1, b.len, f) == b.len;
	ok = fclose(f) == 0 && ok;
	if (!ok)
		fail(s, "cannot write", path);
	strbuf_finish(&b);
}

/* A ':' line. false: it is not done yet. */
static bool run_command(struct script *s, const char *line)
{
	double seconds;

	if (s->begun_ns == 0)
		s->begun_ns = now(s);
	int64_t passed = now(s) - s->begun_ns;
	if (strncmp(line, ":wait ", 6) == 0) {
		if (shows(s, line + 6))
			return true;
		if (passed > WAIT_NS)
			fail(s, "the screen did not show within 10 s", line + 6);
		return false;
	}
	if (strncmp(line, ":sleep ", 7) == 0 && num_parse_f64(line + 7, strlen(line + 7), &seconds))
		return (double)passed >= seconds * (double)NS_PER_SEC;
	if (strncmp(line, ":dump ", 6) == 0)
		dump(s, line + 6);
	else
		fail(s, "unknown command", line);
	return true;
}

/* The next key of the script; NONE when it waits or is over. */
static struct key next_key(struct script *s)
{
	static const struct key none = {.code = KEYC_NONE};
	char line[512];
	struct key k;

	if (!s->settled && now(s) - s->given_ns < SETTLE_NS)
		return none;
	while (!s->done) {
		if (!peek(s, line, sizeof line)) {
			s->done = true;
		} else if (line[0] == '\0' || (line[0] == '#' && line[1] != '\0')) {
			advance(s);
		} else if (line[0] == ':' && line[1] != '\0') {
			if (!run_command(s, line))
				return none;
			advance(s);
		} else if (script_key(line, &k)) {
			advance(s);
			s->settled = false;
			s->given_ns = now(s);
			return k;
		} else {
			fail(s, "unknown key", line);
		}
	}
	return none;
}

/* ---- as a screen ---- */

static int screen_fd(void *ctx)
{
	struct script *s = ctx;

	return s->base ? s->base->fd(s->base->ctx) : -1;
}

static void screen_size(void *ctx, int *w, int *h)
{
	struct script *s = ctx;

	if (s->base) {
		s->base->size(s->base->ctx, w, h);
		return;
	}
	*w = s->w;
	*h = s->h;
}

static bool screen_show(void *ctx, const struct canvas *c, bool full)
{
	struct script *s = ctx;

	if (canvas_resize(&s->shown, c->w, c->h))
		memcpy(s->shown.cells, c->cells, (size_t)c->w * (size_t)c->h * sizeof *c->cells);
	s->settled = true;
	return s->base ? s->base->show(s->base->ctx, c, full) : true;
}

static struct key screen_take_key(void *ctx)
{
	struct script *s = ctx;
	struct key k = next_key(s);

	if (k.code != KEYC_NONE)
		return k;
	if (s->done && (!s->base || s->err.code != ERR_NONE))
		return (struct key){.code = KEYC_EOF};
	return s->base ? s->base->key(s->base->ctx) : k;
}

static void screen_suspend(void *ctx)
{
	struct script *s = ctx;

	if (s->base)
		s->base->suspend(s->base->ctx);
}

static void screen_resume(void *ctx)
{
	struct script *s = ctx;

	if (s->base)
		s->base->resume(s->base->ctx);
}

static void screen_set_theme(void *ctx, const struct theme *t)
{
	struct script *s = ctx;

	s->theme = *t;
	if (s->base)
		s->base->set_theme(s->base->ctx, t);
}

static bool screen_copy(void *ctx, const char *text)
{
	struct script *s = ctx;

	return s->base && s->base->copy(s->base->ctx, text);
}

struct loop_screen script_screen(struct script *s)
{
	return (struct loop_screen){s, screen_fd, screen_size, screen_show, screen_take_key,
		screen_suspend, screen_resume, screen_set_theme, screen_copy};
}

/* ---- as a clock: the real one, but a waiting script is looked at often ---- */

static int64_t clock_mono(void *ctx)
{
	return now(ctx);
}

static int64_t clock_wall(void *ctx)
{
	struct script *s = ctx;

	return s->clock->wall(s->clock->ctx);
}

static int clock_poll(void *ctx, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct script *s = ctx;

	if (!s->done && timeout_ms > LOOK_MS)
		timeout_ms = LOOK_MS;
	return s->clock->poll(s->clock->ctx, fds, n, timeout_ms);
}

static int clock_signal(void *ctx)
{
	struct script *s = ctx;

	return s->clock->signal(s->clock->ctx);
}

struct loop_clock script_clock(struct script *s)
{
	return (struct loop_clock){s, clock_mono, clock_wall, clock_poll, s->clock->signal_fd,
		clock_signal};
}

/* ---- */

static bool read_script(struct script *s, const char *path, struct err *err)
{
	char chunk[4096];
	size_t n;
	FILE *f = fopen(path, "re");

	if (!f)
		return err_sys(err, "cannot open the script %s", path);
	while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
		strbuf_add(&s->text, chunk, n);
	bool bad = ferror(f) || s->text.full;
	fclose(f);
	return !bad || err_set(err, ERR_FORMAT, "cannot read the script %s", path);
}

struct script *script_open(const char *path, const struct loop_screen *base,
	const struct loop_clock *clock, const struct theme *theme, int w, int h, struct err *err)
{
	struct script *s = calloc(1, sizeof *s);

	if (!s || !canvas_init(&s->shown, w, h)) {
		free(s);
		err_set(err, ERR_SYSTEM, "no memory for the script");
		return NULL;
	}
	s->base = base;
	s->clock = clock;
	s->theme = *theme;
	s->w = w;
	s->h = h;
	s->line = 1;
	strbuf_init(&s->text, SCRIPT_BYTES_MAX);
	if (read_script(s, path, err))
		return s;
	script_close(s);
	return NULL;
}

void script_close(struct script *s)
{
	if (!s)
		return;
	canvas_finish(&s->shown);
	strbuf_finish(&s->text);
	free(s);
}

bool script_ok(const struct script *s, struct err *err)
{
	if (s->err.code == ERR_NONE)
		return true;
	*err = s->err;
	return false;
}
