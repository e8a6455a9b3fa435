import type { Logger } from 'pino'
import { EventFilter } from '#actors/events/eventFilter.ts'
import { monotonicMs as now } from '#clock'
import type { Config, WebhookConfig } from '#config'
import { readWebhooksFile } from '#configuration/webhooks.ts'
import { TokenwireError } from '#errors'
import { SYNCING_LAG_BLOCKS } from '#gateway/health/readHealth.ts'
import type { IndexerView } from '#gateway/http/sources.ts'
import { type ChannelFilters, filterTexts, parseChannelFilters } from '#gateway/realtime/channelRequest.ts'
import { keptConnections, publicOutbound } from '#jobs/metadata/outbound.ts'
import { postWebhook } from '#jobs/webhooks/postWebhook.ts'
import { createWebhooks, type ReadyWebhook, type Webhooks } from '#jobs/webhooks/webhooks.ts'
import type { IndexerState } from '#resources/health.ts'
import { isServedSchema, type Queryable } from '#store/connection/databaseSchema.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { type Redactor, secretsOf } from '#telemetry/redactor.ts'
import { alsoOnHangup, watchFile } from './watchFile.ts'

export interface StartWebhooksOptions {
  /** With the launchpads of the index at present. */
  readonly config: Pick<Config, 'webhooks' | 'webhooksFile' | 'webhooksAllowPrivate' | 'launchpads'>
  readonly chainId: number
  /** The database that this process indexes into. */
  readonly db: Queryable
  readonly ethUsd: () => string | null
  /** Of the indexing thread, without the webhooks' own problems. */
  readonly view: Pick<IndexerView, 'state'>
  readonly logger: Logger
  readonly redactor: Redactor
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/**
 * Starts to send the webhooks of `WEBHOOKS_FILE`, which is read again every 5 s and on SIGHUP. A file that has become wrong changes
 * nothing. To be called when this process has the right to index, so that no other one sends, and after `requireWebhooks`.
 *
 * @returns `null`: there is no such file
 */
export function startWebhooks(options: StartWebhooksOptions): Pick<Webhooks, 'changed' | 'problems'> | null {
  const { config, chainId, db, ethUsd, view, logger, redactor, onStop } = options
  const { webhooksFile: file, webhooksAllowPrivate: allowPrivate } = config
  if (file === null) return null
  const read = () => readWebhooksFile(file, { allowPrivate, filterProblem: problemOfFilters(config) })
  const ready = (webhooks: readonly WebhookConfig[]): readonly ReadyWebhook[] => {
    redactor.add(secretsOf({ webhooks }))
    return webhooks.flatMap(webhook => {
      const filters = filtersOf(webhook, config.launchpads)
      return filters.kind === 'valid' ? [{ config: webhook, filter: new EventFilter(filters.filters) }] : []
    })
  }
  const outbound = { ...publicOutbound(), connections: keptConnections() }
  const webhooks = createWebhooks({
    db,
    read: query => readChannelEvents(db, query, chainId),
    ethUsd,
    post: (webhook, message, signal) => postWebhook(webhook, message, { outbound, allowPrivate, epochMs: Date.now }, signal),
    random: Math.random,
    isServed: () => isServedSchema(db),
    followed: () => followedBlock(view.state()),
    now,
    logger,
  })
  onStop(webhooks.stop)
  // A standby started with what the file held then. The process before it may have had others, whose positions a wrong file must not cost.
  const present = read()
  if (present.kind === 'invalid') logger.warn({ file, problems: present.problems }, 'WEBHOOKS_FILE is wrong: its earlier webhooks are sent')
  const first = present.kind === 'valid' ? present.webhooks : config.webhooks
  webhooks.replace(ready(first), { forgetOthers: present.kind === 'valid' })
  const watch = watchFile({
    read,
    onChanged: again => {
      if (again.kind === 'invalid') {
        logger.warn({ file, problems: again.problems }, 'WEBHOOKS_FILE has changed and is wrong: the webhooks stay as they are')
        return
      }
      webhooks.replace(ready(again.webhooks))
      logger.info({ file, webhooks: again.webhooks.map(({ name }) => name) }, 'the webhooks were read again')
    },
  })
  onStop(alsoOnHangup(watch))
  logger.info({ webhooks: first.map(({ name }) => name) }, 'sending webhooks')
  return webhooks
}

/** An index whose distance to the head is not known yet may be far behind. */
function followedBlock({ backfill, lagBlocks, indexedBlock }: IndexerState): number | null {
  return backfill === null && lagBlocks !== null && lagBlocks <= SYNCING_LAG_BLOCKS ? indexedBlock : null
}

/**
 * Looks at the filters of the configured webhooks, which the configuration can't know. Also for a standby, before it has to send.
 *
 * @throws `TokenwireError` `config_invalid`
 */
export function requireWebhooks(config: StartWebhooksOptions['config']): void {
  const { webhooksFile: file, webhooksAllowPrivate: allowPrivate } = config
  const read = file === null ? null : readWebhooksFile(file, { allowPrivate, filterProblem: problemOfFilters(config) })
  if (read?.kind !== 'invalid') return
  const { problems } = read
  throw new TokenwireError('config_invalid', `WEBHOOKS_FILE: ${problems.join('; ')}`, { details: { problems } })
}

function problemOfFilters(config: Pick<Config, 'launchpads'>): (webhook: WebhookConfig) => string | null {
  return webhook => {
    const filters = filtersOf(webhook, config.launchpads)
    return filters.kind === 'valid' ? null : filters.problem.detail
  }
}

function filtersOf({ channel, filters }: WebhookConfig, { launchpads }: Config['launchpads']): ChannelFilters {
  const texts = filterTexts(filters)
  if (texts === null) throw new TypeError('the filters of a webhook are an object')
  return parseChannelFilters(channel, texts, launchpads)
}
