import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createPool } from '../../../src/app/open-database.ts'
import { createDatabase, inTransaction } from '../../../src/platform/db/database.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { DomainError } from '../../../src/platform/kernel/errors.ts'
import { accepted, failure, ready } from './postgres-protocol.ts'

const welcome = Buffer.concat([accepted, ready])
const end = failure('FATAL', '57P01', 'terminating connection due to unexpected postmaster exit')

// The server accepts every connection, sends the welcome and the error in one packet, and closes the connection.
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.once('data', () => socket.end(Buffer.concat([welcome, end])))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('if the server dies while it accepts a connection, the request fails with 503 and the process keeps running', async () => {
  const warnings: unknown[] = []
  const { port } = server.address() as AddressInfo
  const pool = createPool(`postgresql://anybody@127.0.0.1:${port}/any`, {
    warn: (...words: unknown[]) => warnings.push(words),
  })
  const isUnavailable = (error: unknown) => error instanceof DomainError && error.code === 'service_unavailable'
  const db = createDatabase(pool)
  await assert.rejects(
    inTransaction(db, {}, (tx) => tx.query(sql`select 1`)),
    isUnavailable,
  )
  await assert.rejects(db.query(sql`select 1`), isUnavailable)
  assert.ok(warnings.length > 0)
  await pool.end()
})
