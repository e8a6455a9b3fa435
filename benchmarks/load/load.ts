import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { compileLoad } from './compile.ts'
import { type ConnectionPlan, connectFile, type SendPlan, sendFile } from './wire.ts'

const RECEIPT_BYTES = 24

/** Received updates, oldest first. */
export interface Receipts {
  readonly count: number
  sequence(index: number): number
  /** On the machine's monotonic clock, as `monotonicMs` reads it. */
  atMs(index: number): number
  connection(index: number): number
  /** Of the update's text; 0 unless the receipts were begun with hashes. */
  hash(index: number): number
}

/** Counters of the process, read before and after a part of a scenario. */
export interface Waited {
  readonly receipts: number
  /** CPU time of the load's thread since `begin`. */
  readonly cpuMs: number
}

export interface Counted {
  readonly open: number
  /** Bytes read since the connections were opened. */
  readonly bytes: number
  /** Received TCP segments with data. Loopback splits no write of up to 64 KB, so these are the server's writes. */
  readonly segments: number
}

/** The native load: one process, one thread, any number of connections. It executes one command after the other. */
export class Load {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #answers: AsyncIterator<string>
  #turn: Promise<unknown> = Promise.resolve()
  #files = 0

  private constructor(process: ChildProcess, folder: string, answers: AsyncIterator<string>) {
    this.#process = process
    this.#folder = folder
    this.#answers = answers
  }

  /** @throws `Error` without a C compiler */
  static async start(): Promise<Load> {
    const child = spawn(compileLoad(), { stdio: ['pipe', 'pipe', 'inherit'] })
    const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-load-'))
    return new Load(child, folder, createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]())
  }

  /**
   * Opens connections and waits until each is ready. Connections are numbered in the order in which they are opened.
   *
   * @returns how long that took in ms
   */
  async connect(port: number, connections: Iterable<ConnectionPlan>): Promise<number> {
    const [, ns] = await this.#command('connect', port, await this.#file(connectFile(connections)))
    return Number(ns) / 1e6
  }

  /** Forgets all receipts. @param options.hashes whether to hash the updates, which takes the load's time */
  async begin({ hashes = false } = {}): Promise<void> {
    await this.#command('begin', ...(hashes ? ['hash'] : []))
  }

  /** Waits until that number of updates has arrived since `begin`, or until the time is up. */
  async wait(receipts: number, timeoutMs: number): Promise<Waited> {
    const [count, cpuNs] = await this.#command('wait', receipts, timeoutMs)
    return { receipts: Number(count), cpuMs: Number(cpuNs) / 1e6 }
  }

  /** Lets the connections read for that time. */
  async idle(ms: number): Promise<void> {
    await this.#command('idle', ms)
  }

  async receipts(): Promise<Receipts> {
    const file = path.join(this.#folder, `receipts-${++this.#files}`)
    await this.#command('dump', file)
    const bytes = await readFile(file)
    await rm(file)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return {
      count: bytes.length / RECEIPT_BYTES,
      sequence: index => Number(view.getBigUint64(index * RECEIPT_BYTES, true)),
      atMs: index => Number(view.getBigUint64(index * RECEIPT_BYTES + 8, true)) / 1e6,
      connection: index => view.getUint32(index * RECEIPT_BYTES + 16, true),
      hash: index => view.getUint32(index * RECEIPT_BYTES + 20, true),
    }
  }

  /** Sends messages in order. @returns how long that took in ms */
  async send(messages: Iterable<SendPlan>, perSecond: number): Promise<number> {
    const [, ns] = await this.#command('send', await this.#file(sendFile(messages)), perSecond)
    return Number(ns) / 1e6
  }

  /** @param options.abrupt with a TCP reset, as after a network failure */
  async close(first: number, count: number, { abrupt = false } = {}): Promise<void> {
    await this.#command('close', first, count, abrupt ? 1 : 0)
  }

  async count(first: number, count: number): Promise<Counted> {
    const [open, bytes, segments] = await this.#command('count', first, count)
    return { open: Number(open), bytes: Number(bytes), segments: Number(segments) }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await exited
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #file(bytes: Uint8Array): Promise<string> {
    const file = path.join(this.#folder, `input-${++this.#files}`)
    await writeFile(file, bytes)
    return file
  }

  /** @throws `Error` with the load's message */
  #command(...words: readonly (string | number)[]): Promise<readonly string[]> {
    const answer = this.#turn.then(async () => {
      this.#process.stdin?.write(`${words.join(' ')}\n`)
      const { value, done } = await this.#answers.next()
      if (done === true) throw new Error(`the load ended during ${words[0]}`)
      const [word, ...rest] = value.split(' ')
      if (word !== 'ok') throw new Error(`${words[0]}: ${rest.join(' ')}`)
      return rest
    })
    this.#turn = answer.catch(() => {})
    return answer
  }
}
