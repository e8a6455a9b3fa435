import { quantile } from '#benchmarks/support/quantile.ts'
import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { ChannelServerUsage } from './channelServer.ts'
import { ChannelSession } from './channelSession.ts'
import { countingPlan } from './clientPlans.ts'

/** Small, so that unread data waits in the server and not in the kernel. */
const RECEIVE_BUFFER_BYTES = 16_384
/** A block is 50 trades: three messages. */
const MESSAGES_PER_BLOCK = 3

export interface StalledReadersOptions {
  /** Blocks that are measured, before and after the filling. */
  readonly blocks: number
  /** Readers that read. Default: 100. */
  readonly quick?: number
  /** Readers that stop reading. Default: 1,000. */
  readonly stalled?: number
  /** Blocks of 38 KB each. Default: 130, which are more than the kernel takes of 4 MB per reader, and fewer events than are replayed. */
  readonly fillingBlocks?: number
}

/** What a reader that has stopped costs the server. */
export interface ReaderBytes {
  /** Objects and buffers. */
  readonly heap: number
  readonly resident: number
}

export interface StalledReaders {
  readonly table: string
  /** After the filling, and after further blocks. */
  readonly perReader: readonly ReaderBytes[]
  /** Connections of stalled readers that are open at the end. */
  readonly open: number
}

/**
 * All trades to readers that read, while others have stopped reading.
 *
 * @throws `Error` when those that had stopped do not get all that they have missed after they read again
 */
export async function measureStalledReaders({
  blocks,
  quick = 100,
  stalled = 1_000,
  fillingBlocks = 130,
}: StalledReadersOptions): Promise<StalledReaders> {
  const session = await ChannelSession.start('tokenwire')
  const { load, server } = session
  const reader = countingPlan(session.port, [{ type: 'subscribe', channel: 'trades' }], { receiveBufferBytes: RECEIVE_BUFFER_BYTES })
  const usage = () => server.call('usage', { collect: true })
  const ofStalled = () => load.count(quick, stalled)
  try {
    await session.open(Array.from({ length: quick }, () => reader))
    const due = () => quick * MESSAGES_PER_BLOCK
    await session.deliver(10, due)
    const alone = await session.deliver(blocks, due)
    await session.open(Array.from({ length: stalled }, () => reader))
    const opened = await usage()
    const [quickAtFirst, stalledAtFirst] = [await load.count(0, 1), await ofStalled()]
    await load.pace(quick, stalled, 0)
    const filling = await session.deliver(fillingBlocks, due)
    const filled = await usage()
    const beside = await session.deliver(blocks, due)
    const later = await usage()
    const [readByQuick, readByStalled] = [await load.count(0, 1), await ofStalled()]
    const missed = readByQuick.bytes - quickAtFirst.bytes - (readByStalled.bytes - stalledAtFirst.bytes) / stalled
    await load.pace(quick, stalled, null)
    const caughtUpMs = await caughtUp(load, missed, { first: quick, count: stalled })
    const { open } = await ofStalled()
    const perReader = [filled, later].map(after => grownBy(opened, after, stalled))
    const row = (name: string, { latenciesMs }: typeof alone) => [
      name,
      formatMs(quantile(latenciesMs, 0.5)),
      formatMs(quantile(latenciesMs, 0.99)),
    ]
    const table = [
      textTable(
        [`${quick} readers`, 'p50', 'p99'],
        [row('alone', alone), row(`while ${stalled} stop reading`, filling), row(`beside ${stalled} that read nothing`, beside)],
      ),
      `server's memory per stalled reader, after ${fillingBlocks} and ${fillingBlocks + blocks} blocks: ${perReader.map(formatBytes).join('; ')}`,
      `when they read again: all that they had missed, ${(missed / 1e6).toFixed(1)} MB each, in ${formatMs(caughtUpMs)}; ${open} of ${stalled} are still open`,
    ].join('\n')
    return { table, perReader, open }
  } finally {
    await session.stop()
  }
}

function grownBy(before: ChannelServerUsage, after: ChannelServerUsage, readers: number): ReaderBytes {
  return { heap: (after.heapBytes - before.heapBytes) / readers, resident: (after.rssBytes - before.rssBytes) / readers }
}

function formatBytes({ heap, resident }: ReaderBytes): string {
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1_024)} KB`
  return `${kilobytes(heap)} of objects and buffers, ${kilobytes(resident)} resident`
}

/**
 * Until none gets more. Messages of those that were behind are cut in other places, so bytes are compared roughly: a test shows that each
 * gets each event once.
 *
 * @throws `Error` when they have not got what a reader has that never stopped
 */
async function caughtUp(
  load: ChannelSession['load'],
  missed: number,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<number> {
  const begunAtMs = performance.now()
  const before = await load.count(first, count)
  const shareOf = (bytes: number) => (bytes - before.bytes) / count / missed
  let bytes = before.bytes
  let atMs = begunAtMs
  for (let idleMs = 0; idleMs < (shareOf(bytes) < 1 - TOLERANCE ? MAX_SILENCE_MS : QUIET_MS); idleMs += LOOK_EVERY_MS) {
    await load.idle(LOOK_EVERY_MS)
    const now = await load.count(first, count)
    if (now.bytes === bytes) continue
    bytes = now.bytes
    atMs = performance.now()
    idleMs = 0
  }
  const share = shareOf(bytes)
  if (Math.abs(share - 1) > TOLERANCE) throw new Error(`those that had stopped got ${share.toFixed(3)} of what they had missed`)
  return atMs - begunAtMs
}

const TOLERANCE = 0.02
const LOOK_EVERY_MS = 50
/** After all that is due, and before it. */
const QUIET_MS = 1_000
const MAX_SILENCE_MS = 30_000
