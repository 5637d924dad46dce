import type { FastifyInstance } from 'fastify'
import type { DeploymentServices } from '../../app/http/route-services.ts'
import { html } from '../../platform/http/pages/html.ts'
import { sendTenantPage, setPrivate } from '../../platform/http/pages/tenant-page.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { documentFormats } from '../document-format.ts'
import type { LinkLimits } from './link-limits.ts'
import { sendDocument, sendForbidden } from './send-document.ts'
import { viewPreview } from './view-preview.ts'

/**
 * The page and the PDF behind a preview URL. A link whose token is not valid gets the same 403 page as a contract's; a
 * link whose terms have changed since gets a 410 page.
 */
export function registerPreviewRoutes(app: FastifyInstance, services: DeploymentServices, limits: LinkLimits): void {
  for (const format of documentFormats) {
    app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
      `/previews/:customerId/pre-contract-information.${format}`,
      async (request, reply) => {
        const { token } = request.query
        const { customerId } = request.params
        const isHead = request.method === 'HEAD'
        setPrivate(reply)
        return limits.limited(request, reply, async () => {
          const found =
            typeof token === 'string' && isId('tenant', customerId)
              ? await viewPreview(services, { customerId, format, token, requestId: request.id, isHead })
              : 'forbidden'
          if (found === 'forbidden') return sendForbidden(reply, services.operator)
          if (typeof found === 'string') return sendTenantPage(reply.code(410), services.operator.trader, pages[found])
          return sendDocument(reply, format, found.bytes, 'draft-pre-contract-information')
        })
      },
    )
  }
}

const pages = {
  accepted: {
    heading: 'You have accepted your contract',
    body: html`<p>This link was to the draft, which you have accepted since. It no longer shows anything.</p><p>To read your contract, ask the company that sent you this link for the link to the contract, or ask us.</p>`,
  },
  stale: {
    heading: 'This preview is out of date',
    body: html`<p>Something in it has changed. Ask the company that sent you this link for a new one, or ask us.</p>`,
  },
}
