/* The rules of redis. */
#include "hotset/rules.h"

const struct rule rules_redis[] = {
	{0},
};
