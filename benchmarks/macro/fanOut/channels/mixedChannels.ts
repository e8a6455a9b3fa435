import { median, medianInterval, quantile } from '#benchmarks/support/quantile.ts'
import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import { ChannelSession, type Delivered } from './channelSession.ts'
import { clientPlan } from './clientPlans.ts'
import { CLIENTS, deliveries, PARTS, type Part } from './mixedFeed.ts'

const WARM_UP = 3
const ARMS = [
  { name: 'tokenwire', server: 'tokenwire' },
  { name: 'bare uWebSockets.js, topics', server: 'uws-publish' },
] as const
type ArmName = (typeof ARMS)[number]['name']

/** What is measured, each with sessions of its own: the single tokens stand beside the channels. */
const SITUATIONS: readonly (readonly Part[])[] = [PARTS, ['events'], ['lists'], ['tokens']]

/** 5,000 clients with 10,000 distinct filters, 1,000 distinct lists and 1,000 tokens. @returns a table */
export async function measureMixedChannels({ rounds, blocks }: { readonly rounds: number; readonly blocks: number }): Promise<string> {
  const rows: string[][] = []
  for (const parts of SITUATIONS) {
    const results: Record<ArmName, Delivered[]> = { tokenwire: [], 'bare uWebSockets.js, topics': [] }
    for (let round = 0; round < rounds; round++) {
      for (const { name, server } of round % 2 === 0 ? ARMS : ARMS.toReversed()) {
        results[name].push(await measure(server, parts, blocks))
      }
    }
    for (const { name } of ARMS) rows.push(rowOf(parts, name, results, blocks))
  }
  return textTable(['subscribed to', 'server', 'messages a block', 'CPU a message', '÷ bare', 'p50', 'p99'], rows)
}

async function measure(server: (typeof ARMS)[number]['server'], parts: readonly Part[], blocks: number): Promise<Delivered> {
  const session = await ChannelSession.start(server)
  const due = (block: number) => parts.reduce((sum, part) => sum + deliveries(block, CLIENTS)[part], 0)
  try {
    await session.open(Array.from({ length: CLIENTS }, (_, client) => clientPlan(server, session.port, client, parts)))
    await session.deliver(WARM_UP, due)
    return await session.deliver(blocks, due)
  } finally {
    await session.stop()
  }
}

function rowOf(parts: readonly Part[], name: ArmName, results: Readonly<Record<ArmName, readonly Delivered[]>>, blocks: number): string[] {
  const own = results[name]
  const costOf = ({ serverCpuMs, messages }: Delivered) => serverCpuMs / messages
  const bare = results['bare uWebSockets.js, topics']
  const ratios = own.flatMap((one, round) => {
    const other = bare[round]
    return other === undefined ? [] : [costOf(one) / costOf(other)]
  })
  const { low, high } = medianInterval(ratios)
  const messages = own.reduce((sum, one) => sum + one.messages, 0)
  return [
    parts.length === PARTS.length ? 'all of it' : parts.join(', '),
    name,
    String(Math.round(messages / own.length / blocks)),
    formatMs(median(own.map(costOf))),
    `${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
    formatMs(median(own.map(({ latenciesMs }) => quantile(latenciesMs, 0.5)))),
    formatMs(median(own.map(({ latenciesMs }) => quantile(latenciesMs, 0.99)))),
  ]
}
