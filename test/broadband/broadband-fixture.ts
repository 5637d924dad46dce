import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { Pool } from 'pg'
import { createBroadbandDatabase } from '../../src/broadband/broadband-database.http.ts'
import { createHomeTelecom } from '../../src/broadband/home-telecom.http.ts'
import type { Caller } from '../../src/partners/caller.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { parseBankHolidays } from '../../src/platform/kernel/working-days.ts'
import type { UpstreamLimits } from '../../src/platform/outbound/guard.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { databaseAddressSource } from '../../src/properties/address-suppliers/address-database.ts'
import type { Property } from '../../src/properties/property.ts'
import { generateSampleProperties, seedSamples } from '../../src/sandbox/samples/sample-properties.ts'
import type { SpecialCase } from '../../src/sandbox/samples/special-case.ts'
import { buildBroadbandDatabaseSimulator } from '../../src/sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../../src/sandbox/simulators/home-telecom/server.ts'
import { createTestDatabase } from '../support/postgres.ts'

export const bankHolidays = parseBankHolidays(
  readFileSync(new URL('../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)

const slowMilliseconds = 2_000
export const noon = new Date('2026-11-02T12:00:00Z')
const quick: Partial<UpstreamLimits> = { halfOpenAfterMs: 50 }
const samples = generateSampleProperties()

/** The sample property with this special case. */
export function specialProperty(specialCase: SpecialCase): Property {
  return theOne(samples.find((property) => property.specialCase === specialCase))
}

/** A sample property without a special case. */
export function ordinaryProperty(index: number): Property {
  return theOne(samples.filter((property) => property.specialCase === null)[index])
}

function theOne(property: Property | undefined): Property {
  if (property === undefined) throw new Error('no such sample property')
  return property
}

/**
 * Starts what the broadband functions depend on: a real database, and real simulators, called through the real outbound
 * HTTP client.
 */
export async function openBroadbandLab() {
  const { connectionString, drop } = await createTestDatabase()
  const pool = new Pool({ connectionString, max: 6, pipeline: true })
  // pool.end() does not wait for its connections to close: dropping the database may end some of them.
  pool.on('error', () => undefined)
  const db = createDatabase(pool)
  await seedSamples(db)
  for (const partnerId of ['partner_a', 'partner_b']) {
    await db.query(sql`insert into partners (partner_id, name) values (${partnerId}, ${partnerId})`)
  }
  const simulators = [
    buildHomeTelecomSimulator({ bankHolidays, slowMilliseconds }),
    buildBroadbandDatabaseSimulator({ slowMilliseconds }),
  ] as const
  const [telecomUrl, databaseUrl] = await Promise.all(simulators.map(listen))
  const telecom = createUpstream({ name: 'home-telecom', baseUrl: telecomUrl ?? '', limits: quick })
  const database = createUpstream({ name: 'broadband-database', baseUrl: databaseUrl ?? '', limits: quick })
  return {
    deps: {
      db,
      addresses: databaseAddressSource(db),
      homeTelecom: createHomeTelecom(telecom),
      broadbandDatabase: createBroadbandDatabase(database),
      bankHolidays,
      realm: 'sandbox' as const,
      upstreamAllowance: { charge: () => Promise.resolve() },
    },
    /** Two numbers: how many calls to the provider and how many to the broadband database are in progress. */
    inFlight: () => [telecom.counters().inFlight, database.counters().inFlight],
    /** Two numbers: how many calls to the provider and how many to the broadband database have been made so far. */
    calls: () => [telecom.counters().calls, database.counters().calls] as const,
    async stop() {
      await Promise.all([telecom.close(), database.close()])
      await Promise.all(simulators.map((simulator) => simulator.close()))
      await pool.end()
      await drop()
    },
  }
}

function listen(simulator: FastifyInstance): Promise<string> {
  return simulator.listen({ host: '127.0.0.1', port: 0 })
}

export function callerAt(now: Date, partnerId: Caller['partnerId'] = 'partner_a'): Caller {
  return { partnerId, clientId: 'sb_test', requestId: 'request_test', now }
}

export function hoursAfter(moment: Date, hours: number): Date {
  return new Date(moment.getTime() + hours * 3_600_000)
}
