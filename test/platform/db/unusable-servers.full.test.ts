import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type CommandResult, launch } from '../../cli/cli-fixture.ts'
import { startOwnCluster } from '../../isolation/own-cluster.ts'
import { temporaryFolder } from '../../support/embedded-postgres-fixture.ts'
import { findFreePort } from '../../support/service.ts'
import { accepted, failure, message, ready, row } from './postgres-protocol.ts'

/**
 * Starts the service with this server as its database. A process that does not end by itself is killed and has no exit
 * code.
 */
async function serveWith(t: TestContext, port: number, database = 'any'): Promise<CommandResult> {
  return launch(['serve'], {
    DATABASE_URL: `postgresql://housebill@127.0.0.1:${port}/${database}`,
    DATA_DIR: await temporaryFolder(t),
    PORT: String(await findFreePort()),
    LOG_LEVEL: 'silent',
  })
}

/**
 * A server that hands over each message of a client, its type and content; the first one has no type. Returns its port.
 */
async function startServer(
  t: TestContext,
  onMessage: (socket: Socket, type: string, content: Buffer) => void,
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    readMessages(socket, (type, content) => onMessage(socket, type, content), { startsWithoutType: true })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function readMessages(
  socket: Socket,
  onMessage: (type: string, content: Buffer) => void,
  { startsWithoutType = false } = {},
): void {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = startsWithoutType ? 0 : 1
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return
      const type = rest.toString('latin1', 0, typeBytes)
      const content = rest.subarray(typeBytes + 4, end)
      rest = rest.subarray(end)
      typeBytes = 1
      onMessage(type, content)
    }
  })
}

test('with PostgreSQL 15 the start ends with the version that is needed and the one found, before any other statement', async (t) => {
  const statements: string[] = []
  const port = await startServer(t, (socket, type, content) => {
    if (type === '') socket.write(Buffer.concat([accepted, ready]))
    if (type !== 'Q') return
    statements.push(content.toString())
    const version = row({ number: '150018', text: '15.18 (Debian 15.18-0+deb13u1)' })
    const answer = statements.length === 1 ? version : failure('ERROR', '42601', 'syntax error')
    socket.write(Buffer.concat([answer, ready]))
  })
  const { code, stderr } = await serveWith(t, port)
  assert.deepEqual(
    [code, stderr],
    [
      1,
      'Housebill needs PostgreSQL 16 or newer, but the server is PostgreSQL 15.18 (Debian 15.18-0+deb13u1). Upgrade it, or set DATABASE_URL to a newer server.\n',
    ],
  )
  assert.match(statements.join(), /^select current_setting\('server_version_num'\)[^;]*$/)
})

test('behind a pooler that does not keep prepared statements, the start ends and says what to change', async (t) => {
  const cluster = await startOwnCluster()
  t.after(() => cluster.stop())
  const { connectionString } = await cluster.createDatabase('pooled')
  const { port: socketPort, searchParams } = new URL(connectionString)
  // All clients share one session: each gets it for one batch of messages, up to the server's ReadyForQuery.
  const session = connect(`${searchParams.get('host')}/.s.PGSQL.${socketPort}`)
  t.after(() => session.destroy())
  const batches: { socket: Socket | undefined; bytes: Buffer }[] = []
  const unfinished = new Map<Socket, Buffer[]>()
  const send = (batch: (typeof batches)[number]) => {
    batches.push(batch)
    if (batches.length === 1) session.write(batch.bytes)
  }
  readMessages(session, (type, content) => {
    batches[0]?.socket?.write(message(type, content))
    if (type !== 'Z') return
    batches.shift()
    if (batches[0] !== undefined) session.write(batches[0].bytes)
  })
  const port = await startServer(t, (socket, type, content) => {
    if (type === '') {
      // The session is the first client's.
      if (unfinished.size === 0) send({ socket: undefined, bytes: message('', content) })
      unfinished.set(socket, [])
      socket.write(Buffer.concat([accepted, ready]))
    } else if (type === 'X') socket.end()
    else {
      const messages = unfinished.get(socket) ?? []
      messages.push(message(type, content))
      if (type === 'Q' || type === 'S') send({ socket, bytes: Buffer.concat(messages.splice(0)) })
    }
  })
  const { code, stderr } = await serveWith(t, port, 'pooled')
  assert.match(
    stderr,
    /^The connection pooler in DATABASE_URL does not keep prepared statements\. With PgBouncer, use 1\.21/,
  )
  assert.equal(code, 1)
})

test('with a server that accepts connections and stays silent, the start ends and says so', async (t) => {
  const { code, stderr } = await serveWith(t, await startServer(t, () => undefined))
  assert.match(stderr, /^The database did not respond within 5 seconds\. Check DATABASE_URL, /)
  assert.equal(code, 1)
})
