import type { MeasuredService } from '../measured-service.ts'
import { processTree, readProcess } from '../process-tree.ts'

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
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readProcess(pid, 'smaps_rollup'))?.[1] ?? 0)
}
