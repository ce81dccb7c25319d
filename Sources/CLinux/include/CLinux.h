// The calls and constants that Swift's Glibc module lacks: GNU extensions, headers outside its module map, and
// macros that do not import.
#pragma once
#include <getopt.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// accept4(2), non-blocking and close-on-exec.
int tl_accept4(int fd);

/// memfd_create(2), close-on-exec.
int tl_memfd(const char *name);

/// eventfd(2), non-blocking and close-on-exec, from 0.
int tl_eventfd(void);

/// signalfd(2), non-blocking and close-on-exec.
int tl_signalfd(const sigset_t *mask);

/// inotify_init1(2), non-blocking and close-on-exec, watching nothing yet.
int tl_inotify(void);

/// Watches `path` for a change of its links or name (inotify_add_watch(2)); the watch's number, or -1 (errno).
int tl_watch_links(int fd, const char *path);

/// Watches `directory` for files that are written, made, or moved there (inotify_add_watch(2)); the watch's number, or -1
/// (errno).
int tl_watch_directory(int fd, const char *directory);

/// A netlink socket, non-blocking and close-on-exec, that hears of addresses and routes of IPv4 and IPv6
/// (rtnetlink(7)); -1 on failure (errno).
int tl_network_changes(void);

/// Whether such a socket hears of routes, too.
void tl_hear_routes(int fd, int hears);

/// A timer that never expires, non-blocking and close-on-exec: it becomes readable when the wall clock is set, and when
/// the machine resumes from suspend (timerfd_create(2)); -1 on failure (errno).
int tl_clock_changes(void);

/// TCP_INFO: for how many milliseconds a connection has received neither data nor an acknowledgement; -1 on failure
/// (errno).
int64_t tl_silence(int fd);

/// Whether this error of getaddrinfo(3) means that the name does not exist, or has no address.
int tl_is_unknown_name(int code);

/// Maps `size` bytes of `fd` twice in a row; NULL on failure (errno).
void *_Nullable tl_map_twice(int fd, size_t size);

/// SO_PEERCRED of a Unix socket; 0, or -1 (errno).
int tl_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/// SIOCOUTQ: bytes (with the kernel's own overhead) that the peer has not taken; -1 on failure (errno).
int tl_unsent(int fd);

/// TIOCGWINSZ: a terminal's size in characters, 0 where it is not known; 0, or -1 (errno).
int tl_window_size(int fd, int *rows, int *columns);

/// The global state of getopt(3), which strict concurrency keeps Swift from reading.
char *_Nullable tl_optarg(void);
int tl_optind(void);
int tl_optopt(void);
void tl_getopt_quiet(void);

#pragma clang assume_nonnull end
