import { totalmem } from 'node:os'
import process from 'node:process'

const MIB = 1024 ** 2
const LEAST_MIB = 128
const MOST_MIB = 8_192
const SHARE_OF_MEMORY = 1 / 4

/**
 * The embedded server's `shared_buffers`: a quarter of the memory that this process may use, at least 128 MB and at most 8 GB. Pages that
 * do not fit are copied from the system's cache at every use. The memory is allocated as the tables grow.
 *
 * @param memoryBytes default: the machine's, or its container's limit
 */
export function sharedBuffers(memoryBytes: number = usableMemory()): string {
  return `${Math.floor(Math.min(MOST_MIB, Math.max(LEAST_MIB, (memoryBytes * SHARE_OF_MEMORY) / MIB)))}MB`
}

/** Without a limit the system reports 0, or more than there is. */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
