import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
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
  let isTaken = true
  if (event.type === 'begin') console.log(`from ${event.cursor} on`)
  if (event.type === 'graduations') {
    for (const { symbol, name, address, market } of event.data) {
      const done = event.status === 'migrated' ? 'has graduated to a pool' : 'has reached its target'
      isTaken &&= await post(
        `${plain(symbol ?? name ?? '') || address} ${done}, at a market cap of ${formatCompact(market.marketCapWeth)} ETH: ${address}`,
      )
    }
  }
  if (event.type === 'reorg')
    isTaken = await post(`The chain was reorganized: graduations of block ${event.fromBlock} and later may be void.`)
  // What was not posted before the end is delivered again.
  if (!isTaken) break
  await writeFile(`${file}.new`, JSON.stringify({ after: event.cursor, reorgs: event.reorgs }))
  await rename(`${file}.new`, file)
}
tokenwire.close()

/** A name from the chain without what Discord and Slack read as a mention, a link or markup. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}$ -]/gu, '').trim()
}

/** Tries until the webhook has taken it. @returns `false`: this program ends first */
async function post(text: string): Promise<boolean> {
  const body = JSON.stringify({ content: text, text, allowed_mentions: { parse: [] } })
  while (!ending.signal.aborted) {
    const response = await fetch(webhook, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(console.error)
    if (response) console.log(`${response.status} ${text}`)
    if (response?.ok) return true
    if (response && response.status < 500 && response.status !== 429) throw new Error(`the webhook answers ${response.status}`)
    await pause(1_000 * Number(response?.headers.get('retry-after') ?? 5))
  }
  return false
}
