import { readFile } from 'node:fs/promises'

/** The usage of a process since its start. */
export interface ProcessUsage {
  /** User and system time of the process and of its ended children. */
  readonly cpuMs: number
  /** Peak resident memory in MiB. */
  readonly peakRssMiB: number
}

/** Linux reports hundredths of a second, whatever the kernel's own clock is. */
const MS_PER_TICK = 10

/** @returns `null` where there is no `/proc`, or no such process */
async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    // The command's name may contain spaces; the fields from the third on follow it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
    const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN)
    return { cpuMs: ticks * MS_PER_TICK, peakRssMiB: peakKiB / 1_024 }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // ESRCH: it ended while the file was read.
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}

/** The usage of a process and its running descendants, summed; `null` as above. */
export async function treeUsage(pid: number): Promise<ProcessUsage | null> {
  const own = await processUsage(pid)
  if (own === null) return null
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  let { cpuMs, peakRssMiB } = own
  for (const child of children.trim().split(' ')) {
    const usage = child === '' ? null : await treeUsage(Number(child))
    cpuMs += usage?.cpuMs ?? 0
    peakRssMiB += usage?.peakRssMiB ?? 0
  }
  return { cpuMs, peakRssMiB }
}
