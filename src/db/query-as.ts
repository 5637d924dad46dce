import { type Connection, type PoolClient, Query } from 'pg'
import { type Access, originText } from './access.ts'
import { originSetting, partnerSetting } from './runtime-roles.ts'
import { type Sql, statementName } from './sql.ts'

/*
 * A single statement as somebody, without a transaction of three messages around it. PostgreSQL counts everything up to the
 * protocol's Sync as one transaction, so a statement that says as whom travels in front of the statement itself and before the
 * same Sync: both count together, the setting ends with them, and where it fails the statement is never run.
 */

const asWhom = {
  name: 'as_whom',
  text: `select set_config('role', $1, true), set_config('${partnerSetting}', $2, true), set_config('${originSetting}', $3, true)`,
}

/** Connections that know `as_whom` already. */
const prepared = new WeakSet<PoolClient>()

/** What the driver hands a query on its way: the answers to whatever was sent for it, in order. As pg-cursor implements it. */
interface AnswerHandlers {
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Connection): void
}

/** The statement's rows. Throws what PostgreSQL says, about either statement. */
export async function queryAs<Row>(client: PoolClient, access: Access, statement: Sql): Promise<Row[]> {
  const values = [access.role, access.partnerId, originText(access.origin)]
  const learnt = prepared.has(client) ? undefined : client.query({ ...asWhom, values })
  const answered = new Promise<Row[]>((resolve, reject) => {
    const { text } = statement
    const query = new Query<Row & object>(
      { name: statementName(text), text, values: statement.values },
      (error: Error | undefined, result) => (error == null ? resolve(result.rows) : reject(error)),
    )
    sendBehindAsWhom(query, values)
    client.query(query)
  })
  const [, rows] = await Promise.all([learnt, answered])
  prepared.add(client)
  return rows
}

/** The first answers are those of `as_whom`, one row and its end: they are none of the query's. */
function sendBehindAsWhom(query: Query, values: string[]): void {
  const submit = query.submit.bind(query)
  query.submit = (connection) => {
    connection.stream.cork()
    try {
      connection.bind({ statement: asWhom.name, values }, true)
      connection.execute({}, true)
      return submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }
  const handlers = query as unknown as AnswerHandlers
  const { handleDataRow, handleCommandComplete } = handlers
  handlers.handleDataRow = () => undefined
  handlers.handleCommandComplete = () => {
    handlers.handleDataRow = handleDataRow
    handlers.handleCommandComplete = handleCommandComplete
  }
}
