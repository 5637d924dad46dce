import { Readable } from 'node:stream'
import { Pool } from 'undici'
import { fillIn, type PlaceholderValues } from './known-values.ts'
import type { RequestPlan } from './request-plan.ts'

/** A request exactly as it was sent. */
export interface SentRequest {
  plan: RequestPlan
  method: string
  /** The path and the query. */
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | undefined
}

/** The response, or the reason why there is none. */
export type Outcome = ReceivedResponse | { failure: string }

export interface ReceivedResponse {
  status: number
  headers: Headers
  text: string
}

export interface Client {
  send(request: SentRequest): Promise<Outcome>
  close(): Promise<void>
}

/** A request that takes longer than this counts as hanging. */
const patienceMs = 20_000

export function fillInRequest(plan: RequestPlan, values: PlaceholderValues): SentRequest {
  const { method, path, query, headers, body } = plan
  return {
    plan,
    method,
    target: fillIn(path + query, values),
    headers: headers.map(([name, value]) => [name, fillIn(value, values)]),
    body: typeof body === 'string' ? Buffer.from(fillIn(body, values)) : body && fillInBytes(body, values),
  }
}

/** Reads the bytes as Latin-1, which keeps them all, even if they are not valid UTF-8. */
function fillInBytes(bytes: Buffer, values: PlaceholderValues): Buffer {
  return Buffer.from(fillIn(bytes.toString('latin1'), values), 'latin1')
}

export function connectClient(baseUrl: string, connections: number): Client {
  const pool = new Pool(baseUrl, { connections, headersTimeout: patienceMs, bodyTimeout: patienceMs })
  return {
    async send({ method, target, headers, body }) {
      try {
        const answer = await pool.request({
          method,
          path: target,
          headers: headers.flat(),
          body: body === undefined ? null : isStreamed(body) ? Readable.from([body]) : body,
        })
        const text = await answer.body.text()
        const received = new Headers()
        for (const [name, value] of Object.entries(answer.headers))
          for (const each of [value ?? []].flat()) received.append(name, each)
        return { status: answer.statusCode, headers: received, text }
      } catch (error) {
        return {
          failure:
            error instanceof Error ? `${error.message} (${(error as NodeJS.ErrnoException).code})` : String(error),
        }
      }
    },
    close: () => pool.destroy(),
  }
}

/** Whether to send the body in chunks, without Content-Length. This is done for about a quarter of all bodies. */
function isStreamed(body: Buffer): boolean {
  return body.length % 4 === 3
}

/** The request as a curl command, for which the reader has to set `$BASE_URL` and `$TOKEN`. */
export function asCurl({ method, target, headers, body }: SentRequest): string {
  const parts = [
    ...(body === undefined ? [] : [`printf %s ${body.toString('base64')} | base64 -d |`]),
    'curl -i --path-as-is --globoff',
    method === 'HEAD' ? '--head' : `-X ${method}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}${value === '' ? ';' : `: ${value}`}`)}`),
    ...(body === undefined ? [] : ['--data-binary @-']),
    target.startsWith('/') ? `"$BASE_URL"${quoted(target)}` : `--request-target ${quoted(target)} "$BASE_URL"`,
  ]
  return parts.join(' ')
}

function quoted(text: string): string {
  const shown = text.replace(/^(authorization: Bearer )[\w-]+\.[\w-]+\.[\w-]+$/, '$1$TOKEN')
  if (shown !== text) return `"${shown}"`
  return /^[\w/:?&=.,-]*$/.test(text)
    ? text
    : `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, hex)}'`
}

function hex(character: string): string {
  return [...Buffer.from(character, 'latin1')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
