import { type ChildProcess, spawn } from 'node:child_process'

export interface RunningExample {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** Its output so far. */
  output(): string
  /** Waits for a line of its output. */
  said(pattern: RegExp): Promise<string>
}

/** Runs an example of a project, with Node or with another program. */
export function startExample(project: string, file: string, args: readonly string[], program?: string): RunningExample {
  const options = program === undefined ? ['--disable-warning=ExperimentalWarning'] : []
  const child = spawn(program ?? process.execPath, [...options, file, ...args], { cwd: project })
  let output = ''
  const looks = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += String(chunk)
      for (const look of looks) look()
    })
  }
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  return {
    child,
    ended,
    output: () => output,
    said: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          const [found] = pattern.exec(output) ?? []
          if (found !== undefined) resolve(found)
        }
        looks.add(look)
        look()
        void ended.then(code => reject(new Error(`it ended with ${code} and said:\n${output}`)))
      }),
  }
}
