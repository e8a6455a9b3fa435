import type { Logger } from 'pino'
import { announceReports, type ReportsAnnounced } from '#bus/indexerReport.ts'
import type { NatsOutlet } from '#bus/natsOutlet.ts'
import { openNatsOutlet } from '#bus/openNats.ts'
import type { Config } from '#config'
import type { Queryable } from '#store/connection/queryable.ts'
import type { Indexing } from '#worker/startIndexing.ts'

export interface AnnounceIndexerOptions {
  readonly config: Pick<Config, 'nats'>
  readonly db: Queryable
  readonly logger: Logger
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/**
 * Reports the state of this process's indexing to gateways, until it stops or another process has become the writer, and opens its end
 * of NATS.
 *
 * @returns what publishes commits over NATS (`null` where `NATS_URL` is not set), and what is wrong with the database's notifications
 */
export async function announceIndexer(
  { chainId, writer, view, writerChanged }: Pick<Indexing, 'chainId' | 'writer' | 'view' | 'writerChanged'>,
  { config, db, logger, onStop }: AnnounceIndexerOptions,
): Promise<{ readonly outlet: NatsOutlet | null; readonly problems: ReportsAnnounced['problems'] }> {
  let outlet: NatsOutlet | null = null
  const carrier = () => (outlet === null ? {} : { natsConnected: outlet.isConnected() })
  const { problems, stop } = announceReports(db, () => ({ writer, state: view.state(), chain: view.chain(), ...carrier() }))
  onStop(stop)
  void writerChanged.then(stop)
  outlet = await openNatsOutlet({ config, chainId, writer, db, logger, onStop })
  return { outlet, problems }
}
