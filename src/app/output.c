#include "output.h"

#include "hotset/export.h"
#include "themes.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLS 120
#define DEFAULT_ROWS 36
#define OUTPUT_MAX   (256u * 1024 * 1024) /* bytes of one printed frame */

void view_from_options(struct view_state *s, const struct options *o)
{
	view_state_init(s);
	s->interval_s = o->delay_s;
	s->local_time = true;
	if (o->view)
		(void)view_find(o->view, &s->view);
}

void output_size(const struct options *o, int *w, int *h)
{
	struct winsize ws;

	*w = DEFAULT_COLS;
	*h = DEFAULT_ROWS;
	if (o->cols > 0) {
		*w = o->cols;
		*h = o->rows;
	} else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 && ws.ws_row > 0) {
		*w = ws.ws_col;
		*h = ws.ws_row;
	}
}

bool output_write(const char *data, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot write to standard output");
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* Colours only where a terminal reads them. */
static bool wants_color(const struct options *o)
{
	const char *term = getenv("TERM");

	return !o->no_color && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static bool draw_text(struct strbuf *b, const struct options *o, const struct model *m,
	const struct view_state *s, struct err *err)
{
	struct canvas c;
	struct theme theme;
	int w, h;

	output_size(o, &w, &h);
	if (!canvas_init(&c, w, h))
		return err_set(err, ERR_SYSTEM, "no memory for a screen of %dx%d", w, h);
	c.ascii = o->ascii;
	screen_draw(m, s, &c);
	bool color = wants_color(o);
	if (color && theme_from_options(&theme, o, err))
		canvas_to_ansi(&c, &theme, b);
	else
		canvas_to_text(&c, b);
	canvas_finish(&c);
	return true;
}

static bool render(struct output *out, struct strbuf *b, const struct model *m,
	const struct view_state *s, int64_t events_since_mono_ns, struct err *err)
{
	switch (out->o->format) {
	case FORMAT_JSON:
		export_json(b, m, events_since_mono_ns);
		strbuf_putc(b, '\n');
		return true;
	case FORMAT_CSV:
		if (!out->header_done)
			export_csv_header(b);
		out->header_done = true;
		export_csv(b, m);
		return true;
	case FORMAT_OPENMETRICS:
		export_openmetrics(b, m);
		return true;
	case FORMAT_TEXT:
		break;
	}
	return draw_text(b, out->o, m, s, err);
}

bool output_frame(struct output *out, const struct model *m, const struct view_state *s,
	int64_t events_since_mono_ns, struct err *err)
{
	struct strbuf b;

	strbuf_init(&b, OUTPUT_MAX);
	bool ok = render(out, &b, m, s, events_since_mono_ns, err);
	if (ok && b.full)
		ok = err_set(err, ERR_LIMIT, "no memory for the output of one interval");
	if (ok)
		ok = output_write(b.data, b.len, err);
	if (!ok && err->sys == EPIPE)
		out->closed = true;
	strbuf_finish(&b);
	return ok;
}
