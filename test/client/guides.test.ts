import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_CREATOR, EXAMPLE_TOKEN, exampleSnapshot, exampleStored } from '#test/gateway/descriptions/describedService.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

/* Every block of code of the guides runs, and prints what the block of text below it says. */

const GUIDES = ['bots', 'front-ends', 'recipes']
const BASE = '127.0.0.1:3000'

interface Block {
  readonly guide: string
  readonly language: string
  readonly code: string
  /** A line of the output; `…` stands for anything. */
  readonly prints: string
}

const blocks: Block[] = []
for (const guide of GUIDES) {
  const text = await readFile(path.resolve(import.meta.dirname, `../../docs/guides/${guide}.md`), 'utf8')
  for (const [, language = '', code = '', prints = ''] of text.matchAll(/```(sh|js)\n(.*?)```\n\n```text\n(.*?)\n```/gs))
    blocks.push({ guide, language, code, prints })
  // A block of code without what it prints would not be run.
  expect(blocks.filter(block => block.guide === guide)).toHaveLength([...text.matchAll(/^```(?:sh|js)$/gm)].length)
}

describe('the guides', () => {
  let fixture: RealtimeFixture
  let folder: TemporaryFolder
  let trading: NodeJS.Timeout
  beforeAll(async () => {
    folder = await makeTemporaryFolder()
    fixture = await RealtimeFixture.start()
    const { tokens = [], ...stored } = exampleStored()
    Object.assign(fixture.gateway.reads.stored, { ...stored, tokens: tokens.map(token => ({ ...token, creator: EXAMPLE_CREATOR })) })
    fixture.stored.set(EXAMPLE_TOKEN, exampleSnapshot())
    trading = setInterval(() => fixture.trade([0xa, 0xd]), 50)
  })
  afterAll(async () => {
    clearInterval(trading)
    await fixture.stop()
    await folder.remove()
  })

  it.each(blocks.map((block, index) => [`${block.guide}, block ${index + 1}`, block] as const))('%s', async (name, block) => {
    const code = block.code.replaceAll(BASE, `127.0.0.1:${fixture.gateway.port}`)
    const file = path.join(folder.path, `${name.replace(/\W/g, '')}.mjs`)
    await writeFile(file, code)
    const [program, ...args] =
      block.language === 'sh' ? ['sh', '-e', file] : [process.execPath, '--disable-warning=ExperimentalWarning', file]
    const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const expected = new RegExp(`^${block.prints.split('…').map(escaped).join('.+')}`, 'm')
    let output = ''
    const found = new Promise<void>(resolve => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', chunk => {
          output += String(chunk)
          if (expected.test(output)) resolve()
        })
      }
    })
    const closed = once(child, 'close')
    await Promise.race([found, closed])
    child.kill()
    await closed
    expect(output).toMatch(expected)
  })
})

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
