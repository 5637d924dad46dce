import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Starts counting what these processes spend on a processor, over all their threads, as Linux tells it; the function it returns
 * gives the milliseconds since, NaN on other systems. Unlike the time on the clock it leaves out what else the machine does. A
 * process that has ended meanwhile counts for nothing; one that has begun meanwhile has to be named at the end.
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
  // The first of three figures, in nanoseconds; the others are about waiting.
  return threads.reduce((sum, figures) => sum + Number(figures.split(' ', 1)[0]) / 1e6, 0)
}
