import { Query, types } from 'pg'
import { prepareValue } from 'pg/lib/utils.js'

/** A statement that waits for its rows. PostgreSQL plans a statement without a name each time that it runs. */
export interface Requested {
  name: string
  text: string
  values: readonly unknown[]
  resolve(rows: never[]): void
  reject(error: unknown): void
}

/** What the driver's connection offers, beyond its published types. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  /** The texts of prepared statements by name: those that PostgreSQL has parsed, and those that were sent to it. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  bind(statement: {
    statement: string
    values: readonly unknown[]
    valueMapper: (value: unknown) => string | Buffer | null
  }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: { portal: string }): void
  sync(): void
}

/** The columns of a statement's rows, in order. */
interface Columns {
  names: readonly string[]
  parsers: readonly ((text: string) => unknown)[]
}

const noColumns: Columns = { names: [], parsers: [] }

/**
 * The columns of the prepared statements of each connection, so that they need not be described each time. They cannot
 * change: PostgreSQL rejects a prepared statement whose columns have changed.
 */
const columnsOf = new WeakMap<Connection, Map<string, Columns>>()

// The driver accepts only its own class on a pipelined connection, and calls the methods below.
const DriverQuery = Query as unknown as new (text: string) => object

/**
 * Statements that are sent together with one Sync message at their end
 * (https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). PostgreSQL responds to all of them
 * in one write. Outside a transaction, they are one, which ends with them. The first failure is that of all statements
 * after it.
 */
export class StatementBatch extends DriverQuery {
  // The driver notes under this name and text that PostgreSQL has parsed the statement to which it responds.
  name: string
  text: string
  readonly #statements: readonly Requested[]
  /** The names under which they were sent, in order. */
  readonly #names: string[] = []
  /** The statements that this batch asked PostgreSQL to parse and keep. */
  readonly #parsed = new Set<string>()
  /** The rows of the statements so far; the last are those of the statement to which PostgreSQL responds. */
  readonly #rows: Record<string, unknown>[][] = [[]]
  #connection: Connection | undefined
  #known = new Map<string, Columns>()
  #columns: Columns | undefined
  /** The first failure, and of which statement. */
  #fault: { index: number; error: unknown } | undefined

  constructor(statements: readonly Requested[]) {
    super('')
    this.#statements = statements
    this.name = ''
    this.text = ''
  }

  submit(connection: Connection): void {
    this.#connection = connection
    this.#known = columnsOf.get(connection) ?? this.#known
    columnsOf.set(connection, this.#known)
    connection.stream.cork()
    for (const [index, statement] of this.#statements.entries())
      try {
        this.#send(connection, statement)
      } catch (error) {
        this.#noteFault(index, error)
        break
      }
    connection.sync()
    connection.stream.uncork()
    this.#expect(0)
  }

  /**
   * Throws if a value cannot be sent. The driver notes what PostgreSQL keeps when PostgreSQL says so, and PostgreSQL
   * keeps it for as long as the connection lasts. While an earlier batch has yet to be told, this one sends the
   * statement without a name.
   */
  #send(connection: Connection, { name: kept, text, values }: Requested): void {
    const { parsedStatements, submittedNamedStatements } = connection
    const isKept = parsedStatements[kept] !== undefined || this.#parsed.has(kept)
    const name = isKept || submittedNamedStatements[kept] === undefined ? kept : ''
    this.#names.push(name)
    if (!isKept) connection.parse({ name, text })
    if (!isKept && name !== '') {
      this.#parsed.add(name)
      submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values, valueMapper: asSent })
    if (!this.#known.has(name)) connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '' })
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { names, parsers } = this.#columns ?? noColumns
    const index = this.#rows.length - 1
    try {
      const row: Record<string, unknown> = {}
      for (const [column, name] of names.entries()) {
        const text = fields[column] ?? null
        row[name] = text === null ? null : parsers[column]?.(text)
      }
      this.#rows[index]?.push(row)
    } catch (error) {
      this.#noteFault(index, error)
    }
  }

  handleCommandComplete(): void {
    if (this.name !== '') this.#known.set(this.name, this.#columns ?? noColumns)
    this.#expect(this.#rows.length)
    this.#rows.push([])
  }

  handleReadyForQuery(): void {
    this.#settle()
  }

  // The driver calls no other method of this batch afterwards.
  handleError(error: unknown): void {
    // PostgreSQL did not parse what it skipped. What it did parse is no longer among these.
    for (const name of this.#parsed) delete this.#connection?.submittedNamedStatements[name]
    // All statements have ended: what failed is the commit at the end, so none of them has taken effect.
    const failed = this.#rows.length - 1
    this.#noteFault(failed === this.#statements.length ? 0 : failed, error)
    this.#settle()
  }

  /** A value that cannot be sent is noted before the failures of the statements before it. */
  #noteFault(index: number, error: unknown): void {
    if (this.#fault === undefined || index < this.#fault.index) this.#fault = { index, error }
  }

  #expect(index: number): void {
    const name = this.#names[index] ?? ''
    this.name = name
    this.text = this.#statements[index]?.text ?? ''
    this.#columns = this.#known.get(name)
  }

  #settle(): void {
    const { index: failed, error } = this.#fault ?? { index: this.#statements.length, error: undefined }
    for (const [index, { resolve, reject }] of this.#statements.entries())
      if (index < failed) resolve((this.#rows[index] ?? []) as never[])
      else reject(error)
  }
}

// The driver passes the place of the value too.
const asSent = (value: unknown) => prepareValue(value)
