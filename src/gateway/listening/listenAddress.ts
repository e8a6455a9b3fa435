import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { TokenwireError } from '#errors'

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there already',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name is not known',
  EACCES: 'the port needs more rights than this process has',
}

/** A host without the brackets that IPv6 addresses have in URLs. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** A URL at which this machine reaches a server that listens on that bare host. A wildcard becomes loopback. */
export function reachableUrl(host: string, port: number, tls: boolean): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Finds out why listening fails: uWebSockets gives no reason, so Node's own server tries the same. */
export async function listenError(host: string, port: number): Promise<TokenwireError> {
  const tried = await tryPort(host, port)
  return toError(host, port, typeof tried === 'number' ? null : tried)
}

/**
 * Checks or chooses a port for processes to share, none of which would notice another program on it. 0 chooses any free one, since the
 * system lets no second process onto a port that it has chosen for the first.
 *
 * @throws what `listenError` returns
 */
export async function findFreePort(host: string, port: number): Promise<number> {
  const tried = await tryPort(bareHost(host), port)
  if (typeof tried !== 'number') throw toError(bareHost(host), port, tried)
  return tried
}

function toError(host: string, port: number, cause: NodeJS.ErrnoException | null): TokenwireError {
  const code = cause?.code ?? 'EADDRINUSE'
  const reason = REASONS[code] ?? code
  return new TokenwireError('config_invalid', `HOST ${host}, PORT ${port}: cannot listen, ${reason}`, {
    retryable: code === 'EADDRINUSE',
    cause,
  })
}

/** Listens for a moment. @returns the port, or the error */
function tryPort(host: string, port: number): Promise<number | NodeJS.ErrnoException> {
  return new Promise(resolve => {
    const server = createTcpServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => {
      const { port: chosen } = server.address() as AddressInfo
      server.close(() => resolve(chosen))
    })
  })
}
