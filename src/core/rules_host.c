/* The rules of host. */
#include "hotset/rules.h"

const struct rule rules_host[] = {
	{0},
};
