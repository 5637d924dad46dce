import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type EndingDependencies, endDueContracts } from './end-due-contracts.ts'

const batch = 50

/** Every minute, ends contracts whose last day is over and announces those that end soon. */
export function dueContractsJob(deps: EndingDependencies): ScheduledJob {
  return {
    name: 'end-contracts',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => endDueContracts(deps, { batch, isStopping: () => signal.aborted }),
  }
}
