import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../pages/html.ts'
import { createRateLimit, limitByAddress } from '../../partners/http/rate-limit.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { CallCounters } from '../../platform/rate-limits/call-counter.ts'
import { type OperatorPages, sendOperatorPage } from './operator-frame.ts'

/** Limits how often documents are opened with links. */
export interface LinkLimits {
  /**
   * Calls `open` unless the address or the link has used up its quota. A tenant reads the response in a browser, so
   * they get a page if there are too many requests or documents.
   */
  limited(
    request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
    open: () => Promise<FastifyReply>,
  ): Promise<FastifyReply>
}

interface LimitDependencies extends OperatorPages {
  counters: CallCounters
  cipher: Pick<FieldCipher, 'hash'>
}

/** How often one link may be opened in a minute. A person opens it a few times; a mail scanner, a few more. */
const opensPerMinute = 60

/**
 * Counts requests by address, `requestsPerSecond` a second, and then by link. The link is counted before its token is
 * checked, because only those who have the link can use up its quota. 0 turns both limits off.
 */
export function createLinkLimits(requestsPerSecond: number, deps: LimitDependencies): LinkLimits {
  const { counters, cipher } = deps
  const policy = { name: 'documents', quota: requestsPerSecond, windowSeconds: 1 }
  const countAddress = limitByAddress(createRateLimit(policy, counters), cipher)
  const byLink = createRateLimit({ name: 'document-link', quota: opensPerMinute, windowSeconds: 60 }, counters)
  return {
    async limited(request, reply, open) {
      const { token } = request.query
      try {
        if (requestsPerSecond > 0) {
          await countAddress(request, reply)
          if (typeof token === 'string') await byLink.consume(cipher.hash(token), reply)
        }
        return await open()
      } catch (error) {
        if (!(error instanceof DomainError) || error.retryAfterSeconds === undefined) throw error
        if (error.code === 'service_unavailable')
          request.log.warn({ err: error.cause ?? error }, 'dependency unavailable')
        reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSeconds))))
        return sendOperatorPage(reply.code(error.code === 'rate_limited' ? 429 : 503), deps, busyPage)
      }
    },
  }
}

const busyPage = {
  heading: 'Try again in a minute',
  body: html`<p>This document cannot be shown right now. Wait a minute, then open the link again.</p>`,
}
