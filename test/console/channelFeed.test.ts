import { beforeEach, expect, test } from 'vitest'
import { createChannelFeed } from '#console/state/channelFeed.ts'
import type { FeedMessage } from '#console/state/feedMessage.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'

/** A WebSocket that the test opens, closes and sends messages through. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  readyState = 0
  readonly sent: object[] = []

  constructor() {
    super()
    opened.push(this)
  }

  /** The client's listener, which it sets after the feed has begun to listen. */
  set onmessage(listener: (event: MessageEvent) => void) {
    this.addEventListener('message', event => listener(event as MessageEvent))
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as object)
  }

  close(): void {
    this.readyState = 3
  }

  open(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }

  tell(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
}

let opened: FakeSocket[]
let received: string[]

beforeEach(() => {
  opened = []
  received = []
})

function start() {
  const feed = createChannelFeed(FakeSocket as unknown as typeof WebSocket)
  const connect = () => {
    const socket = new feed.Socket('ws://service/realtime') as unknown as FakeSocket
    socket.onmessage = ({ data }) => received.push(`client ${(JSON.parse(data as string) as { type: string }).type}`)
    socket.open()
    return socket
  }
  const subscribe = (channel: 'trades' | 'list', filters: object = {}) =>
    feed.subscribe({
      channel,
      filters,
      onMessage: message => received.push(`${channel} ${inShort(message)}`),
      onLost: () => received.push(`${channel} lost`),
    })
  return { connect, subscribe }
}

function inShort(message: FeedMessage): string {
  if (message.type === 'list') return `list ${message.data.join()}`
  return message.type === 'trades' ? `trades ${message.data.length}` : message.type
}

test('subscribes over each connection that the client opens, and says when it is lost', () => {
  const { connect, subscribe } = start()
  const filters = { makers: [addressOf(1)] }
  const end = subscribe('trades', filters)
  const first = connect()
  const asked = { type: 'subscribe', channel: 'trades', id: 'console-1', filters }
  expect(first.sent).toEqual([asked])
  first.close()
  expect(received).toEqual(['trades lost'])
  const second = connect()
  expect(second.sent).toEqual([asked])
  end()
  expect(second.sent.at(-1)).toEqual({ type: 'unsubscribe', id: 'console-1' })
  expect(connect().sent).toEqual([])
})

test('hands each subscription its messages, and the client the others', () => {
  const { connect, subscribe } = start()
  subscribe('trades')
  subscribe('list')
  const socket = connect()
  const list = { type: 'list', id: 'console-2', sequence: 1, asOfBlock: '1', columns: ['symbol', 'address'], data: [['A', addressOf(7)]] }
  for (const message of [
    { type: 'subscribed', id: 'console-1', channel: 'trades', filters: {}, cursor: '0-0', reorgs: 0 },
    { type: 'trades', id: 'console-1', cursor: '1-1', reorgs: 0, block: '1', data: [tradeOf(addressOf(1))] },
    list,
    { type: 'token.update', id: 'console-1' },
    { type: 'subscribed', token: addressOf(1), sequence: null },
    { type: 'subscribed', id: 'own', channel: 'trades', filters: {}, cursor: '0-0', reorgs: 0 },
    { type: 'error', id: 'console-1', code: 'too_many_subscriptions', message: '' },
    { type: 'reorg', id: 'console-1', fromBlock: '7', cursor: '6-0', reorgs: 1 },
  ])
    socket.tell(message)
  expect(received).toEqual([
    'trades subscribed',
    'trades trades 1',
    `list list ${addressOf(7)}`,
    'client token.update',
    'client subscribed',
    'client subscribed',
    'trades error',
    'trades reorg',
  ])
})

test.each([
  { type: 'trades', id: 'console-1', data: [{ id: '1-1' }] },
  { type: 'list', id: 'console-1', columns: ['symbol'], data: [['A']] },
  { type: 'list', id: 'console-1', columns: ['address'], data: [['javascript:alert(1)']] },
  { type: 'list', id: 'console-1', data: 'no' },
  { type: 'reorg', id: 'console-1', fromBlock: null },
  { type: 'candles', id: 'console-1' },
  { type: 'trades', id: 'console-9', data: [] },
])('hands out nothing of %j', message => {
  const { connect, subscribe } = start()
  subscribe('trades')
  connect().tell(message)
  expect(received).toEqual([])
})

test('uses one connection of several', () => {
  const { connect, subscribe } = start()
  const first = connect()
  const second = connect()
  subscribe('trades')
  expect([first.sent.length, second.sent.length]).toEqual([1, 0])
  second.tell({ type: 'gap', id: 'console-1', from: '0-0', to: '1-0', reorgs: 0 })
  expect(received).toEqual(['client gap'])
})
