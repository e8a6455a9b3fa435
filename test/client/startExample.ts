import { type ChildProcess, spawn } from 'node:child_process'

export interface RunningExample {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** Waits for a line of its output. */
  said(pattern: RegExp): Promise<string>
}

/** Runs an example of a project. */
export function startExample(project: string, file: string, args: readonly string[]): RunningExample {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], { cwd: project })
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
