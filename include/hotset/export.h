/* The model as JSON, CSV and OpenMetrics. docs/hotset.1 states the format, which is a contract. */
#ifndef HOTSET_EXPORT_H
#define HOTSET_EXPORT_H

#include "hotset/model.h"
#include "hotset/strbuf.h"

/* One object, without a newline at its end. Events: those of the last interval. */
void export_json(struct strbuf *out, const struct model *m, int64_t events_since_mono_ns);
void export_csv_header(struct strbuf *out);
void export_csv(struct strbuf *out, const struct model *m);
/* A whole exposition, "# EOF" included. Tables are not part of it. */
void export_openmetrics(struct strbuf *out, const struct model *m);
/* `hotset metrics`: every metric with unit and help; markdown makes docs/METRICS.md. */
void export_metrics_text(struct strbuf *out);
void export_metrics_markdown(struct strbuf *out);

#endif
