import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { toOpenApi30 } from '../../openapi/to-openapi-3-0.ts'

const cacheSeconds = 86_400

/** The encodings we offer, the smallest first. */
const encodings = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
  identity: (body: Buffer) => Promise.resolve(body),
}
type Encoding = keyof typeof encodings

/** The renderings of the API document. */
const renderings = {
  '/openapi.json': {
    contentType: 'application/json; charset=utf-8',
    render: (document: OpenApiDocument) => JSON.stringify(document),
  },
  '/openapi.yaml': {
    contentType: 'application/yaml; charset=utf-8',
    // Without aliases: many tools do not follow them.
    render: (document: OpenApiDocument) => stringify(document, { aliasDuplicateObjects: false }),
  },
  '/openapi-3.0.json': {
    contentType: 'application/json; charset=utf-8',
    render: (document: OpenApiDocument) => JSON.stringify(toOpenApi30(document)),
  },
}

/**
 * Serves the API document as JSON, as YAML and in OpenAPI 3.0: compressed, with an ETag, for caches to keep for a day. Each form is
 * made on its first request.
 */
export function registerApiDocument(app: FastifyInstance, document: OpenApiDocument): void {
  for (const [path, { contentType, render }] of Object.entries(renderings)) {
    let rendered: { body: Buffer; etag: string } | undefined
    const compressed = new Map<Encoding, Promise<Buffer>>()
    app.get(path, async (request, reply) => {
      rendered ??= withEtag(render(document))
      const { body, etag } = rendered
      const encoding = (request.accepts().encoding(Object.keys(encodings)) || 'identity') as Encoding
      const ownEtag = `"${etag}-${encoding}"`
      reply.headers({ ETag: ownEtag, Vary: 'Accept-Encoding', 'Cache-Control': `public, max-age=${cacheSeconds}` })
      if (knowsEtag(request.headers['if-none-match'], ownEtag)) return reply.code(304).send()
      const encoded = compressed.get(encoding) ?? encodings[encoding](body)
      compressed.set(encoding, encoded)
      if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
      return reply.header('Content-Type', contentType).send(await encoded)
    })
  }
}

function withEtag(text: string): { body: Buffer; etag: string } {
  const body = Buffer.from(text)
  return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 22) }
}

/** Whether the client already has this form (RFC 9110 §13.1.2; comparison is weak). */
function knowsEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
