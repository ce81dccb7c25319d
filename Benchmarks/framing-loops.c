// What framing.swift does for three kinds, as plain loops: framing-loops KIND BYTES.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAYLOAD = 64, READ = 65536, CAPACITY = 1 << 14, LIMIT = 1 << 16 };

struct frame {
    uint32_t length;
    uint16_t header, trailer;
};

static struct frame *entries;
static size_t count, end;

static void append(size_t length, size_t header, size_t trailer) {
    entries[count & (CAPACITY - 1)] = (struct frame){length, header, trailer};
    end += length;
    count++;
}

static void line(const uint8_t *bytes, size_t size) {
    const uint8_t *start = bytes, *stop = bytes + size, *newline;
    while ((newline = memchr(start, '\n', stop - start))) {
        size_t trailer = newline > start && newline[-1] == '\r' ? 2 : 1, length = newline + 1 - start;
        if (length - trailer > LIMIT) exit(1);
        append(length, 0, trailer);
        start = newline + 1;
    }
}

static void delimiter(const uint8_t *bytes, size_t size) {
    const uint8_t *start = bytes, *stop = bytes + size, *found;
    while ((found = memmem(start, stop - start, "\r\n", 2))) {
        if (found - start > LIMIT) exit(1);
        append(found + 2 - start, 0, 2);
        start = found + 2;
    }
}

static void length(const uint8_t *bytes, size_t size) {
    const uint8_t *start = bytes, *stop = bytes + size;
    while (stop - start >= 4) {
        uint32_t value;
        memcpy(&value, start, 4);
        value = ntohl(value);
        if (value > LIMIT) exit(1);
        if ((size_t)(stop - start) < 4 + (size_t)value) break;
        append(4 + value, 4, 0);
        start += 4 + value;
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        puts("line\ndelimiter\nlength");
        return 0;
    }
    int is_line = !strcmp(argv[1], "line"), is_delimiter = !strcmp(argv[1], "delimiter");
    size_t size = is_line ? PAYLOAD + 1 : is_delimiter ? PAYLOAD + 2 : PAYLOAD + 4, total = 0;
    uint8_t *stream = malloc((1 << 20) + size);
    entries = malloc(CAPACITY * sizeof *entries);
    while (total < 1 << 20) {
        uint8_t *frame = stream + total;
        if (!is_line && !is_delimiter) memcpy(frame, "\0\0\0\100", 4);
        memset(is_line || is_delimiter ? frame : frame + 4, 'a', PAYLOAD);
        if (is_line) frame[PAYLOAD] = '\n';
        if (is_delimiter) memcpy(frame + PAYLOAD, "\r\n", 2);
        total += size;
    }
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (size_t rest = strtoull(argv[2], NULL, 10); rest > 0;) {
        size_t start = end, whole = rest < total ? rest : total;
        for (size_t received = 0; received < whole;) {
            received = received + READ < whole ? received + READ : whole;
            const uint8_t *bytes = stream + (end - start);
            size_t available = received - (end - start);
            if (is_line) line(bytes, available);
            else if (is_delimiter) delimiter(bytes, available);
            else length(bytes, available);
        }
        rest -= whole;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("%f\n", after.tv_sec - before.tv_sec + (after.tv_nsec - before.tv_nsec) / 1e9);
    return count == 0;
}
