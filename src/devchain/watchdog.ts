import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/*
 * A process, started by startWatchdog.ts, that outlives its parent by a few seconds. Only the parent holds the pipe to its standard
 * input. When the parent ends in any way, kill -9 included, the pipe closes, and this process ends the others that the parent
 * started.
 *
 * Lines on standard input:
 *   watch <pid> <signal>       end the process when the parent is gone, first with the signal, then with SIGKILL
 *   forget <pid>               the process has ended by itself
 *   watchFile <signal> <path>  like watch, after the others, for the pid that the file's first line then holds
 */

/** Time between signal and SIGKILL; the first argument. */
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
    return null // no such file: its process has stopped, or never started
  }
}

async function end(targets: readonly Target[]): Promise<void> {
  const alive = targets.filter(target => signalProcess(target.pid, target.signal))
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && alive.some(target => signalProcess(target.pid, 0))) await delay(POLL_MS)
  for (const target of alive) signalProcess(target.pid, 'SIGKILL')
}

/** False when the process does not exist any more. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

// Ctrl-C and a closing terminal signal every process of the group, and this one has to end last.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.stdout.write('watching\n')
const lines = createInterface({ input: process.stdin })
lines.on('line', obey)
lines.on('close', () => {
  void end([...processes.values()])
    .then(() => end(targetsOfFiles()))
    .then(() => process.exit(0))
})
