import { createHash } from 'node:crypto'
import type { HttpResponse } from './exchange.ts'
import { readPdfText } from './pdf-text.ts'
import { pounds } from './pounds.ts'

/**
 * Checks a contract page: its content type, its doctype, the total that it states and its digest. Returns every
 * problem.
 */
export function htmlMismatches(response: HttpResponse, totalCost: number): string[] {
  const text = response.bytes.toString('utf8')
  return [
    ...wrongType(response, 'text/html'),
    ...(/^\s*<!doctype html/i.test(text) ? [] : ['it does not start like an HTML document']),
    ...totalMissing(text, totalCost),
    ...wrongDigest(response),
  ]
}

/** Checks a contract PDF: its content type, the total in its extracted text and its digest. Returns every problem. */
export function pdfMismatches(response: HttpResponse, totalCost: number): string[] {
  return [
    ...wrongType(response, 'application/pdf'),
    ...pdfTextMismatches(response, totalCost),
    ...wrongDigest(response),
  ]
}

function pdfTextMismatches({ bytes }: HttpResponse, totalCost: number): string[] {
  try {
    return totalMissing(readPdfText(bytes), totalCost)
  } catch (error) {
    return [`it cannot be read as a PDF: ${error instanceof Error ? error.message : 'unknown'}`]
  }
}

function wrongType({ contentType }: HttpResponse, expected: string): string[] {
  return contentType === expected ? [] : [`its Content-Type is ${contentType || 'missing'}, not ${expected}`]
}

function totalMissing(text: string, totalCost: number): string[] {
  const total = pounds(totalCost)
  return text.includes(total) ? [] : [`it does not contain the total, ${total}`]
}

/** Checks the digest (RFC 9530), which shows whether the document arrived unchanged. */
function wrongDigest({ headers, bytes }: HttpResponse): string[] {
  const sent = /sha-256=:([^:]+):/.exec(headers.get('repr-digest') ?? '')?.[1]
  if (sent === undefined) return []
  return createHash('sha256').update(bytes).digest('base64') === sent ? [] : ['it does not match its Repr-Digest']
}
