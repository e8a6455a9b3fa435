import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/*
 * Loaded into `npm start` before its own code (`--import`): answers each message of the parent process with the memory after a garbage
 * collection.
 */

export interface MemoryUsage {
  readonly type: 'memory'
  readonly rssBytes: number
  readonly heapBytes: number
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as typeof globalThis.gc

process.on('message', message => {
  if (message !== 'memory') return
  // Returns free memory to the system.
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ type: 'memory', rssBytes: rss, heapBytes: heapUsed } satisfies MemoryUsage)
})
