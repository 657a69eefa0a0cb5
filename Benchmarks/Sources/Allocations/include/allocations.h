#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/// The number of allocations of this thread so far, or -1 if they can't be counted.
int64_t allocations_so_far(void);

#endif
