import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { messageOf } from '#errors'

const SCRIPT = fileURLToPath(new URL('../../../build/buildConsole.ts', import.meta.url))

/** Builds the console, in about a second, when it is missing or older than its sources. A failure is printed; the rest runs without it. */
export async function buildConsole(signal: AbortSignal): Promise<void> {
  const build = spawn(process.execPath, [SCRIPT, '--if-stale'], { stdio: ['ignore', 'inherit', 'inherit'], signal })
  const failure = await once(build, 'close').then(([code]) => (code === 0 ? null : `it ended with ${String(code)}`), messageOf)
  if (failure !== null && !signal.aborted) console.error(`The console could not be built (${failure}). Everything else runs without it.`)
}
