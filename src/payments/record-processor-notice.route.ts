import type { FastifyInstance } from 'fastify'
import type { CountAddress } from '../partners/http/rate-limit.ts'
import { rawBody } from '../platform/http/plugins/body.ts'
import { type NoticeDependencies, recordProcessorNotice } from './record-processor-notice.ts'

/**
 * Receives the payment processor's notices. The signature over the raw bytes is verified before anything is read;
 * unrelated notices are accepted and ignored, so that the processor does not resend them. Only those that it did not
 * sign count against the limit of their address.
 */
export function registerProcessorWebhook(
  app: FastifyInstance,
  deps: NoticeDependencies,
  countUnsigned: CountAddress,
): void {
  app.post('/processor-webhooks/stripe', async (request, reply) => {
    const { 'stripe-signature': sent } = request.headers
    const signature = typeof sent === 'string' ? sent : undefined
    const notice = await deps.paymentProcessor.readNotice(rawBody(request), signature).catch(async (error: unknown) => {
      await countUnsigned(request, reply)
      throw error
    })
    const { wasOurs, failure } = await recordProcessorNotice(deps, notice, request.id)
    if (failure !== undefined)
      request.log.warn(
        { err: failure, noticeId: notice.noticeId },
        'processor notice may be out of date; checking with the processor within a minute',
      )
    if (wasOurs && notice.kind === 'reversal' && notice.unknownStatus !== undefined)
      request.log.error({ noticeId: notice.noticeId, status: notice.unknownStatus }, 'dispute has an unknown status')
    request.log.info({ noticeId: notice.noticeId, kind: notice.kind, wasOurs }, 'processor notice recorded')
    return { received: true }
  })
}
