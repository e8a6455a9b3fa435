import { WebSocket } from 'ws'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import { closeAfterFile, closedAfterFile } from './closeAfterFile.ts'

type Message = { readonly type: string; readonly token?: unknown; readonly [field: string]: unknown }

/** A WebSocket client that stores all received messages. */
export interface FeedClient {
  readonly messages: readonly Message[]
  send(message: unknown): void
  /** The first matching message, received or future. */
  next<M extends Message = Message>(fits: (message: Message) => boolean): Promise<M>
  updates(token: string): readonly TokenUpdate[]
  /** Resolves with the close code once the connection has ended. */
  readonly closed: Promise<number>
  close(): void
}

/** Over TLS it accepts any certificate. */
export async function openFeed(serviceUrl: string): Promise<FeedClient> {
  const socket = new WebSocket(`${serviceUrl.replace(/^http/, 'ws')}/realtime`, { rejectUnauthorized: false })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString()) as Message)
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const closed = new Promise<number>(resolve => void socket.once('close', code => resolve(code)))
  closeAfterFile(async () => socket.close())
  return {
    messages,
    closed,
    send: message => socket.send(JSON.stringify(message)),
    next: <M extends Message>(fits: (message: Message) => boolean) =>
      new Promise<M>(resolve => {
        const look = () => {
          const found = messages.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found as M)
        }
        waiting.add(look)
        look()
      }),
    updates: token =>
      messages
        .filter(message => message.type === 'token.update')
        .map(message => message as unknown as TokenUpdate)
        .filter(update => update.token.address === token),
    close: () => socket.close(),
  }
}

/** The events of an event stream as they arrive. */
export async function openEventStream(url: string, headers: Readonly<Record<string, string>> = {}) {
  const aborter = new AbortController()
  const response = await fetch(url, { headers, signal: aborter.signal })
  if (response.body === null) throw new Error(`no stream: ${response.status}`)
  let text = ''
  const waiting = new Set<() => void>()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
      for (const look of waiting) look()
    }
  })().catch((error: unknown) => {
    if (!aborter.signal.aborted) throw error
  })
  const events = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter(block => block.includes('data: '))
      .map(block => {
        const field = (name: string) =>
          block
            .split('\n')
            .find(line => line.startsWith(`${name}: `))
            ?.slice(name.length + 2) ?? ''
        return { event: field('event'), id: field('id'), update: JSON.parse(field('data')) as TokenUpdate }
      })
  return {
    status: response.status,
    text: () => text,
    events,
    next: (fits: (event: ReturnType<typeof events>[number]) => boolean) =>
      new Promise<ReturnType<typeof events>[number]>(resolve => {
        const look = () => {
          const found = events().find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    close: closedAfterFile(async () => {
      aborter.abort()
      await reading
    }),
  }
}
