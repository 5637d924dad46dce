import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, ResponseRecorder, Tx } from '../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { DomainError } from '../kernel/errors.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { type Id, newId } from '../kernel/ids.ts'
import { claimKey, releaseKey, renewClaim, storeResponse } from './idempotency.store.ts'
import { storedResponseSeconds } from './response-retention.ts'

/*
 * Idempotency-Key: one mechanism for every POST.
 *
 * A request that has a key starts by claiming the key, in a separate transaction. The operation then runs, and the
 * transaction that makes its change also stores the response, so that a crash leaves both or neither. If a claim lapsed
 * and a retry took over the key, the slower attempt finds its claim gone when it stores the response, and is rolled
 * back. A key therefore never takes effect twice. Errors free the key: only 2xx responses are kept, for seven days.
 */

/**
 * How long a claim is valid. It is renewed while its request runs, so the process that made an expired claim has died
 * or is cut off.
 */
const claimSeconds = 15
const renewEveryMs = 5_000

export type IdempotencyClaim =
  | { kind: 'replay'; response: string }
  | { kind: 'claimed'; recorder: ResponseRecorder; release(): Promise<void> }

export interface IdempotencyDependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
}

/**
 * How the API document describes a key: 1 to 255 visible ASCII characters, with or without double quotes around them.
 */
export const idempotencyKeyPattern = '^(\\x22[\\x21-\\x7e]{1,255}\\x22|[\\x21\\x23-\\x7e][\\x21-\\x7e]{0,254})$'

const keyRule =
  'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, with or without double quotes around them.'

/**
 * The request's key, which may be sent with or without quotes; undefined if there is none. Throws `invalid_request` for
 * an invalid key.
 */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(', ') : header
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new DomainError('invalid_request', keyRule, {
    fields: [
      {
        pointer: '/header/Idempotency-Key',
        code: 'wrong_format',
        detail: keyRule,
      },
    ],
  })
}

/**
 * Claims the key or returns the stored response. `serialise` turns the operation's result into the response to store,
 * without secrets. Throws `idempotency_key_reused` and `idempotency_in_flight`.
 */
export async function claimIdempotencyKey(
  { db, cipher, clock }: IdempotencyDependencies,
  request: { partnerId: Id<'partner'>; key: string; method: string; path: string; body: Buffer },
  serialise: (result: unknown) => string,
): Promise<IdempotencyClaim> {
  const { partnerId, key } = request
  const requestHashes = hashesOf(request, cipher)
  const claimId = newId('claim')
  const now = clock.now()
  const end = (from: Date) => new Date(from.getTime() + claimSeconds * 1_000)
  const location = { column: 'idempotency_keys.response', row: `${partnerId}/${key}` }
  const state = await claimKey(db, {
    partnerId,
    key,
    requestHashes,
    claimId,
    now,
    claimedUntil: end(now),
    expiresAt: new Date(now.getTime() + storedResponseSeconds * 1000),
  })
  if (state.claimed) {
    // If renewing fails, the claim lapses. Storing the response then finds out whether another request has taken over
    // the key.
    const renewal = setInterval(() => {
      renewClaim(db, { partnerId, key, claimId, claimedUntil: end(clock.now()) }).catch(() => undefined)
    }, renewEveryMs)
    renewal.unref()
    return {
      kind: 'claimed',
      recorder: {
        effectKey: createHash('sha256').update(`${partnerId}\n${key}\n${state.requestHash}`).digest('hex'),
        async record(tx: Tx, result: unknown) {
          // From here on, the lock on the key's row keeps others out.
          clearInterval(renewal)
          const response = serialise(result)
          const responseEncrypted = cipher.encrypt(response, location)
          const subjectId = subjectOf(request.path, response)
          if (!(await storeResponse(tx, { partnerId, key, claimId, responseEncrypted, subjectId })))
            throw inFlight(claimSeconds)
        },
      },
      release: () => {
        clearInterval(renewal)
        return releaseKey(db, { partnerId, key, claimId })
      },
    }
  }
  if (!requestHashes.includes(state.requestHash)) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different path or body. Use a new key for a new request.',
    )
  }
  if (state.responseEncrypted === null) throw inFlight((state.claimedUntil.getTime() - clock.now().getTime()) / 1000)
  return { kind: 'replay', response: cipher.decrypt(state.responseEncrypted, location).toString('utf8') }
}

/**
 * The hashes under which the request may be stored. They are keyed, because a body whose contents can be guessed, such
 * as a date of birth, could be found by trying. The first is of the current key.
 */
function hashesOf(
  { method, path, body }: { method: string; path: string; body: Buffer },
  cipher: Pick<FieldCipher, 'hash' | 'hashes'>,
): [string, ...string[]] {
  const sha256 = createHash('sha256').update(`${method}\n${path}\n`).update(body).digest('hex')
  const [current = cipher.hash(sha256), ...others] = cipher.hashes(sha256)
  return [current, ...others]
}

/**
 * The id of the quote or customer that a response is about, by which an erasure finds the response: the first such id
 * in the path, otherwise the first one in the response.
 */
function subjectOf(path: string, response: string): string {
  const id = /\b(?:quote|tenant)_[0-9a-z]{26}\b/
  return (id.exec(path) ?? id.exec(response))?.[0] ?? ''
}

function inFlight(claimedForSeconds: number): DomainError {
  return new DomainError(
    'idempotency_in_flight',
    'A request with this Idempotency-Key is still in progress. Wait for the number of seconds in Retry-After, then retry.',
    // The clock of the process that holds the claim may be ahead of ours.
    { retryAfterSeconds: Math.min(claimSeconds, Math.max(1, Math.ceil(claimedForSeconds))) },
  )
}

/** Marks a stored response as replayed. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('Idempotent-Replayed', 'true')
}
