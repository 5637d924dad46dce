import type { FastifyInstance } from 'fastify'
import { html } from '../../pages/html.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { type OperatorPages, sendOperatorPage } from '../links/operator-frame.ts'
import { setRenderedHeaders } from '../links/view-contract.route.ts'
import type { ViewTerms } from './view-terms.ts'

/** How long a version of the terms may be cached. Its text never changes, but the operator's name at the top can. */
const maxAgeSeconds = 300

interface TermsPages extends OperatorPages {
  viewTerms: ViewTerms
}

/**
 * Every version of the terms, for anyone to read: `/terms/{version}` is a page, `/terms/{version}.pdf` the same as a
 * PDF.
 */
export function registerTermsRoutes(app: FastifyInstance, pages: TermsPages): void {
  const { viewTerms } = pages
  app.get<{ Params: { file: string } }>('/terms/:file', async (request, reply) => {
    const { file } = request.params
    const format: DocumentFormat = file.endsWith('.pdf') ? 'pdf' : 'html'
    const version = format === 'pdf' ? file.slice(0, -'.pdf'.length) : file
    const document = /^[\w.-]{1,60}$/.test(version) ? await viewTerms(version, format) : undefined
    if (document === undefined) return sendOperatorPage(reply.code(404), pages, unknownVersionPage)
    return setRenderedHeaders(reply, format, document)
      .header('Content-Disposition', `inline; filename="terms-${version}.${format}"`)
      .header('Cache-Control', `public, max-age=${maxAgeSeconds}`)
      .send(document)
  })
}

const unknownVersionPage = {
  heading: 'There are no terms with this version',
  body: html`<p>Check the version in your contract, and that the whole address was copied.</p>`,
}
