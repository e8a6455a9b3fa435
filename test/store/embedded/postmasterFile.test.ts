import { describe, expect, test } from 'vitest'
import { judgePostmasterFile } from '#store/embedded/serverProcess.ts'

const always = () => true
const never = () => false
const file = (status: string, port = '5433') => `4711\n/data\n1700000000\n${port}\n\n127.0.0.1\n  1234 5678\n${status}\n`

describe('a postmaster.pid', () => {
  test.each([null, '', '\n', 'not a number\n', '0\n'])('tells of no server when it is %j', text => {
    expect(judgePostmasterFile(text, always)).toEqual({ kind: 'none' })
  })

  test('is stale when its process is gone or another program', () => {
    expect(judgePostmasterFile(file('ready   '), never)).toEqual({ kind: 'stale', pid: 4711 })
    expect(judgePostmasterFile('4711\n', never)).toEqual({ kind: 'stale', pid: 4711 })
  })

  test('tells the port of a server that is ready', () => {
    expect(judgePostmasterFile(file('ready   '), always)).toEqual({ kind: 'ready', pid: 4711, port: 5433 })
  })

  test.each([['starting'], ['stopping'], ['standby ']])('tells of a server that is not usable while it is %s', status => {
    expect(judgePostmasterFile(file(status), always)).toEqual({ kind: 'changing', pid: 4711 })
  })

  test('is not believed while it is being written', () => {
    for (let length = 1; length < file('ready').length - 2; length++) {
      expect(judgePostmasterFile(file('ready').slice(0, length), always).kind).not.toBe('ready')
    }
    expect(judgePostmasterFile(file('ready', 'x'), always)).toEqual({ kind: 'changing', pid: 4711 })
  })

  test('of a stand-alone backend names its process too', () => {
    expect(judgePostmasterFile('-4711\n/data\n', always)).toEqual({ kind: 'changing', pid: 4711 })
  })
})
