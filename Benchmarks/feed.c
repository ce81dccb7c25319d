// The server. Sends COUNT messages to the one connection it accepts, or receives COUNT of them from it.
//
//     feed --framing length|line --size BYTES --count COUNT --rate PER_SECOND --senders CLIENTS
//
// --rate 0 is as fast as possible. With --senders above 0 it receives: each sender's messages must come whole
// and in order, the senders' among each other as they like.
//
// Prints its port, "connected", waits for a line before it sends, and prints its times as JSON. Stays until
// its standard input is closed, so that the end of the connection is not part of the measurement.

#include "common.h"

#include <sys/prctl.h>

enum { BATCH_BYTES = 256 * 1024, BUFFER_BYTES = 1024 * 1024 };

static void send_whole(int socket, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) {
            fail("feed: send: %s", strerror(errno));
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void send_fast(int socket, const struct format *format, uint64_t count) {
    size_t batch_count;
    uint8_t *batch = new_batch(format, BATCH_BYTES, &batch_count);
    for (uint64_t id = 0; id < count;) {
        size_t messages = count - id < batch_count ? count - id : batch_count;
        for (size_t i = 0; i < messages; i++) {
            stamp(format, batch + i * format->wire, id++, 0);
        }
        send_whole(socket, batch, messages * format->wire);
    }
}

// Sends by a fixed schedule, so that a late message does not delay those after it.
static void send_paced(int socket, const struct format *format, uint64_t count, uint64_t rate) {
    // The kernel may wake a sleeper up to 50 us late, to save power. That would bunch messages together.
    prctl(PR_SET_TIMERSLACK, 1);
    uint64_t start = now_ns();
    for (uint64_t id = 0; id < count; id++) {
        uint64_t due = start + id * 1000000000 / rate;
        struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        stamp(format, format->model, id, now_ns());
        send_whole(socket, format->model, format->wire);
    }
}

// The upper bits of a number tell the sender, the lower ones count its messages.
static void receive(int socket, const struct format *format, uint64_t count, uint64_t senders) {
    uint8_t *buffer = malloc(BUFFER_BYTES);
    uint64_t *next = calloc(senders, sizeof *next);
    size_t held = 0;
    while (count > 0) {
        ssize_t received = recv(socket, buffer + held, BUFFER_BYTES - held, 0);
        if (received <= 0) {
            fail("feed: the connection ended %llu messages too early", (unsigned long long)count);
        }
        held += (size_t)received;
        size_t done = 0;
        for (; held - done >= format->wire; done += format->wire) {
            uint64_t sender = id_of(format, buffer + done) >> 32;
            if (sender >= senders || !is_message(format, buffer + done, sender << 32 | next[sender])) {
                fail("feed: a message is damaged or out of order");
            }
            next[sender]++;
            count--;
        }
        memmove(buffer, buffer + done, held - done);
        held -= done;
    }
}

static int accept_one(void) {
    int listener = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    struct sockaddr_in address = loopback_address(0);
    socklen_t size = sizeof address;
    must(bind(listener, (struct sockaddr *)&address, size), "bind");
    must(listen(listener, 1), "listen");
    must(getsockname(listener, (struct sockaddr *)&address, &size), "getsockname");
    tell("%d", ntohs(address.sin_port));

    int connection = must(accept(listener, NULL, NULL), "accept");
    close(listener);
    send_at_once(connection);
    tell("connected");
    return connection;
}

int main(int argc, char **argv) {
    struct format format = format_from(argc, argv);
    uint64_t count = number(argc, argv, "--count");
    uint64_t rate = number(argc, argv, "--rate");
    uint64_t senders = number(argc, argv, "--senders");
    alarm(LIFETIME_SECONDS);

    int connection = accept_one();
    if (senders == 0 && !told()) {
        return 1;
    }
    uint64_t start = now_ns();
    if (senders > 0) {
        receive(connection, &format, count, senders);
    } else if (rate > 0) {
        send_paced(connection, &format, count, rate);
    } else {
        send_fast(connection, &format, count);
    }
    tell("{\"start\": %llu, \"end\": %llu}", (unsigned long long)start, (unsigned long long)now_ns());
    while (told()) {
    }
    return 0;
}
