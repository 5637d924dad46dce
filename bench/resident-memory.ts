import type { MeasuredService } from './measured-service.ts'
import { processTree, readProcess } from './process-tree.ts'

/** The memory in use, in MiB. Pages that processes share are counted once. */
export interface Resident {
  service: number
  /** The part of `service` that is pages of files: the code of Node and of libraries. */
  serviceFiles: number
  /** Without `cache`. */
  postgres: number
  /** The part of PostgreSQL's shared buffers that has been used, and its other shared memory. */
  cache: number
}

type Kind = 'Pss' | 'Pss_File' | 'Pss_Shmem'

/** Only on Linux. */
export function residentMemory({ processId, postmasterId }: MeasuredService): Resident {
  const sum = (pids: readonly number[], kind: Kind) =>
    Math.round(pids.reduce((total, pid) => total + proportionalKiB(pid, kind), 0) / 1_024)
  const postgres = processTree(postmasterId)
  const cache = sum(postgres, 'Pss_Shmem')
  const service = processTree(processId, [postmasterId])
  return {
    service: sum(service, 'Pss'),
    serviceFiles: sum(service, 'Pss_File'),
    postgres: sum(postgres, 'Pss') - cache,
    cache,
  }
}

/** The process's own pages and its share of the pages that it has in common with others; 0 if it has ended. */
function proportionalKiB(pid: number, kind: Kind): number {
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(readProcess(pid, 'smaps_rollup'))?.[1] ?? 0)
}
