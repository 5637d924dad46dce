import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { buildBroadbandDatabaseSimulator } from '../../sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../../sandbox/simulators/home-telecom/server.ts'
import { buildPaymentSimulator } from '../../sandbox/simulators/payment-processor/payment-simulator.ts'

/** A simulator that listens on loopback only. */
export interface RunningSimulator {
  baseUrl: string
  close(): Promise<void>
}

export async function startHomeTelecomSimulator(bankHolidays: BankHolidays): Promise<RunningSimulator> {
  return listen(buildHomeTelecomSimulator({ bankHolidays }))
}

export async function startBroadbandDatabaseSimulator(): Promise<RunningSimulator> {
  return listen(buildBroadbandDatabaseSimulator())
}

export async function startPaymentSimulator(options: {
  db: Database
  secretKey: string
  webhookUrl: string
  webhookSecret: string
  log: Logger
}): Promise<RunningSimulator> {
  return listen(buildPaymentSimulator(options))
}

async function listen(app: FastifyInstance): Promise<RunningSimulator> {
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  return { baseUrl, close: () => app.close() }
}
