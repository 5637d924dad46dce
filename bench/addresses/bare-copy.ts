import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Pool } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { newId } from '../../src/kernel/ids.ts'

/** Writes the rows of a generated file as PostgreSQL's COPY wants them, each with an addressUid. */
export async function writeRowsForCopy(csv: string, rows: string): Promise<void> {
  await pipeline(rowsForCopy(csv), createWriteStream(rows))
}

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

/** Copies the rows into an empty table with the constraints and indexes of `properties`. Returns the seconds it took. */
export async function copyBare(pool: Pool, rows: string): Promise<number> {
  const client = await pool.connect()
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
    return seconds
  } finally {
    client.release()
  }
}
