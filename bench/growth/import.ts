import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { newId } from '../../src/platform/kernel/ids.ts'
import { generateCsv } from '../../src/sandbox/samples/generate-csv.ts'
import { loopbackOnlyEnvironment } from '../../test/support/loopback-only.ts'
import type { Run } from '../scenario.ts'
import type { Deployment } from './deployment.ts'

/** Times in seconds. */
export interface Imported {
  properties: number
  imported: number
  importedAgain: number
  bareCopy: number
}

/** Imports a generated file twice, and copies the same rows as they are into a table like `properties`. */
export async function measureImport(run: Run, deployment: Deployment): Promise<Imported> {
  const csv = join(deployment.dataDir, 'properties.csv')
  const output = createWriteStream(csv)
  await generateCsv(output, { count: run.properties, seed: 1 })
  output.end()
  await once(output, 'finish')
  const bareCopy = await copyBare(deployment, csv)
  const imported = await importWithCommand(deployment, csv)
  const importedAgain = await importWithCommand(deployment, csv)
  await rm(csv)
  await deployment.pool.query('vacuum analyze properties')
  return { properties: run.properties, imported, importedAgain, bareCopy }
}

async function importWithCommand({ dataDir }: Deployment, csv: string): Promise<number> {
  const startedAt = performance.now()
  const command = spawn(process.execPath, ['src/main.ts', 'addresses', 'import', csv], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...loopbackOnlyEnvironment, DATA_DIR: dataDir },
  })
  const [code] = await once(command, 'exit')
  if (code !== 0) throw new Error(`the import ended with exit code ${code}`)
  return (performance.now() - startedAt) / 1_000
}

/** Copies the rows into an empty table with the constraints and indexes of `properties`. */
async function copyBare({ connectionString, dataDir }: Deployment, csv: string): Promise<number> {
  const rows = join(dataDir, 'rows.csv')
  await pipeline(rowsForCopy(csv), createWriteStream(rows))
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query('create table bare_properties (like properties including all)')
    await client.query("alter table bare_properties alter source set default 'import'")
    await client.query('checkpoint')
    const startedAt = performance.now()
    const copy = copyFrom(`
      copy bare_properties (address_uid, address_line1, address_line2, city, county, country, postcode, uprn, mpan, mprn)
      from stdin (format csv, force_not_null (address_line2, county))`)
    await pipeline(createReadStream(rows, { highWaterMark: 256 * 1_024 }), client.query(copy))
    const seconds = (performance.now() - startedAt) / 1_000
    await client.query('drop table bare_properties')
    await rm(rows)
    return seconds
  } finally {
    await client.end()
  }
}

/** The rows of a generated file as PostgreSQL's COPY wants them, each with an addressUid. */
async function* rowsForCopy(csv: string): AsyncGenerator<string> {
  let isHeader = true
  let text = ''
  for await (const line of createInterface({ input: createReadStream(csv) })) {
    if (!isHeader) text += `${newId('address')},${line}\n`
    isHeader = false
    if (text.length < 256 * 1_024) continue
    yield text
    text = ''
  }
  yield text
}
