import { quantile } from '#benchmarks/support/quantile.ts'
import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { ChannelServerUsage } from './channelServer.ts'
import { ChannelSession } from './channelSession.ts'
import { countingPlan } from './clientPlans.ts'

const QUICK = 100
const STALLED = 1_000
/** Small, so that unread data waits in the server and not in the kernel. */
const RECEIVE_BUFFER_BYTES = 16_384
/** A block is 50 trades: three messages. */
const MESSAGES_PER_BLOCK = 3

/** 38 KB each: more than the kernel takes of 4 MB per reader, and with what follows fewer events than are replayed. */
const FILLING_BLOCKS = 130

/** All trades to 100 readers that read, while 1,000 others have stopped reading. @returns a table */
export async function measureStalledReaders({ blocks }: { readonly blocks: number }): Promise<string> {
  const session = await ChannelSession.start('tokenwire')
  const { load, server } = session
  const reader = countingPlan(session.port, [{ type: 'subscribe', channel: 'trades' }], { receiveBufferBytes: RECEIVE_BUFFER_BYTES })
  const usage = () => server.call('usage', { collect: true })
  try {
    await session.open(Array.from({ length: QUICK }, () => reader))
    const due = () => QUICK * MESSAGES_PER_BLOCK
    await session.deliver(10, due)
    const alone = await session.deliver(blocks, due)
    await session.open(Array.from({ length: STALLED }, () => reader))
    const opened = await usage()
    const [quickAtFirst, stalledAtFirst] = [await load.count(0, 1), await load.count(QUICK, STALLED)]
    await load.pace(QUICK, STALLED, 0)
    const filling = await session.deliver(FILLING_BLOCKS, due)
    const stalled = await usage()
    const beside = await session.deliver(blocks, due)
    const stalledLonger = await usage()
    const [quick, read] = [await load.count(0, 1), await load.count(QUICK, STALLED)]
    const missed = quick.bytes - quickAtFirst.bytes - (read.bytes - stalledAtFirst.bytes) / STALLED
    await load.pace(QUICK, STALLED, null)
    const caughtUpMs = await caughtUp(session, missed)
    const { open } = await load.count(QUICK, STALLED)
    const row = (name: string, { latenciesMs }: typeof alone) => [
      name,
      formatMs(quantile(latenciesMs, 0.5)),
      formatMs(quantile(latenciesMs, 0.99)),
    ]
    return [
      textTable(
        [`${QUICK} readers`, 'p50', 'p99'],
        [row('alone', alone), row('while 1,000 stop reading', filling), row('beside 1,000 that read nothing', beside)],
      ),
      `server's memory per stalled reader: ${perReader(opened, stalled)} after ${FILLING_BLOCKS} blocks, ${perReader(opened, stalledLonger)} after ${FILLING_BLOCKS + blocks}`,
      `when they read again: all that they had missed, ${(missed / 1e6).toFixed(1)} MB each, in ${formatMs(caughtUpMs)}; ${open} of ${STALLED} are still open`,
    ].join('\n')
  } finally {
    await session.stop()
  }
}

function perReader(before: ChannelServerUsage, after: ChannelServerUsage): string {
  const kilobytes = (bytes: number) => `${Math.round(bytes / STALLED / 1_024)} KB`
  return `${kilobytes(after.heapBytes - before.heapBytes)} of objects and buffers, ${kilobytes(after.rssBytes - before.rssBytes)} resident`
}

/**
 * Until none gets more. Messages of those that were behind are cut in other places, so bytes are compared roughly: a test shows that each
 * gets each event once.
 *
 * @throws `Error` when they have not got what a reader has that never stopped
 */
async function caughtUp({ load }: ChannelSession, missed: number): Promise<number> {
  const begunAtMs = performance.now()
  const before = await load.count(QUICK, STALLED)
  let bytes = -1
  let atMs = begunAtMs
  for (let idleMs = 0; idleMs < QUIET_MS; idleMs += LOOK_EVERY_MS) {
    await load.idle(LOOK_EVERY_MS)
    const now = await load.count(QUICK, STALLED)
    if (now.bytes === bytes) continue
    bytes = now.bytes
    atMs = performance.now()
    idleMs = 0
  }
  const share = (bytes - before.bytes) / STALLED / missed
  if (Math.abs(share - 1) > 0.02) throw new Error(`those that had stopped got ${share.toFixed(3)} of what they had missed`)
  return atMs - begunAtMs
}

const LOOK_EVERY_MS = 50
const QUIET_MS = 1_000
