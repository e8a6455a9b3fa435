import { execFileSync } from 'node:child_process'

/** Whether the process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  return table().some(row => row.pid === pid && !row.state.startsWith('Z'))
}

/** The pids of a process's descendants, as far as the processes between live. */
export function descendants(pid: number): readonly number[] {
  const rows = table()
  const found: number[] = []
  const visit = (parent: number) => {
    for (const row of rows) {
      if (row.parent !== parent) continue
      found.push(row.pid)
      visit(row.pid)
    }
  }
  visit(pid)
  return found
}

/** The command line of a process; an empty string when it has ended. */
export function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

function table(): readonly { readonly pid: number; readonly parent: number; readonly state: string }[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' })
  return text
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({ pid: Number(pid), parent: Number(parent), state: state ?? '' }))
}
