import { expect, test } from 'vitest'
import { type OperatorConfig, type OperatorPolicy, operatorPolicy, refuseOperator } from '#gateway/operator.ts'

const CONFIG: OperatorConfig = { host: '127.0.0.1', operatorToken: null, operatorLoopbackOpen: false, trustProxy: 0 }
const ASKER = { authorization: '', forwarded: false, host: '127.0.0.1:3000' }
const LOCAL: OperatorPolicy = { kind: 'local-token', token: 'local' }
const LOOPBACK: OperatorPolicy = { kind: 'loopback' }
const policyOf = (config: Partial<OperatorConfig>, localToken: string | null = 'local') =>
  operatorPolicy({ ...CONFIG, ...config }, async () => localToken)

test.for(['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])(
  'without OPERATOR_TOKEN asks for the token of this machine on HOST %s, unless it is told not to',
  async host => {
    expect(await policyOf({ host })).toEqual(LOCAL)
    expect(await policyOf({ host, operatorLoopbackOpen: true })).toEqual(LOOPBACK)
    expect(await policyOf({ host }, null)).toEqual({ kind: 'closed', because: 'no-file' })
  },
)

test.for(['0.0.0.0', '::', '192.168.1.5', 'example.com', '128.0.0.1', 'localhost.example.com'])(
  'without OPERATOR_TOKEN is closed on HOST %s, and makes no token',
  async host => {
    for (const operatorLoopbackOpen of [false, true]) {
      const policy = await operatorPolicy({ ...CONFIG, host, operatorLoopbackOpen }, () => expect.unreachable())
      expect(policy).toEqual({ kind: 'closed', because: 'reachable' })
    }
  },
)

test('without OPERATOR_TOKEN is closed behind a proxy that is trusted', async () => {
  for (const operatorLoopbackOpen of [false, true]) {
    expect(await policyOf({ trustProxy: 1, operatorLoopbackOpen })).toEqual({ kind: 'closed', because: 'reachable' })
  }
})

test('with OPERATOR_TOKEN asks for it everywhere, and makes no other', async () => {
  const config = { ...CONFIG, operatorToken: 'right', operatorLoopbackOpen: true, trustProxy: 1 }
  const policy = await operatorPolicy(config, () => expect.unreachable())
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer wrong', 'right', 'Bearer right x', 'Basic right']) {
    expect(refuseOperator(policy, { ...ASKER, authorization })).toMatchObject({
      status: 401,
      detail: expect.stringContaining('OPERATOR_TOKEN') as unknown,
      headers: [['WWW-Authenticate', expect.any(String)]],
    })
  }
  expect(refuseOperator(policy, { authorization: 'BEARER  right ', forwarded: true, host: 'api.example.com' })).toBeNull()
})

test('asks for the token of this machine, and says where it is', () => {
  for (const authorization of ['', 'Bearer wrong']) {
    const refused = refuseOperator(LOCAL, { ...ASKER, authorization })
    expect(refused).toMatchObject({ status: 401, headers: [['WWW-Authenticate', expect.any(String)]] })
    for (const name of ['operator-token', 'DATA_DIR', 'OPERATOR_TOKEN']) expect(refused?.detail).toContain(name)
    expect(refused?.detail).not.toContain('local')
  }
  expect(refuseOperator(LOCAL, { ...ASKER, authorization: 'Bearer local' })).toBeNull()
})

const NAMED = [LOCAL, LOOPBACK] as const
const WITH_TOKEN = { ...ASKER, authorization: 'Bearer local' }

test.for(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.8.8.8:80', '[::1]', '[::1]:3000'])('lets in who asks for %s', host => {
  for (const policy of NAMED) expect(refuseOperator(policy, { ...WITH_TOKEN, host })).toBeNull()
})

test.for(['', 'api.example.com', 'rebound.example.com:3000', '192.168.1.5:3000', 'localhost.example.com', '127.0.0.1.example.com:3000'])(
  'refuses a request that took this server for %j',
  host => {
    for (const policy of NAMED) expect(refuseOperator(policy, { ...WITH_TOKEN, host })).toMatchObject({ status: 403 })
  },
)

test('refuses what a proxy forwards, with the token of this machine or without', () => {
  for (const policy of NAMED) {
    expect(refuseOperator(policy, { ...WITH_TOKEN, forwarded: true })).toMatchObject({
      status: 403,
      detail: expect.stringContaining('OPERATOR_TOKEN') as unknown,
    })
  }
})

test.for(['reachable', 'no-file'] as const)('says what to do where it is closed: %s', because => {
  const refused = refuseOperator({ kind: 'closed', because }, WITH_TOKEN)
  expect(refused).toMatchObject({ status: 403, code: 'unauthorized', detail: expect.stringContaining('OPERATOR_TOKEN') as unknown })
})
