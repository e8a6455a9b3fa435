import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TLSSocket, TLSSocket as TlsSocket, connect as tlsConnect } from 'node:tls'
import { certificate, certificateKey } from './certificate.ts'
import { listen } from './listen.ts'

/** The 8 bytes with which a client asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * A proxy such as Neon's: it ends TLS with the server's own certificate, and takes from the start of a connection the option that names the
 * server, which PostgreSQL itself refuses.
 *
 * @param endpoint connections that do not name it are closed
 */
export async function startEndpointProxy(serverPort: number, endpoint: string) {
  const open = new Set<Socket>()
  const kept = <T extends Socket>(socket: T): T => {
    open.add(socket)
    return socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket))
  }
  const serve = async (raw: Socket): Promise<void> => {
    await once(raw, 'data')
    raw.write('S')
    const client = kept(new TlsSocket(raw, { isServer: true, cert: certificate, key: certificateKey }))
    const [start] = (await once(client, 'data')) as [Buffer]
    client.pause()
    const [, parameters = ''] = start.toString('latin1').split('\0options\0')
    if (!parameters.startsWith(`endpoint=${endpoint}\0`)) {
      client.destroy()
      return
    }
    const server = await connectTls(serverPort, kept)
    const rest = Buffer.from(start.toString('latin1').replace(`options\0endpoint=${endpoint}\0`, ''), 'latin1')
    rest.writeUInt32BE(rest.length)
    server.write(rest)
    client.pipe(server).pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
  }
  const listener = createServer(raw => void serve(kept(raw)).catch(() => raw.destroy()))
  return {
    port: await listen(listener),
    stop: () => {
      listener.close()
      for (const socket of open) socket.destroy()
    },
  }
}

async function connectTls(port: number, kept: <T extends Socket>(socket: T) => T): Promise<TLSSocket> {
  const raw = kept(connect(port, '127.0.0.1'))
  await once(raw, 'connect')
  raw.write(SSL_REQUEST)
  await once(raw, 'data')
  const server = kept(tlsConnect({ socket: raw, ca: certificate, servername: 'localhost' }))
  await once(server, 'secureConnect')
  return server
}
