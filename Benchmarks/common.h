// What feed, sink and limit share: failing, the clock, messages, sockets.

#pragma once

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Nothing may hang: a process that is still there after so long is killed by SIGALRM.
enum { LIFETIME_SECONDS = 120 };

// ---- failing ----

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

// Fails if a system call returned -1, and returns its result otherwise.
static inline int must(int result, const char *call) {
    if (result < 0) {
        fail("%s: %s", call, strerror(errno));
    }
    return result;
}

// ---- the command line, and the conversation with the driver ----

// The value after the option `name`.
static inline const char *argument(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return argv[i + 1];
        }
    }
    fail("%s is missing", name);
}

static inline uint64_t number(int argc, char **argv, const char *name) {
    return strtoull(argument(argc, argv, name), NULL, 10);
}

// Prints a line, which the driver waits for.
__attribute__((format(printf, 1, 2))) static inline void tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

// Waits for a line from the driver. False when it has closed the pipe: the run is over.
static inline bool told(void) {
    char line[64];
    return fgets(line, sizeof line, stdin) != NULL;
}

// ---- the clock ----

static inline uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// ---- messages ----

// A message carries its number, the time it was sent, filler, and its number again:
//
//     length framing   4-byte big-endian length, number (8), time (8), filler, number (8)
//     line framing                               number (8), time (8), filler, number (8), newline
//
// `size` counts what the length counts, and in a line everything. The second number proves that the end of
// the message is this message's, the filler is looked at in one message of 256: checking must stay cheap
// beside what is measured.
struct format {
    bool line;
    size_t size;   // of the payload
    size_t header; // before it
    size_t wire;   // all in all
    uint8_t *model; // one message without numbers
};

enum { NUMBER_BYTES = 8, FILLER = 'x' };

// Numbers and times have 48 bits and are written as eight bytes of six bits, from 0x40 to 0x7f: whatever the
// number, no newline is among them. The order of the bytes is the machine's: both ends run on it.
#define NUMBER_MASK 0xffffffffffffu

static inline void put_number(uint8_t *bytes, uint64_t value) {
    value = (value & 0x000000ffffff) | (value & 0xffffff000000) << 8;
    value = (value & 0x00000fff00000fff) | (value & 0x00fff00000fff000) << 4;
    value = (value & 0x003f003f003f003f) | (value & 0x0fc00fc00fc00fc0) << 2;
    value |= 0x4040404040404040;
    memcpy(bytes, &value, NUMBER_BYTES);
}

static inline uint64_t get_number(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, NUMBER_BYTES);
    value = (value & 0x003f003f003f003f) | (value & 0x3f003f003f003f00) >> 2;
    value = (value & 0x00000fff00000fff) | (value & 0x0fff00000fff0000) >> 4;
    return (value & 0x000000ffffff) | (value & 0xffffff00000000) >> 8;
}

static inline uint32_t get_length(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return ntohl(value);
}

static inline struct format format_from(int argc, char **argv) {
    struct format format = {.size = number(argc, argv, "--size")};
    format.line = strcmp(argument(argc, argv, "--framing"), "line") == 0;
    format.header = format.line ? 0 : 4;
    format.wire = format.header + format.size;
    if (format.size < 3 * NUMBER_BYTES + 1) {
        fail("--size is too small for the numbers of a message");
    }

    format.model = malloc(format.wire);
    memset(format.model, FILLER, format.wire);
    if (format.line) {
        format.model[format.wire - 1] = '\n';
    } else {
        uint32_t length = htonl((uint32_t)format.size);
        memcpy(format.model, &length, sizeof length);
    }
    return format;
}

// Room for as many whole messages as fit into `bytes`, at least one; `count` is set to how many.
static inline uint8_t *new_batch(const struct format *format, size_t bytes, size_t *count) {
    *count = bytes / format->wire > 0 ? bytes / format->wire : 1;
    uint8_t *batch = malloc(*count * format->wire);
    for (size_t i = 0; i < *count; i++) {
        memcpy(batch + i * format->wire, format->model, format->wire);
    }
    return batch;
}

static inline uint8_t *second_number(const struct format *format, uint8_t *message) {
    return message + format->wire - NUMBER_BYTES - (format->line ? 1 : 0);
}

static inline void stamp(const struct format *format, uint8_t *message, uint64_t id, uint64_t time) {
    put_number(message + format->header, id);
    put_number(message + format->header + NUMBER_BYTES, time & NUMBER_MASK);
    put_number(second_number(format, message), id);
}

static inline uint64_t id_of(const struct format *format, const uint8_t *message) {
    return get_number(message + format->header);
}

static inline uint64_t age_of(const struct format *format, const uint8_t *message, uint64_t now) {
    return (now - get_number(message + format->header + NUMBER_BYTES)) & NUMBER_MASK;
}

// Whether this is the whole message with the number `id`, and nothing else.
static inline bool is_message(const struct format *format, uint8_t *message, uint64_t id) {
    uint8_t *tail = second_number(format, message);
    if (memcmp(message, format->model, format->header) != 0 || id_of(format, message) != id ||
        get_number(tail) != id || (format->line && tail[NUMBER_BYTES] != '\n')) {
        return false;
    }
    size_t filler = format->header + 2 * NUMBER_BYTES;
    return id % 256 != 0 ||
           memcmp(message + filler, format->model + filler, (size_t)(tail - message) - filler) == 0;
}

// ---- sockets ----

static inline struct sockaddr_un unix_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail("%s is too long for a Unix socket", path);
    }
    strcpy(address.sun_path, path);
    return address;
}

static inline struct sockaddr_in loopback_address(uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

// Every party sends each message at once, as Trunkline does: what is compared is not Nagle's algorithm.
static inline void send_at_once(int socket) {
    int on = 1;
    must(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");
}
