import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import { createPool } from '../../src/app/open-database.ts'

/*
 * The baseline of the benchmarks: bare Fastify with one prepared statement for each request, over the pool that the
 * service uses, or with no database at all. Arguments: connection string, port.
 */
const [, , connectionString = '', port] = process.argv
const pool = createPool(connectionString, { warn: console.error }, 6)
const app = fastify()

app.get<{ Params: { id: string } }>('/quotes/:id', async ({ params }) => {
  const { rows } = await pool.query({
    name: 'select',
    text: 'select * from bare_quotes where quote_id = $1',
    values: [params.id],
  })
  return rows[0]
})

app.post<{ Body: { addressUid: string; packages: string[] } }>('/quotes', async ({ body }) => {
  const quoteId = randomUUID()
  await pool.query({
    name: 'insert',
    text: 'insert into bare_quotes (quote_id, partner_id, address_uid, status, packages) values ($1, $2, $3, $4, $5)',
    values: [quoteId, 'partner', body.addressUid, 'created', body.packages],
  })
  return { quoteId }
})

app.post<{ Body: Record<string, string> }>('/nothing', async ({ body }) => ({ received: Object.keys(body).length }))

await app.listen({ host: '127.0.0.1', port: Number(port) })
