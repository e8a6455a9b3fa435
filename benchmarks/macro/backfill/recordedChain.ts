import { readFile } from 'node:fs/promises'
import type { Recording } from './recording.ts'

/** A filter of logs; topics as in `eth_getLogs`. */
export interface LogFilter {
  readonly from: number
  readonly to: number
  readonly addresses: readonly string[] | null
  readonly topics: readonly (readonly string[] | null)[]
}

/** A recorded chain in memory, as the text of its answers. A request parses and builds nothing. */
export interface RecordedChain {
  readonly head: number
  /** The block's text; `null` when there is none. */
  block(number: number, full: boolean): Buffer | null
  numberOf(hash: string): number | null
  /** The list as text, and its length; the text is `null` if the list is longer than `most`. */
  logs(filter: LogFilter, most: number): { readonly count: number; readonly text: Buffer | null; readonly lastFitting: number }
}

const ADDRESS = { at: '{"address":"'.length, length: 42 }
const TOPICS_AT = ADDRESS.at + ADDRESS.length + '","topics":['.length
const TOPIC = { length: 66, step: 66 + '"",'.length }

export async function loadRecordedChain({ folder, summary }: Recording): Promise<RecordedChain> {
  const blocks = await readLines(new URL('blocks.jsonl', folder), 2 * (summary.head + 1))
  const logs = await readLines(new URL('logs.jsonl', folder), summary.logs)
  const numbers = new Map<string, number>()
  for (let number = 0; number <= summary.head; number++) {
    const { hash } = JSON.parse(blocks.text.toString('latin1', ...blocks.bounds(2 * number))) as { hash: string }
    numbers.set(hash, number)
  }
  /** The first log of each block, and the end. */
  const firsts = [0]
  for (const count of summary.logsPerBlock) firsts.push((firsts.at(-1) ?? 0) + count)
  const ids = new Map<string, number>()
  const idOf = (text: string) => {
    const id = ids.get(text) ?? ids.size
    ids.set(text, id)
    return id
  }
  /** Per log: the ids of its address and four topics; -1 where it has none. */
  const keys = new Int32Array(5 * summary.logs).fill(-1)
  for (let log = 0; log < summary.logs; log++) {
    const [begin] = logs.bounds(log)
    keys[5 * log] = idOf(logs.text.toString('latin1', begin + ADDRESS.at, begin + ADDRESS.at + ADDRESS.length))
    for (let topic = 0; topic < 4 && logs.text[begin + TOPICS_AT + topic * TOPIC.step] === 0x22; topic++) {
      const at = begin + TOPICS_AT + topic * TOPIC.step + 1
      keys[5 * log + 1 + topic] = idOf(logs.text.toString('latin1', at, at + TOPIC.length))
    }
  }

  return {
    head: summary.head,
    block: (number, full) => (number > summary.head ? null : blocks.text.subarray(...blocks.bounds(2 * number + (full ? 1 : 0)))),
    numberOf: hash => numbers.get(hash) ?? null,
    logs: ({ from, to, addresses, topics }, most) => {
      const filters = [addresses, ...topics].map(list =>
        list === null ? null : new Set(list.map(text => ids.get(text.toLowerCase()) ?? -2)),
      )
      const wanted: number[] = []
      let count = 0
      let lastFitting = to
      for (let number = from; number <= Math.min(to, summary.head); number++) {
        for (let log = firsts[number] ?? 0; log < (firsts[number + 1] ?? 0); log++) {
          if (filters.some((filter, position) => filter !== null && !filter.has(keys[5 * log + position] ?? -1))) continue
          count++
          if (count <= most) wanted.push(log)
        }
        if (count > most && lastFitting === to) lastFitting = number - 1
      }
      return { count, text: count > most ? null : listOf(logs, wanted), lastFitting }
    },
  }
}

interface Lines {
  readonly text: Buffer
  /** Start and end of a line, without its line feed. */
  bounds(line: number): [number, number]
}

async function readLines(file: URL, count: number): Promise<Lines> {
  const text = await readFile(file)
  const ends = new Float64Array(count)
  let at = 0
  for (let line = 0; line < count; line++) {
    at = text.indexOf(0x0a, at) + 1
    if (at === 0) throw new Error(`the cached chain is cut short: remove ${new URL('.', file).href}`)
    ends[line] = at - 1
  }
  return { text, bounds: line => [line === 0 ? 0 : (ends[line - 1] ?? 0) + 1, ends[line] ?? 0] }
}

function listOf(lines: Lines, wanted: readonly number[]): Buffer {
  const bounds = wanted.map(line => lines.bounds(line))
  const list = Buffer.allocUnsafe(2 + bounds.reduce((sum, [begin, end]) => sum + end - begin + 1, 0) - (bounds.length > 0 ? 1 : 0))
  let at = list.write('[', 0, 'latin1')
  for (const [index, [begin, end]] of bounds.entries()) {
    if (index > 0) at += list.write(',', at, 'latin1')
    at += lines.text.copy(list, at, begin, end)
  }
  list.write(']', at, 'latin1')
  return list
}
