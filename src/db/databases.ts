import type { Pool } from 'pg'
import type { Access, Origin } from './access.ts'
import { CommitSignal } from './commit-signal.ts'
import { createDatabase, type Database } from './database.ts'
import type { ProofSigner } from './proof.ts'

/**
 * The connections to the database, each with the rights it needs. A transaction gets its partner when it begins and loses it when it
 * ends, so nothing carries over to the next user of a connection, even behind a connection pooler.
 */
export interface Databases {
  /** Sees only this partner's rows and the data shared by all partners, whatever the statement says. */
  forPartner(partnerId: string, origin?: Origin): Database
  /** Sees only data shared by all partners (properties, rate cards, stored upstream responses about a property), and no partner's rows. */
  shared: Database
  /** Sees all partners' rows, but only the columns and commands that are needed across partners. */
  system: Database
  /** `system`, for changes that the operator makes: the audit log records `origin`. */
  forSystem(origin: Origin): Database
  /** Reads what all partners sold, for the operator's software. Changes nothing but the operator's own tables. */
  forOperator(origin?: Origin): Database
}

/** One pool for each runtime role: its login has the rights of this role only. */
export interface Pools {
  app: Pool
  system: Pool
  operator: Pool
}

/** `origin` is what the audit log records for a partner's changes if `forPartner` is called without an origin. */
export function createDatabases({ app, system, operator }: Pools, sign: ProofSigner, origin?: Origin): Databases {
  const commits = new CommitSignal()
  return {
    forPartner: (partnerId, ofCall = origin) => createDatabase(app, createAccess(sign, partnerId, ofCall), commits),
    shared: createDatabase(app, undefined, commits),
    system: createDatabase(system, createAccess(sign, '', origin), commits),
    forSystem: (ofCall) => createDatabase(system, createAccess(sign, '', ofCall), commits),
    forOperator: (ofCall = origin) => createDatabase(operator, createAccess(sign, '', ofCall), commits),
  }
}

/** How long a signed proof is reused. It stays valid for three times as long. */
const proofReusedMs = 20_000

function createAccess(sign: ProofSigner, partnerId: string, origin: Origin | undefined): Access {
  const text = origin === undefined ? '' : JSON.stringify(origin)
  let proof = ''
  let signedAt = Number.NEGATIVE_INFINITY
  return {
    prove() {
      const now = performance.now()
      if (now - signedAt > proofReusedMs) {
        proof = sign(partnerId, text)
        signedAt = now
      }
      return proof
    },
  }
}
