import type { FastifyInstance } from 'fastify'
import { recordProcessorNotice } from '../../../domain/payments/record-processor-notice.ts'
import { rawBody } from '../../plugins/body.ts'
import type { DeploymentServices } from '../../services.ts'

/**
 * The payment processor's way in. The signature is checked over the raw bytes before anything is read; a notice that is not
 * ours is accepted and passed over, so that the processor does not send it again.
 */
export function registerProcessorWebhook(app: FastifyInstance, services: DeploymentServices): void {
  app.post('/processor-webhooks/stripe', async (request) => {
    const signature = request.headers['stripe-signature']
    const notice = services.paymentProcessor.readNotice(
      rawBody(request),
      typeof signature === 'string' ? signature : undefined,
    )
    const { wasOurs, failure } = await recordProcessorNotice(services, notice, request.id)
    if (failure !== undefined)
      request.log.warn(
        { err: failure, noticeId: notice.noticeId },
        'processor notice may be out of date; checking with the processor within a minute',
      )
    request.log.info({ noticeId: notice.noticeId, kind: notice.kind, wasOurs }, 'processor notice recorded')
    return { received: true }
  })
}
