import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '#test/support/findProgram.ts'
import type { LoadRequest } from './kinds.ts'

const CONNECTIONS = 16

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
 * Sends the requests in turn from 16 connections, as browsers do that accept `br`.
 *
 * @throws `Error` when an answer was not 200
 */
export async function load(wrk: string, url: string, requests: readonly LoadRequest[], seconds: number): Promise<Load> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-wrk-'))
  try {
    const script = path.join(folder, 'paths.lua')
    await writeFile(script, luaOf(requests))
    const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', '-s', script, '-H', 'Accept-Encoding: br, gzip', url]
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

function luaOf(requests: readonly LoadRequest[]): string {
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
`
}

function luaText(text: string): string {
  return JSON.stringify(text)
}

function readMs(text = ''): number {
  const unit = text.endsWith('us') ? 0.001 : text.endsWith('ms') ? 1 : 1_000
  return Number.parseFloat(text) * unit
}
