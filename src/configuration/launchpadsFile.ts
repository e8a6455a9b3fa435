import { readIfPresent } from './environment.ts'
import { lineOfJsonValue } from './json.ts'
import { type KnownAdapters, type LaunchpadsResult, parseLaunchpads } from './launchpads.ts'

const PLACE = /^(?:[A-Za-z]\w*|\[\d+\])(?:\.\w+|\[\d+\])*(?=:)/

/** Reads `launchpads.json`. Each problem begins with its line, where the file can be read. */
export function readLaunchpadsFile(file: string, known: KnownAdapters): LaunchpadsResult {
  const read = readIfPresent(file)
  if (read.kind !== 'text') return { kind: 'invalid', problems: [read.problem] }
  const parsed = parseLaunchpads(read.text, known)
  return parsed.kind === 'valid' ? parsed : { ...parsed, problems: parsed.problems.map(problem => withLine(read.text, problem)) }
}

function withLine(text: string, problem: string): string {
  const place = PLACE.exec(problem)?.[0]
  if (place === undefined) return problem
  const path = place.match(/\w+/g)?.map(step => (/^\d+$/.test(step) ? Number(step) : step)) ?? []
  return `line ${lineOfJsonValue(text.replace(/^\uFEFF/, ''), path)}: ${problem}`
}
