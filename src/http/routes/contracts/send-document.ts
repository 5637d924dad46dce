import type { FastifyReply } from 'fastify'
import type { DocumentFormat } from '../../../domain/contracts/document-format.ts'
import { html } from '../../pages/html.ts'

const contentTypes: Record<DocumentFormat, string> = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' }

/** Sends a document to the browser under this name, without extension. Nothing in it can run or load anything. */
export function sendDocument(reply: FastifyReply, format: DocumentFormat, bytes: Buffer, name: string): FastifyReply {
  return reply
    .header('Content-Type', contentTypes[format])
    .header('Content-Disposition', `inline; filename="${name}.${format}"`)
    .header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .send(bytes)
}

export const forbiddenPage = {
  title: 'This link does not work',
  body: html`<h1>This link does not work</h1><p>Ask the company that sent it to you for a new one.</p>`,
}
