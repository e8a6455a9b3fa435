import { createHash } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Deployment } from '#devchain/deploy.ts'
import type { ChainSettings } from './chainPlan.ts'
import { type GeneratedBlock, generateChain } from './generateChain.ts'

/** A generated chain in the cache: anvil's answers as text, one per line. */
export interface Recording {
  /** The folder of `summary.json`, `blocks.jsonl` and `logs.jsonl`. */
  readonly folder: URL
  readonly summary: RecordingSummary
}

export interface RecordingSummary {
  readonly settings: ChainSettings
  readonly deployment: Pick<Deployment, 'chainId' | 'startBlock' | 'weth' | 'launchpad'>
  readonly head: number
  readonly transactions: number
  readonly logs: number
  /** The number of logs of each block, from block 0 on. */
  readonly logsPerBlock: readonly number[]
}

/** The version of the generator and the files; a new version generates new chains. */
const VERSION = 3
const CACHE: URL = new URL('../../../.cache/backfill/', import.meta.url)
const PROGRESS_EVERY = 200

/**
 * The chain of these settings, from the cache or newly generated.
 *
 * @param cache a folder's URL, which ends with a slash; default `.cache/backfill/`
 */
export async function openRecording(settings: ChainSettings, print: (text: string) => void, cache = CACHE): Promise<Recording> {
  const name = createHash('sha256')
    .update(JSON.stringify([VERSION, settings]))
    .digest('hex')
    .slice(0, 16)
  const folder = new URL(`${name}/`, cache)
  const summary = await readSummary(folder)
  if (summary !== null) return { folder, summary }
  const unfinished = new URL(`${name}.unfinished/`, cache)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const made = await record(unfinished, settings, print)
  await rename(unfinished, folder)
  return { folder, summary: made }
}

async function readSummary(folder: URL): Promise<RecordingSummary | null> {
  try {
    return JSON.parse(await readFile(new URL('summary.json', folder), 'utf8')) as RecordingSummary
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function record(folder: URL, settings: ChainSettings, print: (text: string) => void): Promise<RecordingSummary> {
  const files = { blocks: createWriteStream(new URL('blocks.jsonl', folder)), logs: createWriteStream(new URL('logs.jsonl', folder)) }
  const logsPerBlock: number[] = []
  let transactions = 0
  const begunAtMs = performance.now()
  const deployment = await generateChain({
    settings,
    onBlock: async generated => {
      const { lines, logs, count } = linesOf(generated)
      transactions += count
      logsPerBlock.push(logs.length)
      await write(files.blocks, lines)
      await write(files.logs, logs)
    },
    onProgress: (mined, blocks) => {
      if (mined % PROGRESS_EVERY !== 0) return
      print(`  ${mined} of ${blocks} blocks mined, ${Math.round((performance.now() - begunAtMs) / 1_000)} s`)
    },
  })
  for (const file of Object.values(files)) await new Promise<void>(resolve => void file.end(() => resolve()))
  const { chainId, startBlock, weth, launchpad } = deployment
  const logs = logsPerBlock.reduce((sum, count) => sum + count, 0)
  const head = logsPerBlock.length - 1
  const summary = { settings, deployment: { chainId, startBlock, weth, launchpad }, head, transactions, logs, logsPerBlock }
  await writeFile(new URL('summary.json', folder), JSON.stringify(summary))
  return summary
}

/** Per block a line with transaction hashes and one with full transactions; per log a line that begins with its address and topics. */
function linesOf({ block, logs }: GeneratedBlock) {
  const { transactions, ...header } = block as { readonly transactions: readonly { readonly hash: string }[] }
  const lines = [{ ...header, transactions: transactions.map(({ hash }) => hash) }, block].map(one => JSON.stringify(one))
  return {
    count: transactions.length,
    lines,
    logs: (logs as readonly { readonly address: string; readonly topics: readonly string[] }[]).map(({ address, topics, ...rest }) =>
      JSON.stringify({ address, topics, ...rest }),
    ),
  }
}

async function write(file: WriteStream, lines: readonly string[]): Promise<void> {
  if (lines.length === 0 || file.write(`${lines.join('\n')}\n`)) return
  await new Promise<void>(resolve => void file.once('drain', () => resolve()))
}
