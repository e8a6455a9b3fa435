import { readFile } from 'node:fs/promises'

/** What a process has used since its start. */
export interface ProcessUsage {
  /** User and system, of the process and of its children that have ended. */
  readonly cpuMs: number
  /** The most memory that it ever had resident, in MiB. */
  readonly peakRssMiB: number
}

/** Linux counts in hundredths of a second whatever the kernel's own clock is. */
const MS_PER_TICK = 10

/** @returns `null` where there is no `/proc`, or no such process */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    // The command's name may hold spaces; after it come the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
    const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN)
    return { cpuMs: ticks * MS_PER_TICK, peakRssMiB: peakKiB / 1_024 }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** CPU time of a process and everything that it has started and that still runs. */
export async function treeCpuMs(pid: number): Promise<number> {
  const own = await processUsage(pid)
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  let sum = own?.cpuMs ?? 0
  for (const child of children.trim().split(' ')) if (child !== '') sum += await treeCpuMs(Number(child))
  return sum
}
