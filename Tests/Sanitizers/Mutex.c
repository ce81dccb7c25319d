/*
 * What ThreadSanitizer does not see of Swift's Mutex, told to it.
 *
 * A lock that nobody else wants is taken and given back by instrumented code. One that is contended goes through these
 * two functions of libswiftSynchronization, which is not instrumented: each use of what the lock protects would look
 * like a race. scripts/test-long links this into every program, where it comes before the library.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define HANDLE __attribute__((swift_context)) void *handle

typedef __attribute__((swiftcall)) void lock_function(uint32_t thread, HANDLE);
typedef __attribute__((swiftcall)) void unlock_function(HANDLE);

/* <sanitizer/tsan_interface.h> */
void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Synchronization._MutexHandle._lockSlow(UInt32) */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
/* Synchronization._MutexHandle._unlockSlow() */
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

lock_function lock_slow __asm__(LOCK);
unlock_function unlock_slow __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, HANDLE) {
    ((lock_function *)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlock_slow(HANDLE) {
    __tsan_release(handle);
    ((unlock_function *)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
