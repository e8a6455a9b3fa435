import { expect, test } from 'vitest'
import { refuseOperator } from '#gateway/operatorAccess.ts'

const ASKER = { authorization: '', forwarded: false, host: '127.0.0.1:3000' }

test.for(['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])(
  'without a token lets in whom HOST %s reaches',
  host => {
    expect(refuseOperator({ host, operatorToken: null, trustProxy: 0 }, ASKER)).toBeNull()
  },
)

test.for(['0.0.0.0', '::', '192.168.1.5', 'example.com', '128.0.0.1', 'localhost.example.com'])(
  'without a token lets nobody in on HOST %s',
  host => {
    expect(refuseOperator({ host, operatorToken: null, trustProxy: 0 }, ASKER)).toMatchObject({ status: 403, code: 'unauthorized' })
  },
)

test('without a token lets nobody in through a proxy', () => {
  expect(refuseOperator({ host: '127.0.0.1', operatorToken: null, trustProxy: 1 }, ASKER)).toMatchObject({ status: 403 })
  expect(refuseOperator({ host: '127.0.0.1', operatorToken: null, trustProxy: 0 }, { ...ASKER, forwarded: true })).toMatchObject({
    status: 403,
  })
})

test('with a token asks for it everywhere', () => {
  const config = { host: '127.0.0.1', operatorToken: 'right', trustProxy: 1 }
  for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer wrong', 'right', 'Bearer right x', 'Basic right']) {
    expect(refuseOperator(config, { ...ASKER, authorization })).toMatchObject({
      status: 401,
      headers: [['WWW-Authenticate', expect.any(String)]],
    })
  }
  expect(refuseOperator(config, { ...ASKER, authorization: 'BEARER  right ', forwarded: true, host: 'api.example.com' })).toBeNull()
})

test.for(['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.8.8.8:80', '[::1]', '[::1]:3000'])('lets in who asks for %s', host => {
  expect(refuseOperator({ host: '127.0.0.1', operatorToken: null, trustProxy: 0 }, { ...ASKER, host })).toBeNull()
})

test.for(['', 'api.example.com', 'rebound.example.com:3000', '192.168.1.5:3000', 'localhost.example.com', '127.0.0.1.example.com:3000'])(
  'lets nobody in who took this server for %j',
  host => {
    expect(refuseOperator({ host: '127.0.0.1', operatorToken: null, trustProxy: 0 }, { ...ASKER, host })).toMatchObject({ status: 403 })
  },
)
