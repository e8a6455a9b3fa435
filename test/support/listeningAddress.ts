import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { POLL_LIMIT_MS } from './limits.ts'

/**
 * The addresses on which a port of this machine answers, found by connecting to each of its IPv4 addresses.
 *
 * @returns `'127.0.0.1'`: only there; `'everywhere'`: on others, too; `null`: on none
 */
export async function listeningAddress(port: number): Promise<'127.0.0.1' | 'everywhere' | null> {
  const outward = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  // On Linux 127.0.0.2 is the machine itself, too; a server bound to 0.0.0.0 answers there.
  const others = [...outward, ...(process.platform === 'linux' ? ['127.0.0.2'] : [])]
  if ((await Promise.all(others.map(host => answers(host, port)))).includes(true)) return 'everywhere'
  return (await answers('127.0.0.1', port)) ? '127.0.0.1' : null
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: POLL_LIMIT_MS })
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
