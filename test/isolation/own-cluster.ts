import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { startEmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'
import { createFolder } from '../support/embedded-postgres-fixture.ts'
import type { TestDatabase } from '../support/postgres.ts'
import { waitFor } from '../support/wait-for.ts'
import { withClient } from './owned-tables.ts'

/** A PostgreSQL server for one test file. Roles belong to the whole cluster, so it cannot be shared. */
export interface OwnCluster {
  /** Runs a statement as the superuser, in the database `postgres` by default. */
  administer(statement: string, database?: string): Promise<void>
  /** A connection string for a database, with this login or, by default, the superuser. */
  connectionTo(database: string, login?: string): string
  /** Creates an empty database. The connection string that it returns logs in as the superuser. */
  createDatabase(name: string, owner?: string): Promise<TestDatabase>
  /** Ends every process of the server abruptly, and waits until the server runs again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export async function startOwnCluster(): Promise<OwnCluster> {
  const folder = await createFolder()
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' },
  })
  const connectionTo = (database: string, login?: string) => {
    const url = new URL(server.connectionString)
    url.pathname = `/${database}`
    if (login !== undefined) url.searchParams.set('user', login)
    return url.href
  }
  const administer = async (statement: string, database = 'postgres') => {
    await withClient(connectionTo(database), (client) => client.query(statement))
  }
  return {
    administer,
    connectionTo,
    async createDatabase(name, owner) {
      await administer(`create database ${name}${owner === undefined ? '' : ` owner ${owner}`}`)
      return {
        connectionString: connectionTo(name),
        drop: () => administer(`drop database ${name} with (force)`),
      }
    },
    async crash() {
      const { pid } = server
      assert.ok(pid !== undefined)
      process.kill(pid, 'SIGQUIT')
      await waitFor('the server runs again', () => server.pid !== undefined && server.pid !== pid)
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
