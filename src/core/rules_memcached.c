/* The rules of memcached. */
#include "hotset/rules.h"

const struct rule rules_memcached[] = {
	{0},
};
