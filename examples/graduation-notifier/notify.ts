import { readFile, writeFile } from 'node:fs/promises'
import { createTokenwire } from 'tokenwire/client'
import { formatCompact } from 'tokenwire/client/format'
import { createLive, type EventOptions } from 'tokenwire/client/live'

/*
 * npx node examples/graduation-notifier/notify.ts <webhook> [service] [file]: posts every graduation to a webhook, as Discord and Slack take it,
 * and after a restart those that it missed.
 */

const [webhook = '', url = 'http://localhost:3000', file = 'graduations.json'] = process.argv.slice(2)
const tokenwire = createTokenwire({ url, onError: error => console.error(String(error)) })
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const position = await readFile(file, 'utf8').then(
  text => JSON.parse(text) as EventOptions,
  () => ({}),
)

for await (const event of createLive(tokenwire).graduations({}, { ...position, signal: ending.signal })) {
  if (event.type === 'begin') console.log(`from ${event.cursor} on`)
  if (event.type === 'graduations') {
    for (const { symbol, name, address, market } of event.data) {
      const done = event.status === 'migrated' ? 'has graduated to a pool' : 'has reached its target'
      await post(
        `${plain(symbol ?? name ?? '') || address} ${done}, at a market cap of ${formatCompact(market.marketCapWeth)} ETH: ${address}`,
      )
    }
  }
  if (event.type === 'reorg') await post(`The chain was reorganized: graduations of block ${event.fromBlock} and later may be void.`)
  await writeFile(file, JSON.stringify({ after: event.cursor, reorgs: event.reorgs }))
}
tokenwire.close()

/** A name from the chain without what Discord and Slack read as a mention, a link or markup. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}$ -]/gu, '').trim()
}

async function post(text: string): Promise<void> {
  const body = JSON.stringify({ content: text, text, allowed_mentions: { parse: [] } })
  const response = await fetch(webhook, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  console.log(`${response.status} ${text}`)
}
