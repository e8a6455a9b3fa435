import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { listen } from '#test/support/listen.ts'

/** Decides over a server message to a WebSocket client. `deliver` can be called any number of times, at any time. */
export type Treatment = (text: string, deliver: (text: string) => void) => void

/** An HTTP and WebSocket proxy between client and gateway that misbehaves as the test says. */
export class FaultyProxy {
  /** The gateway of new connections and requests. */
  target: string
  /** `swallow`: connections stay open, and no message passes; `refuse`: new connections are destroyed. */
  webSockets: 'pass' | 'refuse' | 'swallow' = 'pass'
  rest: 'pass' | 'refuse' = 'pass'
  treat: Treatment = (text, deliver) => deliver(text)
  /** WebSockets of the connected clients. */
  readonly #clients = new Set<WebSocket>()
  readonly #streams = new Set<Duplex>()
  readonly #server: Server
  #port = 0
  readonly #accept = new WebSocketServer({ noServer: true })
  /** Number of WebSockets opened so far. */
  opened = 0
  readonly requests: string[] = []
  /** All messages of clients. */
  readonly sent: string[] = []

  private constructor(target: string) {
    this.target = target
    this.#server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing))
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(incoming, socket, head))
    this.#server.on('connection', socket => {
      this.#streams.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => this.#streams.delete(socket))
    })
  }

  static async to(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target)
    proxy.#port = await listen(proxy.#server)
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get webSocketCount(): number {
    return this.#clients.size
  }

  /** Ends every WebSocket, with a close code or by cutting its TCP connection. */
  cut(code?: number): void {
    for (const client of this.#clients) {
      if (code === undefined) client.terminate()
      else client.close(code)
    }
  }

  /** Cuts every TCP connection, also those of event streams. */
  cutAll(): void {
    for (const socket of this.#streams) socket.destroy()
  }

  async close(): Promise<void> {
    this.cut()
    this.cutAll()
    await new Promise(resolve => {
      this.#server.close(resolve)
    })
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.requests.push(incoming.url ?? '')
    if (this.rest === 'refuse') {
      outgoing.destroy()
      return
    }
    const onward = request(
      this.target + incoming.url,
      { method: incoming.method ?? 'GET', headers: incoming.headers, agent: false },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.webSockets === 'refuse') {
      socket.destroy()
      return
    }
    this.#accept.handleUpgrade(incoming, socket, head, client => {
      this.opened++
      this.#clients.add(client)
      const onward = new WebSocket(`${this.target.replace(/^http/, 'ws')}${incoming.url}`)
      const early: string[] = []
      client.on('message', (data: Buffer) => {
        if (this.webSockets === 'swallow') return
        const text = data.toString()
        this.sent.push(text)
        if (onward.readyState === WebSocket.OPEN) onward.send(text)
        else early.push(text)
      })
      onward.on('open', () => {
        for (const text of early) onward.send(text)
      })
      onward.on('message', (data: Buffer) => {
        if (this.webSockets === 'swallow') return
        this.treat(data.toString(), text => {
          if (client.readyState === WebSocket.OPEN) client.send(text)
        })
      })
      client.on('error', () => {})
      onward.on('error', () => client.terminate())
      client.once('close', () => {
        this.#clients.delete(client)
        onward.close()
      })
      onward.once('close', (code, reason) => {
        if (code === 1006 || code === 1005) client.terminate()
        else client.close(code, reason)
      })
    })
  }
}
