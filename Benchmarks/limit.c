// The ideal bridge in C, for nothing but the benchmark: what a bridge can reach on this machine.
//
//     limit --upstream PORT --socket PATH --framing length|line
//
// It moves messages and does nothing else: no reconnecting, no configuration, no patience, no statistics.
//
// What the server sends goes into a ring that is mapped twice in a row, so that any part of it is contiguous.
// A client is a position in that ring, and gets all it has not yet got, whole messages only, by one send().
// The slowest client holds the server back. What clients send is gathered in a second ring, whole messages
// only, and goes to the server by one send().

#include "common.h"

#include <fcntl.h>
#include <sys/mman.h>

enum {
    RING_BYTES = 1024 * 1024,
    MOST_TO_MOVE = 256 * 1024, // by one system call, between server and clients
    CLIENT_READ = 64 * 1024,   // from one client at a time
    LONGEST_MESSAGE = 256 * 1024,
    MOST_CLIENTS = 4096,
    EVENTS = 512,
};

struct client {
    int socket;
    bool writable;
    bool readable;
    uint64_t position; // in what the server has sent
    uint8_t *partly;   // of a message that it has not completed
    size_t held;
};

static struct {
    bool line;
    int epoll, listener, server;
    bool server_readable, server_writable;
    struct client *clients[MOST_CLIENTS];
    size_t client_count;
    bool clients_readable; // perhaps; at least one of them

    // Positions count bytes since the start; modulo RING_BYTES they are places in the ring.
    uint8_t *received; // from the server
    uint64_t received_end;
    uint64_t complete_end; // the end of the last whole message
    uint8_t *gathered;     // from clients
    uint64_t gathered_start, gathered_end;
} bridge;

// The listener and the server are told apart from clients by these addresses.
static struct client listener_mark, server_mark;

static uint8_t *new_ring(void) {
    int memory = must(memfd_create("ring", 0), "memfd_create");
    must(ftruncate(memory, RING_BYTES), "ftruncate");
    uint8_t *ring = mmap(NULL, 2 * RING_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int half = 0; half < 2; half++) {
        if (ring == MAP_FAILED || mmap(ring + half * RING_BYTES, RING_BYTES, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_FIXED | MAP_POPULATE, memory, 0) == MAP_FAILED) {
            fail("limit: mmap: %s", strerror(errno));
        }
    }
    close(memory);
    return ring;
}

// The size of the message that starts here, with its framing, or 0 while it is incomplete.
static size_t message_size(const uint8_t *bytes, size_t count) {
    if (bridge.line) {
        const uint8_t *end = memchr(bytes, '\n', count);
        return end ? (size_t)(end - bytes) + 1 : 0;
    }
    if (count < 4) {
        return 0;
    }
    size_t size = 4 + (size_t)get_length(bytes);
    return size <= count ? size : 0;
}

static size_t whole_messages(const uint8_t *bytes, size_t count) {
    size_t whole = 0;
    for (size_t size; (size = message_size(bytes + whole, count - whole)) > 0;) {
        whole += size;
    }
    return whole;
}

// ---- sockets ----

// Edge-triggered: a socket is tried until it has nothing more, or takes nothing more, and reported once it is
// ready again.
static void watch(int socket, uint32_t events, struct client *mark) {
    struct epoll_event event = {.events = events, .data.ptr = mark};
    must(epoll_ctl(bridge.epoll, EPOLL_CTL_ADD, socket, &event), "epoll_ctl");
}

static void open_sockets(uint16_t port, const char *path) {
    bridge.epoll = must(epoll_create1(0), "epoll_create1");

    struct sockaddr_un local = unix_address(path);
    bridge.listener = must(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
    must(bind(bridge.listener, (struct sockaddr *)&local, sizeof local), "bind");
    must(listen(bridge.listener, MOST_CLIENTS), "listen");
    watch(bridge.listener, EPOLLIN, &listener_mark);

    struct sockaddr_in remote = loopback_address(port);
    bridge.server = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    must(connect(bridge.server, (struct sockaddr *)&remote, sizeof remote), "connect");
    must(fcntl(bridge.server, F_SETFL, O_NONBLOCK), "fcntl");
    send_at_once(bridge.server);
    watch(bridge.server, EPOLLIN | EPOLLOUT | EPOLLET, &server_mark);
}

static void accept_clients(void) {
    while (bridge.client_count < MOST_CLIENTS) {
        int socket = accept4(bridge.listener, NULL, NULL, SOCK_NONBLOCK);
        if (socket < 0) {
            return;
        }
        struct client *client = calloc(1, sizeof *client);
        client->socket = socket;
        client->position = bridge.complete_end;
        bridge.clients[bridge.client_count++] = client;
        watch(socket, EPOLLIN | EPOLLOUT | EPOLLET, client);
    }
}

// The last client takes the place of this one.
static void remove_client(size_t index) {
    struct client *client = bridge.clients[index];
    close(client->socket);
    free(client->partly);
    free(client);
    bridge.clients[index] = bridge.clients[--bridge.client_count];
}

static void note(const struct epoll_event *event) {
    bool readable = event->events & (EPOLLIN | EPOLLHUP);
    bool writable = event->events & EPOLLOUT;
    struct client *client = event->data.ptr;
    if (client == &listener_mark) {
        accept_clients();
    } else if (client == &server_mark) {
        bridge.server_readable |= readable;
        bridge.server_writable |= writable;
    } else {
        client->readable |= readable;
        client->writable |= writable;
        bridge.clients_readable |= readable;
    }
}

// ---- from the server to every client ----

static size_t free_space(void) {
    uint64_t slowest = bridge.complete_end;
    for (size_t i = 0; i < bridge.client_count; i++) {
        if (bridge.clients[i]->position < slowest) {
            slowest = bridge.clients[i]->position;
        }
    }
    return RING_BYTES - (size_t)(bridge.received_end - slowest);
}

static void receive_from_server(size_t space) {
    size_t most = space < MOST_TO_MOVE ? space : MOST_TO_MOVE;
    ssize_t count = recv(bridge.server, bridge.received + bridge.received_end % RING_BYTES, most, 0);
    if (count == 0) {
        exit(0);
    }
    if (count < 0) {
        if (errno != EAGAIN) {
            fail("limit: recv: %s", strerror(errno));
        }
        bridge.server_readable = false;
        return;
    }
    bridge.server_readable = (size_t)count == most;
    bridge.received_end += (uint64_t)count;
    bridge.complete_end += whole_messages(bridge.received + bridge.complete_end % RING_BYTES,
                                          (size_t)(bridge.received_end - bridge.complete_end));
}

// False if the client is gone.
static bool send_to_client(struct client *client) {
    while (client->writable && client->position < bridge.complete_end) {
        size_t behind = (size_t)(bridge.complete_end - client->position);
        size_t most = behind < MOST_TO_MOVE ? behind : MOST_TO_MOVE;
        const uint8_t *next = bridge.received + client->position % RING_BYTES;
        ssize_t count = send(client->socket, next, most, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) {
            return false;
        }
        client->writable = count == (ssize_t)most;
        client->position += count > 0 ? (uint64_t)count : 0;
    }
    return true;
}

static void send_to_clients(void) {
    for (size_t i = 0; i < bridge.client_count;) {
        if (send_to_client(bridge.clients[i])) {
            i++;
        } else {
            remove_client(i);
        }
    }
}

// ---- from every client to the server ----

// Reads once from a client, behind what it had left incomplete. False if the client is gone.
static bool gather_from_client(struct client *client) {
    uint8_t *place = bridge.gathered + bridge.gathered_end % RING_BYTES;
    if (client->held > 0) {
        memcpy(place, client->partly, client->held);
    }
    ssize_t count = recv(client->socket, place + client->held, CLIENT_READ, 0);
    if (count < 0 && errno == EAGAIN) {
        client->readable = false;
        return true;
    }
    if (count <= 0) {
        return false;
    }
    client->readable = count == CLIENT_READ;
    size_t total = client->held + (size_t)count;
    size_t whole = whole_messages(place, total);
    bridge.gathered_end += whole;
    client->held = total - whole;
    if (client->held > LONGEST_MESSAGE) {
        return false;
    }
    if (client->held > 0) {
        client->partly = realloc(client->partly, client->held);
        memcpy(client->partly, place + whole, client->held);
    }
    return true;
}

static void gather_from_clients(void) {
    bridge.clients_readable = false;
    for (size_t i = 0; i < bridge.client_count;) {
        struct client *client = bridge.clients[i];
        size_t space = RING_BYTES - (size_t)(bridge.gathered_end - bridge.gathered_start);
        if (client->readable && space < client->held + CLIENT_READ) {
            bridge.clients_readable = true; // The server must take something first.
            return;
        }
        if (client->readable && !gather_from_client(client)) {
            remove_client(i);
            continue;
        }
        bridge.clients_readable |= client->readable;
        i++;
    }
}

static void send_to_server(void) {
    size_t waiting = (size_t)(bridge.gathered_end - bridge.gathered_start);
    ssize_t count =
        send(bridge.server, bridge.gathered + bridge.gathered_start % RING_BYTES, waiting, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) {
        fail("limit: send: %s", strerror(errno));
    }
    bridge.server_writable = count == (ssize_t)waiting;
    bridge.gathered_start += count > 0 ? (uint64_t)count : 0;
}

int main(int argc, char **argv) {
    bridge.line = strcmp(argument(argc, argv, "--framing"), "line") == 0;
    bridge.received = new_ring();
    bridge.gathered = new_ring();
    open_sockets((uint16_t)number(argc, argv, "--upstream"), argument(argc, argv, "--socket"));

    for (;;) {
        size_t space = free_space();
        bool busy = (bridge.server_readable && space > 0) ||
                    (bridge.clients_readable && bridge.server_writable);
        struct epoll_event events[EVENTS];
        int count = must(epoll_wait(bridge.epoll, events, EVENTS, busy ? 0 : -1), "epoll_wait");
        for (int i = 0; i < count; i++) {
            note(&events[i]);
        }
        if (bridge.server_readable && space > 0) {
            receive_from_server(space);
        }
        send_to_clients();
        if (bridge.clients_readable) {
            gather_from_clients();
        }
        if (bridge.server_writable && bridge.gathered_end > bridge.gathered_start) {
            send_to_server();
        }
    }
}
