/* What the JSON and the CSV writers share: one metric of one endpoint, as it is to be written. */
#ifndef HOTSET_IO_EXPORT_VALUE_H
#define HOTSET_IO_EXPORT_VALUE_H

#include "hotset/model.h"

struct export_value {
	enum reason why;     /* OK: num or text holds it */
	char        num[32]; /* as JSON writes it */
	const char *text;    /* NULL for numbers */
	double      age_s;   /* 0, or the span when it covers more than one interval */
};

struct export_value export_metric(const struct model *m, const struct endpoint *ep,
	enum metric_id id);
/* The frame belongs to the newest poll, and that is not late. */
bool export_is_fresh(const struct model *m, const struct endpoint *ep);
/* The status as scripts see it: a late answer is "waiting". */
enum status export_status(const struct model *m, const struct endpoint *ep);

#endif
