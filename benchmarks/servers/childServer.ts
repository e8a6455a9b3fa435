import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const START_TIMEOUT_MS = 120_000

/** Starts a server of another project and waits until it listens. It ends with this process. @throws `Error` after two minutes */
export async function startChild(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGTERM'))
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    const socket = await dial(port).catch(() => null)
    if (socket !== null) {
      socket.destroy()
      return child
    }
    await pause(20)
  }
  child.kill('SIGKILL')
  throw new Error(`${program} does not listen`)
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

/** The usage of a Linux process: processor time since its start, and current memory. */
export function usageOf(pid: number): { readonly cpuMs: number; readonly rssBytes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Fields after the name, which may contain anything: state is the 3rd, user and system time the 14th and 15th, resident pages the 24th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { cpuMs: (ticks * 1_000) / TICKS_PER_SECOND, rssBytes: Number(fields[21]) * PAGE_BYTES }
}

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096

/** Whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
