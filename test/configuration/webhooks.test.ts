import { expect, it } from 'vitest'
import { parseWebhooks } from '#configuration/webhooks.ts'
import { webhookSignature } from '#jobs/webhooks/postWebhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const hook = { name: 'bot', url: 'https://bot.example/hook', secret: SECRET, channel: 'launches', filters: { launchpads: ['wow'] } }

const parse = (given: unknown, allowPrivate = false) =>
  parseWebhooks(JSON.stringify(given, null, 1), {
    allowPrivate,
    filterProblem: ({ filters }) => ('side' in filters ? 'unknown filter "side"' : null),
  })

it('reads webhooks, of which filters may be left out', () => {
  const { filters: _, ...plain } = hook
  expect(parse([hook, { ...plain, name: 'other' }])).toEqual({ kind: 'valid', webhooks: [hook, { ...plain, name: 'other', filters: {} }] })
  expect(parse([{ ...hook, url: 'http://10.0.0.1:8080/' }], true)).toMatchObject({ kind: 'valid' })
  expect(parse([{ ...hook, url: 'HTTPS://Bot.Example/hook', secret: `${SECRET} ${SECRET}` }])).toMatchObject({ kind: 'valid' })
})

it.each([
  [{ webhooks: [] }, 'line 1: expected a list of webhooks'],
  [[{ ...hook, url: 'bot' }], 'line 4: [0].url: expected a URL'],
  [[{ ...hook, url: 'http://bot.example/' }], 'line 4: [0].url: expected https, or WEBHOOKS_ALLOW_PRIVATE=true'],
  [[{ ...hook, secret: 'very secret' }], 'line 5: [0].secret: expected whsec_ and 24 to 64 random bytes'],
  [[{ ...hook, secret: `${SECRET} very secret` }], 'line 5: [0].secret: expected whsec_ and 24 to 64 random bytes'],
  [[{ ...hook, secret: Array(4).fill(SECRET).join(' ') }], 'line 5: [0].secret: expected whsec_ and 24 to 64 random bytes'],
  [[{ ...hook, channel: 'list' }], 'line 6: [0].channel: expected one of launches, graduations, trades, crossings'],
  [[{ ...hook, filters: { side: 'buy' } }], 'line 7: [0].filters: unknown filter "side"'],
  [[{ ...hook, colour: 1 }], 'unknown field colour'],
  [[hook, hook], 'line 14: [1].name: is that of the webhook in line 2 already'],
])('refuses %j, says where and why, and repeats no secret', (given, expected) => {
  const read = parse(given)
  if (read.kind === 'valid') expect.unreachable('it was taken')
  else {
    expect(read.problems.join('; ')).toContain(expected)
    expect(read.problems.join('; ')).not.toContain('very secret')
  }
})

// The example of Standard Webhooks.
it('signs a message as Standard Webhooks says', () => {
  const signature = webhookSignature(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  )
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
