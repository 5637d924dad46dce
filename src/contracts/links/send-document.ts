import type { FastifyReply } from 'fastify'
import { html } from '../../platform/http/pages/html.ts'
import { sendTenantPage } from '../../platform/http/pages/tenant-page.ts'
import type { DocumentFormat } from '../document-format.ts'
import type { OperatorFile } from '../operator-file.ts'

const contentTypes: Record<DocumentFormat, string> = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' }

/**
 * Sends a document to the browser under this name, without extension. Only our own pages may frame it, and only if
 * `framedBy` says so. Nothing in it can run or load anything.
 */
export function sendDocument(
  reply: FastifyReply,
  format: DocumentFormat,
  bytes: Buffer,
  name: string,
  framedBy: "'none'" | "'self'" = "'none'",
): FastifyReply {
  return reply
    .header('Content-Type', contentTypes[format])
    .header('Content-Disposition', `inline; filename="${name}.${format}"`)
    .header(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`,
    )
    .header('X-Frame-Options', framedBy === "'self'" ? 'SAMEORIGIN' : 'DENY')
    .send(bytes)
}

/** Sends the page behind every link that opens nothing: it has expired, was revoked, or was never right. */
export function sendForbidden(reply: FastifyReply, { trader }: Pick<OperatorFile, 'trader'>): FastifyReply {
  return sendTenantPage(reply.code(403), trader, {
    heading: 'This link no longer works',
    body: html`<p>A link to your contract works for a limited time, and it can be withdrawn. It also does not work if a part of it is missing.</p><p>To read your contract, ask ${trader.name} for a new link, or the company that sent you this link. You can also have the contract sent to you as a PDF.</p>`,
  })
}
