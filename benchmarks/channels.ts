import { parseArgs } from 'node:util'
import { measureMixedChannels } from './macro/fanOut/channels/mixedChannels.ts'
import { measureStalledReaders } from './macro/fanOut/channels/stalledReaders.ts'
import { describeMachine } from './support/machine.ts'

const HELP = `npm run bench:channels -- [mixed] [stalled]

  mixed    5,000 clients with 10,000 distinct filters, 1,000 distinct lists and 1,000 tokens, beside topics of bare uWebSockets.js
  stalled  1,000 readers of all trades that stop reading, beside 100 that read

  Without a word both, in about four minutes.
  --rounds <n>  turns of each server (default 3)
  --blocks <n>  blocks that are measured in a turn (default 20; of the stalled readers 60)
`

const print = (text: string) => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' }, blocks: { type: 'string' } },
})
const wanted = positionals.length === 0 ? ['mixed', 'stalled'] : positionals
if (values.help || wanted.some(word => !['mixed', 'stalled'].includes(word))) print(HELP)
else {
  const { cpu, cores, loadAverage } = describeMachine()
  print(`${cpu}, ${cores} cores, load ${loadAverage.toFixed(1)}\n`)
  if (wanted.includes('mixed')) print(await measureMixedChannels({ rounds: Number(values.rounds), blocks: Number(values.blocks ?? 20) }))
  if (wanted.includes('stalled')) print((await measureStalledReaders({ blocks: Number(values.blocks ?? 60) })).table)
}
