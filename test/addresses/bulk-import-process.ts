import { Pool } from 'pg'
import { createDatabase } from '../../src/db/database.ts'
import { importProperties } from '../../src/domain/addresses/import/import-properties.ts'

/*
 * Imports a file in bulk and kills itself, as if the machine had stopped, when it has reported its progress a number of times. Arguments:
 * connection string, file, number.
 */

const [, , connectionString = '', file = '', reports = ''] = process.argv
const pool = new Pool({ connectionString, max: 2, pipeline: true })
let reported = 0
await importProperties(
  { db: createDatabase(pool), ownerConnectionString: connectionString, largeBytes: 0, batchBytes: 1 },
  file,
  () => {
    reported += 1
    if (reported === Number(reports)) process.kill(process.pid, 'SIGKILL')
  },
)
throw new Error(`the import reported its progress only ${reported} times`)
