import { readFile, rename, writeFile } from 'node:fs/promises'
import { createTokenwire } from 'tokenwire/client'
import { createLive, type EventOptions } from 'tokenwire/client/live'

/* npx node examples/launch-bot/launchBot.ts [service] [file]: prints every launch, and after a restart those that it missed. */

const [url = 'http://localhost:3000', file = 'launches.json'] = process.argv.slice(2)
const tokenwire = createTokenwire({ url, onError: error => console.error(String(error)) })
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

// Without a file it begins now.
const position = await readFile(file, 'utf8').then(
  text => JSON.parse(text) as EventOptions,
  () => ({}),
)

for await (const event of createLive(tokenwire).launches({}, { ...position, signal: ending.signal })) {
  if (event.type === 'begin') console.log(`from ${event.cursor} on`)
  if (event.type === 'reorg') console.log(`void: launches of block ${event.fromBlock} and later`)
  if (event.type === 'gap') console.log(`missed: launches after ${event.from}, up to ${event.cursor}`)
  if (event.type === 'launches') {
    for (const { launchpad, symbol, address, creator } of event.data)
      console.log(`${launchpad} ${JSON.stringify(symbol)} ${address} by ${creator}`)
  }
  // After the event has been handled: one that was not is delivered again.
  await writeFile(`${file}.new`, JSON.stringify({ after: event.cursor, reorgs: event.reorgs }))
  await rename(`${file}.new`, file)
}
tokenwire.close()
