import type { OpenApiDocument } from '../../src/platform/openapi/document.ts'

/** The messages that webhooks receive, in the order of the document, and where the reference shows each. */
export function listMessages(document: OpenApiDocument): { type: string; href: string }[] {
  return Object.keys(document.webhooks as object).map((type) => ({
    type,
    href: `/docs/reference#tag/webhooks/webhook/POST/${type}`,
  }))
}
