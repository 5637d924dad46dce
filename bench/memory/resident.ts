import { existsSync, readFileSync } from 'node:fs'
import type { MeasuredService } from '../measured-service.ts'
import { processTree } from '../process-tree.ts'

/** The memory in use, in MiB. Pages that processes share are counted once. */
export interface Resident {
  service: number
  postgres: number
}

/** Only on Linux. */
export function residentMemory({ processId, postmasterId }: MeasuredService): Resident {
  const sum = (pids: readonly number[]) =>
    Math.round(pids.reduce((total, pid) => total + proportionalKiB(pid), 0) / 1_024)
  return { service: sum(processTree(processId, [postmasterId])), postgres: sum(processTree(postmasterId)) }
}

/** The process's own pages and its share of the pages that it has in common with others; 0 if it has ended. */
function proportionalKiB(pid: number): number {
  const file = `/proc/${pid}/smaps_rollup`
  if (!existsSync(file)) return 0
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(file, 'latin1'))?.[1] ?? Number.NaN)
  } catch (error) {
    // The process ended between the two calls.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 0
    throw error
  }
}
