/* hotset metrics: every metric, as text or as docs/METRICS.md. */
#include "hotset/app.h"

#include "hotset/export.h"
#include "output.h"
#include "runner.h"

#include <errno.h>
#include <signal.h>

int app_metrics(const struct options *o)
{
	struct strbuf b;
	struct err err = {.code = ERR_NONE};

	signal(SIGPIPE, SIG_IGN);
	strbuf_init(&b, 1u << 20);
	if (o->markdown)
		export_metrics_markdown(&b);
	else
		export_metrics_text(&b);
	bool ok = output_write(b.data, b.len, &err) || err.sys == EPIPE;
	strbuf_finish(&b);
	if (!ok)
		complain(&err);
	return ok ? 0 : 1;
}
