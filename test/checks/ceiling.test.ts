import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/*
 * How much there is to read, by room: files and lines. A commit that needs more raises the numbers of its room, and says in its message what
 * for, and what went in exchange.
 */

const ROOMS: Readonly<Record<string, readonly [files: number, lines: number]>> = {
  actors: [12, 2_241],
  benchmarks: [106, 7_177],
  build: [16, 1_150],
  'src/async': [5, 159],
  'src/bus': [7, 1_394],
  'src/chain': [9, 1_885],
  'src/client': [39, 3_472],
  'src/commands': [14, 1_111],
  'src/configuration': [9, 1_509],
  'src/console': [109, 7_418],
  'src/devchain': [40, 3_140],
  'src/domain': [17, 1_180],
  'src/ethUsd': [2, 419],
  'src/gateway': [38, 6_433],
  'src/index': [5, 1_579],
  'src/integrations': [8, 1_920],
  'src/jobs': [16, 2_267],
  'src/launchpads': [36, 7_242],
  'src/process': [16, 1_944],
  'src/protocol': [12, 1_334],
  'src/resources': [24, 3_049],
  'src/rpc': [11, 2_756],
  'src/store': [63, 11_897],
  'src/sync': [8, 2_533],
  'src/tables': [25, 1_638],
  'src/telemetry': [5, 741],
  'src/worker': [13, 2_126],
  test: [680, 81_228],
  'test/support': [129, 10_610],
}
/** What is written by a command is no reading. */
const GENERATED = /\/generated\//

test('every room stays below its ceiling', () => {
  const counted = Object.fromEntries(Object.keys(ROOMS).map(room => [room, sizeOf(room)]))
  const above = Object.entries(ROOMS).filter(([room, [files, lines]]) => {
    const [isFiles, isLines] = counted[room] ?? [0, 0]
    return isFiles > files || isLines > lines
  })
  expect(above.map(([room]) => [room, counted[room]])).toEqual([])
})

test('no room is left out', () => {
  const rooms = foldersOf('src').map(name => `src/${name}`)
  expect(Object.keys(ROOMS).filter(room => room.startsWith('src/'))).toEqual(rooms)
})

function foldersOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
    .toSorted()
}

/** The TypeScript files of a folder, and their lines. */
function sizeOf(room: string): readonly [files: number, lines: number] {
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' })
    .map(name => path.join(room, name))
    .filter(name => /\.tsx?$/.test(name) && !GENERATED.test(name))
  return [files.length, files.reduce((sum, name) => sum + readFileSync(name, 'utf8').split('\n').length - 1, 0)]
}
