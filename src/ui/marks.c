#include "hotset/marks.h"

#include <stdio.h>
#include <string.h>

#include "hotset/text.h"

#define LABEL_W 16 /* cells */

static void set_text(struct mark *k, const char *text)
{
	size_t n;

	(void)snprintf(k->text, sizeof(k->text), "%s", text[0] ? text : "mark");
	memcpy(k->label, k->text, sizeof(k->label));
	if (text_width(k->label) <= LABEL_W)
		return;
	n = text_fit(k->label, LABEL_W - 1, NULL);
	(void)snprintf(k->label + n, sizeof(k->label) - n, "…");
}

void marks_add(struct marks *m, int64_t mono_ns, int64_t wall_ns, const char *text)
{
	unsigned at = 0;

	/* a replay may be set back, so a later mark can be of an earlier time */
	while (at < m->n && m->mark[at].mono_ns > mono_ns)
		at++;
	if (at == MARKS_MAX)
		return;
	if (m->n == MARKS_MAX)
		m->n--;
	memmove(&m->mark[at + 1], &m->mark[at], (m->n - at) * sizeof(m->mark[0]));
	m->n++;
	m->mark[at].mono_ns = mono_ns;
	m->mark[at].wall_ns = wall_ns;
	set_text(&m->mark[at], text);
}

const struct mark *marks_get(const struct marks *m, unsigned i, int64_t until_mono_ns)
{
	unsigned hidden = m->n - marks_count(m, until_mono_ns);

	return i + hidden < m->n ? &m->mark[i + hidden] : NULL;
}

unsigned marks_count(const struct marks *m, int64_t until_mono_ns)
{
	unsigned hidden = 0;

	while (hidden < m->n && m->mark[hidden].mono_ns > until_mono_ns)
		hidden++;
	return m->n - hidden;
}
