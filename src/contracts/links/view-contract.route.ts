import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageDeployment } from '../../app/http/route-dependencies.ts'
import { setDocumentHeaders, setPolicy } from '../../pages/document.ts'
import { setPrivate } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { type Contract, cancellableUntil, type EndReason } from '../contract.ts'
import { type DocumentFormat, documentFormats } from '../document-renderer.ts'
import type { LinkLimits } from './link-limits.ts'
import { type OperatorPages, sendOperatorPage } from './operator-frame.ts'
import { viewContract, viewContractState } from './view-contract.ts'
import { viewPreview } from './view-preview.ts'

/**
 * Sets the headers of a rendered document: it may use its own style sheet, whose hash its own policy has, its fonts, and
 * nothing else. A browser that shows a PDF styles its viewer itself.
 */
export function setRenderedHeaders(
  reply: FastifyReply,
  format: DocumentFormat,
  bytes: Buffer,
  framedBy: "'none'" | "'self'" = "'none'",
): FastifyReply {
  if (format === 'pdf')
    return setPolicy(reply.header('Content-Type', 'application/pdf'), { 'style-src': "'unsafe-inline'" })
  const [hash = ''] = /sha256-[\w+/=]+/.exec(bytes.toString('latin1', 0, 1_000)) ?? []
  return setDocumentHeaders(reply, {
    'style-src': `'${hash}'`,
    'font-src': 'data:',
    'frame-ancestors': framedBy,
  })
}

/**
 * The page and the PDF behind a contract URL. Every invalid token gets the same 403 page, whether it expired, was
 * altered or belongs to another document.
 */
export function registerContractRoutes(app: FastifyInstance, deps: PageDeployment, limits: LinkLimits): void {
  registerStatePage(app, deps, limits)
  registerDocuments(app, 'contracts', limits, async (request, reply, format) => {
    const asked = readLink(request)
    const document = asked && (await viewContract(deps, { ...asked, format }))
    if (document === undefined) return sendForbidden(reply, deps)
    reply.header('Repr-Digest', `sha-256=:${Buffer.from(document.sha256, 'hex').toString('base64')}:`)
    const name = `contract-${document.contractNumber}`
    return sendDocument(reply, format, document.bytes, name, format === 'html' ? "'self'" : "'none'")
  })
}

/** The page that shows the present state of a contract around its document. The same link opens both. */
function registerStatePage(app: FastifyInstance, deps: PageDeployment, limits: LinkLimits): void {
  app.get('/contracts/:customerId', (request: LinkRequest, reply) =>
    limits.limited(request, reply, async () => {
      const asked = readLink(request)
      const contract = asked && (await viewContractState(deps, asked))
      if (asked === undefined || contract === undefined) return sendForbidden(reply, deps)
      const { heading, sentences } = contractState(contract)
      const source = `/contracts/${asked.customerId}/pre-contract-information.html?token=${encodeURIComponent(asked.token)}`
      const body = html`<p>Contract ${contract.contractNumber}</p>${sentences.map((each) => html`<p>${each}</p>`)}<p><a href="${source}" target="_blank">Read or print the contract on its own</a></p><p>${backToPages(asked.customerId)}</p><iframe src="${source}" class="document" title="The contract as agreed"></iframe>`
      return sendOperatorPage(reply, deps, { heading, body, isWide: true, allowed: { 'frame-src': "'self'" } })
    }),
  )
}

/**
 * The page and the PDF behind a preview URL. A link whose token is not valid gets the same 403 page as a contract's; a
 * link whose terms have changed since gets a 410 page.
 */
export function registerPreviewRoutes(app: FastifyInstance, deps: PageDeployment, limits: LinkLimits): void {
  registerDocuments(app, 'previews', limits, async (request, reply, format) => {
    const asked = readLink(request)
    const found = asked === undefined ? 'forbidden' : await viewPreview(deps, { ...asked, format })
    if (found === 'forbidden') return sendForbidden(reply, deps)
    if (typeof found === 'string') return sendOperatorPage(reply.code(410), deps, pages[found])
    const bytes = format === 'html' && asked !== undefined ? withWayBack(found.bytes, asked.customerId) : found.bytes
    return sendDocument(reply, format, bytes, 'draft-pre-contract-information')
  })
}

/** The way back for who came from their pages; anybody else gets one in. */
function backToPages(customerId: string): Html {
  return html`<a href="/my-bills/${customerId}/">Back to your pages</a>`
}

/** The draft with the way back at its top, which is not printed. */
function withWayBack(bytes: Buffer, customerId: string): Buffer {
  const bar = html`<p class="way-back">${backToPages(customerId)}</p>`
  return Buffer.from(bytes.toString('utf8').replace(/<main\b[^>]*>/, (main) => `${main}${bar.markup}`))
}

type LinkRequest = FastifyRequest<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>

/** Serves a document in both formats, as private and within the limits of links. */
function registerDocuments(
  app: FastifyInstance,
  folder: 'contracts' | 'previews',
  limits: LinkLimits,
  serve: (request: LinkRequest, reply: FastifyReply, format: DocumentFormat) => Promise<FastifyReply>,
): void {
  for (const format of documentFormats)
    app.get(`/${folder}/:customerId/pre-contract-information.${format}`, async (request: LinkRequest, reply) => {
      setPrivate(reply)
      return limits.limited(request, reply, () => serve(request, reply, format))
    })
}

/** What a link asks for; undefined if its customer or its token cannot be right. */
function readLink({ params: { customerId }, query: { token }, id: requestId, method }: LinkRequest) {
  if (typeof token !== 'string' || !isId('tenant', customerId)) return undefined
  return { customerId, token, requestId, isHead: method === 'HEAD' }
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

/**
 * Sends a document to the browser under this name, without extension. Only our own pages may frame it, and only if
 * `framedBy` says so. Nothing in it can run or load anything.
 */
function sendDocument(
  reply: FastifyReply,
  format: DocumentFormat,
  bytes: Buffer,
  name: string,
  framedBy: "'none'" | "'self'" = "'none'",
): FastifyReply {
  return setRenderedHeaders(reply, format, bytes, framedBy)
    .header('Content-Disposition', `inline; filename="${name}.${format}"`)
    .header('X-Frame-Options', framedBy === "'self'" ? 'SAMEORIGIN' : 'DENY')
    .send(bytes)
}

/** Sends the page behind every link that opens nothing: it has expired, was revoked, or was never right. */
function sendForbidden(reply: FastifyReply, pages: OperatorPages): FastifyReply {
  const { name } = pages.operator.trader
  return sendOperatorPage(reply.code(403), pages, {
    heading: 'This link no longer works',
    body: html`<p>A link to your contract works for a limited time, and it can be withdrawn. It also does not work if a part of it is missing.</p><p>To read your contract, ask ${name} for a new link, or the company that sent you this link. You can also have the contract sent to you as a PDF.</p>`,
  })
}

/** The present state of a contract in words, for its tenant. */
interface StateInWords {
  heading: string
  sentences: readonly string[]
}

/** Why a contract never took effect or is over; for a reason that is missing, the status says enough. */
const reasons: Partial<Record<EndReason, string>> = {
  lock_ended: 'Not every tenant of the household accepted in time.',
  reopened: 'The quote was changed before every tenant had accepted.',
  quote_cancelled: 'The quote was cancelled.',
  withdrawn: 'You withdrew before it took effect.',
  notice: 'It was ended early.',
  tenancy_ended: 'Your tenancy ended.',
  tenancy_did_not_start: 'Your tenancy did not start.',
  property_uninhabitable: 'The home could not be lived in.',
  replaced: 'Another tenant took over your share.',
}

/** Says where the contract stands now. */
function contractState(contract: Contract): StateInWords {
  const { status, effectiveAt, startsOn, endsOn, endedOn, endReason } = contract
  const why = endReason === null ? [] : [reasons[endReason] ?? ''].filter((reason) => reason !== '')
  const day = dayInWords(endedOn ?? endsOn)
  switch (status) {
    case 'agreed':
      return {
        heading: 'Your contract is not in force yet',
        sentences: ['It takes effect when every tenant of your household has accepted. Until then you owe nothing.'],
      }
    case 'in_force':
      return {
        heading: 'Your contract is in force',
        sentences: [
          ...(effectiveAt === null ? [] : [`In force since ${momentInWords(effectiveAt)}.`]),
          ...cancellation(contract),
          `Its last day is ${dayInWords(lastDayOf(contract))}.`,
          ...why,
        ],
      }
    case 'cancelled':
      return { heading: 'Your contract was cancelled', sentences: [`It was cancelled on ${day}.`, ...why] }
    case 'ended':
      return {
        heading: 'Your contract has ended',
        sentences: [
          (endedOn ?? endsOn) < startsOn ? `It ended on ${day}, before it began.` : `Its last day was ${day}.`,
          ...why,
        ],
      }
    case 'lapsed':
    case 'superseded':
      return { heading: 'This contract never took effect', sentences: [...why, 'Nobody owes anything under it.'] }
  }
}

function cancellation(contract: Contract): string[] {
  const until = cancellableUntil(contract)
  return until === null
    ? []
    : [`You can cancel without giving a reason until the end of ${dayInWords(londonDate(until))}.`]
}
