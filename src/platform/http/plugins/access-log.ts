import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashOfAddress } from '../../kernel/address-filter.ts'
import { clientAddressOf } from '../client-address.ts'

/** Who sent a request, once that is known. */
interface Caller {
  clientId: string
  /** Absent for a program of the operator's. */
  partnerId?: string
}

/** Keyed hash of a text, the same in every process of a deployment. */
type Hash = (text: string) => string

const callers = new WeakMap<FastifyRequest, Caller>()
const addressHashes = new WeakMap<FastifyRequest, string>()

/** An id that Housebill has made. Anything else in a path could be personal data, so it is not logged. */
const ownId = /^[a-z]{1,20}_[0-9a-z]{26}$/

/** Call this once the token of a request was accepted. */
export function noteCaller(request: FastifyRequest, { clientId, partnerId }: Caller): void {
  callers.set(request, partnerId === undefined ? { clientId } : { clientId, partnerId })
}

/** Who sent the request; undefined if no token was accepted. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request)
}

/**
 * Writes one line for each request: operation, status, time, who called, and the id in the path. The address is a keyed
 * hash, so that requests from one address can be found together without storing it. Not Fastify's own line, which has
 * the URL, where a link's token may be.
 */
export function installAccessLog(app: FastifyInstance, hash: Hash): void {
  const last = new WeakMap<Socket, { address: string; addressHash: string }>()
  const hashOf = (request: FastifyRequest) => {
    const address = clientAddressOf(request)
    const known = last.get(request.socket)
    if (known?.address === address) return known.addressHash
    const addressHash = hashOfAddress(hash, address)
    last.set(request.socket, { address, addressHash })
    return addressHash
  }
  app.addHook('onRequest', (request, _reply, done) => {
    addressHashes.set(request, hashOf(request))
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const subjectId = Object.values((request.params ?? {}) as Record<string, string>).find((each) => ownId.test(each))
    request.log.info(
      {
        method: request.method,
        operation: request.routeOptions.url ?? 'unknown path',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...callers.get(request),
        ...(subjectId === undefined ? {} : { subjectId }),
        addressHash: addressHashes.get(request),
      },
      'request',
    )
    done()
  })
}

/** What happened to a token or an access; docs/operations.md describes each. */
export type SecurityEvent =
  | 'token.issued'
  | 'token.refused'
  | 'token.revoked'
  | 'access.refused'
  | 'scope.refused'
  | 'address.refused'
  | 'partner.refused'
  | 'sign-in.accepted'
  | 'sign-in.refused'

/** A client id that our commands make. Another text may be anything that somebody typed. */
const ownClientId = /^(?:sb|live|op)_[0-9a-f]{24}$/

/**
 * Writes a line of the security log, at `info` whatever the level of the log, except `silent`. `reason` must be one of
 * our own sentences or codes, and `clientId` may be as the caller sent it.
 */
export function logSecurityEvent(
  request: FastifyRequest,
  event: SecurityEvent,
  facts: { clientId?: string | undefined; partnerId?: string; reason?: string } = {},
): void {
  if (request.log.level === 'silent') return
  const { clientId, ...others } = { ...callers.get(request), ...facts }
  request.log.child({ log: 'security' }, { level: 'info' }).info(
    {
      event,
      ...(clientId !== undefined && (others.partnerId !== undefined || ownClientId.test(clientId)) ? { clientId } : {}),
      ...others,
      addressHash: addressHashes.get(request),
    },
    'security',
  )
}
