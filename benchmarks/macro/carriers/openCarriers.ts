import pino from 'pino'
import { Subject } from 'rxjs'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { type EncodedBlock, encodeBlock } from '#bus/encodedBlock.ts'
import { announceReports } from '#bus/indexerReport.ts'
import { connectNats } from '#bus/natsConnection.ts'
import { createNatsFeed } from '#bus/natsFeed.ts'
import { createNatsOutlet } from '#bus/natsOutlet.ts'
import { createNotifyFeed } from '#bus/notifyFeed.ts'
import { createThreadFeed } from '#bus/threadFeed.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { indexerReport } from '#test/support/indexerReport.ts'
import { startNatsServer } from '#test/support/nats.ts'
import type { Commits } from './commits.ts'

/** How committed blocks come from the writer to gateways. */
export interface Carrier {
  readonly name: 'same process' | 'NOTIFY' | 'NATS'
  /** Whether commits read the states that it carries. */
  readonly carriesStates: boolean
  /** `null`: none. */
  readonly natsUrl: string | null
  /** Hands a committed block over. Resolves when the writer has nothing more to do for it. */
  publish(block: CommittedBlock): Promise<void>
  /** A gateway's end. */
  openFeed(): Promise<BlockFeed>
}

/** @param natsServer the program; `null`: without NATS */
export async function openCarriers(commits: Commits, natsServer: string | null): Promise<readonly Carrier[]> {
  const { databaseUrl, db, chainId, writer } = commits
  const logger = pino({ level: 'silent' })
  const common = { databaseUrl, db, chainId, logger, now: () => performance.now(), onReport: () => undefined }
  const blocks = new Subject<EncodedBlock>()
  const nothing = () => undefined
  const inProcess: Carrier = {
    name: 'same process',
    carriesStates: true,
    natsUrl: null,
    publish: async block => blocks.next(encodeBlock(block)),
    openFeed: async () => createThreadFeed({ blocks, watch: nothing, unwatch: nothing, stop: async () => undefined }),
  }
  const notify: Carrier = {
    name: 'NOTIFY',
    carriesStates: false,
    natsUrl: null,
    publish: async () => undefined,
    openFeed: async () => createNotifyFeed(common),
  }
  if (natsServer === null) return [inProcess, notify]
  const server = await startNatsServer(natsServer)
  commits.onStop(() => server.kill())
  const natsUrl = `nats://127.0.0.1:${server.port}`
  const connect = () => connectNats({ urls: [natsUrl], credsFile: null, logger })
  const sender = await connect()
  commits.onStop(() => sender.close())
  const outlet = createNatsOutlet({ nats: sender, chainId, writer, db, logger })
  // Feeds listen to the process that a report names.
  commits.onStop(announceReports(db, () => indexerReport(writer)))
  const overNats: Carrier = {
    name: 'NATS',
    carriesStates: true,
    natsUrl,
    publish: async block => {
      outlet.publish(encodeBlock(block))
      await outlet.stop()
    },
    openFeed: async () => createNatsFeed({ ...common, nats: await connect() }),
  }
  return [inProcess, notify, overNats]
}
