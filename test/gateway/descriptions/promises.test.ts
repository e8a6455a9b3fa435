import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { DESCRIPTIONS, readAsyncApi, readOpenApi } from '#test/support/describedAnswers.ts'
import { brokenPromises, isHigherLimit, promisesOf } from '#test/support/promises.ts'

/* A change that can break clients has to be named in the changelog. `npm run describe:release` makes today's promises those of a release. */

const RELEASED = path.join(DESCRIPTIONS, 'promises.txt')
const CHANGELOG = path.join(DESCRIPTIONS, '../../CHANGELOG.md')

if (process.env['UPDATE_PROMISES'] === 'true') writeFileSync(RELEASED, `${promisesOf(readOpenApi(), readAsyncApi()).join('\n')}\n`)

const released = () => readFileSync(RELEASED, 'utf8').trimEnd().split('\n')

describe('what the last release promised', () => {
  it('holds, or the changelog says under "Breaking" what does not', () => {
    const kept = promisesOf(readOpenApi(), readAsyncApi())
    expect(brokenPromises(released(), kept, readFileSync(CHANGELOG, 'utf8'))).toEqual([])
  })

  const brokenBy = (change: (openApi: ReturnType<typeof readOpenApi>, asyncApi: ReturnType<typeof readAsyncApi>) => void) => {
    const before = promisesOf(readOpenApi(), readAsyncApi())
    const [openApi, asyncApi] = [readOpenApi(), readAsyncApi()]
    change(openApi, asyncApi)
    const after = new Set(promisesOf(openApi, asyncApi))
    return before.filter(promise => !after.has(promise))
  }
  /** Any object of a document, for changes that its type forbids. */
  interface Changeable {
    [name: string]: Changeable
  }
  const changeable = (document: unknown) => document as Changeable
  const propertiesOf = (openApi: unknown, name: string) =>
    changeable(openApi)['components']?.['schemas']?.[name]?.['properties'] ?? expect.fail(`no schema ${name}`)

  it('is broken by a field that goes, or that may be null', () => {
    expect(brokenBy(openApi => void delete propertiesOf(openApi, 'Trader')['buys'])).toEqual(['Trader.buys: integer'])
    const mayBeNull = (openApi: unknown) => {
      Object.assign(propertiesOf(openApi, 'Trader')['buys'] ?? {}, { type: ['integer', 'null'] })
    }
    expect(brokenBy(mayBeNull)).toEqual(['Trader.buys: integer'])
  })

  it('is broken by a route, a word or a range that goes', () => {
    expect(brokenBy(openApi => void delete changeable(openApi.paths)['/healthz'])).toContain('GET /healthz')
    const sortOf = (openApi: unknown) => {
      const parameters = changeable(openApi)['paths']?.['/api/tokens']?.['get']?.['parameters']
      return (parameters as unknown as { name: string; schema: { enum: string[] } }[]).find(({ name }) => name === 'sort')
    }
    expect(brokenBy(openApi => void sortOf(openApi)?.schema.enum.shift())).toEqual(['GET /api/tokens takes sort = createdAt'])
    expect(brokenBy(openApi => void sortOf(openApi)?.schema.enum.push('age'))).toEqual([])
  })

  it('is broken by a message that goes', () => {
    const broken = brokenBy((_, asyncApi) => void delete changeable(asyncApi.components.messages)['unsubscribed'])
    expect(broken).toEqual(['message unsubscribed: unsubscribed'])
  })

  it('is kept by a higher limit, and broken by a lower one', () => {
    const promise = 'GET /api/tokens takes limit up to maximum 100'
    const limits = [99, 101].map(most => new Set([promise.replace('100', String(most))]))
    expect(limits.map(kept => isHigherLimit(promise, kept))).toEqual([false, true])
  })

  it('is kept by a further field, route or parameter', () => {
    expect(brokenBy(openApi => void Object.assign(propertiesOf(openApi, 'Candle'), { mood: { type: 'string' } }))).toEqual([])
  })
})
