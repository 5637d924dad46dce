import type { FastifyInstance } from 'fastify'
import { documentFormats } from '../../../domain/contracts/document-format.ts'
import { viewContract } from '../../../domain/contracts/links/view-contract.ts'
import { isId } from '../../../kernel/ids.ts'
import { sendPage } from '../../pages/send-page.ts'
import type { DeploymentServices } from '../../services.ts'
import type { LinkLimits } from './link-limits.ts'
import { forbiddenPage, sendDocument } from './send-document.ts'

/** Allows the styles and fonts that a rendered document contains, and nothing else. */
export const documentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The page and the PDF behind a contract URL. Every invalid token gets the same 403 page, whether it expired, was altered or
 * belongs to another document.
 */
export function registerContractRoutes(app: FastifyInstance, services: DeploymentServices, limits: LinkLimits): void {
  for (const format of documentFormats) {
    app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
      `/contracts/:customerId/pre-contract-information.${format}`,
      async (request, reply) => {
        const { token } = request.query
        const { customerId } = request.params
        const isHead = request.method === 'HEAD'
        reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex')
        return limits.limited(request, reply, async () => {
          const document =
            typeof token === 'string' && isId('tenant', customerId)
              ? await viewContract(services, { customerId, format, token, requestId: request.id, isHead })
              : undefined
          if (document === undefined) return sendPage(reply.code(403), forbiddenPage)
          reply.header('Repr-Digest', `sha-256=:${Buffer.from(document.sha256, 'hex').toString('base64')}:`)
          return sendDocument(reply, format, document.bytes, `contract-${document.contractNumber}`)
        })
      },
    )
  }
}
