import type { FastifyRequest } from 'fastify'
import { rawBody } from '../platform/http/plugins/body.ts'
import { DomainError } from '../platform/kernel/errors.ts'

/** The maximum size of a form with long texts or files: 2 MiB. nginx allows a little more. */
export const maxUploadBytes = 2_097_152

/**
 * Makes a form with files (multipart/form-data) into one without: the text of a file is the first value of its field,
 * before what was typed. A file that was not chosen is left out. The size of the body bounds what is read.
 * With `anyEncoding`, a file that is not in UTF-8 is read as spreadsheets save them.
 */
export async function readFilesAsText(request: FastifyRequest, anyEncoding: boolean): Promise<void> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) return
  const parts = await new Response(new Uint8Array(rawBody(request)), { headers: { 'content-type': type } })
    .formData()
    .catch((cause: unknown) => {
      throw new DomainError('invalid_request', 'The form is incomplete. Send it again.', { cause })
    })
  const files = [...parts].filter(([, value]) => typeof value !== 'string' && value.size > 0)
  const typed = [...parts].filter(([, value]) => typeof value === 'string')
  const fields = await Promise.all(
    [...files, ...typed].map(async ([name, value]) => [name, await textOf(value, anyEncoding)]),
  )
  request.body = Buffer.from(new URLSearchParams(fields).toString())
}

async function textOf(value: string | Blob, anyEncoding: boolean): Promise<string> {
  if (typeof value === 'string') return value
  const text = await value.text()
  if (!anyEncoding || (!text.includes('\uFFFD') && !text.includes('\0'))) return text
  const bytes = new Uint8Array(await value.arrayBuffer())
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'windows-1252').decode(bytes)
}
