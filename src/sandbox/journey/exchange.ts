import { setTimeout as sleep } from 'node:timers/promises'

/** The response to one call. */
export interface HttpResponse {
  status: number
  contentType: string
  headers: Headers
  bytes: Buffer
  durationMs: number
}

interface Call {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
}

/** The time limit of one call. The longest operation, a broadband check, can take 10 s. */
const timeoutMs = 30_000
const attemptsUnderRateLimit = 5
const maxWaitSeconds = 60

/**
 * Makes one HTTP call. If it is rate limited, waits as long as Retry-After says and retries. Returns redirects instead
 * of following them, so that a token never goes to another host. If there is no response, throws what `fetch` throws.
 */
export async function exchange({ method, url, headers = {}, body }: Call): Promise<HttpResponse> {
  const started = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    if (response.status === 429 && waitSeconds <= maxWaitSeconds && attempt < attemptsUnderRateLimit) {
      await sleep(waitSeconds * 1000)
      continue
    }
    return {
      status: response.status,
      contentType: response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '',
      headers: response.headers,
      bytes,
      durationMs: Math.round(performance.now() - started),
    }
  }
}

/** The JSON of a response; undefined if it is not JSON. */
export function parseJsonBody({ contentType, bytes }: HttpResponse): unknown {
  if (!/^application\/([\w.-]+\+)?json$/.test(contentType)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
