/* Frames, lines, and the one way in which a figure is drawn or said to be missing. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

void pane_open(struct pane *p, const struct panel_ctx *x, struct canvas *c, struct rect r,
	const char *title, const char *note)
{
	*p = (struct pane){.x = x, .c = c, .frame = r};
	p->title_w = title ? text_width(title) + 4 : 2;
	p->old_clip = canvas_clip(c, r);
	canvas_box(c, r, title, note, ROLE_BORDER);
	p->in = rect_inner(r);
	if (p->in.w > 4) {
		p->in.x++;
		p->in.w -= 2;
	}
	p->y = p->in.y;
	p->stale = x->ep && x->ep->last &&
		   (model_is_stale(x->m, x->ep) || !status_has_data(x->ep->status));
}

int pane_left(const struct pane *p)
{
	int left = p->in.y + p->in.h - p->y;

	return left > 0 ? left : 0;
}

static unsigned count_reason(const struct pane *p, unsigned why)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nmissing; i++)
		n += p->missing[i].why == why;
	return n;
}

/* The commonest reason stands for all that is missing; figures with another one are named. */
static void add_missing(const struct pane *p, char *buf, size_t cap)
{
	unsigned common = p->missing[0].why;
	size_t at;

	for (unsigned i = 1; i < p->nmissing; i++)
		if (count_reason(p, p->missing[i].why) > count_reason(p, common))
			common = p->missing[i].why;
	at = (size_t)snprintf(buf, cap, "n/a: %s", reason_text((enum reason)common));
	for (unsigned i = 0; i < p->nmissing && at < cap; i++)
		if (p->missing[i].why != common)
			at += (size_t)snprintf(buf + at, cap - at, " · %s: %s", p->missing[i].label,
				reason_text((enum reason)p->missing[i].why));
}

static void time_label(char buf[24], int seconds, int every)
{
	if (every % 3600 == 0)
		(void)snprintf(buf, 24, "−%d h", seconds / 3600);
	else if (every % 60 == 0 && seconds >= 120)
		(void)snprintf(buf, 24, "−%d min", seconds / 60);
	else
		(void)snprintf(buf, 24, "−%d s", seconds);
}

/* Ticks from the cell x_min on; "now" is the last column of the graph. */
static void draw_axis(struct pane *p, int x_min)
{
	static const int ticks[] = {10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400};
	int right = p->in.x + p->in.w - 1, y = p->frame.y + p->frame.h - 1, every = 0;

	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]) && !every; i++)
		if (ticks[i] / p->axis >= 14)
			every = ticks[i];
	if (!every || right - 4 < x_min)
		return;
	(void)canvas_text(p->c, right - 3, y, " now ", ROLE_AXIS, 0);
	for (int t = every; right - t / p->axis >= x_min; t += every) {
		int x = right - t / p->axis;
		char label[24];

		time_label(label, t, every);
		canvas_put(p->c, x, y, U'┴', ROLE_AXIS, 0);
		(void)canvas_text(p->c, x + 1, y, label, ROLE_AXIS, 0);
	}
}

static int draw_age(struct pane *p, int x, int y)
{
	enum level l = endpoint_level(p->x->m, p->x->ep);
	char state[STATE_TEXT_MAX];

	return canvas_printf(p->c, x, y, level_role(l), 0, " %s %s ", level_symbol(l),
		endpoint_state(state, p->x->m, p->x->ep));
}

static int draw_missing(struct pane *p, int x, int y, int room)
{
	char text[256];
	int used;

	add_missing(p, text, sizeof(text));
	canvas_put(p->c, x, y, U' ', ROLE_DIM, 0);
	used = canvas_text_fit(p->c, x + 1, y, room - 2, text, ROLE_DIM, 0);
	canvas_put(p->c, x + 1 + used, y, U' ', ROLE_DIM, 0);
	return used + 2;
}

void pane_close(struct pane *p)
{
	int y = p->frame.y + p->frame.h - 1, x = p->frame.x + 2, end = p->frame.x + p->frame.w - 2;

	if (p->frame.h >= 2 && p->frame.w > 8) {
		if (p->stale)
			x += draw_age(p, x, y);
		if (p->nmissing > 0 && end - x > 8)
			x += draw_missing(p, x, y, end - x);
		if (p->axis > 0)
			draw_axis(p, x > p->frame.x + 2 ? x + 1 : p->in.x);
	}
	canvas_unclip(p->c, p->old_clip);
}

void pane_text(struct pane *p, enum role role, const char *text)
{
	if (pane_left(p) == 0)
		return;
	(void)canvas_text_fit(p->c, p->in.x, p->y++, p->in.w, text, role, 0);
}

void pane_printf(struct pane *p, enum role role, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	pane_text(p, role, line);
}

size_t text_line(const char *s, int w)
{
	size_t n = text_fit(s, w, NULL), at;

	if (s[n] == '\0')
		return n;
	for (at = n; at > 0 && s[at] != ' '; at--)
		;
	return at > 0 ? at : n;
}

int text_lines(const char *s, int w)
{
	int lines = 0;

	while (*s && w > 0) {
		size_t n = text_line(s, w);

		s += n ? n : 1;
		s += strspn(s, " ");
		lines++;
	}
	return lines;
}

void pane_wrap(struct pane *p, enum role role, const char *text, int max_lines)
{
	char line[512];

	while (*text && max_lines-- > 0 && pane_left(p) > 0) {
		size_t n = text_line(text, p->in.w);

		if (max_lines == 0 || pane_left(p) == 1 || n == 0) {
			pane_text(p, role, text);
			return;
		}
		(void)snprintf(line, sizeof(line), "%.*s", (int)n, text);
		pane_text(p, role, line);
		text += n;
		text += strspn(text, " ");
	}
}

/* ---- figures -----------------------------------------------------------------------------------
 */

static const struct endpoint *endpoint_for(const struct pane *p, enum metric_id id)
{
	enum kind k = metric_desc(id)->kind;

	return !p->x->ep || p->x->ep->kind == k ? p->x->ep : model_of_kind(p->x->m, k, 0);
}

/* Parts of a server that are asked for less often: their last value, which history still has. */
#define RARE_STEPS 60u /* seconds */

struct value endpoint_value(const struct endpoint *ep, enum metric_id id)
{
	struct value v = frame_value(&ep->frame, id);
	float steps[RARE_STEPS];

	if (v.why != REASON_NOT_ASKED)
		return v;
	(void)history_window(ep->history, id, ep->seen_mono_ns, RARE_STEPS, steps);
	for (unsigned i = RARE_STEPS; i-- > 0;)
		if (isfinite(steps[i]))
			return (struct value){
				.v = (double)steps[i], .age_s = (float)(RARE_STEPS - 1 - i)};
	return v;
}

struct value pane_value(const struct pane *p, enum metric_id id)
{
	const struct endpoint *ep = endpoint_for(p, id);

	if (!ep)
		return (struct value){.why = REASON_NO_ANSWER};
	return endpoint_value(ep, id);
}

const char *pane_info(const struct pane *p, enum metric_id id)
{
	const struct endpoint *ep = endpoint_for(p, id);
	const char *text = ep ? frame_info(&ep->frame, id) : NULL;

	return text ? text : "";
}

const char *value_text(char buf[VALUE_TEXT_MAX], enum metric_unit unit, struct value v, bool ascii)
{
	char num[NUM_MAX];
	const char *text = v.why == REASON_NOT_SET ? "not set" : "n/a";

	(void)snprintf(buf, VALUE_TEXT_MAX, "%s",
		value_ok(v) ? num_format(num, unit, v.v, ascii) : text);
	return buf;
}

static void note_missing(struct pane *p, const char *label, enum reason why)
{
	if (p->nmissing == PANE_MISSING_MAX)
		return;
	p->missing[p->nmissing].label = label;
	p->missing[p->nmissing].why = (uint8_t)why;
	p->nmissing++;
}

void pane_figure(struct pane *p, int x, int y, int w, const char *label, enum metric_unit unit,
	struct value v)
{
	char buf[VALUE_TEXT_MAX];

	if (!value_ok(v) && v.why != REASON_NOT_SET) /* which says itself what it means */
		note_missing(p, label, (enum reason)v.why);
	value_text(buf, unit, v, p->c->ascii);
	if (unit == UNIT_SEC && text_width(buf) > w) { /* "12 d 03 h": the days alone */
		char *cut = strchr(buf, ' ');

		cut = cut ? strchr(cut + 1, ' ') : NULL;
		if (cut)
			*cut = '\0';
	}
	canvas_text_right(
		p->c, x + w, y, w, buf, !value_ok(v) || p->stale ? ROLE_DIM : ROLE_VALUE, 0);
}
