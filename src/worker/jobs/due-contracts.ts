import type { Databases } from '../../db/databases.ts'
import { endDueContracts } from '../../domain/contracts/endings/end-due-contracts.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { ScheduledJob } from './scheduler.ts'

const batch = 50

/** Every minute, ends contracts whose last day is over and announces those that end soon. */
export function dueContractsJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'end-contracts',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await endDueContracts(deps, batch)) === batch);
    },
  }
}
