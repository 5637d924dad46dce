import { type Html, html } from '../../pages/html.ts'
import type { OpenApiDocument } from '../../platform/openapi/document.ts'

/** Returns the URL of what documents inline code such as `GET /Quotes/{id}`; undefined if there is nothing. */
export type FindPage = (code: string) => string | undefined

/** An operation of the API document, and where the reference shows it. */
export interface DocumentedOperation {
  operationId: string
  method: string
  path: string
  summary: string
  description: string
  tag: string
  href: string
}

interface DocumentShape {
  paths: Record<string, Record<string, { operationId: string; summary: string; description?: string; tags: [string] }>>
}

/** The operations in the order of the document. */
export function listOperations(document: OpenApiDocument): DocumentedOperation[] {
  // Safe: we build the document, and a browser test opens every operation.
  const { paths } = document as unknown as DocumentShape
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(
      ([
        method,
        {
          operationId,
          summary,
          description = '',
          tags: [tag],
        },
      ]) => ({
        operationId,
        method: method.toUpperCase(),
        path,
        summary,
        description,
        tag,
        href: `/docs/reference#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`,
      }),
    ),
  )
}

/**
 * Returns a function that finds the operation named by a piece of inline code, such as `GET /Quotes`. The code may
 * include
 * `/partner-api` or a query, and its letter case does not matter.
 */
export function createPageFinder(operations: readonly DocumentedOperation[]): FindPage {
  const pages = new Map<string, string>()
  for (const { method, path, href } of operations) {
    pages.set(`${method} ${path}`.toLowerCase(), href)
    pages.set(`${method} ${path.replace('/partner-api', '')}`.toLowerCase(), href)
  }
  return (code) => pages.get(code.toLowerCase().replace(/\?.*$/, ''))
}

/** Renders inline code such as `GET /Quotes/{id}`, with a link to what documents it if there is something. */
export function renderCode(code: string, findPage: FindPage): Html {
  const href = findPage(code)
  return href === undefined ? html`<code>${code}</code>` : html`<a href="${href}"><code>${code}</code></a>`
}
