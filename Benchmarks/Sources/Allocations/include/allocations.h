#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/// How often this thread has asked for memory so far; -1 where that cannot be counted.
int64_t allocations_so_far(void);

#endif
