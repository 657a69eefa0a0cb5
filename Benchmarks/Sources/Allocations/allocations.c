#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__)

// glibc lets a program replace malloc. These functions count the calls and forward them.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread int64_t count;

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

int64_t allocations_so_far(void) { return count; }

#else

int64_t allocations_so_far(void) { return -1; }

#endif
