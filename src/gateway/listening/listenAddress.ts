import { createServer as createTcpServer } from 'node:net'
import { TokenwireError } from '#errors'

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there already',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name is not known',
  EACCES: 'the port needs more rights than this process has',
}

/** Without the brackets that IPv6 addresses have in URLs. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** A URL at which this machine reaches a server that listens on that bare host. A wildcard becomes loopback. */
export function reachableUrl(host: string, port: number, tls: boolean): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Why listening fails: uWebSockets gives no reason, so Node's own server tries the same. */
export async function listenError(host: string, port: number): Promise<TokenwireError> {
  const cause = await failureOf(host, port)
  const code = cause?.code ?? 'EADDRINUSE'
  const reason = REASONS[code] ?? code
  return new TokenwireError('config_invalid', `HOST ${host}, PORT ${port}: cannot listen, ${reason}`, {
    retryable: code === 'EADDRINUSE',
    cause,
  })
}

function failureOf(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise(resolve => {
    const server = createTcpServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
