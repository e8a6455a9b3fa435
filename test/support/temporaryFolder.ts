import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedAfterFile } from './closeAfterFile.ts'

export interface TemporaryFolder {
  readonly path: string
  /** Ends PostgreSQL servers that still run on data below it, and removes the folder. */
  remove(): Promise<void>
}

/**
 * A folder that other users may enter. It is removed at the end of the test file, and when this process ends in any way: a shell waits for the end of a pipe that only this
 * process holds, then ends the servers and removes the folder.
 */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tokenwire-test-'))
  await chmod(path, 0o755)
  const cleaner = startCleaner(path)
  return {
    path,
    remove: closedAfterFile(async () => {
      const ended = once(cleaner, 'exit')
      cleaner.stdin?.end()
      await ended
    }),
  }
}

// The number in a left-over file may belong to another program.
const SCRIPT = `cat > /dev/null
  find "$1" -name postmaster.pid 2> /dev/null | while read -r file; do
    pid=$(head -n 1 "$file")
    { cat "/proc/$pid/cmdline" 2> /dev/null || ps -p "$pid" -o args= 2> /dev/null; } | grep -q postgres || continue
    kill -s QUIT "$pid" && while kill -0 "$pid" 2> /dev/null; do sleep 0.02; done
  done
  rm -rf "$1"`

function startCleaner(folder: string): ChildProcess {
  const cleaner = spawn('/bin/sh', ['-c', SCRIPT, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  cleaner.unref()
  return cleaner
}
