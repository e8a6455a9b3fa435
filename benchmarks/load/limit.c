/*
 * The machine's own limit: it writes bytes to one connection after the other, without decisions, encoding or framing. It answers every
 * WebSocket upgrade and every subscription, and writes to every connection at each line on stdin.
 *
 * <file> <writes>    writes the file's bytes to all connections, in that number of writes each: `ok <ns>` when the kernel has accepted
 *   all
 *
 * The first line on stdout is the port.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 100000

static const char HEAD[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
static const char ANSWER[] = "\x81\x13{\"type\":\"subscribed";
static int fds[MAX_CONNECTIONS], count, poller, listener;
static uint8_t has_head[1 << 20];
static char buffer[1 << 20];

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR && errno != EAGAIN) return;
    if (n > 0) bytes += n, length -= (size_t)n;
  }
}

/* Clients send each message in one piece: first a request, then small masked frames, all of them subscriptions. */
static void readable(int fd) {
  ssize_t n = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0) return;
  if (n == 0) {
    close(fd);
    has_head[fd] = 0;
    for (int i = 0; i < count; i++) if (fds[i] == fd) fds[i--] = fds[--count];
    return;
  }
  if (!has_head[fd]) {
    has_head[fd] = 1;
    fds[count++] = fd;
    write_all(fd, HEAD, sizeof HEAD - 1);
    return;
  }
  for (ssize_t at = 0; at + 1 < n;) {
    uint8_t length = (uint8_t)buffer[at + 1] & 127;
    at += length == 126 ? 8 + ((uint8_t)buffer[at + 2] << 8 | (uint8_t)buffer[at + 3]) : 6 + length;
    write_all(fd, ANSWER, sizeof ANSWER - 1);
  }
}

static void poll_for(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

static void deliver(char *line) {
  char path[512];
  unsigned writes;
  if (sscanf(line, "%511s %u", path, &writes) != 2 || writes == 0) {
    printf("fault %s\n", line);
    return;
  }
  FILE *file = fopen(path, "rb");
  static char bytes[8 << 20];
  size_t length = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
  if (file != NULL) fclose(file);
  uint64_t begun = now_ns();
  for (unsigned w = 0; w < writes; w++) {
    size_t from = length * w / writes, to = length * (w + 1) / writes;
    for (int i = 0; i < count; i++) write_all(fds[i], bytes + from, to - from);
  }
  printf("ok %llu %llu\n", (unsigned long long)begun, (unsigned long long)(now_ns() - begun));
}

int main(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4096) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  poller = epoll_create1(0);
  poll_for(listener);
  poll_for(0);
  struct epoll_event events[256];
  for (;;) {
    int n = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < n; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int accepted = accept(listener, NULL, NULL), one = 1;
        if (accepted < 0 || count >= MAX_CONNECTIONS) return 1;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        poll_for(accepted);
      } else if (fd == 0) {
        ssize_t length = read(0, buffer, sizeof buffer - 1);
        if (length <= 0) return 0;
        buffer[length] = 0;
        deliver(buffer);
        fflush(stdout);
      } else readable(fd);
    }
  }
}
