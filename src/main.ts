import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { listenForStop } from '#process/stopRequest.ts'
import { loadThread } from '#worker/loadThread.ts'

/*
 * npm start. Listens for signals, starts the indexing thread, and loads the rest while that thread loads its modules. Exit codes: 0 after a
 * stop, 75 when another start may succeed, 1 when the configuration or the environment has to be changed first. With the argument `check`
 * it only says what a start would find.
 */

/**
 * Lets the heap of each thread grow to 1.7 times what survived the last collection. With V8's default factor of up to 4 a backfill takes
 * 140 MiB more memory and a few percent less CPU time (decision 0016).
 */
const HEAP_GROWTH_PERCENT = 70

if (process.argv.length > 2) {
  const { runCommand } = await import('#process/check.ts')
  process.exit(await runCommand(process.argv.slice(2)))
}

const stopping = listenForStop()
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
// A gateway does not index. Where `.env` says so, `run` ends the thread.
const thread = process.env['ROLE'] === 'gateway' ? null : loadThread()
const { run } = await import('#process/run.ts')
process.exit(await run(thread, stopping))
