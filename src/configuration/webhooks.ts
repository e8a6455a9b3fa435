import { z } from 'zod'
import type { WebhookConfig } from '#config'
import { type ReadFile, readIfPresent } from './environment.ts'
import { lineOfJsonValue, parseJsonFile, pathText } from './json.ts'
import { givenName } from './settingTypes.ts'

export type ReadWebhooks =
  | { readonly kind: 'valid'; readonly webhooks: readonly WebhookConfig[] }
  /** One sentence per problem, beginning with its line where it has one. Repeats no value, since URLs and secrets are credentials. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** Each may have 64 KiB of messages in memory. */
const MAX_WEBHOOKS = 200
/** The next, the present and the previous secret of a receiver. */
const MAX_SECRETS = 3
const CHANNELS = ['launches', 'graduations', 'trades', 'crossings'] as const
const EXPECTED_SECRET = 'expected whsec_ and 24 to 64 random bytes in base64, such as of: openssl rand -base64 32'

const webhook = z.strictObject(
  {
    name: givenName,
    url: z.url({ protocol: /^https?$/, error: 'expected a URL such as https://bot.example.com/hook' }),
    secret: z
      .string({ error: EXPECTED_SECRET })
      .refine(text => text.split(' ').length <= MAX_SECRETS && text.split(' ').every(isSecret), { error: EXPECTED_SECRET }),
    channel: z.enum(CHANNELS, { error: `expected one of ${CHANNELS.join(', ')}` }),
    filters: z.record(z.string(), z.unknown(), { error: "expected an object with the channel's filters" }).default({}),
  },
  {
    error: ({ code, keys }: { readonly code: string; readonly keys?: unknown }) =>
      code === 'unrecognized_keys'
        ? `unknown field ${(keys as readonly string[]).join(', ')}`
        : 'expected a webhook, an object with name, url, secret, channel and filters',
  },
)

const webhooksFile = z
  .array(webhook, { error: 'expected a list of webhooks' })
  .max(MAX_WEBHOOKS, { error: `expected at most ${MAX_WEBHOOKS} webhooks` })

function isSecret(text: string): boolean {
  const { length } = Buffer.from(text.slice('whsec_'.length), 'base64')
  return /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text) && length >= 24 && length <= 64
}

export interface ReadWebhooksOptions {
  readonly allowPrivate: boolean
  /** Why the filters of a webhook are wrong; `null`: they are right. Default: they are not looked at. */
  readonly filterProblem?: (webhook: WebhookConfig) => string | null
  readonly readFile?: ReadFile
}

/** Reads `WEBHOOKS_FILE`. */
export function readWebhooksFile(file: string, { readFile, ...options }: ReadWebhooksOptions): ReadWebhooks {
  const read = readIfPresent(file, readFile)
  return read.kind === 'text' ? parseWebhooks(read.text, options) : { kind: 'invalid', problems: [read.problem] }
}

export function parseWebhooks(text: string, { allowPrivate, filterProblem = () => null }: ReadWebhooksOptions): ReadWebhooks {
  const file = parseJsonFile(text)
  if (file.kind === 'invalid') return file
  const at = (path: readonly PropertyKey[], problem: string) =>
    `line ${lineOfJsonValue(file.json, path)}: ${path.length === 0 ? '' : `${pathText(path)}: `}${problem}`
  const parsed = webhooksFile.safeParse(file.value)
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.map(({ path, message }) => at(path, message)) }
  const webhooks = parsed.data
  const problems = webhooks.flatMap((one, index) => {
    const earlier = webhooks.findIndex(other => other.name === one.name)
    const wrong = filterProblem(one)
    return [
      ...(earlier === index
        ? []
        : [at([index, 'name'], `is that of the webhook in line ${lineOfJsonValue(file.json, [earlier])} already`)]),
      ...(allowPrivate || new URL(one.url).protocol === 'https:'
        ? []
        : [at([index, 'url'], 'expected https, or WEBHOOKS_ALLOW_PRIVATE=true')]),
      ...(wrong === null ? [] : [at([index, 'filters'], wrong)]),
    ]
  })
  return problems.length === 0 ? { kind: 'valid', webhooks } : { kind: 'invalid', problems }
}
