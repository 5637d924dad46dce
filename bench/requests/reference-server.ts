import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import fastify, { type FastifyRequest } from 'fastify'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Pool, type PoolClient } from 'pg'
import { type Rung, rungs } from './reference-tables.ts'

/*
 * The ladder: a server that does what the service must do for a quote with three tenants, and nothing else, in
 * hand-written SQL. Each rung adds a duty to those before it. Arguments: connection string, port, rung, URL of the
 * keys.
 */

const [, , connectionString = '', port, rung = '', keysUrl = ''] = process.argv
const has = (duty: Rung) => rungs.indexOf(duty) <= rungs.indexOf(rung as Rung)
const url = new URL(connectionString)
if (has('row security')) url.username = 'ref_login'
const pool = new Pool({ connectionString: url.href, max: 6, pipeline: true })
const keys = createRemoteJWKSet(new URL(keysUrl))
const secret = createHash('sha256').update('reference').digest()
const app = fastify()
app.addHook('onError', async (_request, _reply, error) => console.error(error))

async function partnerOf({ headers }: FastifyRequest): Promise<string> {
  if (!has('token')) return 'partner'
  const { payload } = await jwtVerify((headers.authorization ?? '').slice(7), keys)
  return String(payload.sub)
}

function seal(text: string): string {
  if (!has('encryption')) return text
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function open(sealed: string): string {
  if (!has('encryption')) return sealed
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
}

/** Sends all statements in one write, in a transaction from that rung on, and returns the rows of the first. */
async function run(partner: string, statements: readonly { name: string; text: string; values: unknown[] }[]) {
  const client: PoolClient = await pool.connect()
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection
  try {
    stream.cork()
    const before = has('transaction')
      ? [
          client.query('begin'),
          client.query({
            name: 'access',
            text: `select set_config('ref.partner', $1, true), set_config('ref.actor', $2, true),
              set_config('ref.audited', $3, true)`,
            values: [partner, 'client', has('audit') ? 'on' : 'off'],
          }),
        ]
      : []
    const sent = statements.map((statement) => client.query(statement))
    const after = has('transaction') ? [client.query('commit')] : []
    stream.uncork()
    await Promise.all([...before, ...sent, ...after])
    return (await sent[0])?.rows ?? []
  } finally {
    client.release()
  }
}

const select = (partner: string, id: string) => ({
  name: 'select',
  text: `select q.data, (select json_agg(t.personal order by t.position) from ref_tenants t
           where t.partner_id = q.partner_id and t.quote_id = q.quote_id) as tenants
           from ref_quotes q where q.partner_id = $1 and q.quote_id = $2`,
  values: [partner, id],
})
const present = (rows: { data: object; tenants: string[] }[]) =>
  rows.map(({ data, tenants }) => ({ ...data, tenants: tenants.map((sealed) => JSON.parse(open(sealed))) }))[0]

app.get<{ Params: { id: string } }>('/quotes/:id', async (request) => {
  const partner = await partnerOf(request)
  return present(await run(partner, [select(partner, request.params.id)]))
})

/** A read that is in the audit log, durably, before its response is sent. */
app.get<{ Params: { id: string } }>('/logged-quotes/:id', async (request) => {
  const partner = await partnerOf(request)
  const { id } = request.params
  const text = `insert into ref_audit (partner_id, action, subject, actor)
    values ($1, 'read', $2, current_setting('ref.actor', true))`
  const entry = { name: 'read', text, values: [partner, id] }
  return present(await run(partner, [select(partner, id), entry]))
})

app.post<{ Body: { addressUid: string; packages: string[]; tenants: object[] } }>('/quotes', async (request) => {
  const { tenants, ...data } = request.body
  const [partner, quoteId] = [await partnerOf(request), randomUUID()]
  const response = { quoteId, ...data, tenants }
  const personal = tenants.map((tenant) => seal(JSON.stringify(tenant)))
  const insert = (table: string, columns: string, values: unknown[]) => ({
    name: table,
    text: `insert into ${table} (${columns}) values (${values.map((_, index) => `$${index + 1}`).join(', ')})`,
    values,
  })
  const children = {
    name: 'tenants',
    text: `insert into ref_tenants (tenant_id, partner_id, quote_id, position, personal)
           select gen_random_uuid(), $1, $2, position, personal from unnest($3::text[])
             with ordinality x (personal, position)`,
    values: [partner, quoteId, personal],
  }
  const event = [randomUUID(), partner, quoteId, 'quote.created', JSON.stringify({ quoteId })]
  const hash = createHash('sha256').update(JSON.stringify(request.body)).digest('hex')
  const stored = [request.headers['idempotency-key'] ?? randomUUID(), partner, hash, seal(JSON.stringify(response))]
  await run(partner, [
    insert('ref_quotes', 'quote_id, partner_id, data', [quoteId, partner, JSON.stringify({ quoteId, ...data })]),
    children,
    ...(has('event and response')
      ? [
          insert('ref_events', 'event_id, partner_id, quote_id, type, data', event),
          insert('ref_responses', 'key, partner_id, request_hash, response', stored),
        ]
      : []),
  ])
  return response
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
