import { processTree, readProcess, threadsOf } from './process-tree.ts'

/**
 * Starts measuring the CPU time of a process and all its descendants, including those that start or end meanwhile, but
 * not that of the trees of `except`, as Linux reports it. The returned function gives the milliseconds used since then;
 * NaN on other systems. Unlike wall-clock time, this excludes the machine's other work.
 */
export function startTreeTimer(root: number, except: readonly number[] = []): () => number {
  const total = () => processTree(root, except).reduce((sum, pid) => sum + ownTimeOf(pid) + timeOfEndedChildren(pid), 0)
  const before = total()
  return () => (process.platform === 'linux' ? total() - before : Number.NaN)
}

/** The CPU time of the process's threads, in milliseconds. */
function cpuTimeOf(pid: number): number {
  const threads = threadsOf(pid).map((thread) => readProcess(pid, `task/${thread}/schedstat`))
  // The first of the three figures is the CPU time, in nanoseconds.
  return threads.reduce((sum, figures) => sum + Number(figures.split(' ', 1)[0]) / 1e6, 0)
}

/**
 * The first figure is exact but lacks threads that have ended. The other includes them, but comes in steps of 10 ms.
 */
const ownTimeOf = (pid: number) => Math.max(cpuTimeOf(pid), ticksOf(pid).own)

const timeOfEndedChildren = (pid: number) => ticksOf(pid).children

/** Linux counts ticks of 10 ms on all platforms. The fields follow the program's name, which may contain spaces. */
function ticksOf(pid: number): { own: number; children: number } {
  const fields = readProcess(pid, 'stat').split(') ').at(-1)?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) * 10, children: (childrenUser + childrenSystem) * 10 }
}
