import type { FastifyInstance } from 'fastify'
import { rawBody } from '../platform/http/plugins/body.ts'
import { type NoticeDependencies, recordProcessorNotice } from './record-processor-notice.ts'

/**
 * Receives the payment processor's notices. The signature over the raw bytes is verified before anything is read;
 * unrelated notices are accepted and ignored, so that the processor does not resend them.
 */
export function registerProcessorWebhook(app: FastifyInstance, deps: NoticeDependencies): void {
  app.post('/processor-webhooks/stripe', async (request) => {
    const signature = request.headers['stripe-signature']
    const notice = await deps.paymentProcessor.readNotice(
      rawBody(request),
      typeof signature === 'string' ? signature : undefined,
    )
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
