import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Starts measuring the processor time of these processes, over all their threads, as Linux reports it. The returned function gives
 * the milliseconds since; NaN on other systems. Unlike wall-clock time, this leaves out the machine's other work. Processes that
 * ended in the meantime count as zero; new ones must be named at the end.
 */
export function countCpuTime(pids: readonly number[]): (pidsNow?: readonly number[]) => number {
  const before = new Map(pids.map((pid) => [pid, cpuTimeOf(pid)]))
  return (pidsNow = []) => {
    if (process.platform !== 'linux') return Number.NaN
    const all = new Map([...pidsNow.map((pid) => [pid, 0] as const), ...before])
    return [...all].reduce((sum, [pid, spent]) => sum + Math.max(0, cpuTimeOf(pid) - spent), 0)
  }
}

function cpuTimeOf(pid: number): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return 0
  const threads = readdirSync(tasks).map((thread) => readFileSync(`${tasks}/${thread}/schedstat`, 'latin1'))
  // The first of three figures, in nanoseconds; the others are waiting times.
  return threads.reduce((sum, figures) => sum + Number(figures.split(' ', 1)[0]) / 1e6, 0)
}
