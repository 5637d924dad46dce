import type { Databases } from '../../db/databases.ts'
import { countFunnel } from '../../domain/reports/count-funnel.ts'
import type { ScheduledJob } from './scheduler.ts'

/** Every five minutes, counts the funnel's days whose quotes have changed. */
export function countFunnelJob({ databases }: { databases: Databases }): ScheduledJob {
  return {
    name: 'count-funnel',
    everyMinutes: 5,
    atMinute: 2,
    run: (signal) => countFunnel({ databases, signal }),
  }
}
