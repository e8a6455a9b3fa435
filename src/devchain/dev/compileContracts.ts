import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../artifacts.ts', import.meta.url))

/**
 * Compiles the contracts of the chain if their sources have changed, in a process of its own: this one hears Ctrl-C meanwhile. A failure is
 * told again by what reads the contracts.
 */
export async function compileContracts(signal: AbortSignal): Promise<void> {
  const compiling = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'inherit', 'ignore'], signal })
  await once(compiling, 'close').catch(() => undefined)
}
