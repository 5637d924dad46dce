import type { MeasuredService } from './measured-service.ts'
import { processTree, readProcess } from './process-tree.ts'

/** The memory in use, in MiB. Pages that processes share are counted once. */
export interface Resident {
  service: number
  /** Without `cache`. */
  postgres: number
  /** The part of PostgreSQL's shared buffers that has been used, and its other shared memory. */
  cache: number
}

/** Only on Linux. */
export function residentMemory({ processId, postmasterId }: MeasuredService): Resident {
  const sum = (pids: readonly number[], kind: 'Pss' | 'Pss_Shmem') =>
    Math.round(pids.reduce((total, pid) => total + proportionalKiB(pid, kind), 0) / 1_024)
  const postgres = processTree(postmasterId)
  const cache = sum(postgres, 'Pss_Shmem')
  const service = sum(processTree(processId, [postmasterId]), 'Pss')
  return { service, postgres: sum(postgres, 'Pss') - cache, cache }
}

/** The process's own pages and its share of the pages that it has in common with others; 0 if it has ended. */
function proportionalKiB(pid: number, kind: 'Pss' | 'Pss_Shmem'): number {
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(readProcess(pid, 'smaps_rollup'))?.[1] ?? 0)
}
