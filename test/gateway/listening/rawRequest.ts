import { connect } from 'node:net'

/** Sends bytes as they are and gives everything that comes back until the server closes: say `Connection: close` in the last request. */
export function rawRequest(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    // A server that closes before it has read everything resets the connection; what it said first is what counts.
    socket.on('error', error => (chunks.length > 0 ? resolve(Buffer.concat(chunks).toString()) : reject(error)))
  })
}
