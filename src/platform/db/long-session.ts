import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { Queryable } from './database.ts'
import { asDependencyFailure } from './failures.ts'
import { connectClient } from './hosts.ts'
import type { Sql } from './sql.ts'

/** How much may wait to be sent, so that the next pieces are made while PostgreSQL stores the last ones. */
const copyBufferBytes = 2 * 1_024 * 1_024

/**
 * A connection of its own for work that takes minutes. It has no time limit and, unlike those of the pools, can copy
 * rows in bulk.
 */
export interface LongSession extends Queryable {
  /** Sends the pieces as the input of a COPY … FROM STDIN. Their boundaries need not be those of rows. */
  copyIn(statement: Sql, pieces: AsyncIterable<string>): Promise<void>
}

/** Runs `work` on a connection of its own, which keeps temporary tables until `work` ends. */
export async function withLongSession<Result>(
  connectionString: string,
  work: (session: LongSession) => Promise<Result>,
): Promise<Result> {
  const failed = (error: unknown) => {
    throw asDependencyFailure(error)
  }
  const client = await connectClient({ connectionString, application_name: 'housebill import' }).catch(failed)
  try {
    return await work({
      query: <Row>({ text, values }: Sql) => client.query({ text, values }).then(({ rows }) => rows as Row[]),
      async copyIn({ text }, pieces) {
        await pipeline(pieces, client.query(copyFrom(text, { highWaterMark: copyBufferBytes })))
      },
    }).catch(failed)
  } finally {
    await client.end()
  }
}
