import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the console or the service for the processes that are started next, unless it is built of the sources as they are. */
export function buildIfStale(script: 'buildConsole' | 'buildService'): void {
  const file = fileURLToPath(new URL(`../../build/${script}.ts`, import.meta.url))
  execFileSync(process.execPath, [file, '--if-stale'], { stdio: 'inherit' })
}
