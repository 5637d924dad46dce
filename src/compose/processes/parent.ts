import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createCallLender } from '../../adapters/call-counter/lender.ts'
import { createMetricTotals } from '../../adapters/prometheus/metric-totals.ts'
import type { Config } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import { readConnectionLimit } from '../../db/limits/connection-limit.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { CommandError } from '../../kernel/command-error.ts'
import { composeCipher } from '../compose.ts'
import { openDatabase } from '../open-database.ts'
import { readReferenceData } from '../reference-data.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { startSimulators } from '../sandbox/simulators.ts'
import type { RunningService } from '../serve.ts'
import { type Child, superviseChildren } from './children.ts'
import { closeAll } from './close-all.ts'
import { dividePools, parentPools } from './pool-sizes.ts'

/** A service whose requests several processes serve. */
export interface ServiceOfProcesses extends RunningService {
  /** Replaces the processes one by one without rejecting a request. */
  restart(): Promise<void>
  /** Resolves if no process can be started any more. */
  failed: Promise<CommandError>
}

/** How long a scrape waits for processes that are too busy to read their metrics. Their previous values are then used. */
const metricsWithinMs = 2_000

/**
 * Starts what all processes share (the private PostgreSQL, the simulators and the counts of calls), then the processes that serve
 * requests. Each runs `program` and everything else that a single process would.
 */
export async function serveInProcesses({
  program,
  ...given
}: {
  config: Config
  secrets: Secrets
  log: Logger
  program: URL
}): Promise<ServiceOfProcesses> {
  const { config, secrets, log } = given
  const closers: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= closeAll(closers, log)
    return stopping
  }
  try {
    const database = await openDatabase(config, secrets, log, { poolSizes: parentPools })
    closers.push(database.close)
    const { privateUrl, ownerConnectionString } = database
    const poolSizes = dividePools(config.processes, await readConnectionLimit(ownerConnectionString))
    const db = database.databases.system
    const sandbox = await openSandbox({ ...given, db }, { clock: systemClock })
    const { bankHolidays } = await readReferenceData()
    const cipher = await composeCipher(db, secrets)
    const simulatorClosers: (() => Promise<void>)[] = []
    closers.push(() => closeAll(simulatorClosers, log))
    const simulators = await startSimulators({ ...given, db, cipher, bankHolidays }, simulatorClosers)

    const lender = createCallLender(config.processes)
    const totals = createMetricTotals<Child>()
    const children = superviseChildren({
      count: config.processes,
      program,
      log,
      answersTo(child) {
        const borrower = { recall: (name: string) => child.peer.ask('recall', name) }
        return {
          settings: () => ({ privateUrl, poolSizes, simulators }),
          add: lender.add,
          read: lender.read,
          borrow: (counted) => lender.borrow(borrower, counted),
          async metrics() {
            const readings = children.running().map(async (each) => {
              // A process that does not answer keeps its previous values.
              const read = await each.peer.ask('metrics', undefined).catch(() => undefined)
              if (read !== undefined) totals.keep(each, read)
            })
            await Promise.race([Promise.all(readings), sleep(metricsWithinMs, undefined, { ref: false })])
            return totals.render()
          },
          lastMetrics(readings) {
            totals.keep(child, readings)
            return undefined
          },
        }
      },
      onEnded: totals.end,
    })
    closers.push(children.stop)
    await children.start()
    return {
      port: config.server.port,
      sandbox: await sandbox.credentials(),
      restart: children.restart,
      failed: children.failed,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
