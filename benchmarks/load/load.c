/*
 * The load of the fan-out benchmarks: any number of connections in one thread that only finds the messages in the bytes. It is native,
 * so that the servers are the bottleneck and not their clients.
 *
 * Commands come as lines on stdin, one answer line each on stdout (`ok …` or `fault …`):
 *
 *   connect <port> <file>        opens the connections that the file describes and waits until each has its answers
 *   begin                        forgets all receipts, and counts processor time from here
 *   wait <receipts> <ms>         waits for that number of receipts since `begin`: `ok <receipts> <cpu in ns>`, also when time is up
 *   idle <ms>                    serves the connections for that time
 *   dump <file>                  writes the receipts since `begin`
 *   send <file> <per second>     sends the messages of the file at that rate: `ok <sent> <ns it took>`
 *   close <first> <count> <rst>  closes connections; 1: with a reset
 *   count <first> <count>        `ok <open> <bytes read> <segments>`: received TCP segments with data, on loopback the server's writes
 *
 * Files are little-endian. `connect`: per connection of a WebSocket u8 1 if its messages are only counted (the n-th one is update n), else
 * 0, u32 length and bytes of the request, u32 length and bytes to send after the answer's head, u32 how many times the ready text must
 * arrive, u32 length and bytes of that text. `send`: per message u32 connection, u32 length, bytes. `dump`: per receipt u64 sequence,
 * u64 CLOCK_MONOTONIC in ns, u32 connection, u32 hash of the update from its sequence to its reason.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES (256 * 1024)
#define MAX_EVENTS 512
#define CONNECT_TIMEOUT_NS 60000000000ull
#define UNDER_WAY 256
/* Attempts of 100 us each: at least ten seconds. */
#define MAX_WAITS 100000

static const char UPDATE[] = "\"type\":\"token.";
static const char SEQUENCE[] = "\"sequence\":";
static const char REASON[] = "\"reason\":\"chain\"";

/* The start of an update or a delta, its sequence, and a word near its end. Finding them needs neither JSON nor framing. */
enum scan { FIND_UPDATE, FIND_SEQUENCE, READ_SEQUENCE, FIND_REASON };

struct connection {
  int fd;
  uint8_t is_counted, is_open, has_head, is_ready;
  enum scan scan;
  uint32_t matched;
  uint64_t sequence;
  uint32_t hash;
  /* State of the WebSocket framing, needed only to answer pings. */
  uint8_t header[14], header_bytes, ping[125], ping_bytes;
  uint64_t payload_left;
  uint64_t bytes_read;
  char *greeting, *ready_text;
  uint32_t greeting_bytes, ready_left, ready_bytes, ready_matched, head_matched;
};

struct receipt {
  uint64_t sequence, at_ns;
  uint32_t connection, hash;
};

static struct connection *connections;
static uint32_t connection_count, ready_count, failed_count;
static struct receipt *receipts;
static uint64_t receipt_count, receipt_room, begun_cpu_ns;
static int poller;
static char buffer[READ_BYTES];
static char fault[1024];

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void fail(struct connection *c, const char *what) {
  if (fault[0] == 0) snprintf(fault, sizeof fault, "connection %ld: %s", (long)(c - connections), what);
  if (c->is_open) {
    close(c->fd);
    c->is_open = 0;
    failed_count++;
  }
}

/* Small writes into sockets that are being read: if the kernel accepts one only in part, the load itself is at fault. */
static void send_all(struct connection *c, const char *bytes, uint32_t length) {
  uint32_t waits = 0;
  for (uint32_t sent = 0; sent < length && c->is_open;) {
    ssize_t n = send(c->fd, bytes + sent, length - sent, MSG_NOSIGNAL);
    if (n > 0) sent += (uint32_t)n;
    else if (errno != EAGAIN && errno != EINTR) fail(c, strerror(errno));
    else if (errno == EAGAIN && ++waits > MAX_WAITS) fail(c, "the server does not read");
    else if (errno == EAGAIN) {
      struct timespec t = {0, 100000};
      nanosleep(&t, NULL);
    }
  }
}

static void record(struct connection *c, uint64_t at_ns) {
  if (receipt_count == receipt_room) {
    receipt_room = receipt_room == 0 ? 1 << 16 : receipt_room * 2;
    receipts = realloc(receipts, receipt_room * sizeof *receipts);
    if (receipts == NULL) abort();
  }
  receipts[receipt_count++] = (struct receipt){c->sequence, at_ns, (uint32_t)(c - connections), c->hash};
}

/*
 * Where a text ends that may have started in an earlier read; NULL if it has not ended yet. None of the texts occurs within its own
 * beginning, so a partial match that fails is skipped as a whole.
 */
static const char *find(const char *from, const char *end, const char *text, uint32_t length, uint32_t *matched) {
  if (*matched > 0) {
    while (from < end && *matched < length && *from == text[*matched]) from++, (*matched)++;
    if (*matched < length && from == end) return NULL;
    uint32_t whole = *matched == length;
    *matched = 0;
    if (whole) return from;
  }
  const char *found = memmem(from, (size_t)(end - from), text, length);
  if (found != NULL) return found + length;
  for (const char *tail = end - from < (long)length ? from : end - length + 1; tail < end; tail++) {
    if (*tail != text[0] || memcmp(tail, text, (size_t)(end - tail)) != 0) continue;
    *matched = (uint32_t)(end - tail);
    break;
  }
  return NULL;
}

/* A hash that includes the digits, so that an update with another token's numbers differs. */
static uint32_t mix(uint32_t hash, const char *from, const char *to) {
  for (; from < to; from++)
    if (*from >= '0' && *from <= '9') hash = hash * 31 + (uint32_t)*from;
  return hash;
}

static uint8_t is_hashing;

static void scan(struct connection *c, const char *from, const char *end, uint64_t at_ns) {
  while (from != NULL && from < end) {
    if (!c->is_ready) {
      from = find(from, end, c->ready_text, c->ready_bytes, &c->ready_matched);
      if (from != NULL && --c->ready_left == 0) {
        c->is_ready = 1;
        ready_count++;
      }
      continue;
    }
    switch (c->scan) {
    case FIND_UPDATE:
      from = find(from, end, UPDATE, sizeof UPDATE - 1, &c->matched);
      if (from == NULL) return;
      c->scan = FIND_SEQUENCE;
      break;
    case FIND_SEQUENCE:
      from = find(from, end, SEQUENCE, sizeof SEQUENCE - 1, &c->matched);
      if (from == NULL) return;
      c->scan = READ_SEQUENCE;
      c->sequence = 0;
      c->hash = 0;
      break;
    case READ_SEQUENCE:
      if (*from >= '0' && *from <= '9') c->sequence = c->sequence * 10 + (uint64_t)(*from - '0');
      else c->scan = FIND_REASON;
      from++;
      break;
    case FIND_REASON: {
      const char *begun = from;
      from = find(from, end, REASON, sizeof REASON - 1, &c->matched);
      if (is_hashing) c->hash = mix(c->hash, begun, from == NULL ? end : from);
      if (from == NULL) return;
      record(c, at_ns);
      c->scan = FIND_UPDATE;
      break;
    }
    }
  }
}

static void pong(struct connection *c) {
  char frame[6 + 125] = {(char)0x8a, (char)(0x80 | c->ping_bytes), 0, 0, 0, 0};
  memcpy(frame + 6, c->ping, c->ping_bytes);
  send_all(c, frame, 6u + c->ping_bytes);
}

/* Scans the payloads of data frames, answers pings, and ends the connection at a close frame. */
static void unframe(struct connection *c, const char *from, const char *end, uint64_t at_ns) {
  while (from < end && c->is_open) {
    if (c->payload_left == 0) {
      c->header[c->header_bytes++] = (uint8_t)*from++;
      uint8_t *h = c->header;
      uint8_t need = c->header_bytes < 2 ? 2 : h[1] == 126 ? 4 : h[1] == 127 ? 10 : 2;
      if (c->header_bytes < need) continue;
      uint64_t length = h[1] < 126 ? h[1] : 0;
      if (need > 2)
        for (int i = 2; i < need; i++) length = length << 8 | h[i];
      c->payload_left = length;
      c->ping_bytes = 0;
      c->header_bytes = 0;
      if (length > 0) continue;
      if ((h[0] & 15) == 9) pong(c);
      continue;
    }
    uint64_t here = (uint64_t)(end - from) < c->payload_left ? (uint64_t)(end - from) : c->payload_left;
    uint8_t opcode = c->header[0] & 15;
    if (c->is_counted && c->is_ready && opcode < 8) {
      if (here == c->payload_left) {
        c->sequence++;
        record(c, at_ns);
      }
    } else if (opcode < 8) scan(c, from, from + here, at_ns);
    else if (opcode == 9) {
      memcpy(c->ping + c->ping_bytes, from, here);
      c->ping_bytes = (uint8_t)(c->ping_bytes + here);
    } else if (opcode == 8) {
      char reason[64];
      snprintf(reason, sizeof reason, "closed by the server with %d", here >= 2 ? (uint8_t)from[0] << 8 | (uint8_t)from[1] : 0);
      return fail(c, reason);
    }
    from += here;
    c->payload_left -= here;
    if (c->payload_left == 0 && opcode == 9) pong(c);
  }
}

static void readable(struct connection *c) {
  ssize_t n = recv(c->fd, buffer, READ_BYTES, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return fail(c, n == 0 ? "ended by the server" : strerror(errno));
  uint64_t at_ns = now_ns();
  c->bytes_read += (uint64_t)n;
  const char *from = buffer, *end = buffer + n;
  if (!c->has_head) {
    if (c->head_matched == 0 && memcmp(buffer, "HTTP/1.1 101", n < 12 ? (size_t)n : 12) != 0) {
      buffer[n < 120 ? n : 120] = 0;
      for (char *p = buffer; *p; p++) if (*p == '\n' || *p == '\r') *p = ' ';
      return fail(c, buffer);
    }
    from = find(from, end, "\r\n\r\n", 4, &c->head_matched);
    if (from == NULL) return;
    c->has_head = 1;
    send_all(c, c->greeting, c->greeting_bytes);
    if (c->ready_left == 0) {
      c->is_ready = 1;
      ready_count++;
    }
  }
  unframe(c, from, end, at_ns);
}

/* Serves readable sockets; waits at most that number of milliseconds for the first. */
static void serve(int wait_ms) {
  struct epoll_event events[MAX_EVENTS];
  int n = epoll_wait(poller, events, MAX_EVENTS, wait_ms);
  for (int i = 0; i < n; i++) {
    if (events[i].data.u32 == UINT32_MAX) continue;
    struct connection *c = &connections[events[i].data.u32];
    if (!c->is_open) continue;
    readable(c);
  }
}

/* A file as its bytes, read in order. */
struct input {
  char *bytes, *at, *end;
};

static int open_input(struct input *in, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return snprintf(fault, sizeof fault, "%s: %s", path, strerror(errno)), 0;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  in->bytes = in->at = malloc((size_t)length + 1);
  in->end = in->bytes + length;
  if (in->bytes == NULL || fread(in->bytes, 1, (size_t)length, file) != (size_t)length) snprintf(fault, sizeof fault, "%s: not read", path);
  fclose(file);
  return fault[0] == 0;
}

static uint32_t next_u32(struct input *in) {
  uint32_t value;
  memcpy(&value, in->at, 4);
  in->at += 4;
  return value;
}

static char *next_bytes(struct input *in, uint32_t length) {
  char *copy = malloc(length + 1);
  memcpy(copy, in->at, length);
  in->at += length;
  return copy;
}

static void connect_one(struct connection *c, uint16_t port, struct input *in) {
  c->is_counted = (uint8_t)*in->at++;
  uint32_t request_bytes = next_u32(in);
  char *request = next_bytes(in, request_bytes);
  c->greeting_bytes = next_u32(in);
  c->greeting = next_bytes(in, c->greeting_bytes);
  c->ready_left = next_u32(in);
  c->ready_bytes = next_u32(in);
  c->ready_text = next_bytes(in, c->ready_bytes);
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  /* Uses several addresses of the loopback interface: one address has too few ports. */
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(0x7f000001)};
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001u + (uint32_t)((c - connections) / 20000) % 200)};
  int one = 1;
  setsockopt(c->fd, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &one, sizeof one);
  if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0) {
    c->is_open = 1;
    fail(c, strerror(errno));
    free(request);
    return;
  }
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  c->is_open = 1;
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(c - connections)};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event) != 0) fail(c, strerror(errno));
  send_all(c, request, request_bytes);
  free(request);
}

static void do_connect(uint16_t port, const char *path) {
  struct input in;
  if (!open_input(&in, path)) return;
  uint32_t first = connection_count;
  uint64_t begun = now_ns();
  while (in.at < in.end && fault[0] == 0) {
    connections = realloc(connections, (connection_count + 1) * sizeof *connections);
    memset(&connections[connection_count], 0, sizeof *connections);
    connect_one(&connections[connection_count++], port, &in);
    /* Open connections are served while the rest connect, as separate machines would do. */
    if (connection_count % 32 == 0) serve(0);
    /* The kernel keeps the accept queue short; a connection that finds it full is retried after a second. */
    while (connection_count - ready_count > UNDER_WAY && fault[0] == 0 && now_ns() < begun + CONNECT_TIMEOUT_NS) serve(50);
  }
  free(in.bytes);
  uint64_t deadline = begun + CONNECT_TIMEOUT_NS;
  while (ready_count < connection_count && fault[0] == 0 && now_ns() < deadline) serve(50);
  if (fault[0] == 0 && ready_count < connection_count) snprintf(fault, sizeof fault, "%u connections did not get ready", connection_count - ready_count);
  if (fault[0] == 0) printf("ok %u %llu\n", connection_count - first, (unsigned long long)(now_ns() - begun));
}

static void do_send(const char *path, double per_second) {
  struct input in;
  if (!open_input(&in, path)) return;
  uint64_t begun = now_ns(), sent = 0;
  while (in.at < in.end && fault[0] == 0) {
    uint64_t due = per_second > 0 ? begun + (uint64_t)((double)sent / per_second * 1e9) : 0;
    uint64_t now = now_ns();
    if (now < due) {
      serve((int)((due - now) / 1000000));
      continue;
    }
    uint32_t connection = next_u32(&in), length = next_u32(&in);
    if (connection < connection_count) send_all(&connections[connection], in.at, length);
    in.at += length;
    if (++sent % 64 == 0) serve(0);
  }
  free(in.bytes);
  if (fault[0] == 0) printf("ok %llu %llu\n", (unsigned long long)sent, (unsigned long long)(now_ns() - begun));
}

static void do_dump(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(receipts, sizeof *receipts, receipt_count, file) != receipt_count || fclose(file) != 0)
    snprintf(fault, sizeof fault, "%s: %s", path, strerror(errno));
  else printf("ok %llu\n", (unsigned long long)receipt_count);
}

static void do_close(uint32_t first, uint32_t count, int abrupt) {
  for (uint32_t i = first; i < first + count && i < connection_count; i++) {
    struct connection *c = &connections[i];
    struct linger linger = {1, 0};
    if (!c->is_open) continue;
    if (abrupt) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(c->fd);
    c->is_open = 0;
  }
  printf("ok\n");
}

static void do_count(uint32_t first, uint32_t count) {
  uint64_t open = 0, bytes = 0, segments = 0;
  for (uint32_t i = first; i < first + count && i < connection_count; i++) {
    open += connections[i].is_open;
    bytes += connections[i].bytes_read;
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (connections[i].is_open && getsockopt(connections[i].fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) segments += info.tcpi_data_segs_in;
  }
  printf("ok %llu %llu %llu\n", (unsigned long long)open, (unsigned long long)bytes, (unsigned long long)segments);
}

static void do_wait(uint64_t count, uint64_t ms) {
  uint64_t deadline = now_ns() + ms * 1000000ull;
  while (receipt_count < count && fault[0] == 0 && now_ns() < deadline) serve(50);
  if (fault[0] == 0) printf("ok %llu %llu\n", (unsigned long long)receipt_count, (unsigned long long)(cpu_ns() - begun_cpu_ns));
}

static void run(char *line) {
  char path[512];
  unsigned long long a = 0, b = 0;
  long c = 0;
  double rate = 0;
  if (sscanf(line, "connect %llu %511s", &a, path) == 2) do_connect((uint16_t)a, path);
  else if (strncmp(line, "begin", 5) == 0) {
    is_hashing = strncmp(line, "begin hash", 10) == 0;
    receipt_count = 0;
    begun_cpu_ns = cpu_ns();
    printf("ok\n");
  } else if (sscanf(line, "wait %llu %llu", &a, &b) == 2) do_wait(a, b);
  else if (sscanf(line, "idle %llu", &a) == 1) do_wait(UINT64_MAX, a);
  else if (sscanf(line, "dump %511s", path) == 1) do_dump(path);
  else if (sscanf(line, "send %511s %lf", path, &rate) == 2) do_send(path, rate);
  else if (sscanf(line, "close %llu %llu %ld", &a, &b, &c) == 3) do_close((uint32_t)a, (uint32_t)b, (int)c);
  else if (sscanf(line, "count %llu %llu", &a, &b) == 2) do_count((uint32_t)a, (uint32_t)b);
  else snprintf(fault, sizeof fault, "no such command: %.100s", line);
  if (fault[0] != 0) {
    printf("fault %s\n", fault);
    fault[0] = 0;
  }
  fflush(stdout);
}

int main(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  poller = epoll_create1(0);
  /* Connections are also served between commands. */
  struct epoll_event commands = {.events = EPOLLIN, .data.u32 = UINT32_MAX};
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &commands);
  fcntl(0, F_SETFL, O_NONBLOCK);
  char line[1024];
  size_t length = 0;
  for (;;) {
    serve(1000);
    ssize_t n = read(0, line + length, sizeof line - 1 - length);
    if (n == 0) return 0;
    if (n < 0) continue;
    length += (size_t)n;
    line[length] = 0;
    char *newline;
    while ((newline = strchr(line, '\n')) != NULL) {
      *newline = 0;
      run(line);
      length -= (size_t)(newline + 1 - line);
      memmove(line, newline + 1, length + 1);
    }
  }
}
