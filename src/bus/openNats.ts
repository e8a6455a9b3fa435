import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Nats } from './natsConnection.ts'
import { createNatsOutlet, MAX_STATE_MESSAGE_BYTES, type NatsOutlet, type NatsOutletOptions } from './natsFeed.ts'

/** Connects as `NATS_URL` says; `null` where it is not set. Nothing of NATS is loaded then. @throws as `connectNats` */
export async function openNats(config: Pick<Config, 'nats'>, logger: Logger): Promise<Nats | null> {
  if (config.nats === null) return null
  const { connectNats } = await import('./natsConnection.ts')
  return connectNats({ ...config.nats, logger })
}

export interface OpenOutletOptions extends Omit<NatsOutletOptions, 'nats'> {
  readonly config: Pick<Config, 'nats'>
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/** The indexer's end of NATS; `null` where `NATS_URL` is not set. */
export async function openNatsOutlet({ config, onStop, ...options }: OpenOutletOptions): Promise<NatsOutlet | null> {
  const nats = await openNats(config, options.logger)
  if (nats === null) return null
  if (nats.maxMessageBytes < MAX_STATE_MESSAGE_BYTES) {
    const remedy = `a max_payload of ${MAX_STATE_MESSAGE_BYTES} or more spares them this`
    options.logger.warn(
      `NATS_URL: the server takes messages of at most ${nats.maxMessageBytes} bytes; gateways read larger states from the database, ${remedy}`,
    )
  }
  const outlet = createNatsOutlet({ ...options, nats })
  onStop(async () => {
    await outlet.stop()
    await nats.close()
  })
  return outlet
}
