import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** A file that does not change while the service runs. */
export interface CompressedFile {
  contentType: string
  /** Makes the file, at its first request. */
  render: () => string | Buffer | Promise<string>
  /** Whether its address changes with its content, so that caches can keep it for ever. */
  isImmutable?: boolean
}

const cacheSeconds = 86_400

/** The encodings we offer, the smallest first. */
const encodings = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
  identity: (body: Buffer) => Promise.resolve(body),
}
type Encoding = keyof typeof encodings

/** Serves a file compressed, with an ETag, for caches to keep for a day. Keeps only the forms that were asked for. */
export function serveCompressed(
  app: FastifyInstance,
  path: string,
  { contentType, render, isImmutable = false }: CompressedFile,
): void {
  let etag: string | undefined
  const compressed = new Map<Encoding, Promise<Buffer>>()
  const rendered = async () => {
    const body = Buffer.from(await render())
    etag ??= createHash('sha256').update(body).digest('base64url').slice(0, 22)
    return body
  }
  app.get(path, async (request, reply) => {
    const encoding = (request.accepts().encoding(Object.keys(encodings)) || 'identity') as Encoding
    const encoded = compressed.get(encoding) ?? rendered().then(encodings[encoding])
    compressed.set(encoding, encoded)
    const body = await encoded.catch((error: unknown) => {
      compressed.delete(encoding)
      throw error
    })
    const ownEtag = `"${etag}-${encoding}"`
    const caching = isImmutable ? 'public, max-age=31536000, immutable' : `public, max-age=${cacheSeconds}`
    reply.headers({ ETag: ownEtag, Vary: 'Accept-Encoding', 'Cache-Control': caching })
    if (knowsEtag(request.headers['if-none-match'], ownEtag)) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
    return reply.header('Content-Type', contentType).send(body)
  })
}

/** Whether the client already has this form (RFC 9110 §13.1.2; comparison is weak). */
function knowsEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
