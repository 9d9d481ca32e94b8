/*
 * The whole screen: one line that says what is watched and how fresh it is, the verdict, the
 * panels of the view, and the keys. Lines are built from parts with a rank, so that a narrow
 * screen loses the least important part whole instead of the end of all of them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define TWO_LINES_H 16 /* rows from which the verdict has a second line */

/* ---- the header --------------------------------------------------------------------------------
 */

struct part {
	char text[96];
	enum role role;
	uint8_t drop; /* 0: kept; the highest goes first */
};
#define PARTS_MAX 16

struct parts {
	unsigned n;
	struct part part[PARTS_MAX];
};

PRINTF_LIKE(4, 5)
static void add_part(struct parts *l, enum role role, uint8_t drop, const char *fmt, ...)
{
	struct part *p;
	va_list ap;

	if (l->n == PARTS_MAX)
		return;
	p = &l->part[l->n];
	va_start(ap, fmt);
	(void)vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
	if (!p->text[0])
		return;
	p->role = role;
	p->drop = drop;
	l->n++;
}

static int parts_width(const struct parts *l)
{
	int w = 0;

	for (unsigned i = 0; i < l->n; i++)
		if (l->part[i].text[0])
			w += text_width(l->part[i].text) + 2;
	return w;
}

/* The part that is missed least: the last one of the highest rank. NULL: none may go. */
static struct part *least_part(struct parts *l)
{
	struct part *found = NULL;

	for (unsigned i = 0; i < l->n; i++)
		if (l->part[i].text[0] && l->part[i].drop &&
			(!found || l->part[i].drop >= found->drop))
			found = &l->part[i];
	return found;
}

static void parts_fit(struct parts *l, int w)
{
	struct part *p;

	while (parts_width(l) > w && (p = least_part(l)) != NULL)
		p->text[0] = '\0';
}

static void parts_draw(const struct parts *l, struct canvas *c, int x, int y, int end)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->part[i].text[0] && x < end)
			x += canvas_text_fit(
				     c, x, y, end - x, l->part[i].text, l->part[i].role, 0) +
			     2;
}

static void add_host(struct parts *l, const struct model *m)
{
	const struct endpoint *host = model_of_kind(m, KIND_HOST, 0);
	struct value total, limit;
	const char *virt;
	char a[NUM_MAX];

	if (!host || !host->last)
		return;
	total = frame_value(&host->frame, METRIC_HOST_MEM_TOTAL);
	limit = frame_value(&host->frame, METRIC_HOST_CGROUP_MAX);
	virt = frame_info(&host->frame, METRIC_HOST_VIRT);
	if (value_ok(total))
		add_part(l, ROLE_LABEL, 6, "host %s", num_format(a, UNIT_BYTES, total.v, false));
	if (value_ok(limit))
		add_part(l, ROLE_LABEL, 7, "cgroup %s", num_format(a, UNIT_BYTES, limit.v, false));
	if (virt && strcmp(virt, "none") != 0)
		add_part(l, ROLE_LABEL, 8, "%s", virt);
}

/* "2 of 3" where the view's digit goes on to the next. */
static void add_place(struct parts *l, const struct model *m, const struct view_state *s,
	const struct endpoint *ep)
{
	unsigned place = 0, n = 0;

	for (const struct endpoint *e; (e = model_of_kind(m, ep->kind, n)) != NULL; n++)
		place = e == ep ? n + 1 : place;
	if (n > 1)
		add_part(l, ROLE_DIM, 5, "%u of %u: %u", place, n, s->view + 1);
}

/* One server: what it is and where. */
static void add_server(struct parts *l, const struct model *m, const struct view_state *s,
	const struct endpoint *ep)
{
	add_part(l, kind_role(ep->kind), 0, "%s", ep->name);
	add_place(l, m, s, ep);
	if (ep->last) {
		const char *product = ep->last->product, *version = ep->last->version;
		bool named = strncmp(version, product, strlen(product)) == 0;

		add_part(l, ROLE_DEFAULT, 4, "%s%s%s", named ? "" : product, named ? "" : " ",
			version);
		add_part(l, ROLE_DEFAULT, 3, "%s", ep->last->role);
	}
	if (strcmp(ep->name, ep->id) != 0 && strcmp(ep->name, ep->address) != 0)
		add_part(l, ROLE_LABEL, 5, "%s", ep->address);
	add_host(l, m);
}

/*
 * Several: a symbol and the name of each, or counts where there are many. Those that are well go
 * first where there is no room.
 */
#define HEADER_NAMES 6u
static void add_servers(struct parts *l, const struct model *m)
{
	unsigned by_level[LEVEL_CRIT + 1] = {0};

	if (m->n > HEADER_NAMES) {
		add_part(l, ROLE_DEFAULT, 0, "%u endpoints", m->n);
		for (unsigned i = 0; i < m->n; i++)
			by_level[endpoint_level(m, m->ep[i])]++;
		for (int k = LEVEL_CRIT; k >= LEVEL_OK; k--)
			if (by_level[k])
				add_part(l, level_role((enum level)k),
					(uint8_t)(1 + LEVEL_CRIT - k), "%s %u %s",
					level_symbol((enum level)k), by_level[k],
					level_word((enum level)k));
		return;
	}
	for (unsigned i = 0; i < m->n; i++) {
		enum level level = endpoint_level(m, m->ep[i]);

		add_part(l, level == LEVEL_OK ? kind_role(m->ep[i]->kind) : level_role(level),
			(uint8_t)(2 + (unsigned)(LEVEL_CRIT - level) * HEADER_NAMES + i), "%s %s",
			level_symbol(level), m->ep[i]->name);
	}
}

static const struct endpoint *only_database(const struct model *m)
{
	const struct endpoint *found = NULL;

	for (unsigned i = 0; i < m->n; i++) {
		if (m->ep[i]->kind == KIND_HOST)
			continue;
		if (found)
			return NULL;
		found = m->ep[i];
	}
	return found ? found : m->n == 1 ? m->ep[0] : NULL;
}

/* Whom the screen is about: the view's own, or the only one; NULL for several. */
static const struct endpoint *shown_endpoint(const struct model *m, const struct view_state *s)
{
	enum kind k;

	return view_kind(s->view, &k) ? view_endpoint(m, s, k) : only_database(m);
}

/* At the right end: how often, and which time is shown. */
static int draw_clock(
	const struct model *m, const struct view_state *s, struct canvas *c, int x_min)
{
	const struct endpoint *one = shown_endpoint(m, s);
	char state[STATE_TEXT_MAX], clock[TIME_TEXT_MAX], text[96];
	enum role role = ROLE_OK;
	int w;

	time_text(clock, m->wall_ns, s);
	if (one && one->last && model_is_stale(m, one) && !s->paused) {
		(void)snprintf(
			text, sizeof(text), "⚠ %s  %s", endpoint_state(state, m, one), clock);
		role = ROLE_WARN;
	} else if (s->paused) {
		(void)snprintf(text, sizeof(text), "‖ paused %s", clock);
		role = ROLE_WARN;
	} else if (s->replay) {
		(void)snprintf(text, sizeof(text), "▶ replay ×%g %s", s->replay_speed, clock);
		role = ROLE_INFO;
	} else {
		(void)snprintf(text, sizeof(text), "%.1f s  ● live %s", s->interval_s, clock);
	}
	if (m->n > 0 && !s->paused && !s->replay && c->w < 60)
		(void)snprintf(text, sizeof(text), "%s %s", role == ROLE_WARN ? "⚠" : "●", clock);
	w = text_width(text);
	if (c->w - w <= x_min)
		return c->w;
	(void)canvas_text(c, c->w - w, 0, text, role, 0);
	return c->w - w;
}

static void draw_header(const struct model *m, const struct view_state *s, struct canvas *c)
{
	const struct endpoint *one = shown_endpoint(m, s);
	struct parts l = {0};
	int end;

	add_part(&l, ROLE_TITLE, 2, "hotset");
	if (s->replay)
		add_part(&l, ROLE_INFO, 9, "%s", s->replay_file);
	if (s->recording)
		add_part(&l, ROLE_WARN, 2, "rec");
	if (m->n == 0)
		add_part(&l, ROLE_DIM, 1, "nothing watched");
	else if (one)
		add_server(&l, m, s, one);
	else
		add_servers(&l, m);
	end = draw_clock(m, s, c, c->w > 30 ? 12 : 0);
	parts_fit(&l, end);
	parts_draw(&l, c, 0, 0, end - 1);
}

/* ---- the verdict -------------------------------------------------------------------------------
 */

/* The first endpoint that does not answer, which weighs more than a warning of one that does. */
static const struct endpoint *silent_endpoint(const struct model *m)
{
	const struct endpoint *worst = NULL;

	for (unsigned i = 0; i < m->n; i++)
		if (status_level(m->ep[i]->status) >= LEVEL_WARN &&
			(!worst || status_level(m->ep[i]->status) > status_level(worst->status)))
			worst = m->ep[i];
	return worst;
}

struct headline {
	enum level level;
	char text[384];
	char next[192];
	unsigned more;  /* verdicts that are not shown */
	unsigned muted; /* and those that the user has put aside */
};

static void headline_waiting(const struct model *m, struct headline *h)
{
	unsigned waiting = 0;

	for (unsigned i = 0; i < m->n; i++)
		waiting += !m->ep[i]->last;
	if (m->n == 0)
		(void)snprintf(h->text, sizeof(h->text),
			"nothing is watched: no server answered on this host's usual ports");
	else if (waiting)
		(void)snprintf(h->text, sizeof(h->text), "waiting for the first answer of %u of %u",
			waiting, m->n);
	h->level = waiting || m->n == 0 ? LEVEL_INFO : LEVEL_OK;
}

/* What is left to say when nothing is wrong: a property of the place, what none can judge yet. */
static void headline_calm(const struct model *m, const struct verdict *note, struct headline *h)
{
	h->more = 0;
	headline_waiting(m, h);
	if (h->text[0])
		return;
	(void)snprintf(h->text, sizeof(h->text), "nothing to report");
	if (note)
		(void)snprintf(h->next, sizeof(h->next), "note: %.180s", note->text);
	else if (m->nskipped)
		(void)snprintf(h->next, sizeof(h->next), "not judged yet: %s (%s)%s",
			m->skipped[0].code, m->skipped[0].reason,
			m->nskipped > 1 ? " and others" : "");
}

/* "orders-db-2: " where there is more than one to tell apart. */
static void headline_name(
	const struct model *m, const struct endpoint *ep, char buf[NAME_MAX_LEN + 2])
{
	size_t n = strlen(ep->name);
	bool colon = n > 0 && ep->name[n - 1] == ':';

	if (only_database(m))
		buf[0] = '\0';
	else
		(void)snprintf(buf, NAME_MAX_LEN + 2, "%s%s ", ep->name, colon ? "" : ":");
}

static void headline_make(
	const struct model *m, const struct view_state *s, struct headline *h)
{
	const struct verdict *first = mutes_first(&s->mutes, m);
	bool calm = !first || (first->standing && first->level == LEVEL_INFO);
	const struct verdict *v = calm ? NULL : first;
	unsigned shown = m->nverdicts - mutes_count(&s->mutes, m);
	const struct endpoint *silent = silent_endpoint(m);
	char name[NAME_MAX_LEN + 2];

	*h = (struct headline){0};
	h->muted = m->nverdicts - shown;
	h->more = shown > 1 ? shown - 1 : 0;
	if (silent && (!v || v->level < status_level(silent->status))) {
		h->level = status_level(silent->status);
		h->more = shown;
		(void)snprintf(h->text, sizeof(h->text), "%s: %s: %s", silent->name,
			status_word(silent->status), silent->err.msg);
		(void)snprintf(h->next, sizeof(h->next), "→ %s", status_advice(silent->status));
	} else if (v) {
		h->level = v->level;
		headline_name(m, m->ep[v->endpoint], name);
		(void)snprintf(h->text, sizeof(h->text), "%s%s", name, v->text);
		(void)snprintf(h->next, sizeof(h->next), "%s%s", v->next[0] ? "→ " : "", v->next);
	} else {
		headline_calm(m, first, h);
	}
}

static void draw_verdict(
	const struct model *m, const struct view_state *s, struct canvas *c, int lines)
{
	struct headline h;
	char more[48] = "", first[384];
	int x, end = c->w;
	size_t n;

	headline_make(m, s, &h);
	x = canvas_printf(c, 0, 1, level_role(h.level), ATTR_BOLD, "%s %s  ", level_symbol(h.level),
		level_word(h.level));
	if (h.more && h.muted)
		(void)snprintf(more, sizeof(more), "+%u more, %u muted [7]", h.more, h.muted);
	else if (h.more || h.muted)
		(void)snprintf(more, sizeof(more), h.more ? "+%u more [7]" : "%u muted [7]",
			h.more ? h.more : h.muted);
	if (more[0] && c->w >= 60) {
		canvas_text_right(c, c->w, 1, c->w, more, ROLE_DIM, 0);
		end -= text_width(more) + 2;
	}
	if (lines < 2) {
		(void)canvas_text_fit(c, x, 1, end - x, h.text, level_role(h.level), 0);
		return;
	}
	n = text_line(h.text, end - x);
	(void)snprintf(first, sizeof(first), "%.*s", (int)n, h.text);
	(void)canvas_text_fit(c, x, 1, end - x, first, level_role(h.level), 0);
	if (h.text[n])
		x += canvas_text_fit(c, x, 2, c->w - x, h.text + n + (h.text[n] == ' '),
			     level_role(h.level), 0) +
		     2;
	(void)canvas_text_fit(c, x, 2, c->w - x, h.next, ROLE_DIM, 0);
}

/* ---- the footer --------------------------------------------------------------------------------
 */

static void add_views(struct parts *l, const struct view_state *s, bool long_names)
{
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		bool here = v == s->view;

		add_part(l, here ? ROLE_SELECTED : ROLE_FOOTER, here ? 1 : 3,
			here || long_names ? "%u %s" : "%u", v + 1, view_name((enum view)v));
	}
}

/* The first name of each key and what it does: those of tables, or the others. */
static void add_keys(struct parts *l, bool table)
{
	for (const struct binding *b = screen_bindings; b->keys; b++)
		if (b->footer && b->table == table)
			add_part(l, ROLE_FOOTER,
				b->keys[0] == '?' ? 2
				: table           ? 3
						  : 4,
				"%.*s %s", (int)strcspn(b->keys, ","), b->keys, b->footer);
}

static void draw_footer(
	const struct model *m, const struct view_state *s, struct canvas *c, unsigned dropped)
{
	struct parts l = {0};
	char note[64] = "";
	int end = c->w, y = c->h - 1;

	if (s->prompt != PROMPT_NONE) {
		prompt_draw(m, s, c);
		return;
	}
	if (s->message[0]) {
		(void)canvas_text_fit(c, 0, y, c->w, s->message, ROLE_WARN, 0);
		return;
	}
	if (dropped) {
		(void)snprintf(note, sizeof(note), "+%u panel%s: enlarge", dropped,
			dropped == 1 ? "" : "s");
		canvas_text_right(c, c->w, y, c->w, note, ROLE_WARN, 0);
		end -= text_width(note) + 1;
	}
	add_views(&l, s, true);
	if (view_table(s, 0))
		add_keys(&l, true);
	if (parts_width(&l) > end) {
		l.n = 0;
		add_views(&l, s, false);
		if (view_table(s, 0))
			add_keys(&l, true);
	}
	add_keys(&l, false);
	parts_fit(&l, end);
	parts_draw(&l, c, 0, y, end);
}

/* ---- the panels --------------------------------------------------------------------------------
 */

/* Returns how many panels with something to show were dropped. */
static unsigned draw_panels(const struct model *m, const struct view_state *s, struct canvas *c,
	struct rect r, bool *any)
{
	struct view_item views[VIEW_ITEMS_MAX];
	struct layout_item items[VIEW_ITEMS_MAX];
	struct rect place[VIEW_ITEMS_MAX];
	unsigned n = view_build(m, s, views), shown = 0, placed;

	for (unsigned i = 0; i < n; i++) {
		struct panel_ctx x = {m, s, views[i].ep};

		items[i] = (struct layout_item){
			panel_measure(views[i].ops, &x, r.w), views[i].min_w, views[i].half};
		shown += items[i].size.min_h > 0;
	}
	placed = layout_place(items, n, r, place);
	for (unsigned i = 0; i < n; i++) {
		struct panel_ctx x = {m, s, views[i].ep};

		if (place[i].w > 0)
			panel_draw(views[i].ops, &x, c, place[i]);
	}
	*any = placed > 0;
	return shown - placed;
}

void screen_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	int verdict = c->h >= TWO_LINES_H ? 2 : 1;
	struct rect body = {0, 1 + verdict, c->w, c->h - 2 - verdict};
	unsigned dropped = 0;
	bool any = false;

	canvas_clear(c);
	draw_header(m, s, c);
	if (c->h >= 2)
		draw_verdict(m, s, c, verdict);
	if (body.h > 0)
		dropped = draw_panels(m, s, c, body, &any);
	if (body.h > 0 && !any && dropped)
		(void)canvas_text_fit(c, 0, body.y, c->w, "too small: need 40x8", ROLE_DIM, 0);
	if (c->h >= 3)
		draw_footer(m, s, c, dropped);
	if (s->open.open)
		details_draw(m, s, c);
	if (s->explain.open)
		explain_draw(m, s, c);
	if (s->help)
		help_draw(m, s, c);
}
