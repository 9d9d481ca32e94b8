/*
 * Draws one screen of a recording as a picture, for README:
 *
 *	shot RECORDING SECONDS VIEW >PICTURE.svg
 *
 * SECONDS from its beginning; VIEW as --view names it.
 */
#include <hotset/clock.h>
#include <hotset/num.h>
#include <hotset/panel.h>
#include <hotset/record.h>
#include <hotset/strbuf.h>
#include <hotset/theme.h>

#define COLS    120
#define ROWS    36
#define SVG_MAX (4u << 20)

static bool fill_model(struct model *m, const char *path, double seconds, struct err *err)
{
	struct recording *rec = recording_open(path, err);
	int64_t end, mono = 0, wall = 0;

	if (!rec) {
		return false;
	}
	if (!recording_endpoints(rec, m, err)) {
		recording_close(rec);
		return false;
	}
	end = recording_mono(rec, 0) + (int64_t)(seconds * (double)NS_PER_SEC);
	for (unsigned i = 0; i < recording_count(rec) && recording_mono(rec, i) <= end; i++) {
		struct sample *s = recording_sample(rec, i);

		mono = recording_mono(rec, i);
		wall = recording_wall(rec, i);
		if (s) {
			model_push(m, s);
		}
	}
	model_tick(m, mono, wall);
	recording_close(rec);
	return true;
}

static bool draw(const struct model *m, enum view view, struct strbuf *out)
{
	struct view_state state;
	struct canvas c;
	struct theme theme;

	view_state_init(&state);
	state.view = view;
	state.interval_s = 1;
	theme_default(&theme);
	if (!canvas_init(&c, COLS, ROWS)) {
		return false;
	}
	screen_draw(m, &state, &c);
	canvas_to_svg(&c, &theme, false, out);
	canvas_finish(&c);
	return !out->full;
}

int main(int argc, char **argv)
{
	struct model *m = model_create();
	struct strbuf svg;
	struct err err;
	enum view view;
	double seconds;
	bool ok;

	if (argc != 4 || !num_parse_f64(argv[2], strlen(argv[2]), &seconds) ||
		!view_find(argv[3], &view)) {
		fprintf(stderr, "usage: shot RECORDING SECONDS VIEW\n");
		return 2;
	}
	if (!m || !fill_model(m, argv[1], seconds, &err)) {
		fprintf(stderr, "shot: %s\n", m ? err.msg : "no memory");
		return 1;
	}
	strbuf_init(&svg, SVG_MAX);
	ok = draw(m, view, &svg) && fwrite(svg.data, 1, svg.len, stdout) == svg.len;
	strbuf_finish(&svg);
	model_destroy(m);
	return ok ? 0 : 1;
}
