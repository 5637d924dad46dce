import type { FastifyInstance } from 'fastify'
import type { DeploymentServices } from '../../app/http/route-services.ts'
import { html } from '../../platform/http/pages/html.ts'
import { sendTenantPage, setPrivate } from '../../platform/http/pages/tenant-page.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { documentFormats } from '../document-format.ts'
import { contractState } from './contract-state.ts'
import type { LinkLimits } from './link-limits.ts'
import { sendDocument, sendForbidden } from './send-document.ts'
import { viewContract, viewContractState } from './view-contract.ts'

/** Allows the styles and fonts that a rendered document contains, and nothing else. */
export const documentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The page and the PDF behind a contract URL. Every invalid token gets the same 403 page, whether it expired, was
 * altered or belongs to another document.
 */
export function registerContractRoutes(app: FastifyInstance, services: DeploymentServices, limits: LinkLimits): void {
  registerStatePage(app, services, limits)
  for (const format of documentFormats) {
    app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
      `/contracts/:customerId/pre-contract-information.${format}`,
      async (request, reply) => {
        const { token } = request.query
        const { customerId } = request.params
        const isHead = request.method === 'HEAD'
        setPrivate(reply)
        return limits.limited(request, reply, async () => {
          const document =
            typeof token === 'string' && isId('tenant', customerId)
              ? await viewContract(services, { customerId, format, token, requestId: request.id, isHead })
              : undefined
          if (document === undefined) return sendForbidden(reply, services.operator)
          reply.header('Repr-Digest', `sha-256=:${Buffer.from(document.sha256, 'hex').toString('base64')}:`)
          return sendDocument(
            reply,
            format,
            document.bytes,
            `contract-${document.contractNumber}`,
            format === 'html' ? "'self'" : "'none'",
          )
        })
      },
    )
  }
}

/** The page that shows the present state of a contract around its document. The same link opens both. */
function registerStatePage(app: FastifyInstance, services: DeploymentServices, limits: LinkLimits): void {
  app.get<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>(
    '/contracts/:customerId',
    async (request, reply) => {
      const { token } = request.query
      const { customerId } = request.params
      const isHead = request.method === 'HEAD'
      return limits.limited(request, reply, async () => {
        const contract =
          typeof token === 'string' && isId('tenant', customerId)
            ? await viewContractState(services, { customerId, token, requestId: request.id, isHead })
            : undefined
        if (contract === undefined) return sendForbidden(reply, services.operator)
        const { heading, sentences } = contractState(contract)
        const source = `/contracts/${customerId}/pre-contract-information.html?token=${encodeURIComponent(String(token))}`
        const body = html`<p>Contract ${contract.contractNumber}</p>${sentences.map((each) => html`<p>${each}</p>`)}<p><a href="${source}">Open the contract on its own, for example to print it</a></p><iframe src="${source}" title="The contract as agreed"></iframe>`
        return sendTenantPage(reply, services.operator.trader, { heading, body }, { 'frame-src': "'self'" })
      })
    },
  )
}
