import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../../app/openapi/document.ts'
import { type CompressedFile, serveCompressed } from './compressed-file.ts'
import { renderInThread } from './rendering-thread.ts'

/** Serves the API document as JSON, as YAML and in OpenAPI 3.0. */
export function registerApiDocument(app: FastifyInstance, document: OpenApiDocument): void {
  const json = 'application/json; charset=utf-8'
  // As text: copying the document for a thread piece by piece would hold up more requests than writing it as JSON.
  const inThread = (form: string) => () =>
    renderInThread('./document-forms.ts', { form, text: JSON.stringify(document) })
  const renderings: Record<string, CompressedFile> = {
    '/openapi.json': { contentType: json, render: () => JSON.stringify(document) },
    '/openapi.yaml': { contentType: 'application/yaml; charset=utf-8', render: inThread('yaml') },
    '/openapi-3.0.json': { contentType: json, render: inThread('openapi-3.0') },
  }
  for (const [path, file] of Object.entries(renderings)) serveCompressed(app, path, file)
}
