import { expectTrades } from './expectTrades.ts'
import type { HotPath } from './hotPath.ts'

export const backfill: HotPath = {
  name: 'backfill',
  about: 'an empty database and a chain of 20,000 trades in 500 blocks; from the start of the process until its health has the last block',
  figures: [
    { name: 'time', unit: 'ms', better: 'less' },
    { name: 'service CPU', unit: 'ms', better: 'less' },
    { name: 'database CPU', unit: 'ms', better: 'less' },
    { name: 'peak memory', unit: 'MB', better: 'less' },
  ],
  isEmpty: true,
  measure: async turn => {
    const databaseBeforeMs = await turn.databaseCpuMs()
    const begunAtMs = performance.now()
    const service = await turn.start()
    await service.indexed(turn.contents.head)
    const time = performance.now() - begunAtMs
    const [{ cpuMs, peakRssMiB }, databaseMs] = [await service.usage(), await turn.databaseCpuMs()]
    await expectTrades(service, turn.contents)
    return { time, 'service CPU': cpuMs, 'database CPU': databaseMs - databaseBeforeMs, 'peak memory': peakRssMiB }
  },
}
