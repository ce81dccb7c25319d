// All local programs in one process: CLIENTS connections, which receive COUNT messages each, or together send
// COUNT messages.
//
//     sink --socket PATH --clients CLIENTS --framing length|line --size BYTES --count COUNT
//          --send 0|1 --latency 0|1
//
// Prints "ready" when all are connected, waits for a line before it sends, and prints its times as JSON, with
// --latency also the percentiles of the messages' ages. Stays until its standard input is closed.

#include "common.h"

enum { READ_BYTES = 256 * 1024, BATCH_BYTES = 64 * 1024, EVENTS = 256 };

struct client {
    int socket;
    uint64_t next;   // the number of its next message
    size_t held;     // receiving: bytes of a message that is not complete
    uint8_t *partly; // receiving: those bytes
    size_t sent;     // sending: bytes of the next message that are already out
};

// Ages of all messages in nanoseconds. Sorted at the end: exact, and cheap while it matters.
struct ages {
    uint32_t *values;
    size_t count;
};

static int dial(const char *path) {
    struct sockaddr_un address = unix_address(path);
    int dialled = must(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
    // The path is there from bind on, but connections are refused until listen.
    while (connect(dialled, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno != ECONNREFUSED) {
            fail("sink: connect: %s", strerror(errno));
        }
        usleep(1000);
    }
    return dialled;
}

static void watch(int epoll, struct client *client, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = client};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, client->socket, &event), "epoll_ctl");
}

// ---- receiving ----

// Takes what has come for one client, and returns how many messages that completed.
static uint64_t receive(struct client *client, const struct format *format, uint64_t count, struct ages *ages,
                        uint8_t *buffer) {
    memcpy(buffer, client->partly, client->held);
    ssize_t received = recv(client->socket, buffer + client->held, READ_BYTES, MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) {
        return 0;
    }
    if (received <= 0) {
        fail("sink: a client was disconnected before message %llu", (unsigned long long)client->next);
    }
    uint64_t now = ages->values ? now_ns() : 0;
    uint64_t first = client->next;
    size_t total = client->held + (size_t)received;
    size_t done = 0;
    for (; total - done >= format->wire; done += format->wire) {
        if (client->next >= count || !is_message(format, buffer + done, client->next)) {
            fail("sink: not message %llu, which was due", (unsigned long long)client->next);
        }
        client->next++;
        if (ages->values) {
            uint64_t age = age_of(format, buffer + done, now);
            ages->values[ages->count++] = age < UINT32_MAX ? (uint32_t)age : UINT32_MAX;
        }
    }
    client->held = total - done;
    memcpy(client->partly, buffer + done, client->held);
    return client->next - first;
}

static void receive_all(int epoll, struct client *clients, uint64_t client_count, const struct format *format,
                        uint64_t count, struct ages *ages) {
    uint8_t *buffer = malloc(READ_BYTES + format->wire);
    for (uint64_t i = 0; i < client_count; i++) {
        clients[i].partly = malloc(format->wire);
    }
    struct epoll_event events[EVENTS];
    for (uint64_t missing = count * client_count; missing > 0;) {
        int ready = must(epoll_wait(epoll, events, EVENTS, -1), "epoll_wait");
        for (int i = 0; i < ready; i++) {
            missing -= receive(events[i].data.ptr, format, count, ages, buffer);
        }
    }
}

static int compare_ages(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// ---- sending ----

// Sends the next messages of one client, as many as the socket takes.
static void send_some(struct client *client, uint64_t sender, const struct format *format, uint64_t count,
                      uint8_t *batch, size_t batch_count) {
    size_t messages = count - client->next < batch_count ? count - client->next : batch_count;
    for (size_t i = 0; i < messages; i++) {
        stamp(format, batch + i * format->wire, sender << 32 | (client->next + i), 0);
    }
    ssize_t sent = send(client->socket, batch + client->sent, messages * format->wire - client->sent,
                        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
        return;
    }
    if (sent < 0) {
        fail("sink: send: %s", strerror(errno));
    }
    size_t out = client->sent + (size_t)sent;
    client->next += out / format->wire;
    client->sent = out % format->wire;
}

static void send_all(int epoll, struct client *clients, uint64_t client_count, const struct format *format,
                     uint64_t count) {
    size_t batch_count;
    uint8_t *batch = new_batch(format, BATCH_BYTES, &batch_count);
    struct epoll_event events[EVENTS];
    for (uint64_t sending = client_count; sending > 0;) {
        int ready = must(epoll_wait(epoll, events, EVENTS, -1), "epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct client *client = events[i].data.ptr;
            send_some(client, (uint64_t)(client - clients), format, count, batch, batch_count);
            if (client->next == count) {
                must(epoll_ctl(epoll, EPOLL_CTL_DEL, client->socket, NULL), "epoll_ctl");
                sending--;
            }
        }
    }
}

int main(int argc, char **argv) {
    struct format format = format_from(argc, argv);
    uint64_t client_count = number(argc, argv, "--clients");
    uint64_t count = number(argc, argv, "--count");
    bool sends = number(argc, argv, "--send") != 0;
    const char *path = argument(argc, argv, "--socket");
    alarm(LIFETIME_SECONDS);

    struct ages ages = {0};
    if (number(argc, argv, "--latency") != 0) {
        size_t bytes = count * client_count * sizeof *ages.values;
        ages.values = malloc(bytes);
        memset(ages.values, 1, bytes); // The pages come now, and not while messages wait.
    }
    struct client *clients = calloc(client_count, sizeof *clients);
    int epoll = must(epoll_create1(0), "epoll_create1");
    for (uint64_t i = 0; i < client_count; i++) {
        clients[i].socket = dial(path);
        watch(epoll, &clients[i], sends ? EPOLLOUT : EPOLLIN);
    }
    tell("ready");

    if (sends && !told()) {
        return 1;
    }
    uint64_t start = now_ns();
    if (sends) {
        send_all(epoll, clients, client_count, &format, count / client_count);
    } else {
        receive_all(epoll, clients, client_count, &format, count, &ages);
    }
    uint64_t end = now_ns();

    uint32_t median = 0;
    uint32_t late = 0;
    if (ages.values) {
        qsort(ages.values, ages.count, sizeof *ages.values, compare_ages);
        median = ages.values[ages.count / 2];
        late = ages.values[ages.count * 99 / 100];
    }
    tell("{\"start\": %llu, \"end\": %llu, \"p50\": %u, \"p99\": %u}", (unsigned long long)start,
         (unsigned long long)end, median, late);
    while (told()) {
    }
    return 0;
}
