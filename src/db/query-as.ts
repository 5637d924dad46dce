import { type Connection, type PoolClient, Query } from 'pg'
import type { Access } from './access.ts'
import { proofSetting } from './proof.ts'
import { type Sql, statementName } from './sql.ts'

/*
 * Runs a single statement with a partner's access, without the three messages of a transaction. PostgreSQL treats everything up to
 * the protocol's Sync message as one transaction. A statement that sets the access is therefore sent before the query, with one
 * Sync for both: the setting ends with the query, and if the setting fails, the query never runs.
 */

const setAccess = {
  name: 'as_whom',
  text: `select set_config('${proofSetting}', $1, true)`,
}

/** Connections on which the statement `as_whom` has been prepared. */
const prepared = new WeakSet<PoolClient>()

/**
 * The driver's callbacks for a query. They receive the responses to everything sent for the query, in order. pg-cursor overrides them
 * too.
 */
interface QueryCallbacks {
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Connection): void
}

/**
 * Sends everything that is written to this connection before the current turn of the event loop ends in one write. Each write costs a system
 * call and wakes the PostgreSQL process.
 */
export function writeTogether({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Gives the open transaction its access. The proof is a parameter, so that it appears in no list of running statements. */
export async function takeAccess(client: PoolClient, access: Access): Promise<void> {
  await client.query({ ...setAccess, values: [access.prove()] })
}

/** Returns the statement's rows. Throws PostgreSQL's error if the statement fails. */
export async function queryAs<Row>(client: PoolClient, access: Access, statement: Sql): Promise<Row[]> {
  const values = [access.prove()]
  const learnt = prepared.has(client) ? undefined : client.query({ ...setAccess, values })
  const answered = new Promise<Row[]>((resolve, reject) => {
    const { text } = statement
    const query = new Query<Row & object>(
      { name: statementName(text), text, values: statement.values },
      (error: Error | undefined, result) => (error == null ? resolve(result.rows) : reject(error)),
    )
    sendAfterSetAccess(query, values)
    client.query(query)
  })
  const [, rows] = await Promise.all([learnt, answered])
  prepared.add(client)
  return rows
}

/**
 * Sends `as_whom` immediately before the query. The first two responses, a row and a completion, therefore belong to `as_whom` and not
 * to the query.
 */
function sendAfterSetAccess(query: Query, values: string[]): void {
  const submit = query.submit.bind(query)
  query.submit = (connection) => {
    connection.stream.cork()
    try {
      connection.bind({ statement: setAccess.name, values }, true)
      connection.execute({}, true)
      return submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }
  const handlers = query as unknown as QueryCallbacks
  const { handleDataRow, handleCommandComplete } = handlers
  handlers.handleDataRow = () => undefined
  handlers.handleCommandComplete = () => {
    handlers.handleDataRow = handleDataRow
    handlers.handleCommandComplete = handleCommandComplete
  }
}
