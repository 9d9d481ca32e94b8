/*
 * The canvas on a terminal. curses finds the shortest way from the old screen to the new one; this
 * file compares canvases first, so that curses sees only the cells that changed. Colours are pairs
 * made when a style is first used: terminals with 8 colours have 64 pairs, and a pair beyond their
 * number is accepted silently and drawn wrongly. Without colours, or without pairs, the mono
 * theme's attributes carry the meaning. The default background stays the terminal's own.
 */
#include "hotset/term.h"

#include "hotset/log.h"
#include "hotset/num.h"
#include "hotset/text.h"
#include "rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_NOMACROS
#include <curses.h>
#define term terminfo_term /* <term.h> has a struct of our name */
#include <term.h>
#undef term

#define ESC_DELAY_MS   25
#define CLOSE_LIMIT_S  2   /* a terminal that takes no output must not keep the program */
#define TERM_NAME_MAX  128
#define PAIRS_MAX      64

struct pair {
	short fg, bg;
};

struct term {
	SCREEN        *screen;
	FILE          *out, *in;
	int            fd_in;
	struct termios saved;
	bool           has_default; /* -1 is allowed as a colour */
	bool           repaint;     /* the next frame is sent whole */
	struct theme   theme, mono;
	unsigned       npairs;
	struct pair    pairs[PAIRS_MAX];
	int            w, h;        /* of `shown` */
	struct cell   *shown;
};

/* ---- locale ---- */

bool term_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (!text_locale_is_utf8(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
		return false;
	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return true;
	return setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8");
}

/* ---- opening ---- */

/* Known to terminfo, and able to move its cursor. Reads the database only. */
static bool is_usable(const char *name, bool *known)
{
	int status = 0;

	*known = false;
	if (*name == '\0' || strlen(name) > TERM_NAME_MAX || strchr(name, '/'))
		return false;
	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return false;
	*known = true;
	bool usable = cursor_address && clear_screen;
	del_curterm(cur_term);
	return usable;
}

static const char *choose_type(struct err *err)
{
	static const char *const fallbacks[] = {"xterm-256color", "xterm", "vt100", "ansi"};
	const char *term = getenv("TERM");
	char shown[64];
	bool known;

	if (term && is_usable(term, &known))
		return term;
	text_sanitize(shown, sizeof shown, term ? term : "", term ? strlen(term) : 0);
	if (term && is_usable(term, &known) == false && known) {
		err_set(err, ERR_SYSTEM,
			"the terminal type TERM=%s cannot move its cursor: set TERM, or "
			"use -b for plain text", shown);
		return NULL;
	}
	for (size_t i = 0; i < sizeof fallbacks / sizeof fallbacks[0]; i++) {
		if (!is_usable(fallbacks[i], &known))
			continue;
		log_write("terminal type TERM=%s is unknown here, %s is used", shown, fallbacks[i]);
		return fallbacks[i];
	}
	err_set(err, ERR_SYSTEM,
		"the terminal type TERM=%s is unknown here and so are xterm and vt100: "
		"set TERM, install ncurses-base, or use -b", shown);
	return NULL;
}

/* A terminfo string without its padding ("$<5>"), appended to buf. */
static void append_capability(char *buf, size_t *len, const char *cap)
{
	if (!cap || cap == (const char *)-1)
		return;
	while (*cap && *len < RESCUE_BYTES_MAX) {
		const char *end = cap[0] == '$' && cap[1] == '<' ? strchr(cap, '>') : NULL;

		if (end)
			cap = end + 1;
		else
			buf[(*len)++] = *cap++;
	}
}

static void arm_rescue(const struct term *t)
{
	char bytes[RESCUE_BYTES_MAX];
	size_t len = 0;

	append_capability(bytes, &len, exit_attribute_mode);
	append_capability(bytes, &len, orig_pair);
	append_capability(bytes, &len, keypad_local);
	append_capability(bytes, &len, cursor_normal);
	append_capability(bytes, &len, exit_ca_mode);
	rescue_arm(STDOUT_FILENO, &t->saved, bytes, len);
}

/* Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q are keys; Ctrl-\ still ends a program that hangs. */
static void set_modes(const struct term *t)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(t->fd_in, &modes) == 0) {
		modes.c_cc[VINTR] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;
		modes.c_iflag &= ~(tcflag_t)IXON;
		tcsetattr(t->fd_in, TCSANOW, &modes);
	}
	def_prog_mode();
}

static bool open_files(struct term *t, struct err *err)
{
	if (!isatty(STDOUT_FILENO))
		return err_set(err, ERR_SYSTEM,
			"standard output is no terminal: use -b for plain text");
	t->fd_in = isatty(STDIN_FILENO) ? dup(STDIN_FILENO)
					: open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (t->fd_in < 0)
		return err_sys(err, "no terminal to read keys from");
	t->in = fdopen(t->fd_in, "r");
	if (!t->in) {
		close(t->fd_in);
		return err_sys(err, "cannot open the terminal");
	}
	t->out = stdout;
	if (tcgetattr(t->fd_in, &t->saved) != 0)
		return err_sys(err, "cannot read the modes of the terminal");
	return true;
}

static void free_term(struct term *t)
{
	if (t->in)
		fclose(t->in);
	free(t->shown);
	free(t);
}

struct term *term_open(const struct theme *theme, bool ascii, struct err *err)
{
	const char *type;
	struct term *t = calloc(1, sizeof *t);

	(void)ascii; /* the canvas holds nothing but ASCII then */
	if (!t) {
		err_set(err, ERR_SYSTEM, "no memory for the screen");
		return NULL;
	}
	if (!open_files(t, err) || !(type = choose_type(err))) {
		free_term(t);
		return NULL;
	}
	set_escdelay(ESC_DELAY_MS);
	t->screen = newterm(type, t->out, t->in);
	if (!t->screen) {
		free_term(t);
		err_set(err, ERR_SYSTEM, "the terminal type %s does not work here: set TERM", type);
		return NULL;
	}
	arm_rescue(t);
	set_modes(t);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	scrollok(stdscr, FALSE);
	curs_set(0);
	if (has_colors() && start_color() == OK)
		t->has_default = use_default_colors() == OK;
	theme_mono(&t->mono);
	t->theme = *theme;
	t->repaint = true;
	return t;
}

void term_close(struct term *t)
{
	if (!t)
		return;
	signal(SIGALRM, SIG_DFL);
	alarm(CLOSE_LIMIT_S);
	/* in the background the terminal belongs to somebody else, and touching it would stop us */
	if (tcgetpgrp(t->fd_in) == getpgrp()) {
		endwin();
		tcsetattr(t->fd_in, TCSADRAIN, &t->saved);
	}
	alarm(0);
	rescue_disarm();
	delscreen(t->screen);
	free_term(t);
}

int term_fd(const struct term *t)
{
	return t->fd_in;
}

/* A positive number from the environment, or 0. */
static int size_from_env(const char *name)
{
	const char *s = getenv(name);
	uint64_t v;

	return s && num_parse_u64(s, strlen(s), &v) && v > 0 && v <= CANVAS_W_MAX ? (int)v : 0;
}

void term_size(const struct term *t, int *w, int *h)
{
	struct winsize ws = {0};

	(void)t;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) != 0)
		ws = (struct winsize){0};
	*w = ws.ws_col > 0 ? ws.ws_col : size_from_env("COLUMNS");
	*h = ws.ws_row > 0 ? ws.ws_row : size_from_env("LINES");
	if (*w <= 0)
		*w = 80;
	if (*h <= 0)
		*h = 24;
}

void term_set_theme(struct term *t, const struct theme *theme)
{
	t->theme = *theme;
	t->repaint = true;
}

/* ---- drawing ---- */

static short color_number(const struct term *t, int32_t rgb, bool is_bg)
{
	if (rgb == THEME_COLOR_DEFAULT)
		return t->has_default ? -1 : is_bg ? COLOR_BLACK : COLOR_WHITE;
	return (short)(COLORS >= 256 ? theme_to_256(rgb) : theme_to_8(rgb) % 8);
}

/* The pair of a style; 0 for default on default; -1 without colours or when no pair is left. */
static int style_pair(struct term *t, const struct style *s)
{
	struct pair want;

	if (!has_colors() || COLORS < 8)
		return -1;
	if (s->fg == THEME_COLOR_DEFAULT && s->bg == THEME_COLOR_DEFAULT)
		return 0;
	want = (struct pair){color_number(t, s->fg, false), color_number(t, s->bg, true)};
	for (unsigned i = 0; i < t->npairs; i++)
		if (t->pairs[i].fg == want.fg && t->pairs[i].bg == want.bg)
			return (int)i + 1;
	if (t->npairs == PAIRS_MAX || (int)t->npairs + 1 >= COLOR_PAIRS ||
		init_pair((short)(t->npairs + 1), want.fg, want.bg) != OK)
		return -1;
	t->pairs[t->npairs++] = want;
	return (int)t->npairs;
}

static attr_t to_attributes(unsigned attr)
{
	attr_t a = A_NORMAL;

	if (attr & ATTR_BOLD)
		a |= A_BOLD;
	if (attr & ATTR_UNDERLINE)
		a |= A_UNDERLINE;
	if (attr & ATTR_REVERSE)
		a |= A_REVERSE;
	if (attr & ATTR_DIM)
		a |= A_DIM;
	return a;
}

/*
 * A character that the C library takes for another width than we do would shift the rest of the
 * line: it becomes '?' (and a blank for its second cell).
 */
static void put_cell(struct term *t, int x, int y, const struct cell *c)
{
	const struct style *style = &t->theme.style[c->role];
	int pair = style_pair(t, style);
	wchar_t text[3] = {(wchar_t)c->ch, (wchar_t)c->combining, L'\0'};
	cchar_t cc;

	if (pair < 0) {
		style = &t->mono.style[c->role];
		pair = 0;
	}
	bool fits = wcwidth((wchar_t)c->ch) == c->width;
	if (!fits) {
		text[0] = L'?';
		text[1] = L'\0';
	}
	if (setcchar(&cc, text, to_attributes(style->attr | c->attr), (short)pair, NULL) != OK)
		return;
	mvadd_wch(y, x, &cc);
	if (!fits && c->width == 2)
		mvaddch(y, x + 1, ' ');
}

static bool cells_equal(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->combining == b->combining && a->width == b->width &&
		a->attr == b->attr && a->role == b->role;
}

/* Makes `shown` as large as the canvas; its content is then unlike any cell. */
static bool fit_shown(struct term *t, const struct canvas *c)
{
	if (t->shown && t->w == c->w && t->h == c->h)
		return true;
	struct cell *cells = calloc((size_t)c->w * (size_t)c->h, sizeof *cells);
	if (!cells)
		return false;
	free(t->shown);
	t->shown = cells;
	t->w = c->w;
	t->h = c->h;
	t->repaint = true;
	resizeterm(c->h, c->w);
	return true;
}

static short output_state(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) < 0 ? 0 : p.revents;
}

bool term_show(struct term *t, const struct canvas *c, bool full)
{
	short state = output_state();

	if (state & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	t->repaint = t->repaint || full;
	if (!(state & POLLOUT) || !fit_shown(t, c))
		return true; /* nothing was sent, so the next frame catches up */
	if (t->repaint) {
		memset(t->shown, 0, (size_t)t->w * (size_t)t->h * sizeof *t->shown);
		erase();
		clearok(curscr, TRUE);
	}
	for (int y = 0; y < c->h; y++) {
		for (int x = 0; x < c->w; x++) {
			const struct cell *now = canvas_cell(c, x, y);
			struct cell *old = &t->shown[(size_t)y * (size_t)t->w + (size_t)x];

			if (cells_equal(now, old))
				continue;
			*old = *now;
			if (now->width > 0)
				put_cell(t, x, y, now);
		}
	}
	t->repaint = false;
	refresh();
	return true;
}

/* ---- the clipboard ---- */

/* A console and the old ones know no OSC, or not where one ends. */
static bool knows_osc(void)
{
	static const char *const without[] = {"linux", "vt", "ansi", "cons", "sun", "dumb"};
	const char *type = termname();

	for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
		if (strncmp(type, without[i], strlen(without[i])) == 0)
			return false;
	return true;
}

/* It moves no cursor and changes no cell, so curses need not know. */
bool term_copy(struct term *t, const char *text)
{
	char code[TEXT_BASE64_MAX(TERM_COPY_MAX)];

	if (strlen(text) > TERM_COPY_MAX || !knows_osc() || !(output_state() & POLLOUT) ||
		!text_base64(code, sizeof code, text, strlen(text)))
		return false;
	return fprintf(t->out, "\033]52;c;%s\a", code) > 0 && fflush(t->out) == 0;
}

/* ---- keys ---- */

static struct key from_function_key(wint_t k)
{
	static const struct {
		wint_t        curses;
		enum key_code code;
	} map[] = {
		{KEY_UP, KEYC_UP}, {KEY_DOWN, KEYC_DOWN}, {KEY_LEFT, KEYC_LEFT},
		{KEY_RIGHT, KEYC_RIGHT}, {KEY_PPAGE, KEYC_PGUP}, {KEY_NPAGE, KEYC_PGDN},
		{KEY_HOME, KEYC_HOME}, {KEY_END, KEYC_END}, {KEY_BTAB, KEYC_BACKTAB},
		{KEY_ENTER, KEYC_ENTER}, {KEY_F(1), KEYC_F1}, {KEY_BACKSPACE, KEYC_BACKSPACE},
	};

	for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
		if (map[i].curses == k)
			return (struct key){.code = map[i].code};
	return (struct key){.code = KEYC_NONE};
}

static struct key from_character(wint_t ch)
{
	switch (ch) {
	case '\t':
		return (struct key){.code = KEYC_TAB};
	case '\r':
	case '\n':
		return (struct key){.code = KEYC_ENTER};
	case 27:
		return (struct key){.code = KEYC_ESC};
	case 8:
	case 127:
		return (struct key){.code = KEYC_BACKSPACE};
	case 3:
		return (struct key){.code = KEYC_CTRL_C};
	case 12:
		return (struct key){.code = KEYC_CTRL_L};
	case 26:
		return (struct key){.code = KEYC_CTRL_Z};
	default:
		return (struct key){.code = KEYC_CHAR, .ch = (char32_t)ch};
	}
}

/* There was nothing to read: because nobody typed, or because nobody ever will? */
static bool is_gone(const struct term *t)
{
	struct pollfd p = {.fd = t->fd_in, .events = POLLIN};
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return (p.revents & POLLIN) && ioctl(t->fd_in, FIONREAD, &waiting) == 0 && waiting == 0;
}

struct key term_key(struct term *t)
{
	for (;;) {
		wint_t ch;
		int kind = get_wch(&ch);
		struct key k;

		if (kind == ERR)
			return (struct key){.code = is_gone(t) ? KEYC_EOF : KEYC_NONE};
		k = kind == KEY_CODE_YES ? from_function_key(ch) : from_character(ch);
		if (k.code != KEYC_NONE) /* KEY_RESIZE and keys without a meaning are passed over */
			return k;
	}
}

/* ---- job control ---- */

void term_suspend(struct term *t)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL}, old;
	sigset_t stop, mask;

	endwin();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &dfl, &old);
	kill(0, SIGTSTP); /* the whole job, so that its shell or sudo stops as well */
	pthread_sigmask(SIG_UNBLOCK, &stop, &mask); /* stopped here until SIGCONT */
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &old, NULL);
	term_resume(t);
}

void term_resume(struct term *t)
{
	if (!isendwin())
		endwin();
	t->repaint = true; /* the next refresh() takes the screen and the modes again */
}
