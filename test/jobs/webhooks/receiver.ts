import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import type { WebhookConfig } from '#config'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { listen } from '#test/support/listen.ts'

const KEY = Buffer.alloc(32, 7)
const SECRET = `whsec_${KEY.toString('base64')}`

/** The body of a message, of whichever channel. */
export interface Message {
  readonly type: string
  readonly id: string
  readonly cursor: string
  readonly reorgs: number
  readonly fromBlock?: string
  readonly data?: readonly Readonly<Record<string, unknown>>[]
}

export interface Delivery {
  readonly id: string
  readonly message: Message
}

export type Answer = (response: ServerResponse, delivery: Delivery) => void

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  response =>
    void response.writeHead(status, headers).end()

/** Receives webhooks on this machine, and checks their signatures. */
export class Receiver {
  /** In order of arrival, whatever the answer. */
  readonly deliveries: Delivery[] = []
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #port = 0
  answer: Answer = answering(204)
  /** How many were opened. */
  connections = 0
  /** Closes the connection of the next request, which is no delivery. */
  dropsNext = false

  async open(): Promise<this> {
    this.#server.on('connection', () => this.connections++)
    this.#port = await listen(this.#server)
    return this
  }

  /** At the end of the test file, if not before. */
  readonly close = closedAfterFile(async () => {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  })

  /** How many connections are open. */
  async countOpen(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`
  }

  config(name: string, given: Partial<WebhookConfig> = {}): WebhookConfig {
    return { name, url: this.url, secret: SECRET, channel: 'trades', filters: {}, ...given }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    if (this.dropsNext) {
      this.dropsNext = false
      return void request.socket.destroy()
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = request.headers
    const expected = `v1,${createHmac('sha256', KEY)
      .update(`${String(id)}.${String(time)}.${body}`)
      .digest('base64')}`
    if (signature !== expected || request.method !== 'POST') return void response.writeHead(400).end()
    const delivery = { id: String(id), message: JSON.parse(body) as Message }
    this.deliveries.push(delivery)
    this.answer(response, delivery)
  }
}
