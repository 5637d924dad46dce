import { processTree, readProcess, threadsOf } from './process-tree.ts'

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
  const threads = threadsOf(pid).map((thread) => readProcess(pid, `task/${thread}/schedstat`))
  // The first of the three figures is the CPU time, in nanoseconds.
  return threads.reduce((sum, figures) => sum + Number(figures.split(' ', 1)[0]) / 1e6, 0)
}

/**
 * Starts measuring the CPU time of a process and all its descendants, including those that start or end meanwhile, but not that of the
 * trees of `except`. The returned function gives the milliseconds used since then; NaN if this is not Linux.
 */
export function startTreeTimer(root: number, except: readonly number[] = []): () => number {
  const total = () => processTree(root, except).reduce((sum, pid) => sum + ownTimeOf(pid) + timeOfEndedChildren(pid), 0)
  const before = total()
  return () => (process.platform === 'linux' ? total() - before : Number.NaN)
}

/** The first figure is exact but lacks threads that have ended. The other includes them, but comes in steps of 10 ms. */
const ownTimeOf = (pid: number) => Math.max(cpuTimeOf(pid), ticksOf(pid).own)

const timeOfEndedChildren = (pid: number) => ticksOf(pid).children

/** Linux counts ticks of 10 ms on all platforms. The fields follow the program's name, which may contain spaces. */
function ticksOf(pid: number): { own: number; children: number } {
  const fields = readProcess(pid, 'stat').split(') ').at(-1)?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) * 10, children: (childrenUser + childrenSystem) * 10 }
}
