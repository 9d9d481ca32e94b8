/*
 * TLS where the server has none, or none where it needs it: the driver then reports a connection
 * that was closed or timed out, which says nothing. Asking the port itself settles it.
 */
#ifndef HOTSET_SOURCE_MONGO_TLS_H
#define HOTSET_SOURCE_MONGO_TLS_H

#include "mongo.h"

/*
 * After a connection failed: asks the port once, on a connection of its own
 * within the poll's time, and makes the failure STATUS_TLS where TLS is the reason. Once in a row
 * of failures; what was found stands until the server answers. Worker thread.
 */
void mongo_tls_explain(struct mongo *m, struct mongo_failure *f);

#endif
