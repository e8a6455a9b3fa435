import { readFile } from 'node:fs/promises'
import { answerCalls } from '#benchmarks/harness/worker.ts'
import { chainContents } from './chainContents.ts'
import { loadRecordedChain, type RecordedChain } from './recordedChain.ts'
import type { RecordingSummary } from './recording.ts'
import type { SourceCalls } from './sourceCalls.ts'
import { type Source, startSource } from './sourceServer.ts'
import { splitIntoRanges } from './splitIntoRanges.ts'

let recorded: RecordedChain | null = null
let source: Source | null = null
let cpuBefore = process.cpuUsage()

const opened = (): Source => {
  if (source === null) throw new Error('the source is not open')
  return source
}

answerCalls<SourceCalls>({
  open: async path => {
    const folder = new URL(path)
    const summary = JSON.parse(await readFile(new URL('summary.json', folder), 'utf8')) as RecordingSummary
    const chain = await loadRecordedChain({ folder, summary })
    recorded = chain
    source = await startSource(chain, summary.deployment.chainId)
    return { url: source.url, contents: chainContents(chain, summary.deployment.launchpad) }
  },
  ranges: query => {
    if (recorded === null) throw new Error('the source is not open')
    return splitIntoRanges(recorded, query)
  },
  behave: behaviour => opened().behave(behaviour),
  takeCounts: () => {
    const { user, system } = process.cpuUsage(cpuBefore)
    cpuBefore = process.cpuUsage()
    return { ...opened().takeCounts(), cpuMs: (user + system) / 1_000 }
  },
})
