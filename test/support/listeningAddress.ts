import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Where a port of this machine answers, learnt by connecting to every IPv4 address of the machine.
 *
 * @returns `'127.0.0.1'` when it answers there alone, `'everywhere'` when it answers on others too, `null` when it does not answer
 */
export async function listeningAddress(port: number): Promise<'127.0.0.1' | 'everywhere' | null> {
  const outward = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  // 127.0.0.2 is the machine itself too on Linux; a server that is bound to 0.0.0.0 answers there.
  const others = [...outward, ...(process.platform === 'linux' ? ['127.0.0.2'] : [])]
  if ((await Promise.all(others.map(host => answers(host, port)))).includes(true)) return 'everywhere'
  return (await answers('127.0.0.1', port)) ? '127.0.0.1' : null
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: 5_000 })
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
