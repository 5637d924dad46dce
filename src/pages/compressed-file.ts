import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
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
    etag ??= etagOf(body)
    return body
  }
  app.get(path, async (request, reply) => {
    const encoding = encodingFor(request)
    const encoded = compressed.get(encoding) ?? rendered().then(encodings[encoding])
    compressed.set(encoding, encoded)
    const body = await encoded.catch((error: unknown) => {
      compressed.delete(encoding)
      throw error
    })
    const caching = isImmutable ? 'public, max-age=31536000, immutable' : `public, max-age=${cacheSeconds}`
    reply.headers({ 'Cache-Control': caching, 'Content-Type': contentType })
    return sendForm(request, reply, { etag: `${etag}`, encoding, body: () => body })
  })
}

/** Sends text compressed, with an ETag. The caller sets its type, and who may keep it. */
export function sendCompressed(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  const [encoding, body] = [encodingFor(request), Buffer.from(text)]
  return sendForm(request, reply, { etag: etagOf(body), encoding, body: () => encodings[encoding](body) })
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  form: { etag: string; encoding: Encoding; body: () => Buffer | Promise<Buffer> },
): Promise<FastifyReply> {
  const { encoding } = form
  const etag = `"${form.etag}-${encoding}"`
  reply.headers({ ETag: etag, Vary: 'Accept-Encoding' })
  if (knowsEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
  return reply.send(await form.body())
}

function etagOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

function encodingFor(request: FastifyRequest): Encoding {
  return (request.accepts().encoding(Object.keys(encodings)) || 'identity') as Encoding
}

/** Whether the client already has this form (RFC 9110 §13.1.2; comparison is weak). */
function knowsEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
