import { totalmem } from 'node:os'
import process from 'node:process'

const MIB = 1024 ** 2
const LEAST_MIB = 128
const MOST_MIB = 8_192
const SHARE_OF_MEMORY = 1 / 4

/**
 * How much of the tables the embedded server keeps itself, as its setting: a quarter of what memory this process may use, at least 128 MB and at
 * most 8 GB. What it does not keep is copied from the system's cache page by page with every use. Memory is taken as the tables grow into it, not
 * at the start.
 *
 * @param memoryBytes default: of the machine, or what its container is limited to
 */
export function sharedBuffers(memoryBytes: number = usableMemory()): string {
  return `${Math.floor(Math.min(MOST_MIB, Math.max(LEAST_MIB, (memoryBytes * SHARE_OF_MEMORY) / MIB)))}MB`
}

/** Without a limit the system names none, or one beyond what there is. */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
