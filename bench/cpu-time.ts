import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Starts measuring the CPU time that these processes use, in all their threads, as Linux reports it. The returned function gives
 * the milliseconds used since then; NaN on other systems. Unlike wall-clock time, this excludes the machine's other work. Processes that
 * have ended count as zero. Processes that have started since must be passed to the returned function.
 */
export function startCpuTimer(pids: readonly number[]): (pidsNow?: readonly number[]) => number {
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
  // The first of the three figures is the CPU time, in nanoseconds.
  return threads.reduce((sum, figures) => sum + Number(figures.split(' ', 1)[0]) / 1e6, 0)
}
