/* For static analyzers, which do not see across files that these return false. */
#include "hotset/err.h"

#define err_set(...) ((void)err_set(__VA_ARGS__), false)
#define err_sys(...) ((void)err_sys(__VA_ARGS__), false)
