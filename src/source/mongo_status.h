/* What a poll asks of serverStatus. */
#ifndef HOTSET_SOURCE_MONGO_STATUS_H
#define HOTSET_SOURCE_MONGO_STATUS_H

#include <bson/bson.h>

#define MONGO_METRICS_EVERY_S 5 /* seconds between two polls that ask for `metrics` */

/* Fills an empty document; plain: without options, for servers that refuse them. */
void mongo_status_command(bson_t *cmd, bool plain, bool with_metrics);

#endif
