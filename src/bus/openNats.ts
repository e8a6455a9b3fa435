import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Nats } from './natsConnection.ts'
import { createNatsOutlet, type NatsOutlet, type NatsOutletOptions } from './natsOutlet.ts'

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
  const outlet = createNatsOutlet({ ...options, nats })
  onStop(async () => {
    await outlet.stop()
    await nats.close()
  })
  return outlet
}
