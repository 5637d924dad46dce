import fastify from 'fastify'
import { Pool } from 'pg'

/** The baseline of the benchmark: a bare Fastify route that does one prepared SELECT. Arguments: connection string, port. */
const [, , connectionString, port] = process.argv
const pool = new Pool({ connectionString, max: 20, pipeline: true })
const app = fastify()

app.get('/bare', async () => {
  const { rows } = await pool.query({
    name: 'bare',
    text: 'select address_uid, address_line1, postcode from properties where address_uid = $1',
    values: ['address_01kdvdna00f4maysywp89j015t'],
  })
  return rows[0] ?? {}
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send?.('ready')
