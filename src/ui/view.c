/* The state of the screen and the keys that change it. */
#include <stdio.h>
#include <string.h>

#include "hotset/widgets.h"

#define FAR 100000 /* rows: to the first or the last one */

static const char *const names[VIEW_COUNT] = {
#define X(name, key, word) [VIEW_##name] = (word),
	VIEW_LIST(X)
#undef X
};

static const char digits[VIEW_COUNT] = {
#define X(name, key, word) [VIEW_##name] = (key),
	VIEW_LIST(X)
#undef X
};

const struct binding screen_bindings[] = {
	{"q, Ctrl-C", "quit", NULL, false},
	{"?, F1", "this help", "help", false},
	{"Esc", "close what is open; show all rows again", NULL, false},
	{"1-7", "views; the same digit again: the next server of that kind", NULL, false},
	{"Tab, Shift-Tab", "next, previous view", NULL, false},
	{"↑ ↓, k j", "move by a row (PgUp, PgDn by ten; g, G to the first, last)", NULL, false},
	{"Enter, e", "open: the details of a row, the server of a line", "details", true},
	{"/", "search: only rows with the text (ops view, explanations)", "search", true},
	{"s, S", "sort by the next column; turn the order round (ops view)", "sort", true},
	{"x", "what the figures mean: formulas, thresholds, what to do", "explain", false},
	{"H", "look for hot keys, under an LFU policy (redis view)", NULL, false},
	{"m", "mark this moment with a note, in all graphs (not recorded)", "mark", false},
	{"!", "mute the verdict above for this run, until it gets worse", NULL, false},
	{"r", "record from here on, to hotset-TIME.rec.gz; again: stop", NULL, false},
	{"y", "copy the row, if the terminal allows it: OSC 52 (ops view)", "copy", true},
	{"o, c", "to the operations, the collections (ops view; ↑ ↓ too)", NULL, true},
	{"Space, p", "pause", "pause", false},
	{"← →, [ ], h l", "step through time while paused or replaying", NULL, false},
	{"Home, End", "oldest, live", NULL, false},
	{"+ -", "zoom the time axis", "zoom", false},
	{"< >", "poll more, less often", NULL, false},
	{"t", "next theme", NULL, false},
	{"Ctrl-L", "repaint and poll at once", NULL, false},
	{"Ctrl-Z", "suspend", NULL, false},
	{NULL, NULL, NULL, false},
};

const char *view_name(enum view v)
{
	return names[v];
}

bool view_find(const char *name, enum view *out)
{
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		if (strcmp(name, names[v]) == 0) {
			*out = (enum view)v;
			return true;
		}
	}
	return false;
}

void view_state_init(struct view_state *s)
{
	*s = (struct view_state){
		.view = VIEW_OVERVIEW, .replay_speed = 1, .columns_s = 1, .interval_s = 1};
	for (unsigned k = 0; k < KIND_COUNT; k++)
		s->selected[k] = -1;
}

const struct endpoint *view_endpoint(const struct model *m, const struct view_state *s, enum kind k)
{
	int i = s->selected[k];

	if (i >= 0 && i < (int)m->n && m->ep[i]->kind == k)
		return m->ep[i];
	return model_of_kind(m, k, 0);
}

bool view_kind(enum view v, enum kind *out)
{
	switch (v) {
	case VIEW_MONGO:
	case VIEW_OPS:
		*out = KIND_MONGO;
		return true;
	case VIEW_REDIS:
		*out = KIND_REDIS;
		return true;
	case VIEW_MEMCACHED:
		*out = KIND_MEMCACHED;
		return true;
	case VIEW_HOST:
		*out = KIND_HOST;
		return true;
	default:
		return false;
	}
}

/* The next endpoint of the view's kind, round and round. */
static void next_endpoint(const struct model *m, struct view_state *s)
{
	const struct endpoint *ep, *now;
	enum kind k;

	if (!view_kind(s->view, &k) || (now = view_endpoint(m, s, k)) == NULL)
		return;
	for (unsigned i = 0; (ep = model_of_kind(m, k, i)) != NULL; i++) {
		if (ep->index > now->index) {
			s->selected[k] = ep->index;
			return;
		}
	}
	s->selected[k] = model_of_kind(m, k, 0)->index;
}

static enum reaction show(const struct model *m, struct view_state *s, enum view v)
{
	if (s->view == v && !s->help)
		next_endpoint(m, s);
	s->view = v;
	s->help = false;
	s->explain = (struct explain){0};
	s->cursor = 0;
	browse_reset(s);
	return REACT_REDRAW;
}

static enum reaction redraw_if(bool changed)
{
	return changed ? REACT_REDRAW : REACT_NONE;
}

static bool move_to(int *line, int to, int last)
{
	to = to > last ? last : to;
	to = to < 0 ? 0 : to;
	if (to == *line)
		return false;
	*line = to;
	return true;
}

/* What is in front moves: an overlay, a table, the lines of a list. */
static enum reaction move(const struct model *m, struct view_state *s, int by)
{
	if (s->help)
		return redraw_if(move_to(&s->scroll, s->scroll + by, help_hidden(s->lines)));
	if (s->explain.open)
		return redraw_if(explain_move(m, s, by));
	if (view_table(s, 0))
		return redraw_if(browse_move(m, s, by));
	return redraw_if(move_to(&s->cursor, s->cursor + by, view_rows(m, s) - 1));
}

static enum reaction step(const struct view_state *s, enum reaction r)
{
	return s->paused || s->replay ? r : REACT_NONE;
}

/* The next of a list of round numbers, in one direction; the same at its ends. */
static double next_of(const double *list, unsigned n, double now, bool up)
{
	double found = now;

	for (unsigned i = 0; i < n; i++) {
		double v = list[up ? i : n - 1 - i];

		if (up ? v > now * 1.001 : v < now * 0.999) {
			found = v;
			break;
		}
	}
	return found;
}

static enum reaction zoom(struct view_state *s, bool out)
{
	static const double steps[] = {1, 2, 5, 10, 30, 60};
	int to = (int)next_of(steps, sizeof(steps) / sizeof(steps[0]), s->columns_s, out);

	if (to == s->columns_s)
		return REACT_NONE;
	s->columns_s = to;
	return REACT_REDRAW;
}

static enum reaction change_interval(struct view_state *s, bool longer)
{
	static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};
	double to = next_of(steps, sizeof(steps) / sizeof(steps[0]), s->interval_s, longer);

	if (s->replay || to == s->interval_s)
		return REACT_NONE;
	s->interval_s = to;
	return REACT_INTERVAL;
}

static enum reaction toggle_pause(struct view_state *s)
{
	s->paused = !s->paused;
	return REACT_PAUSE;
}

static enum reaction toggle_help(struct view_state *s)
{
	s->help = !s->help;
	s->scroll = 0;
	return REACT_REDRAW;
}

static enum reaction toggle_explain(struct view_state *s)
{
	if (s->help)
		return REACT_NONE;
	s->explain = (struct explain){.open = !s->explain.open};
	return REACT_REDRAW;
}

static enum reaction search(struct view_state *s)
{
	if (s->help || (!s->explain.open && (s->open.open || !view_table(s, 0))))
		return REACT_NONE;
	s->prompt = PROMPT_SEARCH;
	return REACT_REDRAW;
}

/* The time is that of the key: a note takes a while to type. */
static enum reaction begin_mark(const struct model *m, struct view_state *s)
{
	if (s->help || m->mono_ns == 0)
		return REACT_NONE;
	s->marking = (struct mark){.mono_ns = m->mono_ns, .wall_ns = m->wall_ns};
	s->prompt = PROMPT_MARK;
	return REACT_REDRAW;
}

static enum reaction open_row(const struct model *m, struct view_state *s)
{
	if (s->help)
		return REACT_NONE;
	if (s->explain.open)
		return toggle_explain(s);
	return redraw_if(browse_close(s) || browse_open(m, s) || view_open(m, s));
}

/* Keys of tables do nothing elsewhere. */
static enum reaction key_table(const struct model *m, struct view_state *s, char32_t ch)
{
	char line[ROW_LINE_MAX];

	if (!view_table(s, 0) || s->help || s->explain.open)
		return REACT_NONE;
	if (ch == U'y')
		return browse_copy(m, s, line) ? REACT_COPY : REACT_NONE;
	if (s->open.open)
		return REACT_NONE;
	switch (ch) {
	case U's':
		return redraw_if(browse_sort(s));
	case U'S':
		return redraw_if(browse_reverse(s));
	case U'o':
		return redraw_if(browse_focus(s, 0));
	case U'c':
		return redraw_if(browse_focus(s, 1));
	default:
		return REACT_NONE;
	}
}

static enum reaction mute(const struct model *m, struct view_state *s)
{
	const struct verdict *v = mutes_first(&s->mutes, m);

	if (!v || s->help || s->explain.open)
		return REACT_NONE;
	if (!mutes_add(&s->mutes, v))
		snprintf(s->message, sizeof(s->message), "%d verdicts are muted, no more can be",
			MUTES_MAX);
	else
		snprintf(s->message, sizeof(s->message),
			"%.64s is muted until it gets worse; view 7 still has it", v->code);
	return REACT_REDRAW;
}

static enum reaction toggle_hot_keys(struct view_state *s)
{
	if (s->view != VIEW_REDIS || s->replay || s->help || s->explain.open)
		return REACT_NONE;
	s->hot_keys = !s->hot_keys;
	return REACT_REDRAW;
}

/* clang-format off */
static enum reaction key_char(const struct model *m, struct view_state *s, char32_t ch)
{
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		if (ch == (char32_t)digits[v])
			return show(m, s, (enum view)v);
	switch (ch) {
	case U'q': return REACT_QUIT;
	case U'?': return toggle_help(s);
	case U'k': return move(m, s, -1);
	case U'j': return move(m, s, 1);
	case U'g': return move(m, s, -FAR);
	case U'G': return move(m, s, FAR);
	case U'e': return open_row(m, s);
	case U'm': return begin_mark(m, s);
	case U'x': return toggle_explain(s);
	case U'!': return mute(m, s);
	case U'r': return s->replay || s->help ? REACT_NONE : REACT_RECORD;
	case U'H': return toggle_hot_keys(s);
	case U'/': return search(s);
	case U's':
	case U'S':
	case U'o':
	case U'c':
	case U'y': return key_table(m, s, ch);
	case U' ':
	case U'p': return toggle_pause(s);
	case U'h':
	case U'[': return step(s, REACT_STEP_BACK);
	case U'l':
	case U']': return step(s, REACT_STEP_FORWARD);
	case U'+':
	case U'=': return zoom(s, false);
	case U'-': return zoom(s, true);
	case U'<': return change_interval(s, false);
	case U'>': return change_interval(s, true);
	case U't': return REACT_THEME;
	default: return REACT_NONE;
	}
}
/* clang-format on */

static enum reaction key_escape(struct view_state *s)
{
	if (s->help)
		return toggle_help(s);
	if (s->explain.open)
		return toggle_explain(s);
	return redraw_if(browse_close(s) || browse_clear(s));
}

/* clang-format off */
enum reaction screen_key(const struct model *m, struct view_state *s, const struct key *k)
{
	bool had_message = s->message[0] != '\0';
	enum reaction r;

	s->message[0] = '\0';
	browse_settle(m, s);
	if (s->prompt != PROMPT_NONE)
		return prompt_key(m, s, k);
	switch (k->code) {
	case KEYC_CHAR: r = key_char(m, s, k->ch); break;
	case KEYC_UP: r = move(m, s, -1); break;
	case KEYC_DOWN: r = move(m, s, 1); break;
	case KEYC_PGUP: r = move(m, s, -10); break;
	case KEYC_PGDN: r = move(m, s, 10); break;
	case KEYC_LEFT: r = step(s, REACT_STEP_BACK); break;
	case KEYC_RIGHT: r = step(s, REACT_STEP_FORWARD); break;
	case KEYC_HOME: r = step(s, REACT_GO_FIRST); break;
	case KEYC_END: r = step(s, REACT_GO_LAST); break;
	case KEYC_TAB: r = show(m, s, (enum view)((s->view + 1) % VIEW_COUNT)); break;
	case KEYC_BACKTAB: r = show(m, s, (enum view)((s->view + VIEW_COUNT - 1) % VIEW_COUNT));
		break;
	case KEYC_ENTER: r = open_row(m, s); break;
	case KEYC_ESC: r = key_escape(s); break;
	case KEYC_F1: r = toggle_help(s); break;
	case KEYC_RESIZE: r = REACT_RESIZE; break;
	case KEYC_CTRL_L: r = REACT_REFRESH; break;
	case KEYC_CTRL_Z: r = REACT_SUSPEND; break;
	case KEYC_CTRL_C:
	case KEYC_EOF: r = REACT_QUIT; break;
	case KEYC_BACKSPACE:
	case KEYC_NONE: r = REACT_NONE; break;
	default: r = REACT_NONE; break;
	}
	return r == REACT_NONE && had_message ? REACT_REDRAW : r;
}
/* clang-format on */
