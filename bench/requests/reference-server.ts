import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Client } from 'pg'

/*
 * A server that does what the service must do for a quote with three tenants, and nothing else, in hand-written SQL.
 * Arguments: connection string, port, URL of the keys.
 */

const [, , connectionString = '', port, keysUrl = ''] = process.argv
const url = new URL(connectionString)
url.username = 'ref_login'
const keys = createRemoteJWKSet(new URL(keysUrl))
const secret = createSecretKey(hash('sha256', 'reference', 'buffer'))
const app = fastify()
app.addHook('onError', async (_request, _reply, error) => console.error(error))

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/**
 * So many connections, which requests take in turn. As each request is one statement, and so a transaction of its own,
 * it need not wait until the one before is answered. All that are made in one turn of the event loop are sent in one
 * write.
 */
function connections(size: number) {
  const clients: (Promise<Client> | undefined)[] = []
  const corked = new Set<Client>()
  let turn = 0
  async function connect(index: number): Promise<Client> {
    const client = new Client({ connectionString: url.href, pipeline: true })
    client.on('error', console.error)
    client.on('end', () => delete clients[index])
    await client.connect()
    return client
  }
  function cork(client: Client): void {
    if (corked.has(client)) return
    const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection
    corked.add(client)
    stream.cork()
    setImmediate(() => {
      corked.delete(client)
      stream.uncork()
    })
  }
  return async <Row>(statement: Statement): Promise<Row[]> => {
    turn = (turn + 1) % size
    clients[turn] ??= connect(turn)
    const client = await (clients[turn] as Promise<Client>)
    cork(client)
    return (await client.query(statement)).rows
  }
}

/** Reads do not wait behind a commit. Commits on many connections share a flush. */
const runRead = connections(2)
const runWrite = connections(8)

/** The tokens whose signature was verified. */
const verified = new Map<string, { partner: string; tokenHash: string; expiresAt: number }>()
let revoked: Promise<ReadonlySet<string>> | undefined
let readRevokedAt = 0

/** The hashes of the revoked tokens, as they were at most a second ago. */
function revokedTokens(): Promise<ReadonlySet<string>> {
  if (revoked !== undefined && performance.now() - readRevokedAt < 1_000) return revoked
  readRevokedAt = performance.now()
  const text = 'select token_hash from ref_revoked_tokens where expires_at > now()'
  revoked = runRead<{ token_hash: string }>({ name: 'revoked', text, values: [] }).then(
    (rows) => new Set(rows.map(({ token_hash }) => token_hash)),
  )
  return revoked
}

async function partnerOf({ headers }: FastifyRequest): Promise<string> {
  const token = (headers.authorization ?? '').slice(7)
  let known = verified.get(token)
  if (known === undefined || known.expiresAt <= Date.now()) {
    const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'], requiredClaims: ['sub', 'exp'] })
    known = { partner: String(payload.sub), tokenHash: hash('sha256', token), expiresAt: Number(payload.exp) * 1_000 }
    if (verified.size >= 10_000) verified.clear()
    verified.set(token, known)
  }
  if ((await revokedTokens()).has(known.tokenHash)) throw Object.assign(new Error('revoked'), { statusCode: 401 })
  return known.partner
}

function seal(text: string): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

function open(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(-16))
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
}

/** Puts the tenants into the quote. Both were made by `JSON.stringify`, so they are not parsed to be sent. */
const withTenants = (quote: string, tenants: string[]) => `${quote.slice(0, -1)},"tenants":[${tenants.join()}]}`
const sendJson = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text)

/** A read that is logged is in the audit log, durably, before its response is sent. */
for (const [path, isLogged] of [
  ['/quotes/:id', false],
  ['/logged-quotes/:id', true],
] as const)
  app.get<{ Params: { id: string } }>(path, async (request, reply) => {
    const values = [await partnerOf(request), request.params.id, isLogged]
    const statement = { name: 'read', text: 'select data, tenants from ref_read($1, $2, $3)', values }
    const [row] = await (isLogged ? runWrite : runRead)<{ data: string | null; tenants: string }>(statement)
    if (row === undefined || row.data === null) return reply.callNotFound()
    return sendJson(reply, withTenants(row.data, row.tenants.split(' ').map(open)))
  })

app.post<{ Body: { addressUid: string; packages: string[]; tenants: object[] } }>('/quotes', async (request, reply) => {
  const { tenants, ...rest } = request.body
  const [partner, quoteId] = [await partnerOf(request), randomUUID()]
  const quote = JSON.stringify({ quoteId, ...rest })
  const personal = tenants.map((tenant) => JSON.stringify(tenant))
  const response = withTenants(quote, personal)
  const sealed = `{${personal.map((text) => seal(text).toString('base64url')).join()}}`
  const key = request.headers['idempotency-key'] ?? randomUUID()
  const event = [randomUUID(), JSON.stringify({ quoteId })]
  const stored = [key, hash('sha256', JSON.stringify(request.body), 'buffer'), seal(response)]
  await runWrite({
    name: 'create',
    text: 'select ref_create($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [partner, quoteId, quote, sealed, ...event, ...stored],
  })
  return sendJson(reply, response)
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
