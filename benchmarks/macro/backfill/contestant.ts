import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { type ProcessUsage, processUsage } from '#benchmarks/service/processUsage.ts'

/** An indexer as a separate process, from an empty database to the head. */
export interface Contestant {
  readonly process: ChildProcess
  readonly startedAtMs: number
  /** The end of its output. */
  output(): string
  /** Polls until the answer is not `null`. @throws `Error` with the output if the process ends before that, or after half an hour */
  until<T>(ask: () => Promise<T | null>, everyMs: number): Promise<T>
  usage(): Promise<ProcessUsage | null>
  stop(): Promise<void>
}

export interface ContestantOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const OUTPUT_KEPT = 20_000
const MAX_MS = 1_800_000
const STOP_TIMEOUT_MS = 10_000

export function startContestant({ args, cwd, env }: ContestantOptions): Contestant {
  const { PATH = '', HOME = '' } = process.env
  const startedAtMs = performance.now()
  const child = spawn(process.execPath, [...args], { cwd, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output = (output + String(chunk)).slice(-OUTPUT_KEPT)))
  const exited = new Promise<void>(resolve => void child.once('close', () => resolve()))
  return {
    process: child,
    startedAtMs,
    output: () => output,
    until: async (ask, everyMs) => {
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`a contestant ended early:\n${output}`)
        if (performance.now() - startedAtMs > MAX_MS) throw new Error(`a contestant does not finish:\n${output}`)
        const answer = await ask()
        if (answer !== null) return answer
        await pause(everyMs)
      }
    },
    usage: async () => (child.pid === undefined ? null : processUsage(child.pid)),
    stop: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

/** The JSON of a contestant's URL; `null` without an answer or without status 200. */
export async function jsonOf(url: string): Promise<unknown> {
  const response = await fetch(url).catch(() => null)
  if (response === null) return null
  const body: unknown = await response.json().catch(() => null)
  return response.ok ? body : null
}
