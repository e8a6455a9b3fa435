import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { loadThread } from '#worker/loadThread.ts'

/*
 * npm start. It begins with the thread that indexes, and loads everything else while that one loads. Exit codes: 0 it was asked to stop, 75 it could
 * not start and may be started again as it is, 1 something has to be changed first.
 */

/**
 * Of both threads' heaps: 1.7 times what lived after the last collection, at most. V8's own factor is up to four where there is much memory, and a
 * backfill then holds 140 MiB more, for a few percent less of processor time (0016). No limit: a directory of millions of tokens still fits.
 */
const HEAP_GROWTH_PERCENT = 70

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
const thread = loadThread()
const { run } = await import('./run.ts')
process.exit(await run(thread))
