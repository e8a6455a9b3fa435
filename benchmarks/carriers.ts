import { parseArgs } from 'node:util'
import { findProgram } from '#test/support/findProgram.ts'
import { costOfAnnouncement } from './macro/carriers/announcement.ts'
import { measureArrival } from './macro/carriers/arrival.ts'
import { type Commits, startCommits } from './macro/carriers/commits.ts'
import { LARGE_BLOCK_ARMS, measureLargeBlocks } from './macro/carriers/largeBlock.ts'
import { costOfListeners } from './macro/carriers/listeners.ts'
import { openCarriers } from './macro/carriers/openCarriers.ts'
import { reportLargeBlocks, reportListeners, reportTimes } from './macro/carriers/reportCarriers.ts'
import { describeMachine } from './support/machine.ts'

const HELP = `npm run bench:carriers -- [announcement] [arrival] [listeners] [block]

  announcement  commits with and without their announcement to gateways, in turns; half a minute
  arrival       from the end of a commit to the actors of a gateway, by each carrier; half a minute
  listeners     what a commit costs while 0, 1 and 10 gateways listen: time, and processor time of its writer; three minutes
  block         from the commit of a block that changes 500 tokens to the last of its updates at the last of 12 clients; four minutes

  Without a word all of them. Two gateways serve the clients of a block.
  --blocks <n>    blocks that are measured in a turn (default: announcement and arrival 200, listeners 50, block 21)
  --every <ms>    the pause between the blocks of listeners (default 200)
  --arm <name>    block: ${LARGE_BLOCK_ARMS.join(', ')}; can be given several times (default: all, and again in reverse)
  --gateways <n>  block: gateway threads or processes (default 2)
  --tokens <n>    block: changed tokens (default 500)
`
const WORDS = ['announcement', 'arrival', 'listeners', 'block']
const CONNECTIONS = 12

const print = (text: string) => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    blocks: { type: 'string' },
    every: { type: 'string', default: '200' },
    arm: { type: 'string', multiple: true },
    gateways: { type: 'string', default: '2' },
    tokens: { type: 'string', default: '500' },
  },
})
const wanted = positionals.length === 0 ? WORDS : positionals
const arms = LARGE_BLOCK_ARMS.filter(arm => values.arm?.includes(arm) ?? true)
if (values.help || wanted.some(word => !WORDS.includes(word)) || arms.length === 0) print(HELP)
else await run()

async function run(): Promise<void> {
  const { cpu, cores, loadAverage } = describeMachine()
  print(`${cpu}, ${cores} cores, load ${loadAverage.toFixed(1)}\n`)
  const natsServer = findProgram({ names: ['nats-server'], aptPackage: 'nats-server' })
  if (wanted.some(word => word !== 'block')) {
    const commits = await startCommits()
    try {
      await ofSmallBlocks(commits, natsServer)
    } finally {
      await commits.stop()
    }
  }
  if (!wanted.includes('block')) return
  const tokens = Number(values.tokens)
  const common = { tokens, connections: CONNECTIONS, gateways: Number(values.gateways), blocks: Number(values.blocks ?? 21), natsServer }
  print(reportLargeBlocks(tokens, await measureLargeBlocks({ ...common, turns: [...arms, ...arms.toReversed()] })))
}

async function ofSmallBlocks(commits: Commits, natsServer: string | null): Promise<void> {
  const blocks = Number(values.blocks ?? 200)
  if (wanted.includes('announcement')) {
    const costs = await costOfAnnouncement(commits, blocks)
    print(
      reportTimes([
        ['commit without announcement', costs.without],
        ['commit with it', costs.with],
      ]),
    )
  }
  const carriers = await openCarriers(commits, natsServer)
  if (wanted.includes('arrival')) {
    const times: (readonly [string, readonly number[]])[] = []
    for (const carrier of carriers) times.push([`commit → actors, ${carrier.name}`, await measureArrival(commits, carrier, blocks)])
    print(reportTimes(times))
  }
  if (!wanted.includes('listeners')) return
  const options = { counts: [0, 1, 10], blocks: Number(values.blocks ?? 50), everyMs: Number(values.every) }
  for (const carrier of carriers)
    if (carrier.name !== 'same process') print(reportListeners(carrier.name, await costOfListeners(commits, carrier, options)))
}
