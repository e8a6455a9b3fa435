import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4_096

/**
 * What Linux holds on the whole machine for its own objects (sockets, files, polled events) and for the buffers of TCP. Differences mean
 * something while nothing else on the machine opens or closes many files.
 */
export function kernelBytes(): number {
  const slabKiB = /^Slab:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]
  const bufferPages = /^TCP: .*\bmem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]
  return Number(slabKiB) * 1_024 + Number(bufferPages) * PAGE_BYTES
}
