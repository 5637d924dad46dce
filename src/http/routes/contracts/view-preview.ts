import type { FastifyInstance } from 'fastify'
import { documentFormats } from '../../../domain/contracts/document-format.ts'
import { viewPreview } from '../../../domain/contracts/links/view-preview.ts'
import { isId } from '../../../kernel/ids.ts'
import { html } from '../../pages/html.ts'
import { sendPage } from '../../pages/send-page.ts'
import type { DeploymentServices } from '../../services.ts'
import type { LinkLimits } from './link-limits.ts'
import { forbiddenPage, sendDocument } from './send-document.ts'

/**
 * The page and the PDF behind a preview URL. A link whose token is not valid gets the same 403 page as a contract's; a link whose terms
 * have changed since gets a 410 page.
 */
export function registerPreviewRoutes(app: FastifyInstance, services: DeploymentServices, limits: LinkLimits): void {
  for (const format of documentFormats) {
    app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
      `/previews/:customerId/pre-contract-information.${format}`,
      async (request, reply) => {
        const { token } = request.query
        const { customerId } = request.params
        const isHead = request.method === 'HEAD'
        reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex')
        return limits.limited(request, reply, async () => {
          const found =
            typeof token === 'string' && isId('tenant', customerId)
              ? await viewPreview(services, { customerId, format, token, requestId: request.id, isHead })
              : 'forbidden'
          if (found === 'forbidden') return sendPage(reply.code(403), forbiddenPage)
          if (found === 'stale') return sendPage(reply.code(410), stalePage)
          return sendDocument(reply, format, found.bytes, 'draft-pre-contract-information')
        })
      },
    )
  }
}

const stalePage = {
  title: 'This preview is out of date',
  body: html`<h1>This preview is out of date</h1><p>Something in it has changed. Ask the company that sent it to you for a new one.</p>`,
}
