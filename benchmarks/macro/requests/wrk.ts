import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '#test/support/findProgram.ts'
import type { LoadRequest } from './kinds.ts'

/** How requests come. */
export interface Arrival {
  readonly connections: number
  /** On average between an answer and the connection's next request, so that the rate hardly depends on how fast answers are. */
  readonly pauseMs: number
}

/** One client that asks as fast as it gets answers. */
const CLOSED: Arrival = { connections: 16, pauseMs: 0 }

/** On a machine with other work to do, answers may take seconds. */
const TIMEOUT = '20s'

/** Many clients that together make so many requests a second, as long as answers take much less than the pause. */
export function arrivalAt(requestsPerSecond: number, pauseMs: number): Arrival {
  return { connections: Math.round((requestsPerSecond * pauseMs) / 1_000), pauseMs }
}

export interface Load {
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

/** @throws `Error` that says how to install it */
export function findWrk(): string {
  const wrk = findProgram({ names: ['wrk'], aptPackage: 'wrk' })
  if (wrk === null) throw new Error('this benchmark loads the service with wrk')
  return wrk
}

/**
 * Sends the requests in turn, as browsers do that accept `br`.
 *
 * @param arrival default: as fast as it goes, from 16 connections
 * @throws `Error` when an answer was not 200
 */
export async function load(
  wrk: string,
  url: string,
  requests: readonly LoadRequest[],
  seconds: number,
  { connections, pauseMs }: Arrival = CLOSED,
): Promise<Load> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-wrk-'))
  try {
    const script = path.join(folder, 'paths.lua')
    await writeFile(script, luaOf(requests, pauseMs))
    const options = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--latency',
      '--timeout',
      TIMEOUT,
      '-s',
      script,
      '-H',
      'Accept-Encoding: br, gzip',
      url,
    ]
    const { stdout } = await promisify(execFile)(wrk, options)
    const failures = /Non-2xx[^\n]*|Socket errors[^\n]*/.exec(stdout)
    if (failures !== null) throw new Error(`${JSON.stringify(requests[0])}: ${failures[0]}`)
    return {
      requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
      p99Ms: readMs(/99%\s+([\d.]+\w+)/.exec(stdout)?.[1]),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function luaOf(requests: readonly LoadRequest[], pauseMs: number): string {
  const formats = requests.map(request =>
    typeof request === 'string'
      ? `wrk.format("GET", ${luaText(request)})`
      : `wrk.format("POST", ${luaText(request.path)}, { ["Content-Type"] = "application/json" }, ${luaText(JSON.stringify(request.body))})`,
  )
  return `local next, requests = 0, nil
request = function()
  requests = requests or { ${formats.join(', ')} }
  next = next % #requests + 1
  return requests[next]
end
${pauseMs === 0 ? '' : luaPause(pauseMs)}`
}

/** Spread, so that the connections do not all ask at once. */
function luaPause(meanMs: number): string {
  return `delay = function()
  return math.random(${meanMs / 2}, ${meanMs * 1.5})
end
`
}

function luaText(text: string): string {
  return JSON.stringify(text)
}

function readMs(text = ''): number {
  const unit = text.endsWith('us') ? 0.001 : text.endsWith('ms') ? 1 : 1_000
  return Number.parseFloat(text) * unit
}
