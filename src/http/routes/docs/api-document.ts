import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { toOpenApi30 } from '../../openapi/to-openapi-3-0.ts'
import { type CompressedFile, serveCompressed } from './compressed-file.ts'

/** Serves the API document as JSON, as YAML and in OpenAPI 3.0. */
export function registerApiDocument(app: FastifyInstance, document: OpenApiDocument): void {
  const json = 'application/json; charset=utf-8'
  const renderings: Record<string, CompressedFile> = {
    '/openapi.json': { contentType: json, render: () => JSON.stringify(document) },
    '/openapi.yaml': {
      contentType: 'application/yaml; charset=utf-8',
      async render() {
        const { stringify } = await import('yaml')
        // Without aliases: many tools do not follow them.
        return stringify(document, { aliasDuplicateObjects: false })
      },
    },
    '/openapi-3.0.json': { contentType: json, render: () => JSON.stringify(toOpenApi30(document)) },
  }
  for (const [path, file] of Object.entries(renderings)) serveCompressed(app, path, file)
}
