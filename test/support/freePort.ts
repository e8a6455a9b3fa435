import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to connections, and to servers that ask for any port. */
const PORTS = { first: 10_000, end: 32_768 }

/**
 * A port on which nothing listens, nor on those after it. The system hands it out only to programs that ask for this number.
 *
 * @param count of ports
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(PORTS.first, PORTS.end - count)
    let free = 0
    while (free < count && (await isFree(first + free))) free++
    if (free === count) return first
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const listens = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!listens) return false
  server.close()
  await once(server, 'close')
  return true
}
