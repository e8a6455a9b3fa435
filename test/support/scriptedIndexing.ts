import { parentPort } from 'node:worker_threads'
import { encodeBlock } from '#bus/blockFeed.ts'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { UNKNOWN_INDEXER } from '#resources/health.ts'
import { createAckWindow } from '#worker/blockSender.ts'
import type { FromIndexing, ThreadView, ToIndexing } from '#worker/messages.ts'

/*
 * Replaces `indexingThread.ts`: sends its messages without indexing. Its script is in the place of the configuration. It counts its
 * commits in shared memory, which can be read while the main thread is busy.
 */

export interface IndexingScript {
  readonly behaviour: 'commits' | 'fails to open' | 'throws' | 'rejects' | 'runs out of memory' | 'exits' | 'falls silent'
  /** One 32-bit count of the commits. */
  readonly committed: SharedArrayBuffer
}

const MAX_AHEAD = 4
const VIEW: ThreadView = {
  state: {
    ...UNKNOWN_INDEXER,
    headBlock: 9,
    confirmedBlock: 9,
    indexedBlock: 0,
    lagBlocks: 9,
    lagSeconds: 9,
    backfill: null,
    reorgs: { count: 0, lastDepth: null, lastAt: null },
    rpc: [],
    stalled: false,
    reason: null,
  },
  chain: { headBlock: 9, blockTimeMs: 1_000, baseFeeGwei: null },
  metadata: { queued: null, underWay: 0, outcomes: {} },
  skippedLogs: [],
  eventLoop: { stallsTotal: 0, longestStallMs: 0, delayP99Ms: 0 },
}

/** Waits for its script. */
let behaviour: IndexingScript['behaviour'] = 'commits'
let commits = new Int32Array(new SharedArrayBuffer(4))
const unacknowledged = createAckWindow(MAX_AHEAD)
const send = (message: FromIndexing) => parentPort?.postMessage(message)
let underWay: Promise<void> = Promise.resolve()
const stopping = new AbortController()

const commit = unacknowledged.delayed(async work => work({} as never) as never)

async function commitOne(): Promise<void> {
  const number = await commit(async () => Atomics.add(commits, 0, 1) + 1)
  const block = encodeBlock({ number, hash: '0x', timestamp: 0, completedAtMs: 0, tokens: [], unread: [], dropped: [] })
  unacknowledged.sent()
  send({ kind: 'committed', block, view: { ...VIEW, state: { ...VIEW.state, indexedBlock: number } } })
}

async function index(): Promise<void> {
  while (!stopping.signal.aborted) {
    underWay = commitOne()
    await underWay
  }
}

function begin(): void {
  switch (behaviour) {
    case 'commits':
    case 'fails to open':
      void index()
      return
    case 'throws':
      throw new Error('a defect')
    case 'rejects':
      void Promise.reject(new Error('a defect of a promise'))
      return
    case 'runs out of memory': {
      const held: unknown[] = []
      for (;;) held.push(Array.from({ length: 1_000 }, () => ({})))
    }
    case 'exits':
      process.exit(3)
      return
    case 'falls silent':
      for (;;);
  }
}

async function obey(message: ToIndexing): Promise<void> {
  switch (message.kind) {
    case 'configure': {
      const script = message.config as unknown as IndexingScript
      behaviour = script.behaviour
      commits = new Int32Array(script.committed)
      return
    }
    case 'check':
      send({ kind: 'checked' })
      return
    case 'open':
      if (behaviour === 'fails to open') send({ kind: 'failed', code: 'chain_mismatch', message: 'another chain', retryable: true })
      else send({ kind: 'opened', chainId: 7, launchpads: { weth: ZERO_ADDRESS, launchpads: [] }, writer: 'scripted', view: VIEW })
      return
    case 'index':
      begin()
      return
    case 'want':
      return
    case 'received':
      unacknowledged.acknowledged()
      return
    case 'watched':
      send({ kind: 'watchedReceived' })
      return
    case 'price':
      return
    case 'stop':
      stopping.abort()
      await underWay
      send({ kind: 'ended' })
      return
    case 'close':
      process.exit()
  }
}

parentPort?.on('message', (message: ToIndexing) => void obey(message))
