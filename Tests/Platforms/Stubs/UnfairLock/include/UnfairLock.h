// A stand-in for Darwin's unfair lock, with the declarations of <os/lock.h>.

#ifndef UNFAIR_LOCK_H
#define UNFAIR_LOCK_H

typedef struct os_unfair_lock_s {
    unsigned int _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);

#endif
