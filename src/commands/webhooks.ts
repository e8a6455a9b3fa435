import { randomUUID } from 'node:crypto'
import { takenByNpm } from '#configuration/environment.ts'
import { loadWebhooksConfig, type WebhooksConfig } from '#configuration/loadConfig.ts'
import { type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import { TokenwireError } from '#errors'
import { publicOutbound } from '#jobs/metadata/outbound.ts'
import { postWebhook } from '#jobs/webhooks/postWebhook.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readIndexedBlock, readWebhooks, replayWebhook, type WebhookProgress } from '#store/rows/webhookPositions.ts'
import { configuredCommand, databaseCommand, onIndex } from './databaseCommand.ts'

/*
 * npm run webhooks -- list: says how far each webhook of WEBHOOKS_FILE has been sent.
 * npm run webhooks -- test <name>: sends a message of type test to its receiver now, and says what it answers.
 * npm run webhooks -- replay <name> [--after <block>-<logIndex>]: sends a paused webhook again, or everything after a place.
 */

const load = () => loadWebhooksConfig(process.env, { cwd: process.cwd() })

function withIndex(work: (db: Queryable, config: WebhooksConfig) => Promise<string>): Promise<void> {
  return databaseCommand(load, ({ url, config, logger }) =>
    onIndex({ url, applicationName: 'tokenwire-webhooks', logger }, db => work(db, config)),
  )
}

const list = () =>
  withIndex(async (db, { webhooks }) => {
    const stored = new Map((await readWebhooks(db)).map(progress => [progress.name, progress]))
    const lines = webhooks.map(({ name, channel }) => `${name} (${channel}): ${describeProgress(stored.get(name))}`)
    return lines.length === 0 ? 'There are no webhooks.' : lines.join('\n')
  })

function describeProgress(progress: WebhookProgress | undefined): string {
  if (progress === undefined) return 'not begun'
  const { position, isPaused, failures, failingForMs, lastError } = progress
  const sent = `sent up to block ${position.place.blockNumber}`
  if (isPaused) return `paused: ${lastError}; ${sent}`
  return failures === 0 ? sent : `failing for ${Math.round((failingForMs ?? 0) / 1_000)} s (${failures} attempts): ${lastError}; ${sent}`
}

function findWebhook({ webhooks }: WebhooksConfig, name: string): WebhooksConfig['webhooks'][number] {
  const found = webhooks.find(one => one.name === name)
  if (found !== undefined) return found
  const names = webhooks.map(one => one.name).join(', ')
  throw new TokenwireError('config_invalid', `there is no webhook ${name} in WEBHOOKS_FILE (${names === '' ? 'none' : names})`)
}

const test = (name: string) =>
  configuredCommand(load, async config => {
    const webhook = findWebhook(config, name)
    const message = { id: `msg_test_${randomUUID()}`, body: JSON.stringify({ type: 'test', id: name }) }
    const options = { outbound: publicOutbound(), allowPrivate: config.webhooksAllowPrivate, epochMs: Date.now }
    const outcome = await postWebhook(webhook, message, options, new AbortController().signal)
    if (outcome.kind === 'taken') return `The receiver of ${name} has taken a test.`
    const cause = outcome.kind === 'gone' ? 'it wants no more (410)' : outcome.cause
    throw new TokenwireError('config_invalid', `The receiver of ${name} has not taken a test: ${cause}`)
  })

const replay = (name: string, after: EventPlace | null) =>
  withIndex(async (db, config) => {
    findWebhook(config, name)
    const newest = await readIndexedBlock(db)
    if (after !== null && after.blockNumber > newest)
      throw new TokenwireError('config_invalid', `${formatPlace(after)} is not indexed yet: the newest block is ${newest}`)
    if (!(await replayWebhook(db, name, after)))
      throw new TokenwireError('config_invalid', `${name} has not begun, and has nothing to replay`)
    return after === null ? `${name} goes on where it stopped.` : `${name} is sent again everything after ${formatPlace(after)}.`
  })

function placeOf(option: string | undefined, text: string | undefined): EventPlace | null | undefined {
  if (option === undefined) return null
  const [, block, log] = (option === '--after' ? /^(\d{1,15})-(\d{1,16})$/ : /^$/).exec(text ?? '') ?? []
  return block === undefined ? undefined : { blockNumber: Number(block), logIndex: Number(log) }
}

const [, , task, name, option, text, ...others] = process.argv
const after = placeOf(option, text)
const taken = takenByNpm(['after'], 'npm run webhooks -- replay bot --after 12-3', { isWrong: after === undefined })

if (taken !== null) {
  process.stderr.write(`${taken}\n`)
  process.exitCode = 1
} else if (task === 'list' && name === undefined) await list()
else if (task === 'test' && name !== undefined && option === undefined) await test(name)
else if (task === 'replay' && name !== undefined && after !== undefined && others.length === 0) await replay(name, after)
else {
  process.stderr.write('usage: npm run webhooks -- list, test <name>, or replay <name> [--after <block>-<logIndex>]\n')
  process.exitCode = 1
}
