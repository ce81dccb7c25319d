// Makes system calls of a program fail, to see what it does then. The program is the real one: this library is loaded
// into it (LD_PRELOAD, ld.so(8)) and stands where its calls leave it for the C library, so nothing of this is in
// the product. A call that fails is not made; an errno that tells that a connection has ended ends it.
//
//     FAULTS=recv:3:ENOMEM,accept4:1+:EMFILE LD_PRELOAD=…/libFaults.so trunklined feed.yaml
//
// The third recv(2) of the process fails, and every accept4(2). The first failure of each is told on standard error.
// WALL_CLOCK_STEP=43200 makes the wall clock jump by so many seconds, there and back, each time that it is read.
// Calls that the C library makes within itself (getaddrinfo(3), malloc(3)) do not pass here, and are not counted.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A sanitizer in the program makes some of these calls before it is ready to be told of any.
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)

struct fault {
    char call[24];
    unsigned long number; // of the first call that fails, from 1
    bool lasts;           // and all after it
    int code;
};

static struct fault faults[16];
static size_t count;

static int code_of(const char *name) {
    for (int code = 1; code < 200; code++) {
        const char *known = strerrorname_np(code);
        if (known && strcmp(known, name) == 0) return code;
    }
    fprintf(stderr, "faults: no errno is called %s\n", name);
    abort();
}

__attribute__((constructor)) static void read_plan(void) {
    char *plan = strdup(getenv("FAULTS") ?: "");
    for (char *rest = plan, *entry; (entry = strsep(&rest, ",")) && *entry && count < 16; count++) {
        struct fault *fault = &faults[count];
        char plus[2] = "", name[24];
        if (sscanf(entry, "%23[^:]:%lu%1[+]:%23s", fault->call, &fault->number, plus, name) != 4 &&
            sscanf(entry, "%23[^:]:%lu:%23s", fault->call, &fault->number, name) != 3) {
            fprintf(stderr, "faults: %s is not CALL:N:ERRNO or CALL:N+:ERRNO\n", entry);
            abort();
        }
        fault->lasts = *plus;
        fault->code = code_of(name);
    }
    free(plan);
}

/// The errno with which this call fails, or 0; `made` counts the calls of that name.
static int failure(const char *call, unsigned long *made) {
    if (count == 0) return 0;
    unsigned long number = __atomic_add_fetch(made, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < count; i++) {
        const struct fault *fault = &faults[i];
        if (number < fault->number || (number > fault->number && !fault->lasts)) continue;
        if (strcmp(fault->call, call) != 0) continue;
        if (number == fault->number)
            dprintf(STDERR_FILENO, "faults: call %lu of %s fails with %s\n", number, call, strerrorname_np(fault->code));
        return fault->code;
    }
    return 0;
}

static void end_connection(int fd, int code) {
    if (code == EPIPE || code == ECONNRESET) shutdown(fd, SHUT_RDWR);
}

/// A call of the C library that returns -1 when it fails; `condition` says whether it may, `effect` is what comes with it.
#define CALL_IF(condition, effect, type, name, parameters, arguments) \
    type name parameters { \
        static unsigned long made; \
        int code = (condition) ? failure(#name, &made) : 0; \
        if (code) { \
            effect; \
            errno = code; \
            return (type)-1; \
        } \
        type(*real) parameters = dlsym(RTLD_NEXT, #name); \
        return real arguments; \
    }
#define CALL(type, name, parameters, arguments) CALL_IF(true, (void)0, type, name, parameters, arguments)
#define TRANSFER(name, parameters, arguments) \
    CALL_IF(true, end_connection(fd, code), ssize_t, name, parameters, arguments)

CALL(int, accept4, (int fd, __SOCKADDR_ARG address, socklen_t *size, int flags), (fd, address, size, flags))
CALL(int, bind, (int fd, __CONST_SOCKADDR_ARG address, socklen_t size), (fd, address, size))
CALL(int, chmod, (const char *path, mode_t mode), (path, mode))
CALL(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
CALL(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t size), (fd, address, size))
CALL(int, epoll_create1, (int flags), (flags))
// Giving a descriptor back cannot fail, but by a mistake of the caller's.
CALL_IF(operation != EPOLL_CTL_DEL, (void)0, int, epoll_ctl,
        (int epoll, int operation, int fd, struct epoll_event *event), (epoll, operation, fd, event))
CALL(int, epoll_wait, (int epoll, struct epoll_event *events, int size, int timeout), (epoll, events, size, timeout))
CALL(int, eventfd, (unsigned start, int flags), (start, flags))
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(int, flock, (int fd, int operation), (fd, operation))
CALL(int, fstat, (int fd, struct stat *status), (fd, status))
CALL(int, ftruncate, (int fd, off_t size), (fd, size))
CALL(int, getpeername, (int fd, __SOCKADDR_ARG address, socklen_t *size), (fd, address, size))
CALL(int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), (resource, limit))
CALL(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *size), (fd, level, name, value, size))
CALL(int, listen, (int fd, int backlog), (fd, backlog))
CALL(int, lstat, (const char *path, struct stat *status), (path, status))
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags))
CALL(void *, mmap, (void *start, size_t size, int protection, int flags, int fd, off_t offset),
     (start, size, protection, flags, fd, offset))
CALL(int, poll, (struct pollfd *wanted, nfds_t size, int timeout), (wanted, size, timeout))
CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t offset), (fd, bytes, size, offset))
CALL(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
TRANSFER(recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags))
TRANSFER(send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags))
CALL(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit), (resource, limit))
CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t size), (fd, level, name, value, size))
CALL(int, shutdown, (int fd, int how), (fd, how))
CALL(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
CALL(int, socket, (int family, int type, int protocol), (family, type, protocol))
CALL(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    static long step;
    static unsigned long made;
    if (!real) {
        step = atol(getenv("WALL_CLOCK_STEP") ?: "0");
        real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = real(clock, time);
    // True, too early, too late.
    static const int directions[] = {0, -1, 1};
    if (clock == CLOCK_REALTIME && result == 0)
        time->tv_sec += step * directions[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % 3];
    return result;
}

int open(const char *path, int flags, ...) {
    static unsigned long made;
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int code = failure("open", &made);
    if (code) {
        errno = code;
        return -1;
    }
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    return real(path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static unsigned long made;
    int code = failure("pthread_create", &made);
    if (code) return code;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, body, argument);
}

#pragma clang attribute pop
