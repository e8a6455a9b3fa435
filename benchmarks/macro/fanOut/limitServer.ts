import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { compile } from '#benchmarks/load/compile.ts'

/** The write loop in C (`limit.c`). */
export class LimitServer {
  readonly port: number
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #answers: AsyncIterator<string>

  private constructor(port: number, process: ChildProcess, folder: string, answers: AsyncIterator<string>) {
    this.port = port
    this.#process = process
    this.#folder = folder
    this.#answers = answers
  }

  static async start(): Promise<LimitServer> {
    const child = spawn(compile('limit'), { stdio: ['pipe', 'pipe', 'inherit'] })
    const answers = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
    const port = Number((await answers.next()).value)
    return new LimitServer(port, child, await mkdtemp(path.join(tmpdir(), 'tokenwire-limit-')), answers)
  }

  /** Writes frames to every connection. @param writes the number of writes per connection @returns start and end, monotonic ms */
  async write(updates: readonly Uint8Array[], writes: number): Promise<{ readonly begunAtMs: number; readonly turnMs: number }> {
    const file = path.join(this.#folder, 'bytes')
    await writeFile(file, Buffer.concat(updates.map(frame)))
    this.#process.stdin?.write(`${file} ${writes}\n`)
    const [word, begun, took] = String((await this.#answers.next()).value).split(' ')
    if (word !== 'ok') throw new Error('the limit server failed')
    return { begunAtMs: Number(begun) / 1e6, turnMs: Number(took) / 1e6 }
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** A text message of a server. */
function frame(payload: Uint8Array): Buffer {
  const header = Buffer.alloc(payload.length < 126 ? 2 : 4)
  header[0] = 0x81
  header[1] = payload.length < 126 ? payload.length : 126
  if (payload.length >= 126) header.writeUInt16BE(payload.length, 2)
  return Buffer.concat([header, payload])
}
