import { closeSync, constants, openSync } from 'node:fs'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createLogger, droppedLogLines, openLogOutput } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { fullPipe, namedPipe, readAll } from '#test/support/namedPipes.ts'

// A service whose reader stood still (`npm start | sleep 1000`) waited within `write`, and answered nothing more, not even SIGTERM.

test('lines that nobody reads wait, and come whole and in order once they are read', async () => {
  const pipe = fullPipe()
  const output = openLogOutput(pipe.fd)
  const lines = Array.from({ length: 200 }, (_, n) => `${n} ${'é'.repeat((n * 613) % 2_500)}\n`)
  for (const line of lines) output.write(line)
  expect(pipe.read()).toBe(pipe.filling)
  let read = ''
  const written = Buffer.from(lines.join('')).toString('latin1')
  await expect.poll(() => (read += pipe.read()).length).toBe(written.length)
  expect(read).toBe(written)
})

test('what does not fit into 1 MiB is dropped and counted, and a line stands in its place', async () => {
  const pipe = fullPipe()
  const output = openLogOutput(pipe.fd)
  const logger = createLogger({ level: 'info', format: 'json', redactor: createRedactor([]), output })
  const before = droppedLogLines()
  for (let n = 0; n < 5_000; n++) logger.info({ n, text: 'x'.repeat(1_000) })
  const lost = droppedLogLines() - before
  expect(lost).toBeGreaterThan(3_900)
  expect(lost).toBeLessThan(4_200)
  let read = pipe.read().slice(pipe.filling.length)
  await expect.poll(() => (read += pipe.read()).endsWith('or the disk was full"}\n')).toBe(true)
  logger.info('after')
  const entries = (read + pipe.read())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(entries.slice(0, -2).map(({ n }) => n)).toEqual(Array.from({ length: 5_000 - lost }, (_, n) => n))
  expect(entries.at(-2)).toMatchObject({ level: 'warn', lines: lost })
  expect(entries.at(-1)).toMatchObject({ msg: 'after' })
  expect(droppedLogLines() - before).toBe(lost)
})

test('a place that takes nothing costs no line more than 1 MiB of memory, and delays the end of the process by a second', () => {
  const output = openLogOutput(openSync('/dev/full', 'w'))
  const before = droppedLogLines()
  for (let n = 0; n < 1_100; n++) output.write('x'.repeat(1_000))
  expect(droppedLogLines() - before).toBe(1_100 - Math.floor(2 ** 20 / 1_000))
  const startedAtMs = performance.now()
  output.flush()
  output.flush()
  const tookMs = performance.now() - startedAtMs
  expect(tookMs).toBeGreaterThan(900)
})

test('a pipe whose reader has gone takes the lines of meanwhile once it has another one', async () => {
  const file = namedPipe()
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const output = openLogOutput(openSync(file, constants.O_WRONLY))
  output.write('one\n')
  expect(readAll(reader)).toBe('one\n')
  closeSync(reader)
  output.write('two\n')
  const other = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  await expect.poll(() => readAll(other)).toBe('two\n')
})

test('the lines of a thread are out when the process ends', () => {
  const pipe = fullPipe()
  pipe.read()
  const output = openLogOutput(pipe.fd)
  const { port1, port2 } = new MessageChannel()
  output.takeFrom(port1)
  port2.postMessage('of the thread\n')
  output.write('crashed\n')
  port2.postMessage('and once more\n')
  output.flush()
  expect(pipe.read()).toBe('of the thread\ncrashed\nand once more\n')
  port2.close()
})
