import { describe, expect, test } from 'vitest'
import { serverIn } from '#store/embedded/serverProcess.ts'

const file = (status: string, port = '5433') => `4711\n/data\n1700000000\n${port}\n\n127.0.0.1\n  1234 5678\n${status}\n`

describe('a postmaster.pid', () => {
  test.each(['', '\n', 'not a number\n', '0\n'])('tells of no server when it is %j', text => {
    expect(serverIn(text)).toBeNull()
  })

  test('tells the port of a server that is ready', () => {
    expect(serverIn(file('ready   '))).toEqual({ pid: 4711, port: 5433 })
  })

  test.each([['starting'], ['stopping'], ['standby ']])('tells of a server that is not usable while it is %s', status => {
    expect(serverIn(file(status))).toEqual({ pid: 4711, port: null })
  })

  test('is not believed while it is being written', () => {
    for (let length = 1; length < file('ready').length - 2; length++) {
      expect(serverIn(file('ready').slice(0, length))?.port ?? null).toBeNull()
    }
    expect(serverIn(file('ready', 'x'))).toEqual({ pid: 4711, port: null })
  })

  test('of a stand-alone backend names its process too', () => {
    expect(serverIn('-4711\n/data\n')).toEqual({ pid: 4711, port: null })
  })
})
