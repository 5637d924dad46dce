import type { FastifyInstance } from 'fastify'
import type { DocumentFormat } from '../../../domain/contracts/document-format.ts'
import { viewContract } from '../../../domain/contracts/view-contract.ts'
import { isId } from '../../../kernel/ids.ts'
import { html } from '../../pages/html.ts'
import { sendPage } from '../../pages/send-page.ts'
import type { DeploymentServices } from '../../services.ts'

const contentTypes: Record<DocumentFormat, string> = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' }

/** Allows the styles and fonts that a rendered document contains, and nothing else. */
export const documentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The page and the PDF behind a contract URL. Every invalid token gets the same 403 page, whether it expired, was altered or
 * belongs to another document.
 */
export function registerContractRoutes(app: FastifyInstance, services: DeploymentServices): void {
  for (const format of ['html', 'pdf'] as const) {
    app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
      `/contracts/:customerId/pre-contract-information.${format}`,
      async (request, reply) => {
        const { token } = request.query
        const { customerId } = request.params
        reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex')
        const document =
          typeof token === 'string' && isId('tenant', customerId)
            ? await viewContract(services, { customerId, format, token })
            : undefined
        if (document === undefined) return sendPage(reply.code(403), forbiddenPage)
        return reply
          .header('Content-Type', contentTypes[format])
          .header('Content-Disposition', `inline; filename="pre-contract-information.${format}"`)
          .header('Content-Security-Policy', documentSecurityPolicy)
          .header('Repr-Digest', `sha-256=:${Buffer.from(document.sha256, 'hex').toString('base64')}:`)
          .send(document.bytes)
      },
    )
  }
}

const forbiddenPage = {
  title: 'This link does not work',
  body: html`<h1>This link does not work</h1><p>Ask the company that sent it to you for a new one.</p>`,
}
