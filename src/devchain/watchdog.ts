import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/*
 * A process of its own (started by startWatchdog.ts) that outlives its parent by a few seconds. Its standard input is a pipe that only the
 * parent holds: whichever way the parent ends, kill -9 included, the pipe closes, and everything the parent had started is ended here.
 *
 * Lines on standard input:
 *   watch <pid> <signal>       end this process when the parent is gone, first with that signal, then with SIGKILL
 *   forget <pid>               it has ended by itself
 *   watchFile <signal> <path>  the same for the process whose pid is the file's first line when the time comes, after the others
 */

/** How long a process has to end in order; the first argument. */
const graceMs = Number(process.argv[2] ?? 8_000)
const POLL_MS = 25

interface Target {
  readonly pid: number
  readonly signal: NodeJS.Signals
}

const processes = new Map<number, Target>()
const pidFiles = new Map<string, NodeJS.Signals>()

function obey(line: string): void {
  const [command = '', first = '', ...rest] = line.split(' ')
  const last = rest.join(' ')
  switch (command) {
    case 'watch':
      processes.set(Number(first), { pid: Number(first), signal: last as NodeJS.Signals })
      return
    case 'forget':
      processes.delete(Number(first))
      return
    case 'watchFile':
      pidFiles.set(last, first as NodeJS.Signals)
      return
  }
}

function targetsOfFiles(): Target[] {
  return [...pidFiles].flatMap(([path, signal]) => {
    const pid = pidIn(path)
    return pid === null ? [] : [{ pid, signal }]
  })
}

function pidIn(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8').split('\n', 1)[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null
  } catch {
    return null // no such file: the process it would name has stopped in order, or never started
  }
}

async function end(targets: readonly Target[]): Promise<void> {
  const alive = targets.filter(target => signalProcess(target.pid, target.signal))
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && alive.some(target => signalProcess(target.pid, 0))) await delay(POLL_MS)
  for (const target of alive) signalProcess(target.pid, 'SIGKILL')
}

/** False when there is no such process any more. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

// Ctrl-C and a closing terminal reach every process of the group; this one must be the last.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.stdout.write('watching\n')
const lines = createInterface({ input: process.stdin })
lines.on('line', obey)
lines.on('close', () => {
  void end([...processes.values()])
    .then(() => end(targetsOfFiles()))
    .then(() => process.exit(0))
})
